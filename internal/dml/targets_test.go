package dml

import (
	"context"
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

// overtaken is an engine where somebody does something else before the first commit.
type overtaken struct {
	engine.Engine
	by func()
}

func (o *overtaken) Commit(ctx context.Context, commit engine.Commit) error {
	if by := o.by; by != nil {
		o.by = nil
		by()
	}
	return o.Engine.Commit(ctx, commit)
}

// tables implements schema.Tables.
type tables map[string]*schema.Table

func (t tables) Table(_, name string) (*schema.Table, error) { return t[name], nil }

// TestOvertakenBesideDerived: rows that are joined with those of a derived table, which an index is read for in its first place, are
// written on the condition that they are still what was read.
func TestOvertakenBesideDerived(t *testing.T) {
	for _, from := range []string{
		"t JOIN (SELECT k, n FROM x WHERE k > 3 LIMIT 1) d ON t.id = d.k",
		"(SELECT k, MAX(n) AS n FROM x WHERE k > 3 GROUP BY k) d LEFT JOIN t ON t.id = d.k",
	} {
		store := embedded.OpenMemory(embedded.Options{})
		defer store.Close()
		x := schematest.NewTable(t, "x", 1, "id INT", "k INT", "n INT")
		schematest.AddIndex(x, "k", 1)
		all := tables{"t": schematest.NewTable(t, "t", 1, "id INT", "n INT"), "x": x}
		for _, table := range all {
			if err := table.Init(); err != nil {
				t.Fatal(err)
			}
			if err := store.CreateTable(t.Context(), table.Physical, nil); err != nil {
				t.Fatal(err)
			}
		}
		write := func(e engine.Engine, sql string) exec.Result {
			parsed, err := dialect.Parse(sql, dialect.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := planner.Build(parsed, all, planner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var meter engine.Meter
			result, err := Write(t.Context(), &exec.Runtime{Engine: e, Parallel: 1}, &exec.Execution{Plan: p, Session: &expr.Session{}, Store: e, Meter: &meter})
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			return result
		}
		write(store, "INSERT INTO t VALUES (5, 0)")
		write(store, "INSERT INTO x VALUES (1, 5, 10)")
		write(&overtaken{store, func() { write(store, "UPDATE t SET n = 100") }}, "UPDATE "+from+" SET t.n = t.n + d.n")
		if n := write(store, "DELETE FROM t RETURNING n").Rows[0][0].Int(); n != 110 {
			t.Errorf("%s: n is %d, want 110", from, n)
		}
	}
}
