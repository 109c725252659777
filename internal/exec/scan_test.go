package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// spread makes a table of n rows (id, x = id % 7, s) in four hash partitions.
func spread(t testing.TB, parallel, n int) (*testDB, [][]value.Value) {
	db := newTestDB(t, parallel, 8)
	a := schematest.NewTable(t, "a", 1, "id INT", "x INT", "s VARCHAR(300)")
	a.Spread = &schema.Spread{Kind: schema.SpreadByHash, Columns: []int{0}, Count: 4}
	schematest.AddIndex(a, "x", 1)
	schematest.AddIndex(a, "s", 2)
	db.create(a)
	rows := make([][]value.Value, n)
	for i := range rows {
		rows[i] = []value.Value{value.FromInt(int64(i)), value.FromInt(int64(i % 7)), text(fmt.Sprintf("s%03d", n-i))}
	}
	db.insert(a, rows...)
	return db, rows
}

func TestSpreadScans(t *testing.T) {
	for _, parallel := range []int{1, 2, 8} {
		db, rows := spread(t, parallel, 150)
		want := make([]string, len(rows))
		for i := range want {
			want[i] = fmt.Sprint(i)
		}
		db.expect("SELECT id FROM a ORDER BY id", want)
		db.expectSet("SELECT id FROM a", want)
		db.expect("SELECT id FROM a WHERE id BETWEEN 20 AND 24 ORDER BY id", want[20:25])
		db.expect("SELECT id FROM a WHERE id IN (7, 3, 99, 3, 500) ORDER BY id", []string{"3", "7", "99"})
		db.expect("SELECT id FROM a ORDER BY s LIMIT 3", []string{"149", "148", "147"})
		db.expect("SELECT id FROM a WHERE x = 3 ORDER BY id LIMIT 2", []string{"3", "10"})
		db.expectSet("SELECT id FROM a WHERE x IN (3, 5) AND id < 14", []string{"3", "10", "5", "12"})
		db.expect("SELECT COUNT(*) FROM a WHERE x > 4 OR x = 0", []string{"64"}) // 21 of 5, 21 of 6 and 22 of 0
	}
}

func TestSpreadLimitReadsHeads(t *testing.T) {
	db, _ := spread(t, 4, 150)
	requests, entities := db.cost("SELECT id FROM a ORDER BY id LIMIT 5")
	if requests != 4 || entities > 20 {
		t.Errorf("five of four partitions: %d requests, %d entities", requests, entities)
	}
}

// TestOrderOverSpans: several ranges of one partition, each longer than a page, come in the order of the key.
func TestOrderOverSpans(t *testing.T) {
	for _, parallel := range []int{1, 2, 8} {
		db := newTestDB(t, parallel, 7)
		a := schematest.NewTable(t, "a", 1, "id INT")
		db.create(a)
		var want []string
		for i := range int64(120) {
			db.insert(a, ints(i))
			if i < 40 || 50 < i && i < 75 || i > 77 {
				want = append(want, fmt.Sprint(i))
			}
		}
		const sql = "SELECT id FROM a WHERE id < 40 OR id BETWEEN 51 AND 74 OR id > 77"
		db.expect(sql+" ORDER BY id", want)
		db.expectSet(sql, want)
		db.expect(sql+" ORDER BY id LIMIT 50", want[:50])
	}
}

func TestLimitReadsNoMore(t *testing.T) {
	db := newTestDB(t, 4, 100)
	a := schematest.NewTable(t, "a", 1, "id INT", "x INT")
	schematest.AddIndex(a, "x", 1)
	db.create(a)
	for i := range int64(300) {
		db.insert(a, ints(i, 7*i%300))
	}
	for sql, want := range map[string][2]int64{
		"SELECT id FROM a ORDER BY id LIMIT 10":                                  {1, 10},
		"SELECT id FROM a ORDER BY x LIMIT 10 OFFSET 5":                          {1, 15},
		"SELECT id FROM a WHERE x IN (5, 6, 7, 8) ORDER BY x LIMIT 2":            {2, 2},
		"SELECT id FROM a WHERE id IN (5, 6, 7, 8) ORDER BY id":                  {4, 4},
		"SELECT id FROM a WHERE id = 5":                                          {1, 1},
		"SELECT id FROM a WHERE id > 100 AND id < 105":                           {1, 4},
		"SELECT id FROM a WHERE id > 100 AND id < 90":                            {0, 0},
		"SELECT COUNT(*) FROM a":                                                 {3, 300},
		"SELECT id FROM a ORDER BY x, id LIMIT 1":                                {1, 1},
		"SELECT id FROM a WHERE EXISTS (SELECT 1 FROM a WHERE x = 5) AND id = 3": {2, 2},
	} {
		requests, entities := db.cost(sql)
		if requests != want[0] || entities != want[1] {
			t.Errorf("%s: %d requests and %d entities, want %v\n%s", sql, requests, entities, want, strings.Join(db.plan(sql).Explain(nil), "\n"))
		}
	}
}

// TestCutKeysKeepOrder: texts that are the same up to where a key cuts them come in their real order.
func TestCutKeysKeepOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, parallel := range []int{1, 4} {
		db := newTestDB(t, parallel, 6)
		a := schematest.NewTable(t, "a", 1, "id INT", "s VARCHAR(4000)")
		b := schematest.NewTable(t, "b", 1, "s VARCHAR(4000)", "id INT")
		schematest.AddIndex(a, "s", 1)
		db.create(a)
		db.create(b)
		stems := []string{strings.Repeat("a", 300), strings.Repeat("a", 300) + "b", strings.Repeat("k", 250), "z"}
		var all []string
		for i := range 80 {
			s := fmt.Sprintf("%s%04d", stems[r.IntN(len(stems))], r.IntN(10_000))
			if slices.Contains(all, s) {
				continue
			}
			all = append(all, s)
			db.insert(a, []value.Value{value.FromInt(int64(i)), text(s)})
			db.insert(b, []value.Value{text(s), value.FromInt(int64(i))})
		}
		slices.Sort(all)
		for _, table := range []string{"a", "b"} {
			db.expect("SELECT s FROM "+table+" ORDER BY s", all)
			for _, n := range []int{1, 3, 17, 40} {
				db.expect(fmt.Sprintf("SELECT s FROM %s ORDER BY s LIMIT %d", table, n), all[:n])
				db.expect(fmt.Sprintf("SELECT s FROM %s WHERE s >= ? ORDER BY s LIMIT %d", table, 3), all[n:n+3], text(all[n]))
			}
			db.expect("SELECT s FROM "+table+" WHERE s = ?", all[5:6], text(all[5]))
			db.expect("SELECT s FROM "+table+" WHERE s IN (?, ?) ORDER BY s", all[3:5], text(all[4]), text(all[3]))
		}
	}
}

// TestIndexJoin reads rows behind index entries that do not hold them.
func TestIndexJoin(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		db := newTestDB(t, parallel, 5)
		a := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT")
		schematest.AddIndex(a, "x", 1).Copy = schema.CopyKeys
		db.create(a)
		for i := range int64(40) {
			db.insert(a, ints(i, 40-i, i*i))
		}
		// What the index alone answers, made to want a column that it lacks.
		joined := func(limit string) *planner.Plan {
			p := db.plan("SELECT id, x FROM a WHERE x BETWEEN 5 AND 9 ORDER BY x" + limit)
			var scan *access.Scan
			for n := p.Root; scan == nil; {
				if project, ok := n.(*planner.Project); ok {
					project.Exprs = []expr.Node{column(2, a, 2)}
				}
				scan, _ = n.(*access.Scan)
				if scan == nil {
					n = planner.Children(n)[0]
				}
			}
			if scan.Index == nil {
				t.Fatalf("the index is not read:\n%s", strings.Join(p.Explain(nil), "\n"))
			}
			scan.IndexJoin, scan.Columns = true, []int{0, 1, 2}
			return p
		}
		expect := func(p *planner.Plan, want ...string) {
			t.Helper()
			rows, err := db.read(p)
			if got := texts(rows); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		expect(joined(""), "1225", "1156", "1089", "1024", "961")
		requests, entities := db.meter.Requests.Load(), db.meter.Returned.Load()
		expect(joined(" LIMIT 2"), "1225", "1156")
		requests, entities = db.meter.Requests.Load()-requests, db.meter.Returned.Load()-entities
		if requests != 3 || entities != 4 {
			t.Errorf("two rows: %d requests, %d entities", requests, entities)
		}
		// A row that went while it was read is no row, and a LIMIT gets another.
		rk, err := a.AppendRowKey(nil, ints(34))
		if err != nil {
			t.Fatal(err)
		}
		err = db.engine.Commit(context.Background(), engine.Commit{Table: a.Physical, PartitionKey: "00", Ops: []engine.Op{
			{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "00", RowKey: string(rk)}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		expect(joined(" LIMIT 2"), "1225", "1089")
	}
}

func TestPartitionByKey(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		db := newTestDB(t, parallel, 5)
		a := schematest.NewTable(t, "a", 2, "tenant VARCHAR(20)", "id INT", "x INT")
		a.Spread = &schema.Spread{Kind: schema.SpreadByKey, Columns: []int{0}}
		schematest.AddIndex(a, "x", 2)
		db.create(a)
		for i := range int64(40) {
			db.insert(a, []value.Value{text("t" + fmt.Sprint(i%3)), value.FromInt(i), value.FromInt(40 - i)})
		}
		db.expect("SELECT id FROM a WHERE tenant = 't1' ORDER BY id LIMIT 3", []string{"1", "4", "7"})
		db.expect("SELECT id FROM a ORDER BY id LIMIT 4", []string{"0", "1", "2", "3"})
		db.expect("SELECT id FROM a WHERE x < 4 ORDER BY x", []string{"39", "38", "37"})
		db.expect("SELECT COUNT(*) FROM a", []string{"40"})
		db.expect("SELECT COUNT(*) FROM a WHERE x IN (3, 5, 100)", []string{"2"})
	}
}

// slowStore makes each read wait; where blocked is set, it is called, and the read waits until its context ends.
type slowStore struct {
	engine.Engine
	blocked func()
}

func (s *slowStore) wait(ctx context.Context) error {
	if s.blocked != nil {
		s.blocked()
		<-ctx.Done()
		return ctx.Err()
	}
	time.Sleep(time.Millisecond)
	return ctx.Err()
}

func (s *slowStore) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if err := s.wait(ctx); err != nil {
		return engine.Entity{}, err
	}
	return s.Engine.Get(ctx, g)
}

func (s *slowStore) Scan(ctx context.Context, scan engine.Scan) engine.Cursor {
	return &slowCursor{s.Engine.Scan(ctx, scan), s}
}

type slowCursor struct {
	engine.Cursor
	store *slowStore
}

func (c *slowCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if err := c.store.wait(ctx); err != nil {
		return nil, err
	}
	return c.Cursor.Next(ctx)
}

// fannedOut are statements that read side by side.
var fannedOut = []string{
	"SELECT id FROM a ORDER BY id",
	"SELECT id FROM a",
	"SELECT id FROM a WHERE id IN (1, 2, 3, 4, 5, 6, 7, 8, 9)",
	"SELECT a.id, b.id FROM a JOIN a b ON b.id = a.x",
	"SELECT a.id FROM a WHERE id IN (1, 2, 3, 4) AND x IN (SELECT id FROM a b WHERE b.x = a.x)",
}

// TestNothingIsLeft closes queries in the middle.
func TestNothingIsLeft(t *testing.T) {
	db, _ := spread(t, 4, 150)
	store := &slowStore{Engine: db.engine}
	before := runtime.NumGoroutine()
	ctx := context.Background()
	for _, sql := range fannedOut {
		for rows := range 4 {
			x := db.execution(db.plan(sql))
			x.Store = store
			c, err := db.rt.Query(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			for range rows {
				if _, err := c.Next(ctx); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			if err := c.Close(); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	waitForGoroutines(t, before)
}

// TestCancelEndsAll cancels queries whose store never answers.
func TestCancelEndsAll(t *testing.T) {
	db, _ := spread(t, 4, 150)
	before := runtime.NumGoroutine()
	for _, sql := range fannedOut {
		ctx, cancel := context.WithCancel(context.Background())
		x := db.execution(db.plan(sql))
		x.Store = &slowStore{Engine: db.engine, blocked: cancel}
		c, err := db.rt.Query(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", sql, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	waitForGoroutines(t, before)
}

func waitForGoroutines(t *testing.T, want int) {
	t.Helper()
	for range 10_000 {
		if runtime.NumGoroutine() <= want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left, of %d before", runtime.NumGoroutine(), want)
}

// failingStore fails all reads.
type failingStore struct{ engine.Engine }

func (failingStore) Get(context.Context, engine.Get) (engine.Entity, error) {
	return engine.Entity{}, engine.Errorf(engine.CodeThrottled, "slow down")
}

func (failingStore) Scan(context.Context, engine.Scan) engine.Cursor { return failingCursor{} }

type failingCursor struct{}

func (failingCursor) Next(context.Context) ([]engine.Entity, error) {
	return nil, engine.Errorf(engine.CodeThrottled, "slow down")
}
func (failingCursor) Close() error { return nil }

func TestStoreErrorsComeThrough(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		db, _ := spread(t, parallel, 20)
		ctx := context.Background()
		for _, sql := range fannedOut {
			x := db.execution(db.plan(sql))
			x.Store = failingStore{db.engine}
			c, err := db.rt.Query(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Next(ctx)
			var e *engine.Error
			if !errors.As(err, &e) || e.Code != engine.CodeThrottled {
				t.Errorf("%s: %v", sql, err)
			}
			if _, err := c.Next(ctx); err == nil || err != io.EOF && !errors.As(err, &e) {
				t.Errorf("%s: behind the error: %v", sql, err)
			}
			if err := c.Close(); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}
