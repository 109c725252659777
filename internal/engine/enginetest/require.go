package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testRequires: a transaction is refused exactly if its requirements do not hold for what is stored after its own writes.
func testRequires(f *fixture) {
	e := f.transactor()
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 21))
		tables := []string{f.newTable(), f.newTable()}
		model := map[[3]string]bool{} // what is there, by table and keys
		random := func() (table, pk, rk string) {
			return tables[rnd.IntN(2)], fmt.Sprint("p", rnd.IntN(2)), fmt.Sprint("r", rnd.IntN(5))
		}
		for range 15 {
			next := map[[3]string]bool{}
			for k := range model {
				next[k] = true
			}
			var t engine.Transaction
			seen := map[[3]string]bool{}
			for range 1 + rnd.IntN(5) {
				table, pk, rk := random()
				k := [3]string{table, pk, rk}
				if seen[k] {
					continue
				}
				seen[k] = true
				o := op(engine.Upsert, pk, rk, props{"N": i64(1)})
				switch {
				case model[k] && rnd.IntN(2) == 0:
					o = op(engine.Delete, pk, rk, nil)
					delete(next, k)
				case model[k] && rnd.IntN(2) == 0:
					o.Kind = engine.Merge
				default:
					next[k] = true
				}
				at := slices.IndexFunc(t.Commits, func(c engine.Commit) bool { return c.Table == table && c.PartitionKey == pk })
				if at < 0 {
					t.Commits = append(t.Commits, in(table, o))
				} else {
					t.Commits[at].Ops = append(t.Commits[at].Ops, o)
				}
			}
			var unmet *engine.Requirement
			for range rnd.IntN(3) {
				table, pk, rk := random()
				r := engine.Requirement{Table: table, PartitionKey: pk, From: rk, To: rk + "\x00", Any: rnd.IntN(2) == 0}
				switch rnd.IntN(3) {
				case 0:
					r.To = ""
				case 1:
					r.To = fmt.Sprint("r", rnd.IntN(5))
				}
				t.Requires = append(t.Requires, r)
				there := false
				for k := range next {
					there = there || k[0] == table && k[1] == pk && r.Contains(k[2])
				}
				if there != r.Any && unmet == nil {
					first := r
					unmet = &first
				}
			}
			err := e.Transact(f.ctx, t)
			switch {
			case unmet == nil && err != nil:
				f.Fatalf("seed %d: refused though all that is required holds: %v", seed, err)
			case unmet == nil:
				model = next
			case code(err) != engine.CodeStale || err.(*engine.Error).Unmet == nil || *err.(*engine.Error).Unmet != *unmet:
				f.Fatalf("seed %d: %v, though %+v does not hold", seed, err, *unmet)
			}
			for _, table := range tables {
				var got, want []string
				for _, e := range f.scan(engine.Scan{Table: table, AllPartitions: true}) {
					got = append(got, e.PartitionKey+e.RowKey)
				}
				for k := range model {
					if k[0] == table {
						want = append(want, k[1]+k[2])
					}
				}
				if slices.Sort(want); !slices.Equal(got, want) {
					f.Fatalf("seed %d: table %s has %v, want %v", seed, table, got, want)
				}
			}
		}
	}
	o := in(f.table, op(engine.Upsert, "p", "r", nil))
	for name, c := range map[string]struct {
		r    engine.Requirement
		code engine.Code
	}{
		"no table": {engine.Requirement{Table: "NoSuchTable", PartitionKey: "p"}, engine.CodeNoTable},
		"bad text": {engine.Requirement{Table: f.table, PartitionKey: "\xff"}, engine.CodeBadInput},
		"folded":   {engine.Requirement{Table: engine.FoldTable(f.table), PartitionKey: "p"}, engine.CodeStale},
	} {
		if err := e.Transact(f.ctx, engine.Transaction{Commits: []engine.Commit{o}, Requires: []engine.Requirement{c.r}}); code(err) != c.code {
			f.Errorf("%s: %v, want code %d", name, err, c.code)
		}
	}
}

// testRequiresTogether: while transactions that need a parent run alongside others that delete it, no child is ever left without one.
func testRequiresTogether(f *fixture) {
	e, children := f.transactor(), f.newTable()
	const parents = 3
	parent := func(i int) engine.Requirement {
		return engine.Requirement{Table: f.table, PartitionKey: "p", From: fmt.Sprint("parent", i), To: fmt.Sprint("parent", i, "\x00"), Any: true}
	}
	childrenOf := func(i int) (all []engine.Requirement) {
		for pk := range 2 {
			all = append(all, engine.Requirement{Table: children, PartitionKey: fmt.Sprint("c", pk), From: fmt.Sprint(i, "!"), To: fmt.Sprint(i, "\"")})
		}
		return all
	}
	f.together(6, func(w int) error {
		rnd := rand.New(rand.NewPCG(uint64(w), 31))
		for range 60 {
			i, child := rnd.IntN(parents), op(engine.Upsert, fmt.Sprint("c", rnd.IntN(2)), "", props{"N": i64(1)})
			child.Entity.RowKey = fmt.Sprint(i, "!", rnd.IntN(3))
			var t engine.Transaction
			switch rnd.IntN(4) {
			case 0:
				t.Commits = []engine.Commit{in(f.table, op(engine.Upsert, "p", fmt.Sprint("parent", i), nil))}
			case 1:
				t.Commits = []engine.Commit{in(f.table, op(engine.Delete, "p", fmt.Sprint("parent", i), nil))}
				t.Requires = childrenOf(i)
			case 2:
				t.Commits = []engine.Commit{in(children, child)}
				t.Requires = []engine.Requirement{parent(i)}
			default:
				child.Kind = engine.Delete
				t.Commits = []engine.Commit{in(children, child)}
			}
			if err := e.Transact(f.ctx, t); err != nil && code(err) != engine.CodeStale && code(err) != engine.CodeNotFound {
				return err
			}
			m := e.Moment()
			err := f.noOrphans(m, children)
			if err != nil && !e.Snapshots() && code(e.Transact(f.ctx, engine.Transaction{Since: m})) == engine.CodeStale {
				err = nil // it was read at several moments
			}
			m.Release()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// noOrphans says whether each child has its parent at a moment.
func (f *fixture) noOrphans(m engine.Moment, children string) error {
	read := func(table string) ([]engine.Entity, error) {
		c := m.Scan(f.ctx, engine.Scan{Table: table, AllPartitions: true, Select: []string{}})
		defer c.Close()
		return drain(f.ctx, c)
	}
	there := map[string]bool{}
	parents, err := read(f.table)
	if err != nil {
		return err
	}
	for i := range parents {
		there[parents[i].RowKey] = true
	}
	all, err := read(children)
	for i := range all {
		if of := "parent" + all[i].RowKey[:1]; !there[of] {
			return fmt.Errorf("%s has no %s", all[i].RowKey, of)
		}
	}
	return err
}
