package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// overdue is how long after its deadline a statement may return here: busy machines are slow, and a statement that does not
// listen to its context waits for the end of the test.
const overdue = 30 * time.Second

// inTime runs a statement with a deadline, and says whether the deadline ended it.
func inTime(t *testing.T, db *sql.DB, deadline time.Duration, statement string) (ended bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(ctx, statement)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", statement, err)
		}
		return err != nil
	case <-time.After(deadline + overdue):
		t.Errorf("%s: it has not returned %v after its deadline", statement, overdue)
		return true
	}
}

// TestDeadlineOfDefinition: a change of a definition waits for a statement that writes by the definition before, until its
// own deadline. Nobody waits for the change, neither then nor after it was given up.
func TestDeadlineOfDefinition(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("CREATE TABLE u (id INT PRIMARY KEY, n INT)")
	exec("CREATE TABLE other (id INT PRIMARY KEY, n INT)")
	exec("INSERT INTO other VALUES (1, 2)")
	gate, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	if _, err := gate.ExecContext(t.Context(), "DO GET_LOCK('gate', 0)"); err != nil {
		t.Fatal(err)
	}
	long := make(chan error, 1)
	go func() {
		_, err := db.Exec("INSERT INTO u SELECT id, GET_LOCK('begun', 0) + GET_LOCK('gate', 60) FROM other")
		long <- err
	}()
	for begun := false; !begun; {
		if err := db.QueryRow("SELECT IS_USED_LOCK('begun') IS NOT NULL").Scan(&begun); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}

	given := make(chan bool, 1)
	go func() { given <- inTime(t, db, 500*time.Millisecond, "CREATE INDEX byN ON other (n)") }()
	time.Sleep(100 * time.Millisecond) // the change waits by now
	if inTime(t, db, 300*time.Millisecond, "INSERT INTO u VALUES (7, 7)") {
		t.Error("a statement waited for a change that waits")
	}
	if !<-given {
		t.Error("CREATE INDEX did not wait for a statement that writes by the definition before")
	}
	if inTime(t, db, 300*time.Millisecond, "INSERT INTO u VALUES (8, 8)") {
		t.Error("a statement waited for a change that was given up")
	}
	if !inTime(t, db, 100*time.Millisecond, "CREATE INDEX byN ON other (n)") {
		t.Error("the second CREATE INDEX did not wait for the statement that the first one has waited for")
	}
	if _, err := gate.ExecContext(t.Context(), "DO RELEASE_LOCK('gate')"); err != nil {
		t.Fatal(err)
	}
	if err := <-long; err != nil {
		t.Error(err)
	}
	exec("CREATE INDEX byN2 ON other (n)")
}

// TestDeadlineOfComputing: a deadline ends a statement that reads little and computes for long.
func TestDeadlineOfComputing(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, a INT, KEY (a))",
		"INSERT INTO t WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < 100) SELECT n, n % 2 FROM r")
	var joins strings.Builder
	for i := range 12 {
		fmt.Fprintf(&joins, " JOIN t t%d USING (a)", i)
	}
	for name, statement := range map[string]string{
		"join by hash or key": "DO (SELECT COUNT(*) FROM t" + joins.String() + ")",
		"join by no key":      "DO (SELECT COUNT(*) FROM t a, t b, t c, t d, t e, t f WHERE a.id + b.id + c.id + d.id + e.id + f.id < 0)",
		"LIKE":                "DO REPEAT('a', 1000000) LIKE CONCAT('%_', REPEAT('a', 500000), 'b%')",
		"LIKE of letters":     "DO REPEAT('a', 1000000) COLLATE utf8mb4_0900_ai_ci LIKE CONCAT('%', REPEAT('a', 500000), 'b%')",
		"JSON_SEARCH":         "DO JSON_SEARCH(JSON_ARRAY(REPEAT('a', 1000000)), 'one', CONCAT('%_', REPEAT('a', 500000), 'b%'))",
		"REGEXP":              "DO REPEAT('a', 16000000) REGEXP CONCAT(REPEAT('(a*)*', 150), 'b')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !inTime(t, db, 100*time.Millisecond, statement) {
				t.Error("it has ended before its deadline")
			}
		})
	}
}
