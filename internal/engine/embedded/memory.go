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

// Memory is a store in this process's memory, empty when opened. Entities are never changed once they
// are stored, and are shared with those who read them.
type Memory struct {
	limits engine.Limits
	closed atomic.Bool
	tables atomic.Pointer[map[string]*memTable] // by folded name and by name; never changed, replaced

	mu      sync.Mutex // held by writers
	version uint64
	clock   clock
}

var _ engine.Engine = (*Memory)(nil)

// OpenMemory makes an empty store.
func OpenMemory(o Options) *Memory {
	m := &Memory{limits: o.limits()}
	m.tables.Store(&map[string]*memTable{})
	return m
}

// table finds a table, in whatever case it is named.
func (m *Memory) table(name string) *memTable {
	tables := *m.tables.Load()
	if t := tables[name]; t != nil {
		return t
	}
	return tables[engine.FoldTable(name)]
}

// Get implements engine.Engine.
func (m *Memory) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if err := ctx.Err(); err != nil {
		return engine.Entity{}, err
	}
	if m.closed.Load() {
		return engine.Entity{}, errClosed()
	}
	var e *memEntity
	t := m.table(g.Table)
	if t != nil {
		e = t.get(g.PartitionKey, g.RowKey)
	}
	if e == nil {
		// Only what is not found needs checking: what is there has legal keys.
		if err := m.limits.CheckGet(&g); err != nil {
			return engine.Entity{}, err
		}
	}
	if g.Meter != nil {
		g.Meter.Requests.Add(1)
	}
	switch {
	case t == nil:
		return engine.Entity{}, errNoTable(g.Table)
	case e == nil:
		return engine.Entity{}, errNoEntity(g.Table, g.PartitionKey, g.RowKey)
	}
	if g.Meter != nil {
		g.Meter.Scanned.Add(1)
		g.Meter.Returned.Add(1)
	}
	out := engine.Entity{
		PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: e.etag, Timestamp: e.timestamp,
		Names: e.shape.names, Values: e.values,
	}
	if g.Select != nil {
		out.Names, out.Values = g.Select, engine.Gather(e.shape.names, e.values, g.Select)
	}
	return out, nil
}

// CreateTable implements engine.Engine.
func (m *Memory) CreateTable(ctx context.Context, table string, meter *engine.Meter) error {
	if err := m.limits.CheckTable(table); err != nil {
		return err
	}
	return m.define(ctx, meter, func(tables map[string]*memTable) error {
		fold := engine.FoldTable(table)
		if tables[fold] != nil {
			return engine.Errorf(engine.CodeExists, "table %q is there already", tables[fold].name)
		}
		t := newMemTable(table)
		tables[fold], tables[table] = t, t
		return nil
	})
}

// DeleteTable implements engine.Engine.
func (m *Memory) DeleteTable(ctx context.Context, table string, meter *engine.Meter) error {
	if err := m.limits.CheckTable(table); err != nil {
		return err
	}
	return m.define(ctx, meter, func(tables map[string]*memTable) error {
		fold := engine.FoldTable(table)
		t := tables[fold]
		if t == nil {
			return errNoTable(table)
		}
		t.deleted = true
		delete(tables, fold)
		delete(tables, t.name)
		return nil
	})
}

// define changes a copy of the list of tables and publishes it.
func (m *Memory) define(ctx context.Context, meter *engine.Meter, change func(map[string]*memTable) error) error {
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
	tables := maps.Clone(*m.tables.Load())
	if err := change(tables); err != nil {
		return err
	}
	m.tables.Store(&tables)
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
	for key, t := range *m.tables.Load() {
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

// Shared implements engine.Engine: nobody else can see this process's memory.
func (m *Memory) Shared() bool { return false }

// Limits implements engine.Engine.
func (m *Memory) Limits() engine.Limits { return m.limits }

// Close implements engine.Engine. What was stored is gone.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed.Store(true)
	m.tables.Store(&map[string]*memTable{})
	return nil
}
