package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// source passes the entities of a scan. An entity is valid until the next call of next; key is what it is
// ordered by. io.EOF is behind the last.
type source interface {
	next(ctx context.Context) (e *engine.Entity, key string, err error)
	close() error
}

// spanSource reads spans, one after the other.
type spanSource struct {
	run   *run
	scan  engine.Scan // without partition and range
	spans []planner.Span
	// limit is how many entities are likely to be wanted; 0: all. It is what the store is asked for at
	// first. Whoever goes on behind that many gets more: so a limit never costs a row, only a request.
	limit int

	cursor engine.Cursor // of spans[0]
	asked  int           // its limit
	got    int           // what it has given
	total  int           // what all have given
	last   string        // row key of the last entity
	chunk  []engine.Entity
	pos    int
}

func (s *spanSource) next(ctx context.Context) (*engine.Entity, string, error) {
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
func (s *spanSource) nextChunk(ctx context.Context) ([]engine.Entity, error) {
	for {
		if s.cursor == nil {
			if len(s.spans) == 0 {
				return nil, io.EOF
			}
			s.open(s.run.ctx)
		}
		chunk, err := s.read(ctx)
		if err == io.EOF {
			s.cursor = nil
			if s.asked > 0 && s.got >= s.asked {
				s.spans[0].From = keymap.PointSpan(s.last).To
			} else {
				s.spans = s.spans[1:]
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		s.got += len(chunk)
		s.total += len(chunk)
		s.last = chunk[len(chunk)-1].RowKey
		return chunk, s.run.count(len(chunk))
	}
}

// open starts the scan of the first span.
func (s *spanSource) open(ctx context.Context) {
	span := s.spans[0]
	scan := s.scan
	scan.PartitionKey, scan.From, scan.To = span.Partition, span.From, span.To
	if span.Part != nil {
		scan.Table = span.Part.Physical
	}
	s.asked, s.got = s.limit, 0
	if s.total < s.limit {
		s.asked = s.limit - s.total
	}
	scan.Limit = s.asked
	s.cursor = s.run.x.Store.Scan(ctx, scan)
}

func (s *spanSource) read(ctx context.Context) ([]engine.Entity, error) {
	if err := s.run.begin(ctx); err != nil {
		return nil, err
	}
	defer s.run.done()
	return s.cursor.Next(ctx)
}

func (s *spanSource) close() error {
	s.spans, s.chunk, s.pos = nil, nil, 0
	if s.cursor == nil {
		return nil
	}
	c := s.cursor
	s.cursor = nil
	return c.Close()
}

// allSource reads a span of row keys in all partitions, whose names are not known: one scan of the whole
// table, whose filter lets the span through. Entities come by partition.
type allSource struct {
	spanSource
	span planner.Span
}

func newAllSource(r *run, scan engine.Scan, span planner.Span) *allSource {
	scan.AllPartitions, scan.FromPartition, scan.ToPartition = true, span.FromPartition, span.ToPartition
	if span.From != "" || span.To != "" {
		scan.Filter = andFilter(spanFilter(span), scan.Filter)
	}
	return &allSource{spanSource: spanSource{run: r, scan: scan, spans: []planner.Span{span}}, span: span}
}

func (s *allSource) next(ctx context.Context) (*engine.Entity, string, error) {
	for {
		e, key, err := s.spanSource.next(ctx)
		if err != nil || s.span.From <= key && (s.span.To == "" || key < s.span.To) {
			return e, key, err
		}
	}
}

// spanFilter lets the row keys of the span through.
func spanFilter(s planner.Span) *engine.Filter {
	f := &engine.Filter{Op: engine.Ge, Property: "RowKey", Value: engine.Value{Type: engine.String, S: s.From}}
	if s.To == "" {
		return f
	}
	return andFilter(f, &engine.Filter{Op: engine.Lt, Property: "RowKey", Value: engine.Value{Type: engine.String, S: s.To}})
}

func andFilter(a, b *engine.Filter) *engine.Filter {
	if b == nil {
		return a
	}
	return &engine.Filter{Op: engine.And, Kids: []*engine.Filter{a, b}}
}
