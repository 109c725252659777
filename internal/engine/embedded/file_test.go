package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// child names what the test binary does instead of testing when it is started as another process.
const child = "NEARLYFREE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch path, what := os.Getenv(child+"_PATH"), os.Getenv(child); what {
	case "open", "read":
		e, err := embedded.OpenFile(path, embedded.FileOptions{ReadOnly: what == "read"})
		if err == nil {
			e.Close()
		}
		fmt.Println(err)
	case "write":
		e, err := embedded.OpenFile(path, embedded.FileOptions{})
		if err == nil {
			err = e.CreateTable(context.Background(), "tab", nil)
		}
		for i := 0; err == nil; i++ {
			err = put(context.Background(), e, engine.Insert, fmt.Sprintf("%06d", i))
			fmt.Println(i)
		}
		fmt.Println(err)
	default:
		testrun.Main(m)
	}
}

func startChild(t *testing.T, what, path string) (*exec.Cmd, io.Reader) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), child+"="+what, child+"_PATH="+path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c, out
}

// put writes one entity with its key as a property.
func put(ctx context.Context, e engine.Engine, kind engine.OpKind, rk string) error {
	return e.Commit(ctx, engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: kind, Entity: engine.Entity{
		PartitionKey: "p", RowKey: rk, Names: []string{"Key"}, Values: []engine.Value{{Type: engine.String, S: rk}}}}}})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode wants an error with a code whose text holds some words.
func wantCode(t *testing.T, err error, code engine.Code, words ...string) {
	t.Helper()
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want an error with code %d", err, code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Fatalf("the error does not say %q: %v", w, err)
		}
	}
}

// keys reads the RowKeys of the table, and checks what is stored with each.
func keys(t *testing.T, e engine.Engine) []string {
	t.Helper()
	c := e.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p", Select: []string{"Key"}})
	defer c.Close()
	all := []string{}
	for {
		chunk, err := c.Next(t.Context())
		if err == io.EOF {
			return all
		}
		must(t, err)
		for _, x := range chunk {
			if x.Values[0].S != x.RowKey {
				t.Fatalf("entity %q holds %q", x.RowKey, x.Values[0].S)
			}
			all = append(all, x.RowKey)
		}
	}
}

// TestReopen: what was written is there when the file is opened again, and versions go on.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	get := engine.Get{Table: "TAB", PartitionKey: "p", RowKey: "1"}
	etags := map[string]bool{}
	var last int64
	for round := range 4 {
		e := openFile(t, path, embedded.FileOptions{})
		if round == 0 {
			must(t, e.CreateTable(t.Context(), "Tab", nil))
			must(t, put(t.Context(), e, engine.Insert, "2"))
		} else if x, err := e.Get(t.Context(), get); err != nil || !etags[x.ETag] || x.Timestamp != last || x.Values[0].S != "1" {
			t.Fatalf("after opening again: %+v, %v", x, err)
		}
		must(t, put(t.Context(), e, engine.Upsert, "1"))
		x, err := e.Get(t.Context(), get)
		must(t, err)
		if etags[x.ETag] || x.Timestamp < last {
			t.Fatalf("round %d: ETag %q, timestamp %d", round, x.ETag, x.Timestamp)
		}
		etags[x.ETag], last = true, x.Timestamp
		// A name that is new after opening, and a table that comes and goes.
		must(t, e.CreateTable(t.Context(), "other", nil))
		must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "q", Ops: []engine.Op{{Kind: engine.Upsert, Entity: engine.Entity{
			PartitionKey: "q", RowKey: fmt.Sprint(round), Names: []string{fmt.Sprint("Name", round)}, Values: []engine.Value{{Type: engine.Int32, N: uint64(round)}}}}}}))
		for r := range round + 1 {
			x, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "q", RowKey: fmt.Sprint(r)})
			if err != nil || x.Names[0] != fmt.Sprint("Name", r) || x.Values[0].N != uint64(r) {
				t.Fatalf("round %d, entity %d: %+v, %v", round, r, x, err)
			}
		}
		must(t, e.DeleteTable(t.Context(), "other", nil))
		if got, err := e.Tables(t.Context(), "", nil); err != nil || !slices.Equal(got, []string{"Tab"}) {
			t.Fatalf("tables %q, %v", got, err)
		}
		must(t, e.Close())
	}
}

// TestLockedHere: a second open in this process is refused at once, however the path is spelled.
func TestLockedHere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	e := openFile(t, path, embedded.FileOptions{})
	link := filepath.Join(dir, "link.db")
	must(t, os.Symlink(path, link))
	t.Chdir(dir)
	for _, p := range []string{path, link, "store.db", "./../" + filepath.Base(dir) + "/store.db"} {
		for _, readOnly := range []bool{false, true} {
			_, err := embedded.OpenFile(p, embedded.FileOptions{ReadOnly: readOnly})
			wantCode(t, err, engine.CodeLocked, p, "this process")
		}
	}
	must(t, e.Close())
	must(t, openFile(t, link, embedded.FileOptions{}).Close())
}

// TestLockedElsewhere: another process is refused, and is not when the file is closed.
func TestLockedElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	e := openFile(t, path, embedded.FileOptions{})
	open := func() string {
		t.Helper()
		_, out := startChild(t, "open", path)
		said, err := io.ReadAll(out)
		must(t, err)
		return strings.TrimSpace(string(said))
	}
	if said := open(); !strings.Contains(said, path) || !strings.Contains(said, "another process") {
		t.Fatalf("another process got %q", said)
	}
	must(t, e.Close())
	if said := open(); said != "<nil>" {
		t.Fatalf("another process got %q from a closed file", said)
	}
}

// TestKilled: whatever happens to the process, what was acknowledged is there.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	c, out := startChild(t, "write", path)
	lines := bufio.NewScanner(out)
	acknowledged := -1
	for lines.Scan() {
		if n, err := fmt.Sscan(lines.Text(), &acknowledged); n != 1 {
			t.Fatalf("the writer said %q, %v", lines.Text(), err)
		}
		if acknowledged == 30 {
			c.Process.Kill()
		}
	}
	c.Wait()
	got := keys(t, openFile(t, path, embedded.FileOptions{}))
	if len(got) < acknowledged+1 || len(got) > acknowledged+2 {
		t.Fatalf("%d entities are there, %d were acknowledged", len(got), acknowledged+1)
	}
	for i, key := range got {
		if key != fmt.Sprintf("%06d", i) {
			t.Fatalf("entity %d is %q", i, key)
		}
	}
}

// TestReadOnly: a file may be read by many, and not written.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	_, err := embedded.OpenFile(path, embedded.FileOptions{ReadOnly: true})
	wantCode(t, err, engine.CodeOther, path)
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("a file that is not there: %v", err)
	}
	e := openFile(t, path, embedded.FileOptions{})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	must(t, put(t.Context(), e, engine.Insert, "1"))
	must(t, e.Close())

	r := openFile(t, path, embedded.FileOptions{ReadOnly: true})
	if got := keys(t, r); !slices.Equal(got, []string{"1"}) {
		t.Fatalf("it reads %q", got)
	}
	wantCode(t, put(t.Context(), r, engine.Insert, "2"), engine.CodeReadOnly, path)
	wantCode(t, r.CreateTable(t.Context(), "other", nil), engine.CodeReadOnly, path)
	wantCode(t, r.DeleteTable(t.Context(), "tab", nil), engine.CodeReadOnly, path)
	_, out := startChild(t, "open", path)
	if said, err := io.ReadAll(out); err != nil || !strings.Contains(string(said), "in use") {
		t.Fatalf("a writer beside a reader got %q, %v", said, err)
	}
	_, out = startChild(t, "read", path)
	if said, err := io.ReadAll(out); err != nil || strings.TrimSpace(string(said)) != "<nil>" {
		t.Fatalf("a reader beside a reader got %q, %v", said, err)
	}
}

// TestDamaged: what is no such file, or no longer, is an error that names it.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	e := openFile(t, whole, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	for i := range 2000 {
		must(t, put(t.Context(), e, engine.Insert, fmt.Sprintf("%06d", i)))
	}
	must(t, e.Close())
	content, err := os.ReadFile(whole)
	must(t, err)

	foreign := filepath.Join(dir, "foreign.db")
	db, err := bolt.Open(foreign, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }))
	must(t, db.Close())
	before, err := os.ReadFile(foreign)
	must(t, err)
	for _, readOnly := range []bool{false, true} {
		_, err = embedded.OpenFile(foreign, embedded.FileOptions{ReadOnly: readOnly})
		wantCode(t, err, engine.CodeCorrupt, foreign, "another program")
	}
	if after, err := os.ReadFile(foreign); err != nil || !slices.Equal(before, after) {
		t.Fatalf("a foreign file was changed: %v", err)
	}

	for name, damaged := range map[string][]byte{
		"text":     []byte(strings.Repeat("this is no database\n", 1000)),
		"short":    []byte("x"),
		"cut off":  content[:8*os.Getpagesize()],
		"no pages": slices.Concat(content[:2*os.Getpagesize()], make([]byte, len(content)-2*os.Getpagesize())),
		"no metas": slices.Concat(make([]byte, 2*os.Getpagesize()), content[2*os.Getpagesize():]),
	} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, damaged, 0o600))
		e, err := embedded.OpenFile(path, embedded.FileOptions{})
		if err == nil {
			e.Close()
		}
		wantCode(t, err, engine.CodeCorrupt, path)
		// The path is free again: it is not refused as open.
		_, err = embedded.OpenFile(path, embedded.FileOptions{ReadOnly: true})
		wantCode(t, err, engine.CodeCorrupt, path)
	}
	_, err = embedded.OpenFile(filepath.Join(dir, "none", "store.db"), embedded.FileOptions{})
	wantCode(t, err, engine.CodeOther, "store.db")
	_, err = embedded.OpenFile(dir, embedded.FileOptions{})
	wantCode(t, err, engine.CodeOther, dir)
	_, err = embedded.OpenFile("", embedded.FileOptions{})
	wantCode(t, err, engine.CodeOther)
}

// TestCutOffMeanwhile: a file that somebody cuts off under an open store gives errors, not the end of the process.
func TestCutOffMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	for i := range 1000 {
		must(t, put(t.Context(), e, engine.Insert, fmt.Sprintf("%06d", i)))
	}
	must(t, os.Truncate(path, int64(2*os.Getpagesize())))
	_, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "000500"})
	wantCode(t, err, engine.CodeCorrupt, path)
	c := e.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p"})
	_, err = c.Next(t.Context())
	wantCode(t, err, engine.CodeCorrupt, path)
}

// TestManyNames: a table may have more names than its dictionary takes.
func TestManyNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	e := openFile(t, path, embedded.FileOptions{NoSync: true})
	must(t, e.CreateTable(t.Context(), "tab", nil))
	const entities, each = 25, 200
	name := func(i, j int) string { return fmt.Sprintf("Name_%d_%d", i, j) }
	for i := range entities {
		o := engine.Op{Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%03d", i)}}
		for j := range each {
			o.Entity.Names = append(o.Entity.Names, name(i, j))
			o.Entity.Values = append(o.Entity.Values, engine.Value{Type: engine.Int64, N: uint64(i*each + j)})
		}
		must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{o}}))
	}
	for range 2 {
		for i := range entities {
			rk := fmt.Sprintf("%03d", i)
			all, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: rk})
			must(t, err)
			sel := []string{name(i, 150), name(i, 3), name(i+1, 3)}
			some, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: rk, Select: sel})
			must(t, err)
			if len(all.Names) != each || all.Names[7] != name(i, 7) || all.Values[7].N != uint64(i*each+7) {
				t.Fatalf("entity %d has %d properties, the eighth %q = %d", i, len(all.Names), all.Names[7], all.Values[7].N)
			}
			if some.Values[0].N != uint64(i*each+150) || some.Values[1].N != uint64(i*each+3) || some.Values[2].Type != engine.Absent {
				t.Fatalf("entity %d gives %+v for %q", i, some.Values, sel)
			}
			c := e.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p", Select: []string{}, Filter: &engine.Filter{
				Op: engine.Eq, Property: name(i, 9), Value: engine.Value{Type: engine.Int64, N: uint64(i*each + 9)}}})
			got, err := c.Next(t.Context())
			if err != nil || len(got) != 1 || got[0].RowKey != rk {
				t.Fatalf("filter on %s gives %+v, %v", name(i, 9), got, err)
			}
			c.Close()
		}
		must(t, e.Close())
		e = openFile(t, path, embedded.FileOptions{})
	}
}
