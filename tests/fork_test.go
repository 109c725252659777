package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestFork: a fork has what was committed, with its indexes, views and the next AUTO_INCREMENT value, and goes its own way.
func TestFork(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, &nearlyfree.Config{Store: "mem://", Layout: nearlyfree.LayoutSingle})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20), UNIQUE KEY (s))", "CREATE VIEW v AS SELECT s FROM a",
		"INSERT INTO a (s) VALUES ('x'), ('y')", "CREATE DATABASE other", "CREATE TABLE other.b (id INT PRIMARY KEY)", "INSERT INTO other.b VALUES (7)")
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, tx, "INSERT INTO a (s) VALUES ('not committed')")
	k, err := connector.Fork(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(k)
	defer db.Close()
	fork, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	runAll(t, fork, "INSERT INTO a (s) VALUES ('z')", "DELETE FROM a WHERE s = 'x'", "ALTER TABLE a ADD COLUMN n INT DEFAULT 5", "INSERT INTO other.b VALUES (8)")
	for what, c := range map[string]struct {
		conn *sql.Conn
		want string
	}{"the fork": {fork, "[y z] [2|y|5 4|z|5] [7 8]"}, "the store": {conn, "[not committed x y] [1|x 2|y 3|not committed] [7]"}} {
		got := fmt.Sprint(queryStrings(t, c.conn, "SELECT s FROM v ORDER BY s"), queryStrings(t, c.conn, "SELECT * FROM a ORDER BY id"), queryStrings(t, c.conn, "SELECT id FROM other.b ORDER BY id"))
		if got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO a (s) VALUES ('y')"); !errors.Is(err, nearlyfree.ErrDuplicateKey) {
		t.Error(err)
	}
}

// TestForkUnderWrites forks a store to which others write: each fork is the store at one moment.
func TestForkUnderWrites(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, KEY (n))", "INSERT INTO a VALUES (1, 0), (2, 0)")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := conn.ExecContext(context.Background(), "UPDATE a SET n = n + 1"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 50 {
		k, err := connector.Fork(t.Context(), &nearlyfree.Config{Store: "mem://"})
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(k)
		var low, high int
		if err := db.QueryRow("SELECT MIN(n), MAX(n) FROM a").Scan(&low, &high); err != nil || low != high {
			t.Error(low, high, err)
		}
		if err := nearlyfreetest.Check(db); err != nil {
			t.Error(err)
		}
		db.Close()
	}
	close(stop)
	<-done
}

func TestForkRefused(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{
		"a file": {Store: "file:" + filepath.Join(t.TempDir(), "a.db")}, "an account": overService(0, false),
	} {
		connector, _ := connect(t, config)
		if _, err := connector.Fork(t.Context(), nil); !errors.Is(err, nearlyfree.ErrNotSupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	connector, _ := connect(t, &nearlyfree.Config{Store: "mem://"})
	if _, err := connector.Fork(t.Context(), &nearlyfree.Config{Store: "mem://named"}); !errors.Is(err, nearlyfree.ErrConfig) {
		t.Error(err)
	}
	if err := connector.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := connector.Fork(t.Context(), nil); !errors.Is(err, nearlyfree.ErrClosed) {
		t.Error(err)
	}
}
