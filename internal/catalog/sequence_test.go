package catalog

import (
	"context"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestSequencesApart: processes that insert at the same time take blocks of values in turn. No value is given
// twice, and most rows need no request for theirs.
func TestSequencesApart(t *testing.T) {
	e := embedded.OpenMemory(embedded.Options{})
	defer e.Close()
	parsed, err := dialect.Parse("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY)", dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := define.Define(parsed.Statement.(*dialect.CreateTable), planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := Open(e, "", 0, nil).Create(ctx, table, nil); err != nil {
		t.Fatal(err)
	}
	const processes, writers, rows = 4, 3, 400
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		seen  = map[int64]bool{}
		meter engine.Meter
	)
	for range processes {
		c := Open(e, "", 0, nil)
		for range writers {
			wg.Go(func() {
				last := int64(0)
				for range rows {
					n, err := c.Next(ctx, table, 1, &meter)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if seen[n] || n <= last {
						t.Errorf("%d behind %d, seen %v", n, last, seen[n])
					}
					seen[n], last = true, n
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	const all = processes * writers * rows
	if len(seen) != all {
		t.Errorf("%d values, want %d", len(seen), all)
	}
	// A block takes two requests, and some more where two processes meet in one.
	blocks := all/blockSize + processes
	if n := meter.Requests.Load(); n > int64(6*blocks) {
		t.Errorf("%d requests for %d values in about %d blocks", n, all, blocks)
	}
}

// TestSequencesInterleaved: an interleaved table has values of its own.
func TestSequencesInterleaved(t *testing.T) {
	e := embedded.OpenMemory(embedded.Options{})
	defer e.Close()
	c := Open(e, "", 0, nil)
	ctx := context.Background()
	define := func(sql string, parent *schema.Table) *schema.Table {
		parsed, err := dialect.Parse(sql, dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := define.DefineInterleaved(parsed.Statement.(*dialect.CreateTable), parent, planner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	parent := define("CREATE TABLE p (id INT AUTO_INCREMENT PRIMARY KEY)", nil)
	if err := c.Create(ctx, parent, nil); err != nil {
		t.Fatal(err)
	}
	child := define("CREATE TABLE c (p INT REFERENCES p (id), n INT AUTO_INCREMENT, PRIMARY KEY (p, n)) INTERLEAVE IN PARENT p", parent)
	if err := createInterleaved(c, child, parent, nil); err != nil {
		t.Fatal(err)
	}
	for want := int64(1); want < 4; want++ {
		for _, table := range []*schema.Table{parent, child} {
			if n, err := c.Next(ctx, table, 1, nil); err != nil || n != want {
				t.Errorf("%s: %d, %v, want %d", table.Name, n, err, want)
			}
		}
	}
	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again := Open(e, "", 0, nil)
	for _, table := range []*schema.Table{parent, child} {
		if n, err := again.Next(ctx, table, 1, nil); err != nil || n != 4 {
			t.Errorf("%s: %d, %v after what was left was given back, want 4", table.Name, n, err)
		}
	}
}
