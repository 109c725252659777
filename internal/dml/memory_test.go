package dml

import (
	"context"
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// contended is an engine in which another writer is faster so many times.
type contended struct {
	engine.Engine
	times int
}

func (c *contended) Commit(ctx context.Context, commit engine.Commit) error {
	if c.times--; c.times >= 0 {
		return engine.Errorf(engine.CodeStale, "another writer was faster")
	}
	return c.Engine.Commit(ctx, commit)
}

// store is one table in memory, written through plans that the planner makes.
type store struct {
	t      *testing.T
	engine engine.Engine
	table  *schema.Table
}

func newStore(t *testing.T, table *schema.Table) *store {
	e := embedded.OpenMemory(embedded.Options{})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := table.Init(); err != nil {
		t.Fatal(err)
	}
	if err := e.CreateTable(t.Context(), table.Physical, nil); err != nil {
		t.Fatal(err)
	}
	return &store{t, e, table}
}

// Table implements schema.Tables.
func (s *store) Table(_, _ string) (*schema.Table, error) { return s.table, nil }

// write runs a statement through another engine than the store's own.
func (s *store) write(rt *exec.Runtime, sql string) (exec.Result, error) {
	s.t.Helper()
	parsed, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := planner.Build(parsed, s, planner.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	var meter engine.Meter
	return Write(s.t.Context(), rt, &exec.Execution{Plan: p, Session: &expr.Session{}, Store: rt.Engine, Meter: &meter})
}

// A write that is tried again holds what one try takes, and gives all of it back.
func TestTriesShareNoMemory(t *testing.T) {
	s := newStore(t, schematest.NewTable(t, "t", 1, "id INT", "v VARCHAR(10000)"))
	own := &exec.Runtime{Engine: s.engine, Parallel: 1}
	for i := range 10 {
		if _, err := s.write(own, fmt.Sprintf("INSERT INTO t VALUES (%d, REPEAT('x', 10000))", i)); err != nil {
			t.Fatal(err)
		}
	}
	others := &contended{Engine: s.engine, times: 4}
	account := exec.NewAccount("TotalMemory", 300_000) // a try holds some 100 000
	got, err := s.write(&exec.Runtime{Engine: others, Parallel: 1, Account: account}, "UPDATE t SET v = CONCAT('y', SUBSTRING(v, 2))")
	if err != nil || got.Affected != 10 {
		t.Errorf("%d rows are changed, %v", got.Affected, err)
	}
	if others.times >= 0 {
		t.Errorf("the write was to meet %d others more", others.times+1)
	}
	if held := account.Held(); held != 0 {
		t.Errorf("%d bytes are held behind the write", held)
	}
}
