package exec

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// testDB is a few tables in memory, read through plans that the planner makes.
type testDB struct {
	t      testing.TB
	engine engine.Engine
	rt     *Runtime
	tables map[string]*schema.Table
	meter  engine.Meter
}

func newTestDB(t testing.TB, parallel, page int) *testDB {
	e := embedded.OpenMemory(embedded.Options{PageEntities: page})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &testDB{t: t, engine: e, rt: &Runtime{Engine: e, Parallel: parallel}, tables: map[string]*schema.Table{}}
}

// Table implements schema.Tables.
func (db *testDB) Table(_, name string) (*schema.Table, error) {
	if t := db.tables[strings.ToLower(name)]; t != nil {
		return t, nil
	}
	return nil, &schema.NoTableError{Name: name}
}

func (db *testDB) create(t *schema.Table) {
	db.t.Helper()
	if err := t.Init(); err != nil {
		db.t.Fatal(err)
	}
	if err := db.engine.CreateTable(context.Background(), t.Physical, nil); err != nil {
		db.t.Fatal(err)
	}
	db.tables[strings.ToLower(t.Name)] = t
}

// insert writes rows with all their index entries, as the write side does.
func (db *testDB) insert(t *schema.Table, rows ...[]value.Value) {
	db.t.Helper()
	c := codec.NewCodec(t)
	batches := map[string][]engine.Op{}
	flush := func(pk string) {
		db.t.Helper()
		if err := db.engine.Commit(context.Background(), engine.Commit{Table: t.Physical, PartitionKey: pk, Ops: batches[pk]}); err != nil {
			db.t.Fatal(err)
		}
		batches[pk] = nil
	}
	add := func(e engine.Entity, err error, pk, rk []byte, err2, err3 error) {
		db.t.Helper()
		for _, err := range []error{err, err2, err3} {
			if err != nil {
				db.t.Fatal(err)
			}
		}
		e.PartitionKey, e.RowKey = string(pk), string(rk)
		batches[e.PartitionKey] = append(batches[e.PartitionKey], engine.Op{Kind: engine.Insert, Entity: e})
		if len(batches[e.PartitionKey]) == 100 {
			flush(e.PartitionKey)
		}
	}
	for _, row := range rows {
		pk, err := t.AppendPartitionKey(nil, row)
		e, err2 := c.EncodeRow(row)
		rk, err3 := t.AppendRowKey(nil, row)
		add(e, err2, pk, rk, err, err3)
		for _, ix := range t.Indexes {
			e, err := NewIndexCodec(t, ix).EncodeRow(row)
			rk, err2 := t.AppendIndexKey(nil, ix, row)
			add(e, err, pk, rk, err2, nil)
		}
	}
	for pk, ops := range batches {
		if len(ops) > 0 {
			flush(pk)
		}
	}
}

func (db *testDB) plan(sql string) *planner.Plan {
	db.t.Helper()
	parsed, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		db.t.Fatalf("%s: %v", sql, err)
	}
	p, err := planner.Build(parsed, db, planner.Options{})
	if err != nil {
		db.t.Fatalf("%s: %v", sql, err)
	}
	return p
}

func (db *testDB) execution(p *planner.Plan, args ...value.Value) *Execution {
	return &Execution{Plan: p, Args: args, Session: &expr.Session{}, Store: db.engine, Meter: &db.meter}
}

// read runs a plan to its end.
func (db *testDB) read(p *planner.Plan, args ...value.Value) ([][]value.Value, error) {
	ctx := context.Background()
	c, err := db.rt.Query(ctx, db.execution(p, args...))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var out [][]value.Value
	for {
		row, err := c.Next(ctx)
		if err == io.EOF {
			return out, c.Close()
		}
		if err != nil {
			return nil, err
		}
		out = append(out, slices.Clone(row))
	}
}

// query gives the rows of a statement as texts, "1|a|NULL".
func (db *testDB) query(sql string, args ...value.Value) []string {
	db.t.Helper()
	rows, err := db.read(db.plan(sql), args...)
	if err != nil {
		db.t.Fatalf("%s: %v", sql, err)
	}
	return texts(rows)
}

func texts(rows [][]value.Value) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = "NULL"
			if !v.IsNull() {
				cells[j] = value.Text(v)
			}
		}
		out[i] = strings.Join(cells, "|")
	}
	return out
}

// expect compares the rows of a statement, in their order.
func (db *testDB) expect(sql string, want []string, args ...value.Value) {
	db.t.Helper()
	if got := db.query(sql, args...); !slices.Equal(got, want) {
		db.t.Errorf("%s\n got %q\nwant %q\n%s", sql, got, want, strings.Join(db.plan(sql).Explain(args), "\n"))
	}
}

// expectSet compares them in any order.
func (db *testDB) expectSet(sql string, want []string, args ...value.Value) {
	db.t.Helper()
	got := db.query(sql, args...)
	slices.Sort(got)
	want = slices.Clone(want)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		db.t.Errorf("%s\n got %q\nwant %q\n%s", sql, got, want, strings.Join(db.plan(sql).Explain(args), "\n"))
	}
}

// cost runs a statement and gives the requests and entities that it took.
func (db *testDB) cost(sql string, args ...value.Value) (requests, entities int64) {
	db.t.Helper()
	r, e := db.meter.Requests.Load(), db.meter.Returned.Load()
	db.query(sql, args...)
	return db.meter.Requests.Load() - r, db.meter.Returned.Load() - e
}

func ints(list ...int64) []value.Value {
	out := make([]value.Value, len(list))
	for i, n := range list {
		out[i] = value.FromInt(n)
	}
	return out
}

func text(s string) value.Value { return value.FromString(s) }
