package embedded

import (
	"context"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memMoment is a memory store at one moment: a root that is held.
type memMoment struct {
	root     *memRoot
	released atomic.Bool
}

// Moment implements engine.Transactor.
func (m *Memory) Moment() engine.Moment { return &memMoment{root: m.hold()} }

// Get implements engine.Moment.
func (m *memMoment) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if m.released.Load() {
		return engine.Entity{}, errReleased()
	}
	return m.root.get(ctx, &g)
}

// Scan implements engine.Moment. The cursor holds the root, too.
func (m *memMoment) Scan(_ context.Context, s engine.Scan) engine.Cursor {
	m.root.holders.Add(1)
	c := m.root.scan(s)
	if m.released.Load() {
		c.err = errReleased()
		c.drop()
	}
	return c
}

// Begin implements engine.Moment.
func (m *memMoment) Begin() error { return nil }

// Release implements engine.Moment.
func (m *memMoment) Release() {
	if !m.released.Swap(true) {
		m.root.holders.Add(-1)
	}
}
