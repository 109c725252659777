package intent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// family is rows of one partition that refer to others: "c0!…" to a row whose key is "k0", an entry of the row "p0". Some transactions
// write to another partition, too, so that one request is not enough for them.
type family struct {
	*testing.T
	ctx context.Context
	rnd *rand.Rand
	s   *intent.Store
	// inside: the children are interleaved in their parent: they touch it without a condition, and nothing is required.
	inside bool
}

const familyParents = 2

// familyRest are rows that stay there. Some children refer to all of them, too.
const familyRest = engine.FewRanges + 4

func rest(i int) string { return fmt.Sprintf("k0.%02d", i) }

func (f *family) get(rowKey string) (etag string, err error) {
	e, err := f.s.Get(f.ctx, engine.Get{Table: "one", PartitionKey: "p", RowKey: rowKey, Select: []string{"N"}})
	return e.ETag, err
}

// children gives those of a parent, when what others do there is decided.
func (f *family) children(parent int) (all []engine.Entity, err error) {
	c := f.s.Scan(f.ctx, engine.Scan{Table: "one", PartitionKey: "p", From: fmt.Sprintf("c%d!", parent), To: fmt.Sprintf("c%d\"", parent), Decided: true})
	defer c.Close()
	for {
		chunk, err := c.Next(f.ctx)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, chunk...)
	}
}

// step makes one transaction.
func (f *family) step(name string) error {
	n := f.rnd.IntN(familyParents)
	parent, key := fmt.Sprint("p", n), fmt.Sprint("k", n)
	var t engine.Transaction
	var ops []engine.Op
	switch f.rnd.IntN(6) {
	case 0:
		ops = []engine.Op{put(engine.Insert, "p", parent, "", 1), put(engine.Insert, "p", key, parent, 1)}
		ops[0].Parent = f.inside
	case 1: // others may have touched it
		etag, err := f.get(parent)
		if err != nil {
			return err
		}
		op := put(engine.Merge, "p", parent, "", 2)
		op.IfMatch = etag
		ops = []engine.Op{op}
	case 2, 3:
		if ops = []engine.Op{put(engine.Insert, "p", fmt.Sprintf("c%d!%s", n, name), "", 1)}; f.inside {
			ops = append(ops, engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "p", RowKey: parent}})
			break
		}
		at := []string{parent, key}[f.rnd.IntN(2)]
		etag, err := f.get(at)
		if err != nil {
			return err
		}
		if f.rnd.IntN(4) == 0 {
			etag = "" // as where it is not known
		}
		t.Requires = []engine.Requirement{{Table: "one", PartitionKey: "p", From: at, To: at + "\x00", Any: true, Row: parent, ETag: etag}}
		if f.rnd.IntN(2) == 0 {
			for i := range familyRest {
				r := engine.Requirement{Table: "one", PartitionKey: "p", From: rest(i), To: rest(i) + "\x00", Any: true}
				if f.rnd.IntN(40) == 0 {
					r.Row = r.From
				}
				t.Requires = append(t.Requires, r)
			}
		}
	default:
		etag, err := f.get(parent)
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(f.rnd.IntN(5)) * time.Millisecond)
		children, err := f.children(n)
		if err != nil || len(children) > 0 && f.rnd.IntN(2) == 0 {
			return err
		}
		for _, e := range children {
			op := put(engine.Delete, "p", e.RowKey, "", 0)
			op.IfMatch = e.ETag
			ops = append(ops, op)
		}
		op := put(engine.Delete, "p", parent, "", 0)
		op.IfMatch, op.Parent = etag, f.inside
		if ops = append(ops, op, put(engine.Delete, "p", key, parent, 0)); f.inside {
			break
		}
		t.Requires = []engine.Requirement{{Table: "one", PartitionKey: "p", From: fmt.Sprintf("c%d!", n), To: fmt.Sprintf("c%d\"", n), Row: parent}}
		if f.rnd.IntN(2) == 0 {
			for i := range familyRest { // where nobody writes
				t.Requires = append(t.Requires, engine.Requirement{Table: "one", PartitionKey: "p", From: fmt.Sprintf("d%03d!", i), To: fmt.Sprintf("d%03d\"", i)})
			}
		}
	}
	t.Commits = []engine.Commit{{Table: "one", PartitionKey: "p", Ops: ops}}
	if f.rnd.IntN(3) == 0 {
		t.Commits = append(t.Commits, engine.Commit{Table: "one", PartitionKey: "q"})
		for i := range 1 + f.rnd.IntN(3) { // home is where most is
			t.Commits[1].Ops = append(t.Commits[1].Ops, put(engine.Insert, "q", fmt.Sprint(name, i), "", 1))
		}
	}
	if f.rnd.IntN(4) == 0 { // it needs what it reads to hold still
		m := f.s.Moment()
		defer m.Release()
		for range 2 {
			_, err := m.Get(f.ctx, engine.Get{Table: "one", PartitionKey: "p", RowKey: fmt.Sprint("p", f.rnd.IntN(familyParents))})
			var none *engine.Error
			if err != nil && !(errors.As(err, &none) && none.Code == engine.CodeNotFound) {
				return err
			}
		}
		t.Since = m
	}
	return f.s.Transact(f.ctx, t)
}

// orphans gives the children without a parent at a moment.
func (f *family) orphans() (all []string, err error) {
	m := f.s.Moment()
	defer m.Release()
	c := m.Scan(f.ctx, engine.Scan{Table: "one", PartitionKey: "p"})
	defer c.Close()
	there := map[string]bool{}
	for {
		chunk, err := c.Next(f.ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, e := range chunk {
			there[e.RowKey] = true
		}
	}
	if err := f.s.Transact(f.ctx, engine.Transaction{Since: m}); err != nil {
		return nil, err
	}
	for key := range there {
		if key[0] == 'c' && !(there["p"+key[1:2]] && there["k"+key[1:2]]) {
			all = append(all, key)
		}
	}
	return all, nil
}

func runFamily(t *testing.T, seed uint64) (applied int) {
	rnd := rand.New(rand.NewPCG(seed, 78))
	base := embedded.OpenMemory(embedded.Options{PageEntities: 1 + rnd.IntN(9)})
	defer base.Close()
	for _, table := range []string{"one", records} {
		if err := base.CreateTable(t.Context(), table, nil); err != nil {
			t.Fatal(err)
		}
	}
	stay := engine.Commit{Table: "one", PartitionKey: "p"}
	for i := range familyRest {
		stay.Ops = append(stay.Ops, put(engine.Insert, "p", rest(i), "", 1))
	}
	if err := base.Commit(t.Context(), stay); err != nil {
		t.Fatal(err)
	}
	var late, wg sync.WaitGroup
	var mu sync.Mutex
	faults, most := rnd.IntN(3)*10, []int{0, 4, 6}[rnd.IntN(3)]
	var stores []*intent.Store
	for p := range 3 {
		w := &wire{Engine: engine.InGroups(base), rnd: rand.New(rand.NewPCG(seed, uint64(p))), faults: faults, most: most, late: &late}
		s := intent.New(w, intent.Options{Records: inRecords, Parallel: 1 + rnd.IntN(3)})
		stores = append(stores, s)
		for k := range 2 {
			f := &family{t, t.Context(), rand.New(rand.NewPCG(seed, uint64(10+10*p+k))), s, seed%2 == 1}
			wg.Go(func() {
				for i := range 12 {
					err := f.step(fmt.Sprintf("%d.%d.%d", p, k, i))
					mu.Lock()
					if err == nil {
						applied++
					}
					mu.Unlock()
					if f.rnd.IntN(3) > 0 {
						continue
					}
					if orphans, err := f.orphans(); err == nil && len(orphans) > 0 {
						t.Errorf("seed %d: one moment has children without a parent: %s", seed, strings.Join(orphans, ", "))
					}
				}
			})
		}
		if rnd.IntN(4) == 0 {
			after := time.Duration(rnd.IntN(200)) * time.Millisecond
			wg.Go(func() {
				time.Sleep(after)
				w.mu.Lock()
				w.dead = true
				w.mu.Unlock()
			})
		}
	}
	wg.Wait()
	time.Sleep(time.Minute)
	late.Wait()
	last := &family{t, t.Context(), rnd, intent.New(engine.InGroups(base), intent.Options{Records: inRecords, Parallel: 1}), false}
	orphans, err := last.orphans()
	for ; err != nil; orphans, err = last.orphans() {
		var known *engine.Error
		if !errors.As(err, &known) || known.Code != engine.CodeStale {
			t.Fatal(err)
		}
	}
	if len(orphans) > 0 {
		t.Errorf("seed %d: children without a parent are left: %s", seed, strings.Join(orphans, ", "))
	}
	for _, s := range append(stores, last.s) {
		_ = s.Close()
	}
	late.Wait()
	return applied
}

// TestFamilies: whatever gets lost, comes late or twice, and whoever dies, no row refers to one that is not there, though those who
// need one request and those who need more meet.
func TestFamilies(t *testing.T) {
	applied := 0
	for seed := range uint64(*histories) {
		synctest.Test(t, func(t *testing.T) {
			applied += runFamily(t, seed)
		})
	}
	if *histories >= 150 && applied < 1000 {
		t.Errorf("too little: %d transactions were applied", applied)
	}
}
