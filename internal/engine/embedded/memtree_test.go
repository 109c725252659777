package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// model is a tree's content, kept in another way.
type model map[string]*int

func (m model) check(t *testing.T, tree *tree[int], r *rand.Rand) {
	t.Helper()
	if tree.Len() != len(m) {
		t.Fatalf("the tree says that it has %d keys, of %d", tree.Len(), len(m))
	}
	keys := make([]string, 0, len(m))
	for k, v := range m {
		keys = append(keys, k)
		if tree.Get(k) != v {
			t.Fatalf("key %q has another value", k)
		}
	}
	slices.Sort(keys)
	from := ""
	if len(keys) > 0 && r.IntN(3) > 0 {
		from = keys[r.IntN(len(keys))]
		if r.IntN(2) == 0 {
			from += "\x00"
		}
	}
	keys = slices.DeleteFunc(keys, func(k string) bool { return k < from })
	var walk treeWalk[int]
	for walk.Seek(tree, from); walk.More(); walk.Skip(1) {
		if len(keys) == 0 || walk.Key() != keys[0] || walk.Value() != m[keys[0]] {
			t.Fatalf("a walk from %q meets %q, want %q", from, walk.Key(), keys)
		}
		keys = keys[1:]
	}
	if len(keys) > 0 {
		t.Fatalf("a walk from %q ends before %q", from, keys)
	}
}

// checkTake holds what a range gives, a few keys at a time, against the model.
func (m model) checkTake(t *testing.T, tree *tree[int], from, to string, most int) {
	t.Helper()
	var want, got []string
	for k := range m {
		if k >= from && (to == "" || k < to) {
			want = append(want, k)
		}
	}
	slices.Sort(want)
	var walk treeWalk[int]
	for walk.Seek(tree, from); walk.More(); {
		keys, values := walk.Take(to, most)
		if len(keys) == 0 {
			break
		}
		if len(keys) > most || len(values) != len(keys) || values[0] != m[keys[0]] {
			t.Fatalf("%d keys with %d values, at most %d were wanted", len(keys), len(values), most)
		}
		got = append(got, keys...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("from %q to %q are %q, want %q", from, to, got, want)
	}
}

// TestTree: a tree holds what it was given, and what one owner holds is not changed by the next.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	long := strings.Repeat("long ", 5)
	key := []func(n int) string{
		func(n int) string { return fmt.Sprintf("PK!%06d", n) },
		func(n int) string { return long + fmt.Sprint(n) },
		func(n int) string { return long[:n%len(long)] + strings.Repeat("\x00", n%3) },
		func(n int) string { return fmt.Sprintf("%c%s%d", n%5+'a', long, n) },
	}
	for round := range 40 {
		var now tree[int]
		holds, owner := model{}, uint64(1)
		keys, among := key[round%len(key)], 1+r.IntN(3000)
		for range 6 {
			before, held := now, make(model, len(holds))
			for k, v := range holds {
				held[k] = v
			}
			owner++
			grows := r.IntN(10)
			for range r.IntN(2 * among) {
				if k := keys(r.IntN(among)); r.IntN(10) < grows {
					now.Set(owner, k, new(int))
					holds[k] = now.Get(k)
				} else {
					now.Delete(owner, k)
					delete(holds, k)
				}
			}
			holds.check(t, &now, r)
			held.check(t, &before, r)
			for _, to := range []string{"", "PK\"", "a", "zz", keys(r.IntN(among)), strings.TrimRight(keys(r.IntN(among)), "0123456789")} {
				holds.checkTake(t, &now, keys(r.IntN(among)), to, 1+r.IntN(treeWidth))
			}
		}
		for k := range holds {
			now.Delete(owner, k)
		}
		if now.Len() != 0 || now.root != nil {
			t.Fatal("an emptied tree is not empty")
		}
	}
}

// TestTreeKeepsFewNodes: nodes that are left with few keys are joined.
func TestTreeKeepsFewNodes(t *testing.T) {
	var now tree[int]
	for i := range 10_000 {
		now.Set(1, fmt.Sprint(i), new(int))
	}
	for i := range 10_000 {
		if i%50 != 0 {
			now.Delete(1, fmt.Sprint(i))
		}
	}
	leaves := 0
	var walk treeWalk[int]
	for walk.Seek(&now, ""); walk.More(); {
		walk.Take("", treeWidth)
		leaves++
	}
	if most := 200 / (treeWidth / 8); leaves > most {
		t.Fatalf("200 keys are in %d leaves, want at most %d", leaves, most)
	}
}

// TestCommitsInPlace: a commit copies what somebody holds and nothing else; a row and copies of it are one entity.
func TestCommitsInPlace(t *testing.T) {
	m, ctx := OpenMemory(Options{}), context.Background()
	if err := m.CreateTable(ctx, "rows", nil); err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b"}
	values := []engine.Value{{Type: engine.Int64, N: 1}, {Type: engine.String, S: "text"}}
	commit := func(i int) {
		c := engine.Commit{Table: "rows", PartitionKey: "p"}
		for _, index := range []string{"PK", "x", "y"} {
			c.Ops = append(c.Ops, engine.Op{Kind: engine.Upsert, Entity: engine.Entity{
				PartitionKey: "p", RowKey: fmt.Sprintf("%s!%04d", index, i), Names: names, Values: values}})
		}
		if err := m.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2000 {
		commit(i)
	}
	measure := func(held bool) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range 100 {
			if held {
				moment := m.Moment()
				defer moment.Release()
			}
			commit(i * 17)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / 100
	}
	if free, held := measure(false), measure(true); free > 2000 || held < 4*free {
		t.Errorf("a commit takes %d bytes where nobody holds what it changes, and %d where somebody does", free, held)
	}
	if m.root.Load().entity(m.root.Load().table("rows"), "p", "PK!0017") != m.root.Load().entity(m.root.Load().table("rows"), "p", "y!0017") {
		t.Error("a row and its copy are two entities")
	}
}
