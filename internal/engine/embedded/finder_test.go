package embedded

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// numbered writes entities that have numbers, or deletes them.
func numbered(t *testing.T, f *File, kind engine.OpKind, from, to, step int) {
	t.Helper()
	c := engine.Commit{Table: "tab", PartitionKey: "p"}
	for i := from; i < to; i += step {
		c.Ops = append(c.Ops, engine.Op{Kind: kind, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%05d", i), Names: []string{"K"},
			Values: []engine.Value{{Type: engine.String, S: fmt.Sprint("value ", i)}}}})
		if len(c.Ops) == 100 || i+step >= to {
			commit(t, f, c)
			c.Ops = nil
		}
	}
}

// TestFinder: a finder finds what its bucket has, in whatever order it is asked, with or without changes above the pages; and in the order
// of the keys it makes nothing for each of them.
func TestFinder(t *testing.T) {
	f := logged(t, filepath.Join(t.TempDir(), "a"))
	numbered(t, f, engine.Insert, 0, 4000, 2)
	merged(t, f)
	for _, above := range []bool{false, true} {
		if above {
			numbered(t, f, engine.Delete, 0, 4000, 40)
			numbered(t, f, engine.Upsert, 1, 4000, 30)
		}
		err := f.view(f.table("tab"), func(s *fileState) error {
			b := f.table("tab").in(s).entities
			find := &finder{bucket: b, ahead: &readAhead{}}
			random, at := rand.New(rand.NewPCG(1, 2)), 0
			for range 20_000 {
				switch random.IntN(4) {
				case 0:
					at = random.IntN(4100)
				case 1:
					at++
				default:
					at += 2
				}
				key := fmt.Appendf(nil, "p\x00%05d", at)
				if got, want := find.Get(key), b.Get(key); (got == nil) != (want == nil) || !bytes.Equal(got, want) {
					t.Fatalf("of %q there is %x, want %x", key, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	merged(t, f)
	var keys [][]byte
	for i := 2; i < 2002; i += 2 {
		keys = append(keys, fmt.Appendf(nil, "p\x00%05d", i))
	}
	err := f.view(f.table("tab"), func(s *fileState) error {
		b := f.table("tab").in(s).entities
		made := testing.AllocsPerRun(10, func() {
			find := &finder{bucket: b}
			for _, key := range keys {
				find.Get(key)
			}
		})
		if made > 20 {
			t.Errorf("%v allocations for %d keys in order", made, len(keys))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadAhead: of pages that follow on each other the system is told once, in growing parts, always ahead of the walk; of others it is not.
func TestReadAhead(t *testing.T) {
	var r readAhead
	told := map[uintptr]bool{}
	calls := 0
	for page := uintptr(1000); page < 6000; page++ {
		if page%50 == 0 {
			page++ // not one of the walk's
		}
		from, pages := r.next(page)
		if pages > 0 {
			calls++
		}
		for p := from; p < from+pages; p++ {
			if told[p] || p <= page || p > page+1+mostAhead {
				t.Fatalf("at %d the system is told of %d, again or not ahead", page, p)
			}
			told[p] = true
		}
		if page > 1003 && !told[page] {
			t.Fatalf("the system was not told of %d", page)
		}
	}
	if calls > 5000/(mostAhead/2)+10 {
		t.Errorf("the system was told %d times", calls)
	}
	random := rand.New(rand.NewPCG(3, 4))
	r = readAhead{}
	for range 1000 {
		if _, pages := r.next(1000 * (1 + uintptr(random.IntN(1e6)))); pages > 0 {
			t.Fatal("the system was told of pages that do not follow on each other")
		}
	}
}
