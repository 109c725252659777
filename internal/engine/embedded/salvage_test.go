package embedded

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// TestSalvageBeforeCommit: a commit that waits behind Salvage goes into the table that is left.
func TestSalvageBeforeCommit(t *testing.T) {
	e, err := OpenFile(filepath.Join(t.TempDir(), "store.db"), FileOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f := e.(*File)
	if err := f.CreateTable(t.Context(), "tab", nil); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		f.commits.lead <- struct{}{} // nobody writes for now
		salvaged, committed := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := f.Salvage(t.Context(), "tab")
			salvaged <- err
		}()
		time.Sleep(5 * time.Millisecond)
		go func() {
			committed <- f.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{
				Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: "p", RowKey: "r"}}}})
		}()
		time.Sleep(5 * time.Millisecond)
		<-f.commits.lead
		if err := <-salvaged; err != nil {
			t.Fatal(err)
		}
		if err := <-committed; err != nil {
			t.Fatal(err)
		}
		if _, err := f.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "r"}); err != nil {
			t.Fatalf("what was acknowledged is not there: %v", err)
		}
		if faults, err := f.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
			t.Fatalf("%q, %v", faults, err)
		}
		if err := f.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{
			Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "p", RowKey: "r"}}}}); err != nil {
			t.Fatal(err)
		}
	}
}
