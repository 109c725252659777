package enginetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testCancel: a context that has ended ends every call, and nothing is written.
func testCancel(f *fixture) {
	f.must(op(engine.Insert, "p", "r", nil))
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	_, err := f.e.Get(ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "r"})
	wantCanceled(f.T, "Get", err)
	c := f.e.Scan(ctx, engine.Scan{Table: f.table, PartitionKey: "p"})
	_, err = c.Next(ctx)
	wantCanceled(f.T, "Next", err)
	c.Close()
	err = f.e.Commit(ctx, engine.Commit{Table: f.table, PartitionKey: "p", Ops: []engine.Op{op(engine.Insert, "p", "x", nil)}})
	wantCanceled(f.T, "Commit", err)
	wantCanceled(f.T, "CreateTable", f.e.CreateTable(ctx, newName(), nil))
	wantCanceled(f.T, "DeleteTable", f.e.DeleteTable(ctx, f.table, nil))
	_, err = f.e.Tables(ctx, "", nil)
	wantCanceled(f.T, "Tables", err)
	f.gives(engine.Scan{PartitionKey: "p"}, "p/r")

	// A context that ends at any time: acknowledged commits are there, and others may be there or not, each as a whole.
	for i := range 20 {
		ctx, cancel := context.WithTimeout(f.ctx, time.Duration(i*i)*5*time.Microsecond)
		rk := string(rune('a' + i))
		err := f.e.Commit(ctx, engine.Commit{Table: f.table, PartitionKey: "q", Ops: []engine.Op{op(engine.Insert, "q", rk, nil), op(engine.Insert, "q", rk+"2", nil)}})
		cancel()
		got := len(f.scan(engine.Scan{PartitionKey: "q", From: rk, To: rk + "3"}))
		if err == nil && got != 2 || got == 1 {
			f.Fatalf("commit %d: %v, and %d of 2 entities are there", i, err, got)
		}
		var e *engine.Error
		if unknown := errors.As(err, &e) && e.Applied == engine.Unknown; err != nil && got != 0 && !unknown {
			f.Fatalf("commit %d is reported as not applied, and is: %v", i, err)
		}
	}
}

func wantCanceled(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%s with a cancelled context: %v", what, err)
	}
}

// testClose: after Close, every call says so; Close may be called again.
func testClose(f *fixture) {
	f.fill("p", "1", "2", "3", "4", "5")
	open := f.e.Scan(f.ctx, engine.Scan{Table: f.table, PartitionKey: "p"})
	defer open.Close()
	if _, err := open.Next(f.ctx); err != nil {
		f.Fatal(err)
	}
	if err := f.e.DeleteTable(f.ctx, f.table, nil); err != nil { // it cannot be deleted later
		f.Fatal(err)
	}
	for range 2 {
		if err := f.e.Close(); err != nil {
			f.Fatalf("Close: %v", err)
		}
	}
	_, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "1"})
	_, errTables := f.e.Tables(f.ctx, "", nil)
	_, errScan := f.tryScan(engine.Scan{PartitionKey: "p"})
	for what, err := range map[string]error{
		"Get": err, "Tables": errTables, "Scan": errScan, "Commit": f.commit(op(engine.Upsert, "p", "1", nil)),
		"CreateTable": f.e.CreateTable(f.ctx, f.table, nil), "DeleteTable": f.e.DeleteTable(f.ctx, f.table, nil),
	} {
		if code(err) != engine.CodeClosed {
			f.Errorf("%s after Close: %v", what, err)
		}
	}
	for range 100 {
		if _, err := open.Next(f.ctx); err != nil {
			return // closed, or at the end of what it had
		}
	}
	f.Error("a cursor goes on after Close")
}
