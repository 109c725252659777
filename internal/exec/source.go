package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// source passes the entities of a scan. An entity is valid until the next call of next; key is what orders it.
// io.EOF comes after the last.
type source interface {
	NextEntity(ctx context.Context) (e *engine.Entity, key string, err error)
	Close() error
}

// noSource has nothing.
type noSource struct{}

func (noSource) NextEntity(context.Context) (*engine.Entity, string, error) { return nil, "", io.EOF }
func (noSource) Close() error                                               { return nil }

// SpanSource reads spans, one after another.
type SpanSource struct {
	Run   *Run
	Scan  engine.Scan // without partition and range
	Spans []access.Span
	// Limit is how many entities are likely to be wanted; 0: all. The store is asked for that many at first. A caller
	// that reads further gets all: so a limit never costs a row, only a request.
	Limit int
	mixed bool // there may be entities that are not rows

	cursor engine.Cursor   // of spans[0]
	asked  int             // its limit
	got    int             // what it has given
	total  int             // what all have given
	last   access.Key      // of the last entity
	rest   []engine.Entity // read by the cursor, not passed yet
	chunk  []engine.Entity
	pos    int
}

// NextEntity gives the next entity and its row key; io.EOF after the last.
func (s *SpanSource) NextEntity(ctx context.Context) (*engine.Entity, string, error) {
	if s.pos >= len(s.chunk) {
		s.chunk, s.pos = nil, 0
		chunk, err := s.nextChunk(ctx)
		if err != nil {
			return nil, "", err
		}
		s.chunk = chunk
	}
	e := &s.chunk[s.pos]
	s.pos++
	return e, e.RowKey, nil
}

// nextChunk gives one or more entities, valid until the next call.
func (s *SpanSource) nextChunk(ctx context.Context) ([]engine.Entity, error) {
	for {
		if chunk := s.inside(); len(chunk) > 0 {
			return chunk, nil
		}
		if s.cursor == nil {
			if len(s.Spans) == 0 {
				return nil, io.EOF
			}
			s.open(s.Run.ctx)
		}
		chunk, err := s.read(ctx)
		if err == io.EOF {
			s.cursor = nil
			if s.asked > 0 && s.got >= s.asked {
				s.Spans = append(behind(s.Spans[0], s.last), s.Spans[1:]...)
			} else {
				s.Spans = s.Spans[1:]
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		s.got += len(chunk)
		s.total += len(chunk)
		e := &chunk[len(chunk)-1]
		s.last = access.Key{PartitionKey: e.PartitionKey, RowKey: e.RowKey}
		s.rest = chunk
		if err := s.Run.count(len(chunk)); err != nil {
			return nil, err
		}
	}
}

// inside takes the next entities that lie in the span from the rest: a walk over partitions may give others in between.
func (s *SpanSource) inside() []engine.Entity {
	if len(s.rest) == 0 {
		return nil
	}
	span := &s.Spans[0]
	if !span.All {
		chunk := s.rest
		s.rest = nil
		return chunk
	}
	in := func(e *engine.Entity) bool { return span.Contains(e.RowKey) }
	begin := 0
	for begin < len(s.rest) && !in(&s.rest[begin]) {
		begin++
	}
	end := begin
	for end < len(s.rest) && in(&s.rest[end]) {
		end++
	}
	chunk := s.rest[begin:end]
	s.rest = s.rest[end:]
	return chunk
}

// behind is the part of a span after a key.
func behind(s access.Span, last access.Key) []access.Span {
	from := keymap.PointSpan(last.RowKey).To
	if !s.All {
		s.From = from
		return []access.Span{s}
	}
	next := s
	next.PartitionKeys.From = keymap.PointSpan(last.PartitionKey).To
	return []access.Span{{Partition: s.Partition, PartitionKey: last.PartitionKey, Span: keymap.Span{From: from, To: s.To}}, next}
}

// open starts the scan of the first span.
func (s *SpanSource) open(ctx context.Context) {
	span := s.Spans[0]
	scan := s.Scan
	if span.All {
		scan.AllPartitions, scan.FromPartition, scan.ToPartition = true, span.PartitionKeys.From, span.PartitionKeys.To
		scan.Filter = andFilter(spanFilter(span), scan.Filter)
	} else {
		scan.PartitionKey, scan.From, scan.To = span.PartitionKey, span.From, span.To
	}
	scan.Table = span.Partition.Physical
	s.asked, s.got = 0, 0
	if s.total < s.Limit && !(span.All && s.sifts(span)) {
		s.asked = s.Limit - s.total
	}
	scan.Limit = s.asked
	s.cursor = s.Run.store.Scan(ctx, scan)
}

// sifts says whether a walk over partitions may give unwanted entities. Then a limit would make its pages shorter, and more
// numerous.
func (s *SpanSource) sifts(span access.Span) bool {
	return span.From != "" || span.To != "" || s.mixed
}

func (s *SpanSource) read(ctx context.Context) ([]engine.Entity, error) {
	if err := s.Run.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.Run.Done()
	chunk, err := s.cursor.Next(ctx)
	return chunk, lockError(err)
}

func (s *SpanSource) Close() error {
	s.Spans, s.rest, s.chunk, s.pos = nil, nil, nil, 0
	if s.cursor == nil {
		return nil
	}
	c := s.cursor
	s.cursor = nil
	return c.Close()
}

// spanFilter lets through the row keys of a span that is walked over partitions; nil: all pass.
func spanFilter(s access.Span) *engine.Filter {
	bound := func(op engine.FilterOp, key string) *engine.Filter {
		if key == "" {
			return nil
		}
		return &engine.Filter{Op: op, Property: "RowKey", Value: engine.Value{Type: engine.String, S: key}}
	}
	return andFilter(bound(engine.Ge, s.From), bound(engine.Lt, s.To))
}

func andFilter(a, b *engine.Filter) *engine.Filter {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &engine.Filter{Op: engine.And, Kids: []*engine.Filter{a, b}}
}
