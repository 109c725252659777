package tests

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	process "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// writerFile names the file that the test binary writes to, instead of testing, when it is started as another process.
const writerFile = "NEARLYFREE_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerFile); path != "" {
		fmt.Println("failed:", writeForEver(path))
		return
	}
	testrun.Main(m)
}

// writeForEver writes rows and tells of each that was acknowledged, until it is killed.
func writeForEver(path string) error {
	db, err := sql.Open("nearlyfree", "file:"+path)
	if err != nil {
		return err
	}
	if _, err := db.Exec("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY AUTO_INCREMENT, n INT NOT NULL, s VARCHAR(50), KEY (n), UNIQUE KEY (s))"); err != nil {
		return err
	}
	for _, s := range []string{"CREATE TABLE IF NOT EXISTS debit (batch VARCHAR(40), i INT, n INT NOT NULL, PRIMARY KEY (batch, i), KEY (n))",
		"CREATE TABLE IF NOT EXISTS credit (batch VARCHAR(40), i INT, n INT NOT NULL, PRIMARY KEY (batch, i))"} {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		if err := writeBatch(db, fmt.Sprint(os.Getpid(), "-", n)); err != nil {
			return err
		}
		r, err := db.Exec("INSERT INTO t (n, s) VALUES (0, ?)", fmt.Sprint(os.Getpid(), "-", n))
		if err != nil {
			return err
		}
		id, err := r.LastInsertId()
		if err != nil {
			return err
		}
		fmt.Println("inserted", id)
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for _, by := range []int{1, -1} {
			if _, err := tx.Exec("UPDATE t SET n = n + ? WHERE id = ?", by, id-1+int64(by+1)/2); err != nil {
				return err
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		if _, err := db.Exec("UPDATE t SET s = CONCAT(s, '!') WHERE id = ?", id); err != nil {
			return err
		}
		fmt.Println("changed", id)
		if id%5 == 0 {
			if _, err := db.Exec("DELETE FROM t WHERE id = ?", id-3); err != nil {
				return err
			}
			fmt.Println("deleted", id-3)
		}
	}
}

// batchRows is how many rows a batch has in each of two tables: more than one entity group transaction takes.
const batchRows = 150

// writeBatch makes a batch in a transaction, and changes all of it in another one.
func writeBatch(db *sql.DB, batch string) error {
	var rows []string
	for i := range batchRows {
		rows = append(rows, fmt.Sprintf("('%s', %d, 0)", batch, i))
	}
	for _, statements := range [][]string{
		{"INSERT INTO debit VALUES " + strings.Join(rows, ", "), "INSERT INTO credit VALUES " + strings.Join(rows, ", ")},
		{"UPDATE debit SET n = n - 1 WHERE batch = '" + batch + "'", "UPDATE credit SET n = n + 1 WHERE batch = '" + batch + "'"},
	} {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				return err
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// TestKilledWriter: a process that is killed in the middle of its work loses nothing that it was told is written, and
// leaves no index entry without its row. While it lives, nobody else opens the file, nor waits for it.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data")
	acknowledged := map[int]string{}
	for round := range 6 {
		c := process.Command(os.Args[0])
		c.Env = append(os.Environ(), writerFile+"="+path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill() })
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			var what string
			var id int
			if _, err := fmt.Sscan(lines.Text(), &what, &id); err != nil {
				t.Fatalf("the writer says %q", lines.Text())
			}
			acknowledged[id] = what
			if n == 0 {
				if round == 0 {
					refusedWhileOpen(t, path)
				}
				time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { c.Process.Kill() })
			}
		}
		c.Wait()
		checkAfterKill(t, path, acknowledged)
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was written")
	}
}

func refusedWhileOpen(t *testing.T, path string) {
	t.Helper()
	db := openName(t, "file:"+path)
	if err := db.Ping(); !errors.Is(err, nearlyfree.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that another process has open: %v", err)
	}
}

func openName(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("nearlyfree", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func checkAfterKill(t *testing.T, path string, acknowledged map[int]string) {
	t.Helper()
	db := openName(t, "file:"+path)
	defer db.Close()
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
	checkBatches(t, db)
	if len(acknowledged) == 0 {
		return
	}
	stored := map[int]string{}
	for _, s := range texts(t, db, "SELECT CONCAT(id, ' ', s) FROM t") {
		var id int
		var text string
		if _, err := fmt.Sscan(s, &id, &text); err != nil {
			t.Fatal(err)
		}
		stored[id] = text
	}
	for id, what := range acknowledged {
		s, there := stored[id]
		switch {
		case what == "deleted" && there:
			t.Errorf("row %d was deleted and is there", id)
		case what == "inserted" && !there, what == "changed" && !there && id%5 != 2: // one more may have been deleted
			t.Errorf("row %d was %s and is not there", id, what)
		case what == "changed" && there && !strings.HasSuffix(s, "!"):
			t.Errorf("row %d was changed and is %q", id, s)
		}
	}
}

// checkBatches: each batch is written whole, and changed whole.
func checkBatches(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, batch := range texts(t, db, `SELECT CONCAT(d.batch, ': ', d.c, ' ', d.s, ' ', c.c, ' ', c.s) FROM (SELECT batch, COUNT(*) c, SUM(n) s FROM debit GROUP BY batch) d
		JOIN (SELECT batch, COUNT(*) c, SUM(n) s FROM credit GROUP BY batch) c ON c.batch = d.batch
		WHERE NOT (d.c = 150 AND c.c = 150 AND d.s = -c.s AND d.s IN (0, -150))
		UNION ALL SELECT batch FROM debit WHERE batch NOT IN (SELECT batch FROM credit) UNION ALL SELECT batch FROM credit WHERE batch NOT IN (SELECT batch FROM debit)`) {
		t.Errorf("half of a transaction stands: batch %s", batch)
	}
}

// TestDamagedFiles: what cannot be opened says so and names the file, and nothing is made of it.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	db := openName(t, "file:"+whole)
	fill(t, db, 300)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	garbage := make([]byte, 70_000)
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}
	for name, damaged := range map[string][]byte{
		"garbage": garbage, "one byte": content[:1], "half a page": content[:2048], "a page": content[:4096], "two pages": content[:8192], "half": content[:len(content)/2],
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		db := openName(t, "file:"+path)
		err := db.Ping()
		if n := 0; err == nil && name == "half" { // the other half may have been free space
			if err = db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err == nil && n == 300 {
				continue
			}
		}
		if !errors.Is(err, nearlyfree.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		db.Close()
		if after, err := os.ReadFile(path); err != nil || string(after) != string(damaged) {
			t.Errorf("%s was changed, %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "data"), filepath.Join(whole, "data"), "/dev/null/x"} {
		if err := openName(t, "file:"+path).Ping(); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if testrun.Race {
		return // in a damaged page bbolt follows offsets to memory that is others', which counts as a race with them
	}
	// A byte that is wrong anywhere gives right rows or an error, and never ends the process.
	for range 30 {
		path := filepath.Join(dir, "flipped")
		damaged := []byte(string(content))
		for range 1 + random.IntN(4) {
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		db := openName(t, "file:"+path)
		if rows, err := db.Query("SELECT id, s, n FROM t ORDER BY n"); err == nil {
			_, _ = rest(rows)
		}
		_, _ = db.Exec("UPDATE t SET n = n + 1")
		_, _ = db.Exec("DROP TABLE t")
		db.Close()
	}
}
