package tests

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"os"
	process "os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// told is a writer in another process, and what it has said that is written.
type told struct {
	*process.Cmd
	last atomic.Int64  // row
	more chan struct{} // has a value when there is another one; closed behind the last
}

func startWriter(t *testing.T, path string) *told {
	t.Helper()
	w := &told{Cmd: process.Command(os.Args[0]), more: make(chan struct{}, 1)}
	w.Env = append(os.Environ(), writerFile+"="+path)
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.more)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var id int64
			if n, _ := fmt.Sscanf(lines.Text(), "inserted %d", &id); n == 1 {
				w.last.Store(id)
				select {
				case w.more <- struct{}{}:
				default:
				}
			}
		}
	}()
	t.Cleanup(w.kill)
	return w
}

// goesOn waits until it has written another row.
func (w *told) goesOn(t *testing.T) {
	t.Helper()
	for was := w.last.Load(); w.last.Load() == was; {
		if _, ok := <-w.more; !ok {
			t.Fatal("the writer has ended")
		}
	}
}

func (w *told) kill() {
	w.Process.Kill()
	for range w.more {
	}
	w.Wait()
}

// TestFileInUse: a program looks into a file that another process writes to, by sql.Open alone: it sees one moment, all that was
// committed before and nothing by half, for as long as it looks; the writer goes on, and so does who looks when it is killed.
func TestFileInUse(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	path := filepath.Join(t.TempDir(), "x.db")
	w := startWriter(t, path)
	look := func() (*sql.DB, int64) {
		t.Helper()
		db := openName(t, "file:"+path+"?readonly=true")
		var most sql.NullInt64
		if err := db.QueryRow("SELECT MAX(id) FROM t").Scan(&most); err != nil {
			t.Fatal(err)
		}
		checkBatches(t, db)
		return db, most.Int64
	}
	var first *sql.DB
	seen := int64(0)
	for round := range testrun.Few(20) {
		w.goesOn(t)
		written := w.last.Load()
		db, most := look()
		if most < written || most < seen {
			t.Errorf("row %d was written, and row %d seen, but now the last one is %d", written, seen, most)
		}
		w.goesOn(t)
		w.goesOn(t)
		var n int64
		if err := db.QueryRow("SELECT MAX(id) FROM t").Scan(&n); err != nil || n != most {
			t.Errorf("the moment went from row %d to %d: %v", most, n, err)
		}
		if _, err := db.Exec("DELETE FROM t"); !errors.Is(err, nearlyfree.ErrReadOnly) {
			t.Error("a write:", err)
		}
		if seen = most; round == 0 {
			first = db
			continue
		}
		db.Close()
	}
	w.kill()

	checkBatches(t, first) // it goes on without the writer
	db, most := look()     // and the next one sees all of what it has left
	if most < seen {
		t.Errorf("row %d was seen, and after the end of the writer the last one is %d", seen, most)
	}
	db.Close()
	writer := openName(t, "file:"+path) // who looks has no lock
	exec(t, writer, "DELETE FROM t")
	if _, most = look(); most != 0 {
		t.Error("a reader in the process of the writer sees row", most)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Error(left, "are left:", err)
	}
}
