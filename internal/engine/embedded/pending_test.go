package embedded

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

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
			case n == 1:
				m := f.Moment()
				if err := m.Begin(); err != nil {
					t.Fatal(err)
				}
				moments = append(moments, moment{m, maps.Clone(now)})
			case n == 2 && step%2 == 0:
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
