package once

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// place is where an entity is.
type place struct{ table, partitionKey, rowKey string }

// seen remembers the ids of entities that were recently read whole, as entities to be written are. A writer of such an entity keeps the earlier
// ids in it, and can tell later that no one else has overwritten its own. Without that, which is rare, less is known after a lost answer, but
// nothing wrong.
type seen struct {
	mu   sync.Mutex
	last map[place]version
	ring [maxSeen]place // in the order in which they were read
	next int
}

type version struct{ etag, ids string }

const (
	maxSeen = 1024
	// maxChunk: nothing is remembered of larger chunks of a scan. Few of so many rows are changed by others before they are written.
	maxChunk = 16
)

// idsOf gives the ids that an entity had when it had this ETag; "" if they are not known, or it had none.
func (s *seen) idsOf(at place, etag string) string {
	if etag == "" {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.last[at]; v.etag == etag {
		return v.ids
	}
	return ""
}

// note remembers an entity that has ids.
func (s *seen) note(table string, e *engine.Entity) {
	i := slices.Index(e.Names, keymap.OperationIDs)
	if i < 0 || e.Values[i].Type != engine.String || len(e.Values[i].S) < idLength {
		return
	}
	// The entity's texts may share a block with those of many others.
	at := place{table, strings.Clone(e.PartitionKey), strings.Clone(e.RowKey)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[place]version{}
	}
	if _, known := s.last[at]; !known {
		delete(s.last, s.ring[s.next])
		s.ring[s.next] = at
		s.next = (s.next + 1) % maxSeen
	}
	s.last[at] = version{strings.Clone(e.ETag), strings.Clone(e.Values[i].S)}
}

// Get reads an entity.
func (s *store) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := s.Engine.Get(ctx, g)
	if err == nil && g.Select == nil {
		s.seen.note(g.Table, &e)
	}
	return e, err
}

// Scan walks a range.
func (s *store) Scan(ctx context.Context, r engine.Scan) engine.Cursor {
	c := s.Engine.Scan(ctx, r)
	if r.Select != nil || !keymap.HoldsRows(r.Table) {
		return c
	}
	return &cursor{c, s, r.Table}
}

type cursor struct {
	engine.Cursor
	store *store
	table string
}

func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	if len(chunk) <= maxChunk {
		for i := range chunk {
			c.store.seen.note(c.table, &chunk[i])
		}
	}
	return chunk, err
}
