package embedded_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// filled makes a closed file with n entities in table "tab".
func filled(t *testing.T, path string, n int) {
	t.Helper()
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	var ops []engine.Op
	for i := range n {
		rk := fmt.Sprintf("%06d", i)
		ops = append(ops, engine.Op{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: "p", RowKey: rk, Names: []string{"Key"}, Values: []engine.Value{{Type: engine.String, S: rk}}}})
		if len(ops) == 100 || i == n-1 {
			must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: ops}))
			ops = nil
		}
	}
	must(t, e.Close())
}

// octets gives what a filled file holds, and a folder for changed copies of it.
func octets(t *testing.T, n int) (dir string, content []byte) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "whole.db")
	filled(t, path, n)
	content, err := os.ReadFile(path)
	must(t, err)
	return dir, content
}

// outcome says what a damaged file did when it was opened and read: "opening", "reading" and "checking" found the damage,
// "whole" has nothing wrong to show, and "wrong" gave other entities without a word.
func outcome(t *testing.T, path string, n int) string {
	e, err := embedded.OpenFile(path, embedded.FileOptions{})
	if err != nil {
		wantCode(t, err, engine.CodeCorrupt)
		return "opening"
	}
	defer e.Close()
	var got []string
	c := e.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p", Select: []string{"Key"}})
	defer c.Close()
	for {
		chunk, err := c.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			if !strings.Contains(err.Error(), "backup") || strings.Contains(err.Error(), "memory address") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			return "reading"
		}
		for _, x := range chunk {
			if x.Values[0].S != x.RowKey {
				return "wrong"
			}
			got = append(got, x.RowKey)
		}
	}
	want := make([]string, n)
	same := len(got) == n
	for i := range want {
		want[i] = fmt.Sprintf("%06d", i)
		if _, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: want[i]}); err != nil {
			var x *engine.Error
			if errors.As(err, &x) && x.Code == engine.CodeCorrupt {
				return "reading"
			}
			same = false
		}
	}
	faults, err := e.(engine.Maintainer).Verify(t.Context(), "tab")
	switch {
	case err != nil || len(faults) > 0:
		return "checking"
	case same && slices.Equal(got, want):
		return "whole"
	}
	return "wrong"
}

// TestFlippedBits: whatever bit of a file changes, nobody is given other entities than were written without a word: the
// damage shows when the file is opened or read, or else when it is checked.
func TestFlippedBits(t *testing.T) {
	const n = 3000
	dir, content := octets(t, n)
	rounds := testrun.Of(400, 150)
	if testing.Short() {
		rounds = 60
	}
	seen := map[string]int{}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		bit := random.IntN(8 * len(content))
		damaged := bytes.Clone(content)
		damaged[bit/8] ^= 1 << (bit % 8)
		path := filepath.Join(dir, "damaged.db")
		must(t, os.WriteFile(path, damaged, 0o600))
		what := outcome(t, path, n)
		seen[what]++
		if what == "wrong" {
			t.Errorf("with bit %d of octet %d changed other entities are read, and the check finds nothing", bit%8, bit/8)
		}
	}
	t.Logf("%d files of %d octets with one bit changed: %v", rounds, len(content), seen)
}

// TestSalvage: what is damaged is given up, and the rest is whole.
func TestSalvage(t *testing.T) {
	const n = 3000
	dir, content := octets(t, n)
	path := filepath.Join(dir, "damaged.db")
	random := rand.New(rand.NewPCG(5, 6))
	salvaged := 0
	for range 100 {
		damaged := bytes.Clone(content)
		at := random.IntN(len(content)-8*os.Getpagesize()) + 8*os.Getpagesize()
		damaged[at] ^= 0x10
		must(t, os.WriteFile(path, damaged, 0o600))
		what := outcome(t, path, n)
		if what == "whole" || what == "opening" {
			continue
		}
		e := openFile(t, path, embedded.FileOptions{NoSync: true})
		store := e.(engine.Maintainer)
		lost, err := store.Salvage(t.Context(), "tab")
		if err != nil {
			wantCode(t, err, engine.CodeCorrupt) // a page that says where others are
			must(t, e.Close())
			continue
		}
		salvaged++
		if faults, err := store.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
			t.Errorf("after Salvage: %q, %v", faults, err)
		}
		got := keys(t, e)
		if len(got) < n && len(lost) == 0 || len(got) < n-200 {
			t.Errorf("octet %d, found by %s: %d of %d entities are left; given up: %q", at, what, len(got), n, lost)
		}
		must(t, put(t.Context(), e, engine.Upsert, "new"))
		must(t, e.Close())
		e = openFile(t, path, embedded.FileOptions{NoSync: true})
		if again := keys(t, e); len(again) != len(got)+1 {
			t.Errorf("%d entities are left when the file is opened again, want %d", len(again), len(got)+1)
		}
		must(t, e.Close())
	}
	if salvaged < 5 {
		t.Errorf("only %d files were salvaged", salvaged)
	}
}

// TestSalvageBesideWriters: what is acknowledged while tables are salvaged and the file is compacted is there afterwards.
func TestSalvageBesideWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path, 100)
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	store := e.(engine.Maintainer)
	const writers, each = 8, 150
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := put(t.Context(), e, engine.Insert, fmt.Sprintf("w%d-%03d", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if lost, err := store.Salvage(t.Context(), "tab"); err != nil || len(lost) > 0 {
			t.Errorf("%q, %v", lost, err)
		}
		must(t, store.Compact(t.Context()))
	}
	wg.Wait()
	for range 2 {
		if faults, err := e.(engine.Maintainer).Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
			t.Errorf("%q, %v", faults, err)
		}
		if got := keys(t, e); len(got) != 100+writers*each {
			t.Errorf("%d entities are there, and %d were written", len(got), 100+writers*each)
		}
		must(t, e.Close())
		e = openFile(t, path, embedded.FileOptions{NoSync: true})
	}
}

// TestLostMeta: a file that lacks one of its two meta pages is not taken for the commit before the last one.
func TestLostMeta(t *testing.T) {
	dir, content := octets(t, 200)
	for page := range 2 {
		path := filepath.Join(dir, fmt.Sprint(page))
		damaged := bytes.Clone(content)
		clear(damaged[page*os.Getpagesize() : (page+1)*os.Getpagesize()])
		must(t, os.WriteFile(path, damaged, 0o600))
		_, err := embedded.OpenFile(path, embedded.FileOptions{})
		wantCode(t, err, engine.CodeCorrupt, path, "last", "readonly")
		e := openFile(t, path, embedded.FileOptions{ReadOnly: true}) // what is there can be read
		if got := keys(t, e); len(got) < 100 {
			t.Errorf("%d entities can be read", len(got))
		}
		must(t, e.Close())
	}
}

// TestReplaced: nothing is written to a file that is no longer the one of its name.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			other := filepath.Join(dir, "other.db")
			filled(t, other, 1)
			return os.Rename(other, path)
		},
	} {
		path := filepath.Join(dir, name)
		e := openFile(t, path, embedded.FileOptions{})
		must(t, e.CreateTable(t.Context(), "tab", nil))
		must(t, put(t.Context(), e, engine.Insert, "1"))
		must(t, replace(path))
		wantCode(t, put(t.Context(), e, engine.Insert, "2"), engine.CodeCorrupt, path, "nothing is written")
		must(t, e.Close())
	}
}

// TestVerify: a whole table has no fault, through all kinds of operations.
func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		kind := []engine.OpKind{engine.Insert, engine.Replace, engine.Merge, engine.Delete, engine.Upsert}[random.IntN(5)]
		_ = put(t.Context(), e, kind, fmt.Sprint(random.IntN(300))) // many are refused
		if i%500 == 499 {
			must(t, e.Close())
			e = openFile(t, path, embedded.FileOptions{NoSync: true})
		}
	}
	if faults, err := e.(engine.Maintainer).Verify(t.Context(), "TAB"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
	_, err := e.(engine.Maintainer).Verify(t.Context(), "none")
	wantCode(t, err, engine.CodeNoTable)
}

// TestCompact: space is given back, commits cost what they did, and ETags do not come back.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path, 20000)
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	size := func() int64 {
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	must(t, e.CreateTable(t.Context(), "keep", nil))
	must(t, put(t.Context(), e, engine.Upsert, "x"))
	before, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "x"})
	must(t, err)
	for i := 0; i < 20000; i += 100 {
		var ops []engine.Op
		for j := range 100 {
			ops = append(ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%06d", i+j)}})
		}
		must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: ops}))
	}
	large := size()
	reader := e.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p"})
	defer reader.Close()
	must(t, e.(engine.Maintainer).Compact(t.Context()))
	if small := size(); small > large/8 {
		t.Errorf("%d octets became %d", large, small)
	}
	if got, err := reader.Next(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("a cursor that was open before reads %v, %v", got, err)
	}
	for range 3 {
		must(t, put(t.Context(), e, engine.Upsert, "x"))
		after, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "x"})
		must(t, err)
		if len(after.ETag) < len(before.ETag) || len(after.ETag) == len(before.ETag) && after.ETag <= before.ETag {
			t.Errorf("the ETag %s follows %s", after.ETag, before.ETag)
		}
		before = after
		must(t, e.Close())
		e = openFile(t, path, embedded.FileOptions{NoSync: true})
	}
	if faults, err := e.(engine.Maintainer).Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
	_, out := startChild(t, "open", path)
	if said, err := io.ReadAll(out); err != nil || !strings.Contains(string(said), "in use") {
		t.Errorf("another process got %q, %v", said, err)
	}
}

// TestLongPage: a page that says to go on where there is nothing, or to be of no kind, is found when the file is opened.
func TestLongPage(t *testing.T) {
	dir, content := octets(t, 2000)
	size := os.Getpagesize()
	headers := 0
	for at := 2 * size; at+size <= len(content); at += size {
		if kind := content[at+8]; kind != 1 && kind != 2 || content[at+9] != 0 { // a branch or a leaf: bbolt's header is id, flags, count, overflow
			continue
		}
		headers++
		for _, bit := range []int{8*15 + 3, 8*8 + 6} { // of overflow, of the flags
			damaged := slices.Clone(content)
			damaged[at+bit/8] ^= 1 << (bit % 8)
			path := filepath.Join(dir, fmt.Sprint(at, "-", bit))
			must(t, os.WriteFile(path, damaged, 0o600))
			e, err := embedded.OpenFile(path, embedded.FileOptions{})
			if err == nil { // the page was free
				must(t, e.Close())
				headers--
				break
			}
			wantCode(t, err, engine.CodeCorrupt)
		}
	}
	if headers < 10 {
		t.Errorf("%d pages in use", headers)
	}
}

// TestLongPageBehind: of a large file what is behind the pages in front is looked at before anything is written into pages, and is read
// till then.
func TestLongPageBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.db")
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	text, size := strings.Repeat("long ", 500), os.Getpagesize()
	for i := range 5000 * size / 4096 {
		rk := fmt.Sprintf("%06d", i)
		must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: engine.Insert, Entity: engine.Entity{
			PartitionKey: "p", RowKey: rk, Names: []string{"Text"}, Values: []engine.Value{{Type: engine.String, S: text}}}}}}))
	}
	must(t, e.Close())
	content, err := os.ReadFile(path)
	must(t, err)
	at := 4600 * size
	for content[at+8] != 2 || content[at+9] != 0 || binary.LittleEndian.Uint64(content[at:]) != uint64(at/size) { // a leaf
		at += size
	}
	content[at+15] ^= 1 << 3 // of overflow
	must(t, os.WriteFile(path, content, 0o600))
	e = openFile(t, path, embedded.FileOptions{})
	_, err = e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "000000"})
	must(t, err)
	wantCode(t, e.CreateTable(t.Context(), "other", nil), engine.CodeCorrupt, "damaged")
}
