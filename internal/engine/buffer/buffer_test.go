package buffer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

func str(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }

// op makes an operation with string properties, given as name, text, name, text.
func op(kind engine.OpKind, rk string, props ...string) engine.Op {
	o := engine.Op{Kind: kind, Entity: engine.Entity{PartitionKey: "p", RowKey: rk}}
	for i := 0; i < len(props); i += 2 {
		o.Entity.Names = append(o.Entity.Names, props[i])
		o.Entity.Values = append(o.Entity.Values, str(props[i+1]))
	}
	return o
}

func commitOf(ops ...engine.Op) engine.Commit {
	return engine.Commit{Table: "tab", PartitionKey: ops[0].Entity.PartitionKey, Ops: ops}
}

func open(t *testing.T, page int) *embedded.Memory {
	t.Helper()
	e := embedded.OpenMemory(embedded.Options{PageEntities: page})
	t.Cleanup(func() { e.Close() })
	if err := e.CreateTable(t.Context(), "tab", nil); err != nil {
		t.Fatal(err)
	}
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code engine.Code, at int) *engine.Error {
	t.Helper()
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != code || e.Op != at {
		t.Fatalf("got %#v, want code %d at operation %d", err, code, at)
	}
	return e
}

// store is what can be read.
type store interface {
	Get(context.Context, engine.Get) (engine.Entity, error)
	Scan(context.Context, engine.Scan) engine.Cursor
}

// dump reads a scan as text: "pk/rk A=… B=…", properties sorted.
func dump(t *testing.T, s store, scan engine.Scan) []string {
	t.Helper()
	scan.Table = "tab"
	c := s.Scan(t.Context(), scan)
	defer c.Close()
	out := []string{}
	for {
		chunk, err := c.Next(t.Context())
		if err == io.EOF {
			return out
		}
		must(t, err)
		for i := range chunk {
			out = append(out, line(&chunk[i]))
		}
	}
}

func line(e *engine.Entity) string {
	var props []string
	for i, v := range e.Values {
		if v.Type != engine.Absent {
			props = append(props, fmt.Sprintf(" %s=%s%d", e.Names[i], v.S, v.N))
		}
	}
	slices.Sort(props)
	return e.PartitionKey + "/" + e.RowKey + strings.Join(props, "")
}

// TestFold: what a history of one entity comes to, on an entity that is stored and on one that is not.
func TestFold(t *testing.T) {
	const i, r, m, d, u = engine.Insert, engine.Replace, engine.Merge, engine.Delete, engine.Upsert
	for _, c := range []struct {
		stored  bool
		history []engine.OpKind
		want    string // operation that is sent, "" for none
	}{
		{false, []engine.OpKind{i}, "insert 0"},
		{false, []engine.OpKind{i, r}, "insert 1"},
		{false, []engine.OpKind{i, m}, "insert 0+1"},
		{false, []engine.OpKind{i, u}, "insert 1"},
		{false, []engine.OpKind{i, d}, ""},
		{false, []engine.OpKind{i, d, i}, "insert 2"},
		{false, []engine.OpKind{i, d, u, m}, "upsert 2+3"},
		{false, []engine.OpKind{u}, "upsert 0"},
		{false, []engine.OpKind{u, r}, "upsert 1"},
		{false, []engine.OpKind{u, m}, "upsert 0+1"},
		{false, []engine.OpKind{u, d}, ""},
		{true, []engine.OpKind{u, d}, "delete"},
		{true, []engine.OpKind{u, d, i}, "replace 2"},
		{true, []engine.OpKind{r}, "replace 0 if"},
		{true, []engine.OpKind{r, r}, "replace 1 if"},
		{true, []engine.OpKind{r, m}, "replace 0+1 if"},
		{true, []engine.OpKind{r, u}, "replace 1 if"},
		{true, []engine.OpKind{r, d}, "delete if"},
		{true, []engine.OpKind{r, d, i}, "replace 2 if"},
		{true, []engine.OpKind{m}, "merge 0 if"},
		{true, []engine.OpKind{m, m}, "merge 0+1 if"},
		{true, []engine.OpKind{m, r}, "replace 1 if"},
		{true, []engine.OpKind{m, u}, "replace 1 if"},
		{true, []engine.OpKind{m, d}, "delete if"},
		{true, []engine.OpKind{d}, "delete if"},
		{true, []engine.OpKind{d, i}, "replace 1 if"},
		{true, []engine.OpKind{d, u}, "replace 1 if"},
		{true, []engine.OpKind{d, i, d}, "delete if"},
		{true, []engine.OpKind{d, i, m, d, u}, "replace 4 if"},
	} {
		e := open(t, 2)
		etag := ""
		if c.stored {
			must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "x", "Old", "old"))))
			got, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "x"})
			must(t, err)
			etag = got.ETag
		}
		b := buffer.New(e, 1)
		for n, kind := range c.history {
			o := op(kind, "x", "V", fmt.Sprint(n), fmt.Sprintf("V%d", n), "v")
			if n == 0 && kind != engine.Insert && kind != engine.Upsert {
				o.IfMatch = etag
			}
			if err := b.Apply(t.Context(), commitOf(o)); err != nil {
				t.Fatalf("%v, operation %d: %v", c.history, n, err)
			}
		}
		got := ""
		for _, commit := range b.Commits() {
			for _, o := range commit.Ops {
				got += []string{"insert", "replace", "merge", "delete", "upsert"}[o.Kind]
				var of []string
				for i, name := range o.Entity.Names {
					if name != "V" && o.Entity.Values[i].Type != engine.Absent {
						of = append(of, name[1:])
					}
				}
				if len(of) > 0 {
					got += " " + strings.Join(of, "+")
				}
				if o.IfMatch != "" {
					got += " if"
				}
			}
		}
		if got != c.want {
			t.Errorf("stored %v, %v: sends %q, want %q", c.stored, c.history, got, c.want)
		}
		before := dump(t, b, engine.Scan{PartitionKey: "p"})
		must(t, b.Commit(t.Context(), nil))
		if after := dump(t, e, engine.Scan{PartitionKey: "p"}); !slices.Equal(before, after) {
			t.Errorf("stored %v, %v: the transaction saw %q, and it left %q", c.stored, c.history, before, after)
		}
	}
}

// TestRequests: what each call costs.
func TestRequests(t *testing.T) {
	e := open(t, 1000)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "there", "A", "1"))))
	there, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "there"})
	must(t, err)
	b := buffer.New(e, 1)
	var m engine.Meter
	spent := func(what string, want int64) {
		t.Helper()
		if got := m.Requests.Swap(0); got != want {
			t.Errorf("%s: %d requests, want %d", what, got, want)
		}
	}
	apply := func(o engine.Op) error {
		c := commitOf(o)
		c.Meter = &m
		return b.Apply(t.Context(), c)
	}
	get := func(rk string) {
		b.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: rk, Meter: &m})
	}
	must(t, b.Commit(t.Context(), &m))
	spent("commit of nothing", 0)
	must(t, apply(op(engine.Insert, "new")))
	spent("insert", 1)
	must(t, apply(op(engine.Merge, "new", "A", "1")))
	spent("merge of an own insert", 0)
	get("new")
	spent("get of an own insert", 0)
	must(t, apply(op(engine.Upsert, "up")))
	spent("upsert", 0)
	o := op(engine.Merge, "there", "B", "2")
	o.IfMatch = there.ETag
	must(t, apply(o))
	spent("merge with an ETag", 0)
	get("there")
	spent("get of a merged entity", 1)
	must(t, apply(op(engine.Delete, "there")))
	spent("delete of what was merged", 0)
	get("there")
	spent("get of what was deleted", 0)
	get("other")
	spent("get of another", 1)
	if n := pending(b); n != 3 {
		t.Errorf("%d operations are pending, want 3", n)
	}
	must(t, b.Commit(t.Context(), &m))
	spent("commit", 1)
	if n := pending(b); n != 0 {
		t.Errorf("%d operations are pending after Commit", n)
	}
	if got := m.Written.Load(); got != 3 {
		t.Errorf("%d operations written, want 3", got)
	}
}

// meeting is an engine whose Gets wait until so many of them are under way.
type meeting struct {
	engine.Engine
	places atomic.Int32 // of the next meeting
	met    chan struct{}
}

func (m *meeting) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if m.places.Add(-1) == 0 {
		close(m.met)
	}
	select {
	case <-m.met:
	case <-ctx.Done():
		return engine.Entity{}, ctx.Err()
	}
	return m.Engine.Get(ctx, g)
}

// TestSideBySide: what a commit needs to know is asked for at once, and the first operation at fault is named.
func TestSideBySide(t *testing.T) {
	e := &meeting{Engine: open(t, 1000), met: make(chan struct{})}
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "1"), op(engine.Insert, "3"), op(engine.Insert, "4"), op(engine.Insert, "6"))))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	b := buffer.New(e, 8)
	e.places.Store(4)
	must(t, b.Apply(ctx, commitOf(op(engine.Insert, "0"), op(engine.Merge, "1"), op(engine.Upsert, "2"), op(engine.Merge, "3"), op(engine.Merge, "4"))))
	var m engine.Meter
	c := commitOf(op(engine.Insert, "7"), op(engine.Insert, "0"), op(engine.Insert, "6"), op(engine.Delete, "8"))
	c.Meter = &m
	wantCode(t, b.Apply(ctx, c), engine.CodeExists, 1)
	if n := m.Requests.Load(); n != 3 { // "0" is the buffer's own; "6" was found behind it, and looked at
		t.Errorf("%d requests, want 3", n)
	}
	if n := pending(b); n != 5 {
		t.Errorf("%d operations are pending, want 5", n)
	}
}

// TestConflicts: what others do meanwhile makes Commit fail, whole.
func TestConflicts(t *testing.T) {
	e := open(t, 2)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "b"))))
	a, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "a"})
	must(t, err)
	merge := op(engine.Merge, "a", "A", "1")
	merge.IfMatch = a.ETag

	b := buffer.New(e, 1)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "0"), merge)))
	must(t, e.Commit(t.Context(), commitOf(op(engine.Merge, "a", "Other", "x"))))
	wantCode(t, b.Commit(t.Context(), nil), engine.CodeStale, 1)

	b = buffer.New(e, 1)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "n"))))
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "n"))))
	wantCode(t, b.Commit(t.Context(), nil), engine.CodeExists, 0)

	b = buffer.New(e, 1)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "b"), op(engine.Upsert, "z"))))
	must(t, e.Commit(t.Context(), commitOf(op(engine.Delete, "b"))))
	wantCode(t, b.Commit(t.Context(), nil), engine.CodeNotFound, 0)

	if got, want := dump(t, e, engine.Scan{PartitionKey: "p"}), []string{"p/a Other=x0", "p/n"}; !slices.Equal(got, want) {
		t.Fatalf("left is %q, want %q", got, want)
	}
}

// TestTooLarge: what needs more than one entity group transaction is refused, with how much and how many.
func TestTooLarge(t *testing.T) {
	e := struct{ engine.Engine }{open(t, 2)} // no Transactor
	must(t, e.CreateTable(t.Context(), "other", nil))
	b := buffer.New(e, 1)
	for n := range 101 {
		must(t, b.Apply(t.Context(), commitOf(op(engine.Upsert, fmt.Sprint(n)))))
	}
	var m engine.Meter
	if err := wantCode(t, b.Commit(t.Context(), &m), engine.CodeTooLarge, -1); !strings.Contains(err.Message, "101") || !strings.Contains(err.Message, "100") {
		t.Errorf("the error does not say how many: %s", err.Message)
	}
	must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "7"))))
	if n := pending(b); n != 100 {
		t.Fatalf("%d operations are pending, want 100", n)
	}
	mark := b.Mark()
	o := op(engine.Upsert, "x")
	o.Entity.PartitionKey = "q"
	must(t, b.Apply(t.Context(), commitOf(o)))
	wantCode(t, b.Commit(t.Context(), &m), engine.CodeTooLarge, -1)
	b.RollbackTo(mark)
	c := commitOf(op(engine.Upsert, "x"))
	c.Table = "other"
	must(t, b.Apply(t.Context(), c))
	if err := wantCode(t, b.Commit(t.Context(), &m), engine.CodeTooLarge, -1); !strings.Contains(err.Message, "other") {
		t.Errorf("the error does not say where: %s", err.Message)
	}
	b.RollbackTo(mark)
	if n := m.Requests.Load(); n != 0 {
		t.Fatalf("%d requests were sent", n)
	}
	must(t, b.Commit(t.Context(), &m))
	if got := dump(t, e, engine.Scan{PartitionKey: "p"}); len(got) != 100 {
		t.Fatalf("%d entities are there, want 100", len(got))
	}
	large := strings.Repeat("x", 32<<10)
	for n := range 10 {
		o := op(engine.Upsert, fmt.Sprint("L", n))
		for i := range 15 {
			o.Entity.Names, o.Entity.Values = append(o.Entity.Names, fmt.Sprint("P", i)), append(o.Entity.Values, str(large))
		}
		must(t, b.Apply(t.Context(), commitOf(o)))
	}
	wantCode(t, b.Commit(t.Context(), &m), engine.CodeTooLarge, -1)
	wantCode(t, b.Apply(t.Context(), commitOf(op(engine.Merge, "L1", "Q1", large, "Q2", large))), engine.CodeTooLarge, 0)
}

// TestScanLimit: entries in a range neither end it early nor lengthen it.
func TestScanLimit(t *testing.T) {
	e := open(t, 3)
	for _, rk := range []string{"b", "d", "f", "h", "j"} {
		must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, rk))))
	}
	b := buffer.New(e, 1)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "b"), op(engine.Delete, "d"), op(engine.Insert, "e"), op(engine.Merge, "f", "A", "1"), op(engine.Insert, "z"))))
	for limit, want := range [][]string{
		{"p/e", "p/f A=10", "p/h", "p/j", "p/z"}, {"p/e"}, {"p/e", "p/f A=10"}, {"p/e", "p/f A=10", "p/h"},
	} {
		if got := dump(t, b, engine.Scan{PartitionKey: "p", Limit: limit}); !slices.Equal(got, want) {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}

// TestCursorIsolated: a cursor does not see what is applied while it is open, so that a statement
// does not meet its own writes.
func TestCursorIsolated(t *testing.T) {
	e := open(t, 1)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "c"))))
	b := buffer.New(e, 1)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "b"))))
	c := b.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p"})
	defer c.Close()
	n := 0
	for ; n < 100; n++ {
		chunk, err := c.Next(t.Context())
		if err == io.EOF {
			break
		}
		must(t, err)
		for range chunk {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, fmt.Sprintf("x%02d", pending(b))))))
		}
	}
	if n == 100 {
		t.Fatal("the scan does not end")
	}
	if got := pending(b); got != 4 {
		t.Fatalf("the scan gave %d entities, want 3", got-1)
	}
}

// TestRandom: random transactions, with savepoints, through a buffer and straight to a store of their own: the same
// answers, the same errors, and the same left at the end.
func TestRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := &random{T: t, rnd: rand.New(rand.NewPCG(seed, 7)), stored: open(t, 2)}
		for range 12 {
			r.base = append(r.base, commitOf(r.op(engine.Upsert)))
		}
		r.replay(r.stored, r.base)
		r.rebuild()
		r.b = buffer.New(r.stored, 4)
		r.run()
	}
}

type random struct {
	*testing.T
	rnd     *rand.Rand
	stored  *embedded.Memory
	base    []engine.Commit
	b       *buffer.Buffer
	direct  *embedded.Memory // what the transaction should see
	applied []engine.Commit
}

func (r *random) op(kind engine.OpKind) engine.Op {
	o := op(kind, fmt.Sprint("k", r.rnd.IntN(12)))
	for _, name := range []string{"A", "B", "C"} {
		if r.rnd.IntN(2) == 0 {
			o.Entity.Names = append(o.Entity.Names, name)
			o.Entity.Values = append(o.Entity.Values, []engine.Value{{}, str("x"), str("y"), {Type: engine.Int32, N: 1}}[r.rnd.IntN(4)])
		}
	}
	return o
}

func (r *random) replay(e engine.Engine, commits []engine.Commit) {
	for _, c := range commits {
		c.Ops = slices.Clone(c.Ops)
		for i := range c.Ops {
			c.Ops[i].IfMatch = ""
		}
		must(r.T, e.Commit(r.Context(), c))
	}
}

func (r *random) rebuild() {
	r.direct = open(r.T, 1000)
	r.replay(r.direct, r.base)
	r.replay(r.direct, r.applied)
}

func (r *random) run() {
	var marks, lengths []int
	for range 60 {
		switch r.rnd.IntN(10) {
		case 0:
			marks, lengths = append(marks, r.b.Mark()), append(lengths, len(r.applied))
		case 1:
			if n := len(marks); n > 0 {
				n = r.rnd.IntN(n)
				r.b.RollbackTo(marks[n])
				r.applied = r.applied[:lengths[n]]
				marks, lengths = marks[:n+1], lengths[:n+1]
				r.rebuild()
			}
		case 2, 3, 4, 5, 6:
			r.apply()
		default:
			r.read()
		}
	}
	want := dump(r.T, r.direct, engine.Scan{PartitionKey: "p"})
	must(r.T, r.b.Commit(r.Context(), nil))
	if got := dump(r.T, r.stored, engine.Scan{PartitionKey: "p"}); !slices.Equal(got, want) {
		r.Fatalf("left is %q, want %q", got, want)
	}
}

func (r *random) apply() {
	var throughBuffer, straight []engine.Op
	used := map[string]bool{}
	for range 1 + r.rnd.IntN(3) {
		o := r.op(engine.OpKind(r.rnd.IntN(5)))
		rk := o.Entity.RowKey
		if used[rk] {
			continue
		}
		used[rk] = true
		d := o
		if o.Kind != engine.Insert && o.Kind != engine.Upsert {
			g := engine.Get{Table: "tab", PartitionKey: "p", RowKey: rk}
			seen, err := r.b.Get(r.Context(), g)
			seenDirect, _ := r.direct.Get(r.Context(), g)
			switch r.rnd.IntN(3) {
			case 0:
				if err == nil {
					o.IfMatch, d.IfMatch = seen.ETag, seenDirect.ETag
				}
			case 1:
				if strings.HasPrefix(seen.ETag, "buffer:") { // else it would be taken at its word
					o.IfMatch, d.IfMatch = "stale", "stale"
				}
			}
		}
		throughBuffer, straight = append(throughBuffer, o), append(straight, d)
	}
	err, errDirect := r.b.Apply(r.Context(), commitOf(throughBuffer...)), r.direct.Commit(r.Context(), commitOf(straight...))
	if errDirect == nil && err == nil {
		r.applied = append(r.applied, commitOf(straight...))
		return
	}
	var a, b *engine.Error
	if !errors.As(err, &a) || !errors.As(errDirect, &b) || a.Code != b.Code || a.Op != b.Op {
		r.Fatalf("%+v: %v through the buffer, %v straight", throughBuffer, err, errDirect)
	}
}

func (r *random) read() {
	sel := [][]string{nil, {}, {"A"}, {"B", "A"}, {"C", "Nothing", "A"}}[r.rnd.IntN(5)]
	if r.rnd.IntN(3) == 0 {
		g := engine.Get{Table: "tab", PartitionKey: "p", RowKey: fmt.Sprint("k", r.rnd.IntN(12)), Select: sel}
		got, err := r.b.Get(r.Context(), g)
		want, errDirect := r.direct.Get(r.Context(), g)
		if (err == nil) != (errDirect == nil) || err == nil && line(&got) != line(&want) || sel != nil && err == nil && !slices.Equal(got.Names, sel) {
			r.Fatalf("Get %+v: %q, %v through the buffer, %q, %v straight", g, line(&got), err, line(&want), errDirect)
		}
		return
	}
	s := engine.Scan{PartitionKey: "p", Select: sel}
	if r.rnd.IntN(4) == 0 {
		s = engine.Scan{AllPartitions: true, Select: sel}
	}
	if r.rnd.IntN(2) == 0 {
		s.From = fmt.Sprint("k", r.rnd.IntN(12))
	}
	if r.rnd.IntN(2) == 0 {
		s.To = fmt.Sprint("k", r.rnd.IntN(12))
	}
	if r.rnd.IntN(2) == 0 {
		s.Limit = 1 + r.rnd.IntN(5)
	}
	if r.rnd.IntN(2) == 0 {
		s.Filter = &engine.Filter{Op: engine.Eq, Property: []string{"A", "B"}[r.rnd.IntN(2)], Value: str("x")}
	}
	got, want := dump(r.T, r.b, s), dump(r.T, r.direct, s)
	if !slices.Equal(got, want) {
		r.Fatalf("Scan %+v: %q through the buffer, %q straight", s, got, want)
	}
}

// TestReadSince: a condition on an entity that the transaction has written without one holds for what was stored
// when it did: a parent that was touched is not deleted when others have touched it since.
func TestReadSince(t *testing.T) {
	for _, others := range []bool{false, true} {
		e := open(t, 10)
		must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "k", "A", "1"))))
		b := buffer.New(e, 1)
		must(t, b.Apply(t.Context(), commitOf(op(engine.Merge, "k"))))
		got, err := b.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "k"})
		must(t, err)
		if others {
			must(t, e.Commit(t.Context(), commitOf(op(engine.Merge, "k"))))
		}
		del := op(engine.Delete, "k")
		del.IfMatch = got.ETag
		must(t, b.Apply(t.Context(), commitOf(del)))
		if err := b.Commit(t.Context(), nil); others {
			wantCode(t, err, engine.CodeStale, 0)
		} else {
			must(t, err)
		}
	}
}

// pending says how many operations Commit would send.
func pending(b *buffer.Buffer) (n int) {
	for _, c := range b.Commits() {
		n += len(c.Ops)
	}
	return n
}
