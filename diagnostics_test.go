package nearlyfree_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// session gives the one connection of a database, with a table of three rows whose n is 0.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := open(t, "mem://").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.ExecContext(t.Context(), "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// An error ends one statement, and is one condition of it, whatever statement has run it for another one.
func TestErrorIsNotedOnce(t *testing.T) {
	conn := session(t)
	for _, statement := range []string{
		"SELEC 1", "SELECT (SELECT id FROM t)", "DO (SELECT id FROM t)", "SELECT id INTO @a FROM t", "SET @a = (SELECT id FROM t)",
		"PREPARE s FROM 'SELEC 1'", "PREPARE s FROM 'SELECT nothing FROM t'", "PREPARE s FROM 'SELECT (SELECT id FROM t)'; EXECUTE s",
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		var e *nearlyfree.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		var conditions, failures, number int
		if err := conn.QueryRowContext(t.Context(), "SELECT @@warning_count, @@error_count").Scan(&conditions, &failures); err != nil || conditions != 1 || failures != 1 {
			t.Errorf("%s: %d conditions, %d of them errors, %v", statement, conditions, failures, err)
		}
		var level, message string
		if err := conn.QueryRowContext(t.Context(), "SHOW WARNINGS").Scan(&level, &number, &message); err != nil || level != "Error" || number != int(e.Number) || message != e.Message {
			t.Errorf("%s: SHOW WARNINGS says %s %d %s, %v; the error is %v", statement, level, number, message, err, e)
		}
	}
}

// A query whose rows are still being read stays one that only warns, whatever is written in between.
func TestRowsBesideWrites(t *testing.T) {
	for _, write := range []string{"INSERT INTO t VALUES (?, 1)", "UPDATE t SET n = 0 WHERE id = ? - 10", "DELETE FROM t WHERE id = ?", "ALTER TABLE t COMMENT = 'x'"} {
		conn := session(t)
		rows, err := conn.QueryContext(t.Context(), "SELECT id, 1 / n FROM t")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		read := 0
		for ; rows.Next(); read++ {
			var id int
			var quotient sql.NullFloat64
			if err := rows.Scan(&id, &quotient); err != nil || quotient.Valid {
				t.Errorf("%s: row %d has %v, %v", write, id, quotient, err)
			}
			args := []any{id + 10}[:strings.Count(write, "?")]
			if _, err := conn.ExecContext(t.Context(), write, args...); err != nil {
				t.Errorf("%s: %v", write, err)
			}
		}
		if err := rows.Err(); err != nil || read != 3 {
			t.Errorf("%s: %d rows, %v", write, read, err)
		}
	}
}
