package buffer_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestLarge: a transaction over a Transactor has any size, in any number of tables and partitions, and is made whole or not at all.
func TestLarge(t *testing.T) {
	e := open(t, 1000)
	must(t, e.CreateTable(t.Context(), "other", nil))
	b := buffer.New(e, 1)
	for n := range 250 {
		o := op(engine.Insert, fmt.Sprint(n))
		o.Entity.PartitionKey = fmt.Sprint("p", n%2)
		must(t, b.Apply(t.Context(), commitOf(o)))
		c := commitOf(op(engine.Insert, fmt.Sprint(n)))
		c.Table = "other"
		must(t, b.Apply(t.Context(), c))
	}
	taken := commitOf(op(engine.Insert, "249"))
	taken.Table = "other"
	must(t, e.Commit(t.Context(), taken))
	var m engine.Meter
	wantCode(t, b.Commit(t.Context(), &m), engine.CodeExists, 167) // "249" is the 168th text of "0" to "249"
	if got := dump(t, e, engine.Scan{AllPartitions: true}); len(got) != 0 {
		t.Fatalf("%d entities of a transaction that was refused", len(got))
	}
	taken.Ops[0].Kind = engine.Delete
	must(t, e.Commit(t.Context(), taken))
	m.Requests.Store(0)
	must(t, b.Commit(t.Context(), &m))
	if got := dump(t, e, engine.Scan{AllPartitions: true}); len(got) != 250 || m.Requests.Load() != 7 {
		t.Fatalf("%d entities for %d requests, want 250 for 7", len(got), m.Requests.Load())
	}
}

// TestValidates: a transaction that validates what it reads is refused just when one of its reads would give something else now.
func TestValidates(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var e engine.Transactor = open(t, 1+rnd.IntN(4))
		if seed%10 == 0 {
			f, err := embedded.OpenFile(filepath.Join(t.TempDir(), "store.db"), embedded.FileOptions{NoSync: true})
			must(t, err)
			defer f.Close()
			must(t, f.CreateTable(t.Context(), "tab", nil))
			e = f.(engine.Transactor)
		}
		change := func(n int) {
			for range n {
				o := op(engine.Upsert, fmt.Sprint(rnd.IntN(9)), "A", fmt.Sprint(rnd.IntN(3)))
				if rnd.IntN(3) == 0 {
					o = op(engine.Delete, fmt.Sprint(rnd.IntN(9)))
				}
				o.Entity.PartitionKey = fmt.Sprint("p", rnd.IntN(3))
				_ = e.Commit(t.Context(), commitOf(o)) // there may be nothing to delete
			}
		}
		change(15)
		b, err := buffer.NewAt(e, 4, true, nil)
		must(t, err)
		var reads []func(store) string // what each gives
		for range 1 + rnd.IntN(3) {
			pk, rk, stop := fmt.Sprint("p", rnd.IntN(3)), fmt.Sprint(rnd.IntN(9)), rnd.IntN(6)
			scan := engine.Scan{Table: "tab", PartitionKey: pk, From: rk, Limit: rnd.IntN(3)}
			switch rnd.IntN(3) {
			case 0:
				reads = append(reads, func(s store) string {
					got, err := s.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: pk, RowKey: rk})
					return fmt.Sprint(got.ETag, err)
				})
				continue
			case 1:
				scan = engine.Scan{Table: "tab", AllPartitions: true, FromPartition: pk}
			}
			if rnd.IntN(2) == 0 {
				scan.Filter = &engine.Filter{Op: engine.Eq, Property: "A", Value: str("1")}
			}
			reads = append(reads, func(s store) (text string) {
				c := s.Scan(t.Context(), scan)
				defer c.Close()
				for n := 0; n < stop; n++ { // and then no further
					chunk, err := c.Next(t.Context())
					if err == io.EOF {
						return text + "."
					}
					must(t, err)
					for i := range chunk {
						text += line(&chunk[i]) + chunk[i].ETag + " "
					}
				}
				return text
			})
		}
		var before, after []string
		for _, read := range reads {
			before = append(before, read(b))
		}
		change(rnd.IntN(3))
		for _, read := range reads {
			after = append(after, read(e))
		}
		for i, read := range reads {
			if again := read(b); again != before[i] {
				t.Fatalf("seed %d: the transaction reads %q, and then %q", seed, before[i], again)
			}
		}
		own := commitOf(op(engine.Upsert, "own"))
		own.PartitionKey, own.Ops[0].Entity.PartitionKey = "q", "q"
		must(t, b.Apply(t.Context(), own))
		err = b.Commit(t.Context(), nil)
		b.Release()
		if slices.Equal(before, after) {
			if err != nil {
				t.Fatalf("seed %d: refused though each read gives the same: %v", seed, err)
			}
			continue
		}
		wantCode(t, err, engine.CodeStale, -1)
	}
}
