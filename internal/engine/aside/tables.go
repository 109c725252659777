// Package aside keeps tables next to a store: in memory, for a single user, as for a session's temporary tables. Nothing done there sends a
// request, so no meter counts it and no budget limits it.
//
//	t := aside.New(embedded.OpenMemory(embedded.Options{}), keymap.IsTemporary, hold)
//	e := aside.Over(store, t) // reads and writes both
package aside

import (
	"context"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Tables are the tables. As a store they also hold definitions, which are in no table for which Has is true.
type Tables struct {
	engine.Transactor // memory
	has               func(table string) bool
	hold              func(octets int64) error

	mu   sync.Mutex
	held map[string]int64 // octets, by the folded name of a table
}

var (
	_ engine.Transactor = (*Tables)(nil)
	_ engine.Aside      = (*Tables)(nil)
)

// New makes tables in an empty store in memory. hold is told how much memory rows take and, by negative numbers, give back. If it returns an
// error, nothing is written.
func New(memory engine.Transactor, has func(table string) bool, hold func(octets int64) error) *Tables {
	return &Tables{Transactor: memory, has: has, hold: hold, held: map[string]int64{}}
}

// Has implements engine.Aside.
func (t *Tables) Has(table string) bool { return t.has(table) }

// Get implements engine.Reader.
func (t *Tables) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	g.Meter = nil
	return t.Transactor.Get(ctx, g)
}

// Scan implements engine.Reader.
func (t *Tables) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	s.Meter, s.Budget = nil, nil
	return t.Transactor.Scan(ctx, s)
}

// Commit implements engine.Engine.
func (t *Tables) Commit(ctx context.Context, c engine.Commit) error {
	if c.Meter = nil; !t.has(c.Table) || c.ETags != nil {
		return t.Transactor.Commit(ctx, c)
	}
	_, err := t.write(ctx, []engine.Commit{c})
	return err
}

// Transact implements engine.Transactor.
func (t *Tables) Transact(ctx context.Context, x engine.Transaction) error {
	_, err := t.write(ctx, x.Commits)
	return err
}

// CreateTable implements engine.Engine.
func (t *Tables) CreateTable(ctx context.Context, table string, _ *engine.Meter) error {
	return t.Transactor.CreateTable(ctx, table, nil)
}

// DeleteTable implements engine.Engine.
func (t *Tables) DeleteTable(ctx context.Context, table string, _ *engine.Meter) error {
	if err := t.Transactor.DeleteTable(ctx, table, nil); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	folded := engine.FoldTable(table)
	_ = t.hold(-t.held[folded])
	delete(t.held, folded)
	return nil
}

// Write implements engine.Aside.
func (t *Tables) Write(ctx context.Context, commits []engine.Commit) (undo func(), err error) {
	if len(commits) == 0 {
		return func() {}, nil
	}
	there, err := t.Tables(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	commits, of := engine.Pick(commits, func(c *engine.Commit) bool {
		return slices.ContainsFunc(there, func(name string) bool { return engine.FoldTable(name) == engine.FoldTable(c.Table) })
	})
	undo, err = t.write(ctx, commits)
	return undo, of(err)
}

// write applies commits, all or none.
func (t *Tables) write(ctx context.Context, commits []engine.Commit) (undo func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := make([]engine.Commit, len(commits))
	more := map[string]int64{}
	for i := range commits {
		c := &commits[i]
		if before[i], err = t.before(ctx, c); err != nil {
			return nil, err
		}
		more[engine.FoldTable(c.Table)] += octets(c, &before[i])
	}
	if err := t.take(more, 1); err != nil {
		return nil, err
	}
	if err := t.Transactor.Transact(ctx, engine.Transaction{Commits: commits}); err != nil {
		_ = t.take(more, -1)
		return nil, err
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.Transactor.Transact(context.WithoutCancel(ctx), engine.Transaction{Commits: before}) == nil {
			_ = t.take(more, -1)
		}
	}, nil
}

// before gives the commit that undoes c.
func (t *Tables) before(ctx context.Context, c *engine.Commit) (engine.Commit, error) {
	undo := engine.Commit{Table: c.Table, PartitionKey: c.PartitionKey, Ops: make([]engine.Op, len(c.Ops))}
	for i := range c.Ops {
		keys := engine.Entity{PartitionKey: c.PartitionKey, RowKey: c.Ops[i].Entity.RowKey}
		e, err := t.Get(ctx, engine.Get{Table: c.Table, PartitionKey: keys.PartitionKey, RowKey: keys.RowKey})
		switch known, ok := err.(*engine.Error); {
		case err == nil:
			undo.Ops[i] = engine.Op{Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: keys.PartitionKey, RowKey: keys.RowKey,
				Names: slices.Clone(e.Names), Values: slices.Clone(e.Values)}}
		case ok && known.Code == engine.CodeNotFound:
			undo.Ops[i] = engine.Op{Kind: engine.Delete, Entity: keys}
		default:
			return undo, err
		}
	}
	return undo, nil
}

// take counts memory that is taken or, with sign -1, given back.
func (t *Tables) take(more map[string]int64, sign int64) error {
	var sum int64
	for _, n := range more {
		sum += n
	}
	if err := t.hold(sign * sum); err != nil {
		_ = t.hold(-sign * sum)
		return err
	}
	for table, n := range more {
		t.held[table] += sign * n
	}
	return nil
}

// octets estimates how much more memory the entities of a commit take once it is applied, compared with what before would restore.
func octets(c, before *engine.Commit) (n int64) {
	for i := range c.Ops {
		op, was := &c.Ops[i], &before.Ops[i]
		if was.Kind == engine.Upsert {
			n -= size(was.Entity.RowKey, was.Entity.Values)
		}
		switch op.Kind {
		case engine.Delete:
		case engine.Merge:
			_, values := engine.Overlay(slices.Clone(was.Entity.Names), slices.Clone(was.Entity.Values), op.Entity.Names, op.Entity.Values)
			n += size(op.Entity.RowKey, values)
		default:
			n += size(op.Entity.RowKey, op.Entity.Values)
		}
	}
	return n
}

// size estimates what an entity takes.
func size(rowKey string, values []engine.Value) int64 {
	const entityOctets, valueOctets = 64, 24
	n := entityOctets + len(rowKey) + valueOctets*len(values)
	for i := range values {
		n += len(values[i].S)
	}
	return int64(n)
}
