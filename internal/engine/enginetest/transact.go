package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// transactor gives the engine as an engine.Transactor, or skips the test.
func (f *fixture) transactor() engine.Transactor {
	e, ok := f.e.(engine.Transactor)
	if !ok {
		f.Skip("the engine is no Transactor")
	}
	return e
}

// snapshots gives the engine as a Transactor whose moments are snapshots, or skips the test.
func (f *fixture) snapshots() engine.Transactor {
	e := f.transactor()
	if !e.Snapshots() {
		f.Skip("the engine has no snapshots")
	}
	return e
}

// in makes a commit to a table.
func in(table string, ops ...engine.Op) engine.Commit {
	return engine.Commit{Table: table, PartitionKey: ops[0].Entity.PartitionKey, Ops: ops}
}

// testTransact: commits to several tables and partitions, larger than an entity group transaction, are applied all or none.
func testTransact(f *fixture) {
	e, other := f.transactor(), f.newTable()
	many := func(kind engine.OpKind, pk string, n int) (ops []engine.Op) {
		for i := range n {
			ops = append(ops, op(kind, pk, fmt.Sprintf("r%04d", i), props{"N": i64(int64(i))}))
		}
		return ops
	}
	var m engine.Meter
	all := []engine.Commit{in(f.table, many(engine.Insert, "p", 250)...), in(f.table, many(engine.Upsert, "q", 3)...), in(other, many(engine.Insert, "p", 130)...)}
	if err := e.Transact(f.ctx, engine.Transaction{Commits: all, Meter: &m}); err != nil {
		f.Fatal(err)
	}
	if n := m.Written.Load(); n != 383 && !f.has(Intents) {
		f.Fatalf("the Meter has %d written, want 383", n)
	}
	count := func(table string, want int) {
		f.Helper()
		if got := f.scan(engine.Scan{Table: table, AllPartitions: true}); len(got) != want {
			f.Fatalf("table %s has %d entities, want %d", table, len(got), want)
		}
	}
	count(f.table, 253)
	count(other, 130)
	f.holds("p", "r0249", props{"N": i64(249)})

	stale := f.get("p", "r0000").ETag
	f.must(op(engine.Merge, "p", "r0000", props{"N": i64(-1)}))
	first := in(f.table, op(engine.Insert, "new", "a", nil), op(engine.Insert, "new", "b", nil))
	for name, c := range map[string]struct {
		last engine.Commit
		code engine.Code
		at   int
	}{
		"taken":    {in(other, op(engine.Upsert, "p", "x", nil), op(engine.Insert, "p", "r0001", nil)), engine.CodeExists, 3},
		"missing":  {in(other, op(engine.Delete, "p", "none", nil)), engine.CodeNotFound, 2},
		"stale":    {in(f.table, op(engine.Upsert, "p", "x", nil), opIf(engine.Delete, "p", "r0000", nil, stale)), engine.CodeStale, 3},
		"no table": {in("NoSuchTable", op(engine.Upsert, "p", "x", nil)), engine.CodeNoTable, -1},
		"bad key":  {in(other, op(engine.Upsert, "p", "a/b", nil)), engine.CodeBadInput, 2},
		"twice":    {in(f.table, op(engine.Upsert, "new", "c", nil)), engine.CodeBadInput, -1},
	} {
		err := e.Transact(f.ctx, engine.Transaction{Commits: []engine.Commit{first, c.last}})
		if code(err) != c.code || err.(*engine.Error).Op != c.at {
			f.Errorf("%s: %v, want code %d at operation %d", name, err, c.code, c.at)
		}
	}
	count(f.table, 253)
	count(other, 130)
	cancelled, cancel := context.WithCancel(f.ctx)
	cancel()
	if err := e.Transact(cancelled, engine.Transaction{Commits: []engine.Commit{first}}); err != context.Canceled {
		f.Errorf("with a cancelled context: %v", err)
	}
	count(f.table, 253)
}

// testMoment: a moment does not change, whatever is written, and holds up no writer.
func testMoment(f *fixture) {
	e, other := f.snapshots(), f.newTable()
	for i := range 40 {
		for _, table := range []string{f.table, other} {
			if err := e.Commit(f.ctx, in(table, op(engine.Insert, fmt.Sprint("p", i%3), fmt.Sprintf("r%02d", i), props{"N": i64(1)}))); err != nil {
				f.Fatal(err)
			}
		}
	}
	m := e.Moment()
	defer m.Release()
	sum := func(table string) (n int64) {
		f.Helper()
		c := m.Scan(f.ctx, engine.Scan{Table: table, AllPartitions: true, Select: []string{"N"}})
		defer c.Close()
		all, err := drain(f.ctx, c)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range all {
			n += int64(e.Values[0].N)
		}
		return n
	}
	open := m.Scan(f.ctx, engine.Scan{Table: f.table, AllPartitions: true})
	defer open.Close()
	chunk, err := open.Next(f.ctx)
	if err != nil {
		f.Fatal(err)
	}
	seen := len(chunk)
	for i := range 40 {
		pk, rk := fmt.Sprint("p", i%3), fmt.Sprintf("r%02d", i)
		if err := e.Transact(f.ctx, engine.Transaction{Commits: []engine.Commit{
			in(f.table, op(engine.Merge, pk, rk, props{"N": i64(5)}), op(engine.Insert, pk, rk+"a", props{"N": i64(7)})),
			in(other, op(engine.Delete, pk, rk, nil))}}); err != nil {
			f.Fatal(err)
		}
	}
	late := f.newTable()
	if err := e.Commit(f.ctx, in(late, op(engine.Insert, "p", "r", nil))); err != nil {
		f.Fatal(err)
	}
	rest, err := drain(f.ctx, open)
	if err != nil || seen+len(rest) != 40 {
		f.Fatalf("a cursor gave %d entities of the 40 that were there (%v)", seen+len(rest), err)
	}
	if a, b := sum(f.table), sum(other); a != 40 || b != 40 {
		f.Fatalf("the moment has %d and %d, want 40 each", a, b)
	}
	if got, err := m.Get(f.ctx, engine.Get{Table: other, PartitionKey: "p0", RowKey: "r00"}); err != nil || present(f.T, got)["N"] != i64(1) {
		f.Fatalf("a Get of the moment: %v, %v", got, err)
	}
	if _, err := m.Get(f.ctx, engine.Get{Table: late, PartitionKey: "p", RowKey: "r"}); code(err) != engine.CodeNoTable {
		f.Fatalf("the moment has a table that was made later: %v", err)
	}
	if err := e.DeleteTable(f.ctx, other, nil); err != nil {
		f.Fatal(err)
	}
	if n := sum(other); n != 40 {
		f.Fatalf("the moment has %d of a table that was deleted later, want 40", n)
	}
	m.Release()
	m.Release()
}

// testReads: a transaction fails if, and only if, a range that it has read has changed since.
func testReads(f *fixture) {
	e := f.snapshots()
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		table := f.newTable()
		some := func() (pk, rk string) { return fmt.Sprint("p", rnd.IntN(3)), fmt.Sprint("r", rnd.IntN(8)) }
		change := func(n int) {
			for range n {
				pk, rk := some()
				o := op(engine.Upsert, pk, rk, props{"N": i64(int64(rnd.IntN(4)))})
				if rnd.IntN(3) == 0 {
					o = op(engine.Delete, pk, rk, nil)
				}
				if err := e.Commit(f.ctx, in(table, o)); err != nil && code(err) != engine.CodeNotFound {
					f.Fatal(err)
				}
			}
		}
		change(20)
		pk, rk := some()
		reads := []engine.Scan{
			engine.Point(table, pk, rk),
			{Table: table, PartitionKey: pk},
			{Table: table, PartitionKey: pk, From: rk},
			{Table: table, PartitionKey: pk, From: "r2", To: rk},
			{Table: table, AllPartitions: true},
			{Table: table, AllPartitions: true, FromPartition: "p1"},
			{Table: table, AllPartitions: true, ToPartition: pk},
			{Table: table, AllPartitions: true, Filter: &engine.Filter{Op: engine.Eq, Property: "N", Value: i64(2)}},
			{Table: table, PartitionKey: pk, Filter: &engine.Filter{Op: engine.Gt, Property: "RowKey", Value: str("r5")}},
		}
		contents := func() (all []string) {
			for _, s := range reads {
				text := ""
				for _, e := range f.scan(s) {
					text += e.PartitionKey + "/" + e.RowKey + e.ETag
				}
				all = append(all, text)
			}
			return all
		}
		before, m := contents(), e.Moment()
		if err := m.Begin(); err != nil {
			f.Fatal(err)
		}
		change(rnd.IntN(3))
		after := contents()
		for i, s := range reads {
			err := e.Transact(f.ctx, engine.Transaction{Since: m, Reads: []engine.Scan{s}, Commits: []engine.Commit{in(f.table, op(engine.Upsert, "p", "r", nil))}})
			switch {
			case before[i] == after[i] && err != nil:
				f.Fatalf("seed %d, read %d: refused though nothing of it has changed: %v", seed, i, err)
			case before[i] != after[i] && code(err) != engine.CodeStale:
				f.Fatalf("seed %d, read %d: %v, though it was %q and is %q", seed, i, err, before[i], after[i])
			}
		}
		m.Release()
	}
	if err := e.Transact(f.ctx, engine.Transaction{Reads: []engine.Scan{engine.Point(f.table, "p", "r")}}); code(err) != engine.CodeBadInput {
		f.Fatalf("reads of no moment: %v", err)
	}
}

// testTransfers: while amounts move from table to table, each moment shows the full total, and no amount is lost.
func testTransfers(f *fixture) {
	e := f.transactor()
	tables := []string{f.table, f.newTable(), f.newTable()}
	const accounts, start = 5, 100
	for _, table := range tables {
		for i := range accounts {
			if err := e.Commit(f.ctx, in(table, op(engine.Insert, fmt.Sprint("p", i%2), fmt.Sprint("a", i), props{"N": i64(start)}))); err != nil {
				f.Fatal(err)
			}
		}
	}
	var sum func() (total int64, err error)
	sum = func() (total int64, err error) {
		m := e.Moment()
		defer m.Release()
		for _, table := range tables {
			c := m.Scan(f.ctx, engine.Scan{Table: table, AllPartitions: true, Select: []string{"N"}})
			all, err := drain(f.ctx, c)
			c.Close()
			if err != nil {
				return 0, err
			}
			for _, e := range all {
				total += int64(e.Values[0].N)
			}
		}
		if !e.Snapshots() {
			if err := e.Transact(f.ctx, engine.Transaction{Since: m}); code(err) == engine.CodeStale {
				return sum() // the reads were not all of one moment
			} else if err != nil {
				return 0, err
			}
		}
		return total, nil
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if n, err := sum(); err != nil || n != start*accounts*int64(len(tables)) {
					f.Errorf("a moment has %d in all, want %d (%v)", n, start*accounts*len(tables), err)
					return
				}
			}
		})
	}
	f.together(4, func(i int) error {
		rnd := rand.New(rand.NewPCG(uint64(i), 3))
		for moved := 0; moved < 12; {
			m := e.Moment()
			var t engine.Transaction
			t.Since = m
			places := rnd.Perm(len(tables) * accounts)[:2]
			for j, place := range places {
				table, a := tables[place%len(tables)], place/len(tables)
				pk, rk := fmt.Sprint("p", a%2), fmt.Sprint("a", a)
				got, err := m.Get(f.ctx, engine.Get{Table: table, PartitionKey: pk, RowKey: rk, Select: []string{"N"}})
				if err != nil {
					m.Release()
					return err
				}
				o := op(engine.Merge, pk, rk, props{"N": i64(int64(got.Values[0].N) + int64(1-2*j))})
				t.Reads = append(t.Reads, engine.Point(table, pk, rk))
				at := slices.IndexFunc(t.Commits, func(c engine.Commit) bool { return c.Table == table && c.PartitionKey == pk })
				if at < 0 {
					t.Commits = append(t.Commits, in(table, o))
				} else {
					t.Commits[at].Ops = append(t.Commits[at].Ops, o)
				}
			}
			err := e.Transact(f.ctx, t)
			m.Release()
			if err == nil {
				moved++
			} else if code(err) != engine.CodeStale {
				return err
			}
		}
		return nil
	})
	close(done)
	readers.Wait()
	if n, err := sum(); err != nil || n != start*accounts*int64(len(tables)) {
		f.Fatalf("%d in all at the end (%v)", n, err)
	}
}
