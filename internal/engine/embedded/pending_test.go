package embedded

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// mergeMeanwhile begins to merge what is pending, or ends what was begun.
func mergeMeanwhile(t *testing.T, f *File) {
	t.Helper()
	f.commits.lead <- struct{}{}
	defer func() { <-f.commits.lead }()
	do := f.endMerging
	if f.log != nil && f.merging == nil && f.pending.Load().groups > 0 {
		do = f.mergeBeside
	}
	if err := do(); err != nil {
		t.Fatal(err)
	}
}

// TestMergeMeanwhile: while writers write, and others read, what is pending is merged again and again. Each finds what he wrote last, whoever
// opens the file behind them, too, and no two entities have one ETag.
func TestMergeMeanwhile(t *testing.T) {
	f := logged(t, filepath.Join(t.TempDir(), "a"))
	f.commits.enough = 3 << 10
	const writers = 4
	var last [writers]int
	etags := make([]map[string]int, writers)
	value := func(r engine.Reader, w, key int) (string, string) {
		e, err := r.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: fmt.Sprint(w, "-", key)})
		if err != nil {
			t.Error(err)
			return "", ""
		}
		return e.Values[0].S, e.ETag
	}
	const keys = 50
	var all sync.WaitGroup
	for w := range writers {
		etags[w] = map[string]int{}
		all.Go(func() {
			for n := range testrun.Of(3000, 600) {
				c := insert(fmt.Sprint(w, "-", n%keys))
				c.Ops[0].Kind = engine.Upsert
				c.Ops[0].Entity.Names, c.Ops[0].Entity.Values = []string{"K"}, []engine.Value{{Type: engine.String, S: fmt.Sprint(n)}}
				if err := f.Commit(t.Context(), c); err != nil {
					t.Error(err)
					return
				}
				got, etag := value(f, w, n%keys)
				if got != fmt.Sprint(n) {
					t.Errorf("writer %d finds %s, want %d", w, got, n)
					return
				}
				etags[w][etag], last[w] = n, n
			}
		})
	}
	all.Wait()
	checks := f.log.checks
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if checks < 20 {
		t.Errorf("%d merges", checks)
	}
	seen := map[string]bool{}
	for w := range writers {
		for etag := range etags[w] {
			if seen[etag] {
				t.Errorf("two entities had the ETag %s", etag)
			}
			seen[etag] = true
		}
	}
	f = logged(t, f.path)
	for w, n := range last {
		for key := n - keys + 1; key <= n; key++ {
			if got, _ := value(f, w, key%keys); got != fmt.Sprint(key) {
				t.Errorf("writer %d: %s, want %d", w, got, key)
			}
		}
	}
	if faults, err := f.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
}

// TestPending: whatever is in the pages and whatever is pending above them, a file and its moments hold what was written.
func TestPending(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range testrun.Of(20, 4) {
		f := logged(t, filepath.Join(t.TempDir(), "a"))
		if err := f.CreateTable(t.Context(), "taa", nil); err != nil { // its entities lie before or behind those of "tab"
			t.Fatal(err)
		}
		type moment struct {
			engine.Moment
			want map[string]string
		}
		var moments []moment
		now := map[string]string{}
		held := func(r engine.Reader, want map[string]string) {
			t.Helper()
			got := map[string]string{}
			last := ""
			err := engine.Each(t.Context(), r, engine.Scan{Table: "tab", PartitionKey: "p"}, func(e *engine.Entity) error {
				if e.RowKey <= last {
					t.Fatalf("%s follows %s", e.RowKey, last)
				}
				last = e.RowKey
				got[e.RowKey] = e.Values[0].S
				return nil
			})
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("round %d: there are %q, want %q, %v", round, got, want, err)
			}
			key := fmt.Sprintf("%03d", random.IntN(60))
			e, err := r.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: key})
			if value, there := want[key]; there != (err == nil) || there && e.Values[0].S != value {
				t.Fatalf("%s: %v, %v, want %q", key, e.Values, err, value)
			}
		}
		for step := range 200 {
			switch n := random.IntN(20); {
			case n == 0:
				merged(t, f)
			case n == 2:
				mergeMeanwhile(t, f)
			case n == 1:
				m := f.Moment()
				if err := m.Begin(); err != nil {
					t.Fatal(err)
				}
				moments = append(moments, moment{m, maps.Clone(now)})
			case n == 3 && step%2 == 0:
				if err := f.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
			default:
				c := engine.Commit{Table: "tab", PartitionKey: "p"}
				for _, i := range random.Perm(60)[:1+random.IntN(5)] {
					key, value := fmt.Sprintf("%03d", i), fmt.Sprint(step)
					op := engine.Op{Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: "p", RowKey: key, Names: []string{"K"},
						Values: []engine.Value{{Type: engine.String, S: value}}}}
					if _, there := now[key]; there && random.IntN(2) == 0 {
						op.Kind = engine.Delete
						delete(now, key)
					} else {
						now[key] = value
					}
					c.Ops = append(c.Ops, op)
				}
				commit(t, f, c)
				c.Table = "taa"
				c.Ops = slices.DeleteFunc(slices.Clone(c.Ops), func(o engine.Op) bool { return o.Kind == engine.Delete })
				if len(c.Ops) > 0 {
					commit(t, f, c)
				}
			}
			held(f, now)
		}
		for _, m := range moments {
			held(m, m.want)
			m.Release()
		}
		for _, table := range []string{"tab", "taa"} {
			if faults, err := f.Verify(t.Context(), table); err != nil || len(faults) > 0 {
				t.Fatalf("%q, %v", faults, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = logged(t, f.path)
		held(f, now)
	}
}
