package embedded

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Memory is a store in this process's memory, empty when opened. Entities never change once they are stored, and are shared with their readers.
type Memory struct {
	limits engine.Limits
	closed atomic.Bool
	root   atomic.Pointer[memRoot]

	mu      sync.RWMutex // held for reading to read one entity of the root, or to begin holding the root
	version uint64
	clock   clock
}

var _ engine.Transactor = (*Memory)(nil)

// OpenMemory makes an empty store.
func OpenMemory(o Options) *Memory {
	m := &Memory{limits: o.limits()}
	m.root.Store(&memRoot{m: m, tables: map[string]*memTable{}})
	return m
}

// Get implements engine.Engine.
func (m *Memory) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.root.Load().get(ctx, &g)
}

// Scan implements engine.Engine.
func (m *Memory) Scan(_ context.Context, s engine.Scan) engine.Cursor {
	return m.hold().scan(s)
}

// hold gives the root to a caller that reads it for longer: until it is released, nothing in it changes.
func (m *Memory) hold() *memRoot {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r := m.root.Load()
	r.holders.Add(1)
	return r
}

// CreateTable implements engine.Engine.
func (m *Memory) CreateTable(ctx context.Context, table string, meter *engine.Meter) error {
	if err := m.limits.CheckTable(table); err != nil {
		return err
	}
	return m.define(ctx, meter, func(r *memRoot) error {
		fold := engine.FoldTable(table)
		if r.tables[fold] != nil {
			return engine.Errorf(engine.CodeExists, "table %q is there already", r.tables[fold].name)
		}
		t := newMemTable(table)
		r.take(t)
		r.tables[fold], r.tables[table] = t, t
		return nil
	})
}

// DeleteTable implements engine.Engine.
func (m *Memory) DeleteTable(ctx context.Context, table string, meter *engine.Meter) error {
	if err := m.limits.CheckTable(table); err != nil {
		return err
	}
	return m.define(ctx, meter, func(r *memRoot) error {
		fold := engine.FoldTable(table)
		t := r.tables[fold]
		if t == nil {
			return errNoTable(table)
		}
		r.give(t)
		delete(r.tables, fold)
		delete(r.tables, t.name)
		return nil
	})
}

// define changes the list of tables in a copy of the root, and publishes that.
func (m *Memory) define(ctx context.Context, meter *engine.Meter, change func(*memRoot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed.Load() {
		return errClosed()
	}
	if meter != nil {
		meter.Requests.Add(1)
	}
	next := m.root.Load().next()
	next.tables = maps.Clone(next.tables)
	if err := change(next); err != nil {
		return err
	}
	m.root.Store(next)
	return nil
}

// Tables implements engine.Engine.
func (m *Memory) Tables(ctx context.Context, prefix string, meter *engine.Meter) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.closed.Load() {
		return nil, errClosed()
	}
	var names []string
	fold := engine.FoldTable(prefix)
	for key, t := range m.root.Load().tables {
		if key == engine.FoldTable(t.name) && strings.HasPrefix(key, fold) {
			names = append(names, t.name)
		}
	}
	return sortedPage(names, m.limits, meter), nil
}

// sortedPage sorts names of tables and counts the requests that listing them takes.
func sortedPage(names []string, l engine.Limits, meter *engine.Meter) []string {
	slices.Sort(names)
	if meter != nil {
		meter.Requests.Add(int64(max(1, (len(names)+l.PageEntities-1)/l.PageEntities)))
	}
	return names
}

// Shared implements engine.Engine: no other process can see this process's memory.
func (m *Memory) Shared() bool { return false }

// Limits implements engine.Engine.
func (m *Memory) Limits() engine.Limits { return m.limits }

// Close implements engine.Engine. What was stored is gone.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed.Store(true)
	m.root.Store(&memRoot{m: m, owner: m.root.Load().owner + 1, tables: map[string]*memTable{}})
	return nil
}
