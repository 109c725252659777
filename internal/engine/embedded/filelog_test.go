package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// logged opens a file that keeps a log, and makes table "tab" where there is none.
func logged(t *testing.T, path string) *File {
	t.Helper()
	if !keepsLogs {
		t.Skip("no logs on this system")
	}
	e, err := OpenFile(path, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	var exists *engine.Error
	if err := e.CreateTable(t.Context(), "tab", nil); err != nil && (!errors.As(err, &exists) || exists.Code != engine.CodeExists) {
		t.Fatal(err)
	}
	return e.(*File)
}

func commit(t *testing.T, f *File, c engine.Commit) {
	t.Helper()
	if err := f.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowKeys are the keys of a table, with what its entities hold.
func rowKeys(t *testing.T, e engine.Reader) (keys []string) {
	t.Helper()
	err := engine.Each(t.Context(), e, engine.Scan{Table: "tab", PartitionKey: "p"}, func(e *engine.Entity) error {
		keys = append(keys, fmt.Sprint(e.RowKey, e.ETag, e.Values))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// merged has all that was committed in the pages.
func merged(t *testing.T, f *File) {
	t.Helper()
	f.commits.lead <- struct{}{}
	defer func() { <-f.commits.lead }()
	if f.log == nil { // nothing is pending
		return
	}
	if err := f.checkpoint(); err != nil {
		t.Fatal(err)
	}
}

// TestPowerCut: the system ends, and of the pages that were written to the file since the last checkpoint any are on disk, and any
// are not. What was acknowledged is there, each with its ETag, and versions go on rising.
func TestPowerCut(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for round := range testrun.Of(60, 12) {
		dir := t.TempDir()
		f := logged(t, filepath.Join(dir, "whole"))
		write := func() {
			c := engine.Commit{Table: "tab", PartitionKey: "p"}
			seen := map[string]bool{}
			for range 1 + random.IntN(20) {
				key := fmt.Sprintf("%04d", random.IntN(500))
				if seen[key] {
					continue
				}
				seen[key] = true
				op := engine.Op{Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: "p", RowKey: key, Names: []string{"K"},
					Values: []engine.Value{{Type: engine.String, S: strings.Repeat(key, random.IntN(200))}}}}
				c.Ops = append(c.Ops, op)
			}
			commit(t, f, c)
		}
		for range random.IntN(50) {
			write()
		}
		var before []byte
		if err := f.alone(t.Context(), func() error { return nil }); err != nil { // ends the log
			t.Fatal(err)
		}
		write()
		f.commits.lead <- struct{}{}
		if round%2 == 0 {
			if err := f.checkpoint(); err != nil {
				t.Fatal(err)
			}
		} else if err := f.endLog(); err != nil {
			t.Fatal(err)
		}
		before = read(t, f.path)
		checks := 0
		if f.log != nil {
			checks = f.log.checks
		}
		<-f.commits.lead
		after := func() { // a commit: that which finds a merge ended begins the log anew
			if f.log.checks > checks {
				before, checks = read(t, f.path), f.log.checks
			}
		}
		for range 1 + random.IntN(100) {
			write()
			after()
			if random.IntN(10) == 0 {
				mergeMeanwhile(t, f)
			}
		}
		if random.IntN(4) == 0 {
			if err := f.CreateTable(t.Context(), "other", nil); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, f, insert("last"))
		after()
		last, err := f.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "last"})
		if err != nil {
			t.Fatal(err)
		}
		want, log, now := rowKeys(t, f), read(t, f.path+logSuffix), read(t, f.path)

		path := filepath.Join(dir, "cut")
		cut := bytes.Clone(now)
		page := os.Getpagesize()
		for at := 0; at < len(cut); at += page {
			was := make([]byte, page)
			copy(was, before[min(at, len(before)):])
			if random.IntN(2) == 0 {
				copy(cut[at:at+page], was)
			} else if random.IntN(8) == 0 && !bytes.Equal(cut[at:at+page], was) {
				copy(cut[at:at+page/2], was) // half of it
			}
		}
		if err := errors.Join(os.WriteFile(path, cut, 0o600), os.WriteFile(path+logSuffix, log, 0o600)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // it may end once more while it is opened
			again := logged(t, path)
			if got := rowKeys(t, again); !slices.Equal(got, want) {
				t.Fatalf("round %d: %d entities are there, %d were acknowledged", round, len(got), len(want))
			}
			if faults, err := again.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
				t.Fatalf("%q, %v", faults, err)
			}
			commit(t, again, engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: "p", RowKey: "new"}}}})
			newest, err := again.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "new"})
			if err != nil || versionOf(t, newest.ETag) <= versionOf(t, last.ETag) {
				t.Fatalf("the ETag %s follows %s, %v", newest.ETag, last.ETag, err)
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			if again.hasLog() {
				t.Fatal("the log is there when the file is closed")
			}
			if err := errors.Join(os.WriteFile(path, cut, 0o600), os.WriteFile(path+logSuffix, log, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		// What a torn record acknowledged to nobody is not there; what is before it is.
		if err := os.WriteFile(path+logSuffix, log[:logRecords+random.IntN(len(log)-logRecords)], 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := OpenFile(path, FileOptions{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if faults, err := e.(*File).Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
			t.Fatalf("%q, %v", faults, err)
		}
		e.Close()
		f.Close()
	}
}

// TestPowerCutOfTables: the system ends before what was written since the last fsync is on disk. New tables may be gone, and nothing else.
func TestPowerCutOfTables(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	page := os.Getpagesize()
	for round := range testrun.Of(60, 15) {
		dir := t.TempDir()
		path, cut := filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
		f := logged(t, path)
		for i := range 100 {
			commit(t, f, insert(fmt.Sprint(i)))
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		before := read(t, path)
		f = logged(t, path)
		tables := 0
		create := func(n int) {
			for range n {
				tables++
				if err := f.CreateTable(t.Context(), fmt.Sprintf("more%d", tables), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		create(random.IntN(4))
		acknowledged := 0
		if round%2 == 0 {
			commit(t, f, insert("last"))
			acknowledged = tables
			create(random.IntN(4))
		}
		want, after, log := rowKeys(t, f), read(t, path), []byte{}
		if f.log != nil {
			log = read(t, path+logSuffix)
			if from := f.log.at; f.log.begun {
				clear(log[from:])
			} else {
				clear(log)
			}
		}
		for at := 0; at < len(after); at += page {
			if random.IntN(2) == 0 {
				was := make([]byte, page)
				if at < len(before) {
					copy(was, before[at:])
				}
				copy(after[at:at+page], was)
			}
		}
		if err := errors.Join(os.WriteFile(cut, after, 0o600), os.WriteFile(cut+logSuffix, log, 0o600)); err != nil {
			t.Fatal(err)
		}
		again := logged(t, cut)
		if got := rowKeys(t, again); !slices.Equal(got, want) {
			t.Fatalf("round %d: %d entities are there, %d were acknowledged", round, len(got), len(want))
		}
		for i := range acknowledged {
			if again.table(fmt.Sprintf("more%d", i+1)) == nil {
				t.Fatalf("round %d: table %d of %d is gone", round, i+1, acknowledged)
			}
		}
		commit(t, again, insert("new"))
		f.Close()
	}
}

func versionOf(t *testing.T, etag string) (version uint64) {
	t.Helper()
	if _, err := fmt.Sscanf(etag, `W/"%x"`, &version); err != nil {
		t.Fatal(err)
	}
	return version
}

// TestNoLog: where no log can be made, commits are made sure of in the file.
func TestNoLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	e, err := OpenFile(path, FileOptions{})
	if err == nil {
		err = os.Mkdir(path+logSuffix, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := e.(*File)
	defer f.Close()
	for _, err := range []error{f.CreateTable(t.Context(), "tab", nil), f.Commit(t.Context(), insert("1"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !f.there(t, "1") || f.log != nil || f.db.Load().NoSync {
		t.Error("the commit is not in the file")
	}
}

// TestLogOfAnother: a log is never applied to a file that it is not of, and a damaged one is not passed over.
func TestLogOfAnother(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f := logged(t, path)
	commit(t, f, insert("1"))
	log := read(t, path+logSuffix)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	closed := read(t, path)
	other := logged(t, filepath.Join(dir, "b"))
	commit(t, other, insert("1"))
	commit(t, other, insert("2"))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(log)
	damaged[20]++
	damaged[logHead+20]++
	for name, c := range map[string]struct {
		file, log []byte
		want      string
	}{
		"another file": {read(t, other.path), log, "is that of another file"},
		"damaged":      {closed, damaged, "is damaged"},
		"empty":        {closed, nil, ""},
		"never begun":  {closed, make([]byte, logLeast), ""},
		"no file":      {nil, log, ""},
	} {
		path := filepath.Join(t.TempDir(), "c")
		if err := errors.Join(os.WriteFile(path, c.file, 0o600), os.WriteFile(path+logSuffix, c.log, 0o600)); err != nil {
			t.Fatal(err)
		}
		e, err := OpenFile(path, FileOptions{})
		if err == nil {
			err = e.Close()
		}
		var wrong *engine.Error
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.As(err, &wrong) || wrong.Code != engine.CodeCorrupt || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v", name, err)
		case !bytes.Equal(read(t, path), c.file):
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// TestDamagedRecord: a damaged record, behind which others were acknowledged, is not taken for the end of the log. The file stays as it was.
func TestDamagedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := logged(t, path)
	commit(t, f, insert("0"))
	merged(t, f)
	commit(t, f, insert("1"))
	damaged := f.log.at + logRecord + 9
	commit(t, f, insert("2"))
	last := f.log.at - 1
	commit(t, f, insert("3"))
	file, log := read(t, path), read(t, path+logSuffix)
	for _, at := range []int64{damaged, last} {
		path := filepath.Join(t.TempDir(), "b")
		wrong := bytes.Clone(log)
		wrong[at]++
		if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+logSuffix, wrong, 0o600)); err != nil {
			t.Fatal(err)
		}
		var e *engine.Error
		if _, err := OpenFile(path, FileOptions{}); !errors.As(err, &e) || e.Code != engine.CodeCorrupt || !strings.Contains(err.Error(), "remove the log") {
			t.Fatalf("octet %d: %v", at, err)
		}
		if !bytes.Equal(read(t, path), file) {
			t.Fatal("the file was changed")
		}
		if err := os.Remove(path + logSuffix); err != nil {
			t.Fatal(err)
		}
		if again := logged(t, path); !again.there(t, "0") || again.there(t, "3") {
			t.Error("the file as of the last checkpoint is not read")
		}
	}
}

// TestPanicLogged: a commit that cannot go into the pages, as one of them is damaged, stays in the log. All else is read and written,
// also when the file is opened again, until the table is repaired.
func TestPanicLogged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f := logged(t, path)
	if err := f.CreateTable(t.Context(), "sound", nil); err != nil {
		t.Fatal(err)
	}
	rows := engine.Commit{Table: "tab", PartitionKey: "p"}
	for i := range 90 {
		rows.Ops = append(rows.Ops, insert(fmt.Sprintf("%03d", i)).Ops[0])
		rows.Ops[i].Entity.Values[0].S = strings.Repeat("x", 200)
	}
	commit(t, f, rows)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = logged(t, path)
	sound := func(rk string) engine.Commit {
		c := insert(rk)
		c.Table = "sound"
		return c
	}
	commit(t, f, sound("1"))
	// What is left of the second page is to be merged with the first, which is damaged.
	data := read(t, path)
	first, keys := leafOf(data, "000")
	clear(first[pageHead:])
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, more := leafOf(data, fmt.Sprintf("%03d", keys))
	less := engine.Commit{Table: "tab", PartitionKey: "p"}
	for i := range more - 1 {
		key := fmt.Sprintf("%03d", keys+i)
		less.Ops = append(less.Ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: "p", RowKey: key}})
	}
	commit(t, f, less)
	commit(t, f, sound("2"))
	killed := filepath.Join(dir, "b")
	if err := errors.Join(os.WriteFile(killed, read(t, path), 0o600), os.WriteFile(killed+logSuffix, read(t, path+logSuffix), 0o600)); err != nil {
		t.Fatal(err)
	}
	opened := func(path string) *File {
		e, err := OpenFile(path, FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e.(*File)
	}
	for i := range 3 {
		again := opened(killed)
		for _, rk := range []string{"1", "2"} {
			if _, err := again.Get(t.Context(), engine.Get{Table: "sound", PartitionKey: "p", RowKey: rk}); err != nil {
				t.Error(err)
			}
		}
		if i == 2 {
			break
		}
		var wrong *engine.Error
		if err := again.Compact(t.Context()); !errors.As(err, &wrong) || wrong.Code != engine.CodeCorrupt {
			t.Fatalf("got %v", err)
		}
		commit(t, again, sound(fmt.Sprint("more", i)))
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFile(killed, FileOptions{ReadOnly: true}); !errors.As(err, &wrong) || wrong.Code != engine.CodeCorrupt {
			t.Fatalf("got %v", err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := opened(path)
	lost, err := again.Salvage(t.Context(), "tab")
	if err != nil || len(lost) == 0 {
		t.Fatalf("%q, %v", lost, err)
	}
	last := fmt.Sprintf("%03d", keys+more-1)
	if got := rowKeys(t, again); len(got) != 90-keys-(more-1) || !again.there(t, last) || again.hasLog() {
		t.Errorf("there are %q, %q was lost", got, lost)
	}
	if faults, err := again.Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
		t.Errorf("%q, %v", faults, err)
	}
	if _, err := again.Get(t.Context(), engine.Get{Table: "sound", PartitionKey: "p", RowKey: "2"}); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil || again.hasLog() {
		t.Errorf("the log is there, %v", err)
	}
}

// leafOf finds the page of a file that holds an entity of partition p, and says how many it holds.
func leafOf(file []byte, rk string) (page []byte, entities int) {
	const leaf, element = 2, 16
	size := os.Getpagesize()
	for at := 2 * size; at < len(file); at += size {
		page = file[at : at+size]
		if binary.NativeEndian.Uint16(page[8:]) != leaf {
			continue
		}
		n := int(binary.NativeEndian.Uint16(page[10:]))
		for i := range n {
			e := page[pageHead+i*element:]
			key := e[binary.NativeEndian.Uint32(e[4:]):][:binary.NativeEndian.Uint32(e[8:])]
			if string(key) == "p\x00"+rk {
				return page, n
			}
		}
	}
	return nil, 0
}

// TestOpenCompacted: who waits for a file that another process compacts as it closes it opens the compacted one.
func TestOpenCompacted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f := logged(t, path)
	commit(t, f, insert("1"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []FileOptions{{}, {ReadOnly: true}} {
		old, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !lock(old) {
			t.Fatal("the file is locked")
		}
		opened := make(chan error)
		go func() {
			e, err := OpenFile(path, o)
			if err == nil {
				err = e.Close()
			}
			opened <- err
		}()
		time.Sleep(lockTimeout / 4)
		compacted := filepath.Join(dir, "b")
		if err := errors.Join(os.WriteFile(compacted, read(t, path), 0o600), os.Rename(compacted, path)); err != nil {
			t.Fatal(err)
		}
		old.Close()
		var busy *engine.Error
		if err := <-opened; err != nil && !(errors.As(err, &busy) && busy.Code == engine.CodeLocked) { // on a slow machine
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestOneSync: a commit makes sure of the log alone; the file itself is made sure of now and then.
func TestOneSync(t *testing.T) {
	f := logged(t, filepath.Join(t.TempDir(), "a"))
	for i := range 100 {
		commit(t, f, insert(fmt.Sprint(i)))
	}
	if f.log == nil || f.log.checks != 0 || !f.db.Load().NoSync {
		t.Fatalf("100 commits: %+v", f.log)
	}
	if size := f.log.at; size > 100*250 {
		t.Errorf("100 commits take %d octets of the log", size)
	}
	large := insert("large")
	for i := range 12 {
		e := &large.Ops[0].Entity
		e.Names = append(e.Names, fmt.Sprint("P", i))
		e.Values = append(e.Values, engine.Value{Type: engine.Binary, S: string(make([]byte, 60<<10))})
	}
	for range 30 {
		large.Ops[0].Kind = engine.Upsert
		commit(t, f, large)
	}
	checks := f.log.checks
	if checks < 1 || checks > 6 || f.log.room > logEnough+logMost {
		t.Errorf("20 MB of commits: %d checkpoints, a log of %d octets", checks, f.log.room)
	}
	all := make([]engine.Commit, 10)
	for i := range all {
		all[i] = large
		all[i].PartitionKey = fmt.Sprint(i)
		all[i].Ops = slices.Clone(large.Ops)
		all[i].Ops[0].Entity.PartitionKey = all[i].PartitionKey
	}
	if err := f.Transact(t.Context(), engine.Transaction{Commits: all}); err != nil {
		t.Fatal(err)
	}
	if n := f.log.checks - checks; n < 1 || n > 2 || f.log.at != logRecords {
		t.Errorf("a large transaction: %d checkpoints, %d octets in the log", n, f.log.at)
	}
}

// TestFullLogged is TestFull with a log: what can no longer go from there into the file is refused, and what was acknowledged stays.
func TestFullLogged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := logged(t, path)
	commit(t, f, insert("before"))
	f.db.Load().MaxSize = 1
	large := insert("")
	e := &large.Ops[0].Entity
	for i := range 15 {
		e.Names = append(e.Names, fmt.Sprint("P", i))
		e.Values = append(e.Values, engine.Value{Type: engine.Binary, S: string(make([]byte, 60<<10))})
	}
	there, refused := []string{"before", "after"}, []string{}
	for i := range 10 {
		var wrong *engine.Error
		e.RowKey = fmt.Sprint("large", i)
		if err := f.Commit(t.Context(), large); err == nil {
			there = append(there, e.RowKey)
		} else if refused = append(refused, e.RowKey); !errors.As(err, &wrong) || wrong.Applied != engine.NotApplied {
			t.Fatalf("got %#v", err)
		}
	}
	if len(refused) < 3 {
		t.Fatalf("%q are in a full file", there)
	}
	f.db.Load().MaxSize = 0
	commit(t, f, insert("after"))
	killed := filepath.Join(t.TempDir(), "b")
	if err := errors.Join(os.WriteFile(killed, read(t, path), 0o600), os.WriteFile(killed+logSuffix, read(t, path+logSuffix), 0o600)); err != nil {
		t.Fatal(err)
	}
	again := logged(t, killed)
	for _, rk := range there {
		if !again.there(t, rk) {
			t.Errorf("%s is not there", rk)
		}
	}
	for _, rk := range refused {
		if again.there(t, rk) {
			t.Errorf("%s is there", rk)
		}
	}
}
