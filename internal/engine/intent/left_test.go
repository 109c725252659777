package intent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// mortal is a process's way to a store, which dies after some commits.
type mortal struct {
	engine.Engine
	commits int
}

func (m *mortal) Commit(ctx context.Context, c engine.Commit) error {
	if m.commits--; m.commits < 0 {
		return errDead
	}
	return m.Engine.Commit(ctx, c)
}

// put is an operation on an entity with one property.
func put(kind engine.OpKind, partition, rowKey, row string, n int) engine.Op {
	return engine.Op{Kind: kind, Row: row, Entity: engine.Entity{PartitionKey: partition, RowKey: rowKey, Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int64, N: uint64(n)}}}}
}

func commitOf(ops ...engine.Op) engine.Commit {
	return engine.Commit{Table: "table", PartitionKey: ops[0].Entity.PartitionKey, Ops: ops}
}

// left gives a store in which a process has died after so many commits of a transaction, and another process.
func left(t *testing.T, before []engine.Commit, after int, tx ...engine.Commit) (engine.Engine, *intent.Store) {
	t.Helper()
	base := engine.InGroups(embedded.OpenMemory(embedded.Options{}))
	t.Cleanup(func() { base.Close() })
	for _, table := range []string{"table", records} {
		if err := base.CreateTable(t.Context(), table, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range before {
		if err := base.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	dying := intent.New(&mortal{base, after}, intent.Options{Records: inRecords, Parallel: 1})
	_ = dying.Transact(t.Context(), engine.Transaction{Commits: tx})
	_ = dying.Close()
	s := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	t.Cleanup(func() { s.Close() })
	return base, s
}

// TestPartOfAUnitIsGone: an index is dropped, or a range emptied, while intents are there: what is left of a unit is settled, not waited for.
func TestPartOfAUnitIsGone(t *testing.T) {
	for after, want := range []int{1, 1, 2} { // requests that the process has made: none, prepared, decided
		for _, gone := range []string{"r", "x"} { // the row, or its entry
			t.Run(fmt.Sprint(after, gone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx := t.Context()
					base, s := left(t, []engine.Commit{
						commitOf(put(engine.Insert, "a", "r", "", 1), put(engine.Insert, "a", "x", "r", 1)),
						commitOf(put(engine.Insert, "b", "r", "", 1), put(engine.Insert, "b", "x", "r", 1), put(engine.Insert, "b", "y", "", 1)),
					}, after,
						commitOf(put(engine.Replace, "a", "r", "", 2), put(engine.Replace, "a", "x", "r", 2)),
						commitOf(put(engine.Replace, "b", "r", "", 2), put(engine.Replace, "b", "x", "r", 2), put(engine.Replace, "b", "y", "", 2)))
					_ = base
					if err := engine.Clear(ctx, s, engine.Range{Table: "table", From: gone, To: gone + "\x00"}, 1, nil); err != nil {
						t.Fatal(err)
					}
					other := map[string]string{"r": "x", "x": "r"}[gone]
					for _, partition := range []string{"a", "b"} {
						for try := 0; ; try++ {
							e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: other})
							if err != nil {
								t.Fatal(err)
							}
							if int(e.Values[0].N) != want {
								t.Fatalf("%s has %d, want %d", partition, e.Values[0].N, want)
							}
							op := put(engine.Replace, partition, other, "", 3)
							op.IfMatch = e.ETag
							err = s.Commit(ctx, commitOf(op))
							if err == nil {
								break
							}
							var known *engine.Error
							if try == 5 || !errors.As(err, &known) || known.Code != engine.CodeStale {
								t.Fatalf("try %d: %v", try, err)
							}
						}
						// The key that was cleared is free.
						for try := 0; ; try++ {
							err := s.Commit(ctx, commitOf(put(engine.Insert, partition, gone, "", 4)))
							if err == nil {
								break
							}
							if try == 5 {
								t.Fatalf("insert, try %d: %v", try, err)
							}
						}
					}
					time.Sleep(time.Second)
				})
			})
		}
	}
}

// decides is a process's way to a store. Something happens before the request that decides.
type decides struct {
	engine.Engine
	before func()
}

func (d *decides) Commit(ctx context.Context, c engine.Commit) error {
	if strings.HasPrefix(c.Ops[len(c.Ops)-1].Entity.RowKey, "!t!") {
		d.before()
	}
	return d.Engine.Commit(ctx, c)
}

// TestTouchIsMade: who deletes an entity that a transaction has read, and touches for it to stay, is in its way, wherever that is decided.
func TestTouchIsMade(t *testing.T) {
	for _, pins := range []bool{false, true} {
		for _, others := range []int{1, 5} { // so that the touch is not at home with five
			ctx := t.Context()
			base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "parent", "", 1))}, 0)
			deleted := false
			dies := put(engine.Delete, "a", "parent", "", 0)
			e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent"})
			if err != nil {
				t.Fatal(err)
			}
			dies.IfMatch, dies.Parent = e.ETag, true
			x := intent.New(&decides{base, func() { deleted = s.Commit(ctx, commitOf(dies)) == nil }}, intent.Options{Records: inRecords, Parallel: 1})
			m := x.Moment()
			tx := engine.Transaction{}
			touch := engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "a", RowKey: "parent"}}
			if e, err = m.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent"}); err != nil {
				t.Fatal(err)
			}
			if pins {
				touch.IfMatch = e.ETag
			} else {
				tx.Since = m
			}
			var ops []engine.Op
			for i := range others {
				ops = append(ops, put(engine.Insert, "b", fmt.Sprint("r", i), "", 1))
			}
			tx.Commits = []engine.Commit{commitOf(put(engine.Insert, "a", "parent child", "", 1), touch), commitOf(ops...)}
			if err := x.Transact(ctx, tx); (err == nil) == deleted {
				t.Errorf("%v, %d: the parent is deleted: %v; its child is inserted: %v", pins, others, deleted, err)
			}
			m.Release()
			_ = x.Close()
		}
	}
}

// meddles is a process's way to a store. Something happens before it reads an entity for the second time.
type meddles struct {
	engine.Engine
	rowKey string
	reads  int
	before func()
}

func (m *meddles) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if g.RowKey == m.rowKey {
		if m.reads++; m.reads == 2 {
			m.before()
		}
	}
	return m.Engine.Get(ctx, g)
}

// TestTouchWhileSettling: who has read an entity with an intent, and settles it to change it, finds out that somebody touched it between.
func TestTouchWhileSettling(t *testing.T) {
	ctx := t.Context()
	base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "parent", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))}, 2,
		commitOf(put(engine.Merge, "a", "parent", "", 2)), commitOf(put(engine.Merge, "b", "r", "", 2), put(engine.Insert, "b", "s", "", 2)))
	e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent"})
	if err != nil || e.Values[0].N != 2 {
		t.Fatal(err, e)
	}
	child := commitOf(put(engine.Insert, "a", "parent child", "", 1), engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "a", RowKey: "parent"}})
	x := intent.New(&meddles{base, "parent", 0, func() {
		if err := base.Commit(ctx, child); err != nil {
			t.Error(err)
		}
	}}, intent.Options{Records: inRecords, Parallel: 1})
	defer x.Close()
	dies := put(engine.Delete, "a", "parent", "", 0)
	dies.IfMatch = e.ETag
	var known *engine.Error
	if err := x.Commit(ctx, commitOf(dies)); !errors.As(err, &known) || known.Code != engine.CodeStale {
		t.Errorf("the child has no parent: %v", err)
	}
}

// TestTouchBeforeHome: a transaction touches two parents in a request of its own, and the children of one are at home: who deletes that
// one then finds them, though they are not decided.
func TestTouchBeforeHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "parent1", "", 1), put(engine.Insert, "a", "parent2", "", 1))}, 0)
		deletes := func() (bool, error) {
			inner, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			e, err := s.Get(inner, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent1"})
			if err != nil {
				return false, err
			}
			none := engine.Scan{Table: "table", PartitionKey: "a", From: "child1", To: "child2", Decided: true}
			if err := engine.Each(inner, s, none, func(*engine.Entity) error { return errors.New("it has children") }); err != nil {
				return false, err
			}
			op := put(engine.Delete, "a", "parent1", "", 0)
			op.IfMatch, op.Parent = e.ETag, true
			err = s.Commit(inner, commitOf(op))
			return err == nil, err
		}
		deleted := false
		x := intent.New(&decides{base, func() { deleted, _ = deletes() }}, intent.Options{Records: inRecords, Parallel: 1})
		defer x.Close()
		var ops []engine.Op
		for of, n := range map[int]int{1: 99, 2: 20} {
			ops = append(ops, engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "a", RowKey: fmt.Sprint("parent", of)}})
			for i := range n {
				ops = append(ops, put(engine.Insert, "a", fmt.Sprintf("child%d %d", of, i), "", 1))
			}
		}
		slices.SortStableFunc(ops, func(a, b engine.Op) int { return strings.Compare(a.Entity.RowKey, b.Entity.RowKey) })
		if err := x.Transact(ctx, engine.Transaction{Commits: []engine.Commit{commitOf(ops...)}}); (err == nil) == deleted {
			t.Errorf("%v, and the parent is deleted: %v", err, deleted)
		}
	})
}

// TestEmptyPageCounts: a range that is found empty is read at a moment of its own.
func TestEmptyPageCounts(t *testing.T) {
	ctx := t.Context()
	_, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "b", "r", "", 1))}, 0)
	m := s.Moment()
	defer m.Release()
	read := func(partition string) (n int) {
		if err := engine.Each(ctx, m, engine.Scan{Table: "table", PartitionKey: partition}, func(*engine.Entity) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := read("a"); n != 0 {
		t.Fatal(n)
	}
	if err := s.Transact(ctx, engine.Transaction{Commits: []engine.Commit{commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "s", "", 1))}}); err != nil {
		t.Fatal(err)
	}
	if n := read("b"); n != 2 {
		t.Fatal(n)
	}
	var known *engine.Error
	if err := s.Transact(ctx, engine.Transaction{Since: m}); !errors.As(err, &known) || known.Code != engine.CodeStale {
		t.Errorf("half of a transaction was read, and validated: %v", err)
	}
}

// TestReadersWriteNothing: reads do not wait for what is not decided, and need no right to write. The commit of one that reads one
// moment waits, and aborts what nobody decides.
func TestReadersWriteNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		base, _ := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))}, 1,
			commitOf(put(engine.Replace, "a", "r", "", 2)), commitOf(put(engine.Replace, "b", "r", "", 2)))
		s := intent.New(&mortal{base, 0}, intent.Options{Records: inRecords, Parallel: 1})
		defer s.Close()
		m := s.Moment()
		defer m.Release()
		begun := time.Now()
		for _, partition := range []string{"a", "b"} {
			if e, err := m.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"}); err != nil || e.Values[0].N != 1 {
				t.Error(err, e)
			}
			if err := engine.Each(ctx, m, engine.Scan{Table: "table", PartitionKey: partition}, func(*engine.Entity) error { return nil }); err != nil {
				t.Error(err)
			}
		}
		if d := time.Since(begun); d > 0 {
			t.Errorf("it took %v", d)
		}
		if err := s.Transact(ctx, engine.Transaction{Since: m}); !errors.Is(err, errDead) {
			t.Errorf("what another one may have decided is taken for not decided: %v", err)
		}
		begun = time.Now()
		able := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
		defer able.Close()
		again := able.Moment()
		defer again.Release()
		for _, partition := range []string{"a", "b"} {
			if _, err := again.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"}); err != nil {
				t.Error(err)
			}
		}
		if err := able.Transact(ctx, engine.Transaction{Since: again}); err != nil {
			t.Error(err)
		}
		if d := time.Since(begun); d < intent.Expiry || d > 2*intent.Expiry {
			t.Errorf("it took %v", d)
		}
	})
}

// twice is a way to a store that sends what decides twice, and gives the second answer.
type twice struct{ engine.Engine }

func (d twice) Commit(ctx context.Context, c engine.Commit) error {
	if strings.HasPrefix(c.Ops[len(c.Ops)-1].Entity.RowKey, "!t!") {
		_ = d.Engine.Commit(ctx, c)
	}
	return d.Engine.Commit(ctx, c)
}

// TestDecidedTwice: a decision that is refused as it was made before is no refusal.
func TestDecidedTwice(t *testing.T) {
	ctx := t.Context()
	base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))}, 0)
	x := intent.New(twice{base}, intent.Options{Records: inRecords, Parallel: 1})
	defer x.Close()
	var commits []engine.Commit
	for _, partition := range []string{"a", "b"} {
		e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"})
		if err != nil {
			t.Fatal(err)
		}
		op := put(engine.Replace, partition, "r", "", 2)
		op.IfMatch = e.ETag
		commits = append(commits, commitOf(op))
	}
	if err := x.Transact(ctx, engine.Transaction{Commits: commits}); err != nil {
		t.Error(err)
	}
	for _, partition := range []string{"a", "b"} {
		if e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"}); err != nil || e.Values[0].N != 2 {
			t.Errorf("%s: %v, %v", partition, e.Values, err)
		}
	}
}

// TestManyAreLeft: a process has died with many rows prepared: who inserts the same is not held up by each of them.
func TestManyAreLeft(t *testing.T) {
	const rows = 250
	inserts := func(partition string, from, to int) engine.Commit {
		var ops []engine.Op
		for i := from; i < to; i++ {
			key := fmt.Sprintf("r%03d", i)
			ops = append(ops, put(engine.Insert, partition, key, "", i))
			if i%3 == 0 {
				ops = append(ops, put(engine.Insert, partition, "x"+key, key, i))
			}
		}
		return commitOf(ops...)
	}
	whole := []engine.Commit{inserts("a", 0, rows), inserts("b", 0, 2)}
	for after := range 8 { // requests that the process has made
		for name, c := range map[string]struct {
			before engine.Commit
			again  []engine.Commit
		}{
			"a transaction": {commitOf(put(engine.Insert, "c", "r", "", 1)), whole},
			"a request":     {commitOf(put(engine.Insert, "c", "r", "", 1)), []engine.Commit{inserts("a", 180, 220)}},
		} {
			t.Run(fmt.Sprint(name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, s := left(t, []engine.Commit{c.before}, after, whole...)
					var meter engine.Meter
					for try := 1; ; try++ {
						err := s.Transact(t.Context(), engine.Transaction{Commits: c.again, Meter: &meter})
						var known *engine.Error
						if err == nil || errors.As(err, &known) && known.Code == engine.CodeExists {
							if (err != nil) != (after > 4) {
								t.Errorf("%v", err)
							}
							if n := meter.Requests.Load(); n > 100 {
								t.Errorf("%d requests", n)
							}
							break
						}
						if try == 4 || !errors.As(err, &known) || known.Code != engine.CodeStale {
							t.Fatalf("try %d: %v", try, err)
						}
					}
				})
			})
		}
	}
}

// slow is a way to a store that takes a while. The request that decides ends the caller's context.
type slow struct {
	engine.Engine
	cancel context.CancelFunc
}

func (s *slow) Commit(ctx context.Context, c engine.Commit) error {
	if strings.HasPrefix(c.Ops[len(c.Ops)-1].Entity.RowKey, "!t!") {
		s.cancel()
	}
	time.Sleep(100 * time.Millisecond)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.Engine.Commit(ctx, c)
}

// TestLeaveEndsWhatIsUnderWay: who closes a store behind the end of a transaction's context leaves no intent.
func TestLeaveEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, _ := left(t, nil, 0, commitOf(put(engine.Insert, "c", "r", "", 1)))
		ctx, cancel := context.WithCancel(t.Context())
		s := intent.New(&slow{base, cancel}, intent.Options{Records: inRecords, Parallel: 1})
		err := s.Transact(ctx, engine.Transaction{Commits: []engine.Commit{
			commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1), put(engine.Insert, "b", "s", "", 1))}})
		if err == nil {
			t.Fatal("the context has ended")
		}
		s.Leave(t.Context())
		_ = s.Close()
		for _, partition := range []string{"a", "b"} {
			if e, err := base.Get(t.Context(), engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"}); err == nil {
				t.Errorf("%s is left: %v", partition, e)
			}
		}
	})
}
