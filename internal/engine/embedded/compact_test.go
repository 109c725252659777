package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

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

// TestShrunk: closing gives back what a file does not need, and changes nothing in it.
func TestShrunk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := logged(t, path)
	text := strings.Repeat("x", 500)
	for i := range 50 {
		c := engine.Commit{Table: "tab", PartitionKey: "p"}
		for j := range 40 {
			key := fmt.Sprint(scattered(40*i+j, 2000))
			c.Ops = append(c.Ops, engine.Op{Entity: engine.Entity{PartitionKey: "p", RowKey: key, Names: []string{"K"},
				Values: []engine.Value{{Type: engine.String, S: text + key}}}})
		}
		commit(t, f, c)
	}
	merged(t, f)
	for i := range 1500 {
		commit(t, f, engine.Commit{Table: "tab", PartitionKey: "p",
			Ops: []engine.Op{{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprint(i)}}}})
	}
	want := rowKeys(t, f)
	size := func() int64 { return int64(len(read(t, path))) }
	open := size()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if closed := size(); closed > 500*800 || closed > open/4 {
		t.Errorf("500 rows of 500 octets take %d, and took %d before", closed, open)
	}
	f = logged(t, path)
	if got := rowKeys(t, f); !slices.Equal(got, want) {
		t.Errorf("%d rows are there, want %d", len(got), len(want))
	}
	if faults, err := f.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
	identity := f.identity
	commit(t, f, insert("one more"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(now, identity) {
		t.Errorf("a file with little to give back was written anew, %v", err)
	}
}

// TestShrunkByUse: what says whether a file is compacted is how much of it is in use, however long it is.
func TestShrunkByUse(t *testing.T) {
	f := logged(t, filepath.Join(t.TempDir(), "a"))
	text := strings.Repeat("x", 30000)
	put := func(key string) {
		commit(t, f, engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Entity: engine.Entity{PartitionKey: "p", RowKey: key,
			Names: []string{"K"}, Values: []engine.Value{{Type: engine.String, S: text}}}}}})
	}
	for i := range 100 {
		put(fmt.Sprint(i))
	}
	if err := f.alone(t.Context(), func() error { return nil }); err != nil { // all is in the pages
		t.Fatal(err)
	}
	for i := range 90 {
		commit(t, f, engine.Commit{Table: "tab", PartitionKey: "p",
			Ops: []engine.Op{{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprint(i)}}}})
	}
	want := rowKeys(t, f)
	for _, c := range []struct {
		most   int64
		shrunk bool
	}{{200 << 10, false}, {1 << 20, true}} {
		was := f.identity
		err := f.alone(t.Context(), func() error {
			f.keepFreelist()
			if info, err := f.opened.Stat(); err != nil || info.Size() < 2<<20 || freeOctets(f.opened) < 2<<20 {
				t.Errorf("%v octets, of which %d are free, %v", info, freeOctets(f.opened), err)
			}
			f.shrink(c.most)
			return nil
		})
		info, wrong := os.Stat(f.resolved)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		if shrunk := !os.SameFile(was, info); shrunk != c.shrunk || shrunk != (info.Size() < 1<<20) {
			t.Errorf("with %d octets at most, a file of 300 thousand is shrunk: %v, to %d", c.most, shrunk, info.Size())
		}
	}
	if got := rowKeys(t, f); !slices.Equal(got, want) {
		t.Errorf("%d rows are there, want %d", len(got), len(want))
	}
	put("more")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// scattered moves the numbers below n about.
func scattered(i, n int) int { return i * 7919 % n }

// TestFill: rows that come in the order of their keys fill their pages, before any compacting; rows in any order two thirds.
func TestFill(t *testing.T) {
	for name, c := range map[string]struct {
		key  func(i int) int
		most int64
	}{
		"in order":     {func(i int) int { return i }, 175},
		"in any order": {func(i int) int { return scattered(i, 10000) }, 270},
	} {
		e, err := OpenFile(filepath.Join(t.TempDir(), "a"), FileOptions{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.CreateTable(t.Context(), "tab", nil); err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("x", 92)
		for i := range 10000 {
			if i%100 == 0 { // entries of an index lie behind the rows
				commit(t, e.(*File), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Entity: engine.Entity{
					PartitionKey: "p", RowKey: fmt.Sprintf("name!%06d", i)}}}})
			}
			commit(t, e.(*File), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Entity: engine.Entity{PartitionKey: "p",
				RowKey: fmt.Sprintf("PK!%06d", c.key(i)), Names: []string{"K"}, Values: []engine.Value{{Type: engine.String, S: text}}}}}})
		}
		size := int64(0)
		err = e.(*File).db.Load().View(func(tx *bolt.Tx) error {
			s := tx.Bucket(e.(*File).table("tab").entities).Stats()
			size = int64(s.LeafAlloc + s.BranchAlloc)
			return nil
		})
		if each := size / 10000; err != nil || each > c.most {
			t.Errorf("%s: a row of 92 octets takes %d, want at most %d, %v", name, each, c.most, err)
		}
	}
}
