package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// TestLongFreelist: when much is free, commits do not write the list of it, Close does, and a file that nobody closed
// knows its free pages all the same.
func TestLongFreelist(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(path string) *File {
		t.Helper()
		e, err := OpenFile(path, FileOptions{NoSync: true})
		must(err)
		t.Cleanup(func() { e.Close() })
		return e.(*File)
	}
	ctx, text := t.Context(), strings.Repeat("x", 30000)
	put := func(f *File, table, key string) {
		t.Helper()
		must(f.Commit(ctx, engine.Commit{Table: table, PartitionKey: "p", Ops: []engine.Op{{Kind: engine.Upsert, Entity: engine.Entity{
			PartitionKey: "p", RowKey: key, Names: []string{"A"}, Values: []engine.Value{{Type: engine.String, S: text}}}}}}))
	}
	listed := func(f *File) bool {
		t.Helper()
		m, err := metas(f.opened)
		must(err)
		return m.freelist != noFreelist
	}
	path := filepath.Join(t.TempDir(), "store.db")
	f := open(path)
	must(f.CreateTable(ctx, "big", nil))
	must(f.CreateTable(ctx, "small", nil))
	for i := range 2000 {
		put(f, "big", fmt.Sprint(i))
	}
	if !listed(f) {
		t.Fatal("the list is not written where it is short")
	}
	must(f.DeleteTable(ctx, "big", nil))
	for i := range 200 {
		put(f, "small", fmt.Sprint(i%10))
	}
	if listed(f) {
		t.Error("the long list is written with each commit")
	}
	content, err := os.ReadFile(path)
	must(err)
	crashed := filepath.Join(t.TempDir(), "crashed.db")
	must(os.WriteFile(crashed, content, 0o600))
	must(f.Close())
	f = open(path)
	if !listed(f) {
		t.Error("Close has not written the list")
	}
	must(f.Close())
	f = open(crashed)
	for i := range 1000 {
		put(f, "small", fmt.Sprint(i))
	}
	if info, err := os.Stat(crashed); err != nil || info.Size() > int64(len(content)) {
		t.Errorf("the file has grown from %d to %d octets, %v", len(content), info.Size(), err)
	}
	if faults, err := f.Verify(ctx, "small"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
}
