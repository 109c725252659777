package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestBackupInUse: a copy that is made while others write is of one moment, has all that was committed before, and is whole.
func TestBackupInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	db, err := sql.Open("nearlyfree", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec(t, db, "CREATE TABLE account (id INT PRIMARY KEY, n INT, note BLOB, KEY (n) INCLUDE (id))")
	exec(t, db, "INSERT INTO account VALUES (1, 0, ''), (2, 0, '')")
	var counted atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	large := strings.Repeat("0123456789abcdef", 12_000)
	writers.Go(func() {
		for i := int64(1); ctx.Err() == nil; i++ {
			err := nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error {
				_, err := tx.Exec("UPDATE account SET n = n + 1 WHERE id = 1")
				_, err2 := tx.Exec("UPDATE account SET n = n - 1, note = ? WHERE id = 2", fmt.Sprint(i, large[:i*7919%int64(len(large))]))
				return errors.Join(err, err2)
			})
			if err == nil {
				counted.Store(i)
			} else if ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	copies := 0
	for ; copies < 40; copies++ {
		to := filepath.Join(dir, fmt.Sprint("copy", copies, ".db"))
		before := counted.Load()
		if err := nearlyfree.BackupFile(t.Context(), path, to); err != nil {
			t.Error(err)
			break
		}
		after := counted.Load() + 1
		copied, err := sql.Open("nearlyfree", "file:"+to)
		if err != nil {
			t.Fatal(err)
		}
		var n, sum int64
		if err := copied.QueryRow("SELECT (SELECT n FROM account WHERE id = 1), (SELECT SUM(n) FROM account)").Scan(&n, &sum); err != nil || sum != 0 || n < before || n > after {
			t.Errorf("copy %d has %d of %d to %d, sum %d: %v", copies, n, before, after, sum, err)
		}
		var table, op, kind, text string
		if err := copied.QueryRow("CHECK TABLE account EXTENDED").Scan(&table, &op, &kind, &text); err != nil || text != "OK" {
			t.Errorf("copy %d: %s %v", copies, text, err)
		}
		copied.Close()
		os.Remove(to)
	}
	stop()
	writers.Wait()
	if counted.Load() < 100 {
		t.Errorf("only %d transactions were written while %d copies were made", counted.Load(), copies)
	}
	db.Close()
	to := filepath.Join(dir, "closed.db")
	if err := nearlyfree.BackupFile(t.Context(), path, to); err != nil {
		t.Error("of a closed file:", err)
	}
	if err := nearlyfree.BackupFile(t.Context(), path, to); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Error("over a file:", err)
	}
	if err := nearlyfree.BackupFile(t.Context(), path+"x", to+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Error("of no file:", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Error(left, "are left")
	}
}

// hooked is a context that does something whenever it is asked for its end, as BackupFile does before it copies pages.
type hooked struct {
	context.Context
	do func()
}

func (h hooked) Err() error {
	h.do()
	return h.Context.Err()
}

// TestBackupNames: no copy takes the name of a database's log, nor one beside which there is another one's log.
func TestBackupNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("nearlyfree", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY)")
	db.Close()
	if err := os.WriteFile(path+"2.log", []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{path + ".log", path + "2"} {
		if err := nearlyfree.BackupFile(t.Context(), path, to); err == nil || !strings.Contains(err.Error(), "taken for the log") {
			t.Errorf("a copy to %s: %v", to, err)
		}
	}
	if db, err = sql.Open("nearlyfree", "file:"+path); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec(t, db, "INSERT INTO t VALUES (1)")
}

// TestBackupOvertaken: where the pages that are to be copied were written to meanwhile, the copy is made anew.
func TestBackupOvertaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, to := filepath.Join(dir, "x.db"), filepath.Join(dir, "copy.db")
	var db *sql.DB
	open := func() {
		var err error
		if db, err = sql.Open("nearlyfree", "file:"+path); err != nil {
			t.Fatal(err)
		}
	}
	open()
	defer func() { db.Close() }()
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, note BLOB)")
	round := 0
	write := func() { // and have what was written be a checkpoint, behind which its pages are used again
		for range 3 {
			for id := range 10 {
				exec(t, db, "REPLACE INTO t VALUES (?, ?, ?)", id, round, strings.Repeat(fmt.Sprint(round%10), 20_000))
			}
			round++
			db.Close()
			open()
		}
		if round%2 == 0 {
			exec(t, db, "REPLACE INTO t VALUES (99, ?, NULL)", round-1) // which is in the log alone
		}
	}
	write()
	asked := 0
	ctx := hooked{t.Context(), func() {
		if asked++; asked < 6 {
			write()
		}
	}}
	if err := nearlyfree.BackupFile(ctx, path, to); err != nil {
		t.Fatal(err)
	}
	copied, err := sql.Open("nearlyfree", "file:"+to+"?readonly=true")
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	var least, most, whole int
	if err := copied.QueryRow("SELECT MIN(n), MAX(n), SUM(note = REPEAT(n % 10, 20000)) FROM t").Scan(&least, &most, &whole); err != nil || least != round-1 || most != least || whole != 10 {
		t.Errorf("rows of %d to %d, %d whole: %v", least, most, whole, err)
	}
	if err := nearlyfree.BackupFile(hooked{t.Context(), write}, path, to+"2"); !errors.Is(err, nearlyfree.ErrLocked) {
		t.Error("of a file that never stays what it is:", err)
	}
}
