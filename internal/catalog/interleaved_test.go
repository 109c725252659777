package catalog

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// sharedMemory is memory that several catalogs, as of several processes, use.
type sharedMemory struct{ engine.Engine }

func (sharedMemory) Shared() bool { return true }

func defined(t *testing.T, sql string, parent *schema.Table) *schema.Table {
	t.Helper()
	parsed, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := define.DefineInterleaved(parsed.Statement.(*dialect.CreateTable), parent, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

const (
	expenseSQL = "CREATE TABLE expense (id INT PRIMARY KEY)"
	itemSQL    = "CREATE TABLE item (expense INT REFERENCES expense (id), n INT, PRIMARY KEY (expense, n)) INTERLEAVE IN PARENT expense"
)

// TestInterleavedRaces: a process that has not yet seen that a table has got a child cannot take its physical table
// away, and definitions that were made against an older one of the parent are refused.
func TestInterleavedRaces(t *testing.T) {
	e := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer e.Close()
	ctx := context.Background()
	a, b := Open(e, "", time.Millisecond, nil), Open(e, "", time.Millisecond, nil)
	if err := a.Create(ctx, defined(t, expenseSQL, nil), nil); err != nil {
		t.Fatal(err)
	}
	see := func(c *Catalog, name string) *schema.Table {
		t.Helper()
		s, err := c.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.Table(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	old := see(b, "expense")
	if err := createInterleaved(a, defined(t, itemSQL, old), old, nil); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"DROP":         b.Drop(ctx, []*schema.Table{old}, nil),
		"TRUNCATE":     b.Truncate(ctx, old, nil),
		"ALTER":        b.Replace(ctx, old, old.Clone(), nil),
		"second child": createInterleaved(b, defined(t, "CREATE TABLE note (expense INT REFERENCES expense (id), n INT, PRIMARY KEY (expense, n)) INTERLEAVE IN PARENT expense", old), old, nil),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s by a definition without the child: %v", what, err)
		}
	}
	var exists *ExistsError
	parent := see(b, "expense")
	if err := createInterleaved(b, defined(t, itemSQL, parent), parent, nil); !errors.As(err, &exists) {
		t.Errorf("the same child again: %v", err)
	}
	item := see(b, "item")
	if item.Physical != parent.Physical || item.RowName != "item" || !slices.Equal(parent.Children, []string{"item"}) {
		t.Errorf("%+v\n%+v", parent, item)
	}

	// Renamed, each of the two still knows the other.
	next := parent.Clone()
	next.Name = "cost"
	if err := a.Replace(ctx, parent, next, nil); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	item = see(b, "item")
	moved := item.Clone()
	moved.Name = "line"
	if err := b.Replace(ctx, item, moved, nil); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	if p, c := see(a, "cost"), see(a, "line"); c.Interleaved.Parent != "cost" || !slices.Equal(p.Children, []string{"line"}) {
		t.Errorf("%s inside %s, which has %v", c.Name, c.Interleaved.Parent, p.Children)
	}

	// Without the child the name of its rows stays taken: rows may be left of a process that died.
	if err := a.Drop(ctx, []*schema.Table{see(a, "line")}, nil); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	p := see(b, "cost")
	if len(p.Children) != 0 || !slices.Contains(p.KeyNames, "item") {
		t.Errorf("children %v, names %v", p.Children, p.KeyNames)
	}
	if err := b.Drop(ctx, []*schema.Table{p}, nil); err != nil {
		t.Error(err)
	}
}

// createInterleaved makes an interleaved table, as CREATE TABLE does.
func createInterleaved(c *Catalog, t, parent *schema.Table, m *engine.Meter) error {
	ctx := context.Background()
	if err := c.DeclareInterleaved(ctx, t, parent, m); err != nil {
		return err
	}
	return c.CreateInterleaved(ctx, t, parent, m)
}

// TestInterleavedHalfMade: the parent names a child that a process did not live to make. Nothing is in the way of it, nor
// of making that child.
func TestInterleavedHalfMade(t *testing.T) {
	e := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer e.Close()
	ctx := context.Background()
	c := Open(e, "", time.Millisecond, nil)
	parent := defined(t, expenseSQL, nil)
	if err := c.Create(ctx, parent, nil); err != nil {
		t.Fatal(err)
	}
	named := parent.AddChild(defined(t, itemSQL, parent))
	if err := c.Replace(ctx, parent, named, nil); err != nil {
		t.Fatal(err)
	}
	child := defined(t, itemSQL, named)
	if err := createInterleaved(c, child, named, nil); err != nil {
		t.Fatal(err)
	}
	if child.RowName != "item_2" {
		t.Errorf("rows named %s, as those of the one that was never made may be", child.RowName)
	}
	if err := c.Drop(ctx, []*schema.Table{child}, nil); err != nil {
		t.Fatal(err)
	}
}
