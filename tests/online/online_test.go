// Package online changes definitions of a table that other processes are writing to, and holds the index entries
// against their rows: CREATE INDEX, DROP INDEX, ALTER TABLE, CHECK TABLE and REPAIR TABLE.
//
// The writers are processes of their own: this test's binary, run again. By default there are few rounds; the flag
// -rounds says how many.
package online

import (
	"bufio"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var rounds = flag.Int("rounds", testrun.Of(2, 1), "how many times an index is made and dropped under writers")

// lease is how long the writers trust a definition. It is long beside what a busy machine takes for a breath.
const lease = 200 * time.Millisecond

// writerOf is the environment variable that makes the binary a writer to the store it names.
const writerOf = "NEARLYFREE_TEST_WRITER"

// location gives an empty store that processes can share.
var location = func(t *testing.T) (store, database string) {
	server := httptest.NewServer(azuretest.NewService(embedded.OpenMemory(embedded.Options{})))
	t.Cleanup(server.Close)
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s",
		azuretest.Account, azuretest.Key, server.URL), ""
}

func TestMain(m *testing.M) {
	if store := os.Getenv(writerOf); store != "" {
		if err := write(store, os.Getenv(writerOf+"_DATABASE")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testrun.Main(m)
}

func open(store, database string) (*sql.DB, error) {
	c, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: store, Database: database, SchemaLease: lease})
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// ids is how many rows there can be. Few of them make the writers meet.
const ids = 300

// write changes rows until its input ends, a line of which it answers with the number of statements so far.
func write(store, database string) error {
	db, err := open(store, database)
	if err != nil {
		return err
	}
	defer db.Close()
	asked := make(chan struct{})
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			asked <- struct{}{}
		}
		close(asked)
	}()
	for done := 0; ; done++ {
		select {
		case _, more := <-asked:
			if !more {
				return nil
			}
			fmt.Println(done)
		default:
		}
		if err := change(db); err != nil {
			return fmt.Errorf("statement %d: %w", done, err)
		}
	}
}

// change runs one statement of a writer.
func change(db *sql.DB) error {
	id, n := rand.IntN(ids), rand.IntN(20)
	var err error
	switch rand.IntN(6) {
	case 0:
		_, err = db.Exec("INSERT INTO t (id, n, note) VALUES (?, ?, ?), (?, ?, ?)", id, n, "inserted", ids+rand.IntN(ids), n, "inserted")
	case 1:
		_, err = db.Exec("DELETE FROM t WHERE id = ?", id)
	case 2:
		_, err = db.Exec("REPLACE INTO t (id, n, note) VALUES (?, ?, ?)", id, n, "replaced")
	case 3:
		_, err = db.Exec("INSERT INTO t (id, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE n = n + 1, note = 'again'", id, n)
	case 4:
		err = transact(db, id, n)
	default:
		_, err = db.Exec("UPDATE t SET n = ?, note = ? WHERE id BETWEEN ? AND ?", n, "updated", id, id+3)
	}
	var known *nearlyfree.Error
	if errors.Is(err, nearlyfree.ErrConflict) || errors.As(err, &known) && (known.Number == 1062 || known.Number == 1213 || known.Number == 1412) {
		return nil // the row is there, or another writer was faster
	}
	return err
}

func transact(db *sql.DB, id, n int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range []string{"UPDATE t SET n = n + 1 WHERE id = ?", "DELETE FROM t WHERE id = ? + 1", "INSERT IGNORE INTO t (id, n) VALUES (? + 2, 7)"} {
		if _, err := tx.Exec(s, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// writer is a process that writes.
type writer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startWriter(t *testing.T, store, database string) *writer {
	t.Helper()
	w := &writer{cmd: exec.Command(os.Args[0])}
	w.cmd.Env = append(os.Environ(), writerOf+"="+store, writerOf+"_DATABASE="+database)
	w.cmd.Stderr = os.Stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.in.Close()
		rest, _ := io.ReadAll(w.out)
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("a writer: %v\n%s", err, rest)
		}
	})
	return w
}

// statements asks a writer how many it has run.
func (w *writer) statements(t *testing.T) int {
	t.Helper()
	fmt.Fprintln(w.in)
	line, err := w.out.ReadString('\n')
	n := 0
	if _, scanErr := fmt.Sscan(line, &n); err != nil || scanErr != nil {
		t.Fatalf("a writer gave up: %v %s", err, line)
	}
	return n
}

// check runs CHECK TABLE or REPAIR TABLE and gives what is wrong.
func check(t *testing.T, db *sql.DB, verb string) (wrong []string) {
	t.Helper()
	rows, err := db.Query(verb + " TABLE t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table, op, kind, text string
		if err := rows.Scan(&table, &op, &kind, &text); err != nil {
			t.Fatal(err)
		}
		if kind != "status" {
			wrong = append(wrong, kind+": "+text)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return wrong
}

// TestOnline makes and drops indexes and columns while two processes write. After each step every index entry is
// held against its row, with the writers going on; and when they have ended, once more.
func TestOnline(t *testing.T) {
	store, database := location(t)
	db, err := open(store, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(t *testing.T, statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run(t, "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT, note VARCHAR(20), KEY kept (note))")
	t.Run("writers", func(t *testing.T) {
		writers := []*writer{startWriter(t, store, database), startWriter(t, store, database)}
		before := writers[0].statements(t) + writers[1].statements(t)
		for round := range *rounds {
			create := "CREATE INDEX made ON t (n)"
			switch round % 3 {
			case 1:
				create = "CREATE UNIQUE INDEX made ON t (n, id)"
			case 2:
				create = "ALTER TABLE t ADD INDEX made (n DESC, note) INCLUDE (id)"
			}
			for _, s := range []string{create, "DROP INDEX made ON t"} {
				run(t, s)
				if wrong := check(t, db, "CHECK"); len(wrong) > 0 {
					t.Fatalf("round %d, after %s:\n%s", round, s, strings.Join(wrong, "\n"))
				}
				if wrong := check(t, db, "REPAIR"); len(wrong) > 0 {
					t.Fatalf("round %d, after %s, REPAIR mended what was whole:\n%s", round, s, strings.Join(wrong, "\n"))
				}
			}
		}
		run(t, "ALTER TABLE t ADD COLUMN extra INT NOT NULL DEFAULT 3, ADD INDEX made (n)")
		var missing int
		if err := db.QueryRow("SELECT COUNT(*) * 3 - SUM(extra) FROM t").Scan(&missing); err != nil || missing != 0 {
			t.Errorf("a new column has not its default in all rows: %d, %v", missing, err)
		}
		if n := writers[0].statements(t) + writers[1].statements(t) - before; n < 10**rounds {
			t.Errorf("the writers ran %d statements meanwhile, too few to prove anything", n)
		}
	})
	if wrong := check(t, db, "CHECK"); len(wrong) > 0 {
		t.Errorf("in the end:\n%s", strings.Join(wrong, "\n"))
	}
	var all, byIndex int
	if err := db.QueryRow("SELECT COUNT(*) FROM t").Scan(&all); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT COUNT(*) FROM t WHERE n >= -1000 OR n IS NULL").Scan(&byIndex); err != nil {
		t.Fatal(err)
	}
	if all == 0 || all != byIndex {
		t.Errorf("%d rows, %d by the index", all, byIndex)
	}
}
