//go:build linux || darwin

package embedded_test

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// init opens a file that may not grow, in a process of its own: the limit is that of the whole process.
func init() {
	if os.Getenv(child) != "full" {
		return
	}
	path := os.Getenv(child + "_PATH")
	info, err := os.Stat(path)
	if err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		size := uint64(info.Size())
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size})
	}
	if err == nil {
		_, err = embedded.OpenFile(path, embedded.FileOptions{})
	}
	fmt.Println("opened:", err)
	os.Exit(0)
}

// TestOpenFull: a log that does not fit into the file any more is an error, which does not wait for anything, and nothing is lost.
func TestOpenFull(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	e, err := embedded.OpenFile(path, embedded.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.CreateTable(t.Context(), "tab", nil); err != nil {
		t.Fatal(err)
	}
	const rows = 60
	for i := range rows {
		err := e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: engine.Insert, Entity: engine.Entity{
			PartitionKey: "p", RowKey: fmt.Sprint(i), Names: []string{"B"}, Values: []engine.Value{{Type: engine.Binary, S: string(make([]byte, 60<<10))}},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := filepath.Join(dir, "b")
	for _, suffix := range []string{"", ".log"} {
		octets, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(killed+suffix, octets, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, out := startChild(t, "full", killed)
	if said, err := io.ReadAll(out); err != nil || !strings.Contains(string(said), syscall.EFBIG.Error()) {
		t.Fatalf("it says %q (%v)", said, err)
	}
	again, err := embedded.OpenFile(killed, embedded.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i := range rows {
		if _, err := again.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: fmt.Sprint(i)}); err != nil {
			t.Errorf("row %d: %v", i, err)
		}
	}
}

// TestOpenPipe: what keeps nothing is no store, and nobody waits for it.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.OpenFile(path, embedded.FileOptions{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Fatal(err)
	}
}
