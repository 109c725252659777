package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// opened gives a file with 1,000 entities, and a cursor of a moment that has read some of them.
func opened(t *testing.T, o embedded.FileOptions) (path string, e engine.Transactor, m engine.Moment, c engine.Cursor, seen int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	e = openFile(t, path, o).(engine.Transactor)
	if err := e.CreateTable(t.Context(), "tab", nil); err != nil {
		t.Fatal(err)
	}
	commit := engine.Commit{Table: "tab", PartitionKey: "00"}
	for i := range 1000 {
		commit.Ops = append(commit.Ops, benchOp(engine.Insert, i))
	}
	if err := e.Transact(t.Context(), engine.Transaction{Commits: []engine.Commit{commit}}); err != nil {
		t.Fatal(err)
	}
	m = e.Moment()
	c = m.Scan(t.Context(), engine.Scan{Table: "tab", AllPartitions: true})
	chunk, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return path, e, m, c, len(chunk)
}

// rest counts what a cursor gives.
func rest(t *testing.T, c engine.Cursor) (n int, err error) {
	for {
		chunk, err := c.Next(t.Context())
		if err != nil {
			return n, err
		}
		n += len(chunk)
	}
}

// write writes so many octets in commits of 3 MB.
func write(t *testing.T, e engine.Engine, octets int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	text := engine.Value{Type: engine.Binary, S: strings.Repeat("x", 60<<10)}
	for n := 0; n < octets; n += 50 * 60 << 10 {
		c := engine.Commit{Table: "tab", PartitionKey: "01"}
		for i := range 50 {
			c.Ops = append(c.Ops, engine.Op{Kind: engine.Insert, Entity: engine.Entity{
				PartitionKey: "01", RowKey: fmt.Sprintf("%09d-%02d", n, i), Names: []string{"B"}, Values: []engine.Value{text}}})
		}
		if err := e.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWriteBehindCursor: a goroutine writes much behind its own open cursor, which goes on in its moment.
func TestWriteBehindCursor(t *testing.T) {
	octets := testrun.Of(1<<30, 256<<20)
	if testing.Short() {
		octets = 64 << 20
	}
	_, e, m, c, seen := opened(t, embedded.FileOptions{NoSync: true})
	defer m.Release()
	write(t, e, octets)
	if n, err := rest(t, c); err != io.EOF || seen+n != 1000 {
		t.Fatalf("the cursor gave %d entities of its moment's 1000: %v", seen+n, err)
	}
}

// TestOutgrown: without addresses to grow into, a writer is held up for a moment at most, and the rows end with an error.
func TestOutgrown(t *testing.T) {
	_, e, m, c, _ := opened(t, embedded.FileOptions{NoSync: true, Reserve: -1})
	defer m.Release()
	write(t, e, 32<<20)
	var failed *engine.Error
	if n, err := rest(t, c); !errors.As(err, &failed) || failed.Code != engine.CodeStale {
		t.Fatalf("the cursor gave %d more entities and %v, want that the file outgrew its addresses", n, err)
	}
	again := e.Moment()
	defer again.Release()
	if n, err := rest(t, again.Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "00"})); err != io.EOF || n != 1000 {
		t.Fatalf("a moment from after that has %d entities: %v", n, err)
	}
}

// TestSmallFile: addresses to grow into make no file longer.
func TestSmallFile(t *testing.T) {
	path, _, m, _, _ := opened(t, embedded.FileOptions{})
	defer m.Release()
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Fatalf("a file of 1000 small entities: %v octets, %v", info.Size(), err)
	}
}

// TestCompactBehindCursor: Compact does not wait for a cursor, which goes on in the file that was replaced; nothing of that
// one stays open behind it.
func TestCompactBehindCursor(t *testing.T) {
	path, e, m, c, seen := opened(t, embedded.FileOptions{NoSync: true})
	if err := e.(engine.Maintainer).Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, e, 8<<20)
	if n, err := rest(t, c); err != io.EOF || seen+n != 1000 {
		t.Fatalf("the cursor gave %d entities of its moment's 1000: %v", seen+n, err)
	}
	held := mapsOf(t, path)
	m.Release()
	if now := mapsOf(t, path); runtime.GOOS == "linux" && (held != 2 || now != 1) {
		t.Errorf("the file was mapped %d times before the moment was released and %d after it, want 2 and 1", held, now)
	}
}

// mapsOf counts the maps of a file, and of files that had its name.
func mapsOf(t *testing.T, path string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	return bytes.Count(maps, []byte(path))
}

// TestCloseBehindCursor: Close does not wait for a cursor, which says so.
func TestCloseBehindCursor(t *testing.T) {
	_, e, m, c, _ := opened(t, embedded.FileOptions{NoSync: true})
	done := make(chan error)
	go func() { done <- e.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Close waits for the cursor")
	}
	var failed *engine.Error
	if _, err := rest(t, c); !errors.As(err, &failed) || failed.Code != engine.CodeClosed {
		t.Fatalf("the cursor of a closed file: %v", err)
	}
	m.Release()
}
