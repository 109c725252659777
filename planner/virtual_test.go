package planner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestVirtual: tables that are not stored join and group like others, are read whole, and are not written.
func TestVirtual(t *testing.T) {
	columns := &schema.Table{Database: "information_schema", Name: "COLUMNS", Virtual: func(context.Context, schema.Wanted) ([][]value.Value, error) { return nil, nil },
		Columns: []*schema.Column{
			{Name: "TABLE_NAME", Type: value.Type{Base: value.TypeChar}},
			{Name: "POSITION", Type: value.Type{Base: value.TypeBigInt}},
		}}
	if err := columns.Init(); err != nil {
		t.Fatal(err)
	}
	f := schemaOf(t, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(10))")
	f["columns"] = columns
	p, err := build(f, "SELECT a.id, COUNT(*) FROM information_schema.columns JOIN a ON a.s = information_schema.columns.table_name WHERE position > 1 GROUP BY a.id")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Tables) != 2 {
		t.Errorf("%d tables", len(p.Tables))
	}
	for _, s := range p.Scans() {
		if virtual := s.Table == columns; virtual != (s.Access == access.VirtualScan) || virtual && s.Residual == nil {
			t.Errorf("%s: access %d, condition %v\n%s", s.Table.Name, s.Access, s.Residual, strings.Join(p.Explain(nil), "\n"))
		}
	}
	for _, sql := range []string{"DELETE FROM columns", "UPDATE columns SET position = 1", "INSERT INTO columns VALUES ('a', 1)"} {
		if _, err := build(f, sql); err == nil || !strings.Contains(err.Error(), "is not updatable") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := build(f, "SELECT ETag FROM columns"); err == nil {
		t.Error("a virtual row has no ETag")
	}
}

// TestPlanFacts: what a plan says beside its operators.
func TestPlanFacts(t *testing.T) {
	f := schemaOf(t, "CREATE TABLE a (id INT PRIMARY KEY, x INT)", "CREATE TABLE b (id INT PRIMARY KEY, x INT)")
	p, err := build(f, "SELECT /*+ allow_scan */ id, (SELECT MAX(b.x) FROM b WHERE b.id = a.x) FROM a WHERE x > ? AND x NOT IN (SELECT x FROM b) FOR UPDATE")
	if err != nil {
		t.Fatal(err)
	}
	if !p.AllowScan || !p.ForUpdate || p.Params != 1 || p.Slots != 2 || len(p.Tables) != 2 {
		t.Errorf("%+v", p)
	}
	p, err = build(f, "UPDATE b JOIN a ON a.id = b.x SET a.x = b.id")
	if err != nil {
		t.Fatal(err)
	}
	if u := p.Write.(*planner.Update); len(u.Targets) != 1 || u.Targets[0].Table.Name != "a" {
		t.Errorf("%+v", u)
	}
	p, err = build(f, "DELETE FROM a WHERE x IN (SELECT id FROM b)")
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Write.(*planner.Delete); d.All {
		t.Errorf("%+v", d)
	}
	p, err = build(f, "DELETE FROM a")
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Write.(*planner.Delete); !d.All {
		t.Errorf("%+v", d)
	}
}
