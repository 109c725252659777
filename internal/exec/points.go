package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Points are read in batches, side by side within the bound; the first is small, because a LIMIT above may
// be content with it.
const maxPointBatch = 256

// nextBatch gives the size of the batch behind one of size n.
func (r *run) nextBatch(n int) int {
	if n == 0 {
		return r.parallel()
	}
	return min(2*n, maxPointBatch)
}

// pointSource reads entities by their keys and passes those that there are, in the order of the keys.
type pointSource struct {
	run  *run
	get  engine.Get // without the keys
	keys []planner.Key
	size int

	batch  []engine.Entity
	found  []bool
	pos    int
	before int // keys before the batch
}

func (s *pointSource) next(ctx context.Context) (*engine.Entity, string, error) {
	for {
		for ; s.pos < len(s.batch); s.pos++ {
			if s.found[s.pos] {
				e := &s.batch[s.pos]
				s.pos++
				return e, e.RowKey, nil
			}
		}
		if len(s.keys) == 0 {
			return nil, "", io.EOF
		}
		if err := s.read(ctx); err != nil {
			return nil, "", err
		}
	}
}

// read reads the next batch.
func (s *pointSource) read(ctx context.Context) error {
	s.size = s.run.nextBatch(s.size)
	n := min(s.size, len(s.keys))
	s.before += len(s.batch)
	if cap(s.batch) < n {
		s.batch, s.found = make([]engine.Entity, n), make([]bool, n)
	}
	s.batch, s.found, s.pos = s.batch[:n], s.found[:n], 0
	keys := s.keys[:n]
	s.keys = s.keys[n:]
	return s.run.each(ctx, n, func(ctx context.Context, i int) (err error) {
		s.batch[i], s.found[i], err = s.run.point(ctx, s.get, keys[i])
		return err
	})
}

// index says which of the keys the entity that was passed last has.
func (s *pointSource) index() int { return s.before + s.pos - 1 }

// point reads one entity by its keys.
func (r *run) point(ctx context.Context, g engine.Get, k planner.Key) (engine.Entity, bool, error) {
	g.PartitionKey, g.RowKey = k.Partition, k.Row
	if k.Part != nil {
		g.Table = k.Part.Physical
	}
	return r.get(ctx, g)
}

func (s *pointSource) close() error {
	s.keys, s.batch = nil, nil
	return nil
}

// fetchSource reads the rows that index entries stand for, where the entries do not hold all that is
// wanted. A row that is gone meanwhile is passed over; one that was changed is for the caller to check.
type fetchSource struct {
	run     *run
	entries source
	table   *planner.Table
	ids     Decoder // fills the primary key, and what says which part the row is in, from an entry
	row     []value.Value
	get     engine.Get
	limit   int // rows likely to be wanted; 0: all
	size    int // of the last batch

	keys  []planner.Key
	order []string // the entries' row keys
	rows  pointSource
	ended bool
}

func (s *fetchSource) next(ctx context.Context) (*engine.Entity, string, error) {
	for {
		e, _, err := s.rows.next(ctx)
		if err == nil {
			return e, s.order[s.rows.index()], nil
		}
		if err != io.EOF {
			return nil, "", err
		}
		if s.ended {
			return nil, "", io.EOF
		}
		if err := s.read(ctx); err != nil {
			return nil, "", err
		}
	}
}

// read collects a batch of entries.
func (s *fetchSource) read(ctx context.Context) error {
	if s.size == 0 && s.limit > 0 {
		s.size = min(s.limit, maxPointBatch)
	} else {
		s.size = s.run.nextBatch(s.size)
	}
	s.keys, s.order = s.keys[:0], s.order[:0]
	for len(s.keys) < s.size {
		e, key, err := s.entries.next(ctx)
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return err
		}
		if err := s.ids.DecodeRow(e, s.row); err != nil {
			return err
		}
		row, err := s.table.AppendRowKey(nil, s.row)
		if err != nil {
			return err
		}
		part, err := s.table.PartOf(s.row)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, planner.Key{Part: part, Partition: e.PartitionKey, Row: string(row)})
		s.order = append(s.order, key)
	}
	s.rows = pointSource{run: s.run, get: s.get, keys: s.keys, size: s.size}
	return nil
}

func (s *fetchSource) close() error {
	s.ended = true
	s.rows.close()
	return s.entries.close()
}
