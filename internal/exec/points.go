package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Points are read in batches, in parallel within the limit; the first is small, because it may satisfy a LIMIT
// above.
const maxPointBatch = 256

// nextBatch gives the size of the batch after one of size n.
func (r *Run) nextBatch(n int) int {
	if n == 0 {
		return r.Parallel()
	}
	return min(2*n, maxPointBatch)
}

// pointSource reads entities by their keys and passes those that exist, in the order of the keys.
type pointSource struct {
	run  *Run
	get  engine.Get // without the keys
	keys []access.Key
	size int

	batch  []engine.Entity
	found  []bool
	pos    int
	before int // keys before the batch

	// of a batch of one
	oneEntity [1]engine.Entity
	oneFound  [1]bool
	room      []engine.Value
}

func (s *pointSource) NextEntity(ctx context.Context) (*engine.Entity, string, error) {
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
	keys := s.keys[:n]
	s.keys, s.pos = s.keys[n:], 0
	if n == 1 {
		s.batch, s.found = s.oneEntity[:], s.oneFound[:]
		return s.readOne(ctx, keys[0])
	}
	if cap(s.batch) < n {
		s.batch, s.found = make([]engine.Entity, n), make([]bool, n)
	}
	s.batch, s.found = s.batch[:n], s.found[:n]
	read := func(ctx context.Context, i int) (err error) {
		s.batch[i], s.found[i], err = s.run.knownPoint(ctx, s.get, keys[i])
		return err
	}
	if s.get.Row != nil {
		return s.run.Each(ctx, n, read)
	}
	if err := s.run.keep(ctx, s.get, keys); err != nil {
		return err
	}
	return engine.SideBySide(ctx, s.run.Parallel(), n, read)
}

func (s *pointSource) readOne(ctx context.Context, key access.Key) (err error) {
	get := s.get
	if s.run.points == nil { // else it is kept for longer
		get.Room = s.room
	}
	s.batch[0], s.found[0], err = s.run.knownPoint(ctx, get, key)
	return err
}

// index says which of the keys belongs to the entity that was passed last.
func (s *pointSource) index() int { return s.before + s.pos - 1 }

// point reads one entity by its keys.
func (r *Run) point(ctx context.Context, g engine.Get, k access.Key) (engine.Entity, bool, error) {
	return r.Get(ctx, getOf(g, k))
}

// getOf is g for the entity with a key.
func getOf(g engine.Get, k access.Key) engine.Get {
	g.Table, g.PartitionKey, g.RowKey = k.Partition.Physical, k.PartitionKey, k.RowKey
	return g
}

func (s *pointSource) Close() error {
	s.keys, s.batch = nil, nil
	return nil
}

// indexJoinSource reads the rows of index entries that lack some of the wanted columns. It skips rows that were
// deleted meanwhile; the caller checks those that were changed.
type indexJoinSource struct {
	run     *Run
	entries source
	of      entryOf
	get     engine.Get
	limit   int // rows likely to be wanted; 0: all
	size    int // of the last batch

	keys  []access.Key
	order []string // the entries' row keys
	rows  pointSource
	ended bool
}

func (s *indexJoinSource) NextEntity(ctx context.Context) (*engine.Entity, string, error) {
	for {
		e, _, err := s.rows.NextEntity(ctx)
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
func (s *indexJoinSource) read(ctx context.Context) error {
	if s.size == 0 && s.limit > 0 {
		s.size = min(s.limit, maxPointBatch)
	} else {
		s.size = s.run.nextBatch(s.size)
	}
	s.keys, s.order = s.keys[:0], s.order[:0]
	for len(s.keys) < s.size {
		e, key, err := s.entries.NextEntity(ctx)
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return err
		}
		row, err := s.of.key(e)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, row)
		s.order = append(s.order, key)
	}
	s.rows = pointSource{run: s.run, get: s.get, keys: s.keys, size: s.size}
	return nil
}

func (s *indexJoinSource) Close() error {
	s.ended = true
	s.rows.Close()
	return s.entries.Close()
}
