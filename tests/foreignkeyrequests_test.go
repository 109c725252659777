package tests

import (
	"database/sql"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestForeignKeyRequests: what foreign keys cost on an account. Where the rows of both tables lie in one store partition, a statement
// is written by one request.
func TestForeignKeyRequests(t *testing.T) {
	t.Parallel()
	for layout, at := range map[nearlyfree.Layout]int{nearlyfree.LayoutSingle: 0, nearlyfree.LayoutTable: 1} {
		config := overService(0, false)
		config.Layout = layout
		connector, conn := connect(t, config)
		for _, s := range []string{
			"CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE, n INT)",
			"CREATE TABLE child (id INT PRIMARY KEY, p INT, v INT, FOREIGN KEY (p) REFERENCES parent (id), FOREIGN KEY (v) REFERENCES parent (u) ON DELETE CASCADE)",
			"CREATE TABLE staff (id INT PRIMARY KEY, boss INT, FOREIGN KEY (boss) REFERENCES staff (id) ON DELETE CASCADE)",
			"INSERT INTO parent VALUES (1, 10, 0), (2, 20, 0), (3, 30, 0), (4, 40, 0)",
			"INSERT INTO staff VALUES (1, NULL)",
		} {
			runAll(t, conn, s)
		}
		for _, c := range []struct {
			statement string
			requests  [2]int64 // in one store partition, else
		}{
			{"INSERT INTO child VALUES (1, NULL, NULL)", [2]int64{1, 1}},
			{"INSERT INTO child VALUES (2, 1, NULL)", [2]int64{2, 4}},
			{"INSERT INTO child VALUES (3, 1, 10), (4, 2, NULL)", [2]int64{4, 8}},
			{"INSERT INTO child VALUES (5, NULL, 30)", [2]int64{2, 4}},
			{"UPDATE child SET p = 2 WHERE id = 3", [2]int64{3, 5}},
			{"UPDATE child SET p = NULL WHERE id = 3", [2]int64{2, 2}},
			{"DELETE FROM child WHERE id = 4", [2]int64{2, 2}},
			{"UPDATE parent SET n = 1 WHERE id = 1", [2]int64{2, 2}},
			{"DELETE FROM parent WHERE id = 4", [2]int64{4, 7}},
			{"UPDATE parent SET id = 5 WHERE id = 2", [2]int64{3, 5}},
			{"DELETE FROM parent WHERE id = 3", [2]int64{4, 10}}, // with a child that follows
			{"INSERT INTO staff VALUES (2, 1)", [2]int64{2, 2}},
			{"INSERT INTO staff VALUES (3, 3)", [2]int64{1, 1}},
			{"DELETE FROM staff WHERE id = 1", [2]int64{7, 7}}, // the row below was found by its index: its own ETag is not known
			{"DELETE FROM staff WHERE id = 3", [2]int64{3, 3}},
		} {
			before := connector.Stats()
			runAll(t, conn, c.statement)
			after := connector.Stats()
			if n := after.Requests - after.SchemaRequests - before.Requests + before.SchemaRequests; n != c.requests[at] {
				t.Errorf("layout %v: %s takes %d requests, want %d", layout, c.statement, n, c.requests[at])
			}
		}
		runAll(t, conn, "CHECK TABLE parent, child, staff")
		if n := commitRequests(t, connector, conn, "INSERT INTO parent VALUES (7, 70, 0)", "INSERT INTO child VALUES (7, 7, 70), (8, 1, NULL)", "DELETE FROM parent WHERE id = 5"); n != [2]int64{1, 8}[at] {
			t.Errorf("layout %v: COMMIT takes %d requests", layout, n)
		}
		// It is prepared, looked at, and decided, though some of its index entries are new and others are not.
		if n := commitRequests(t, connector, conn, "UPDATE child SET p = 7 WHERE id = 8", "UPDATE child SET v = 70 WHERE id = 8"); at == 1 && n != 4 {
			t.Errorf("COMMIT of two changes of a row takes %d requests", n)
		}
	}
}

// commitRequests gives what the COMMIT of statements takes.
func commitRequests(t *testing.T, connector *nearlyfree.Connector, conn *sql.Conn, statements ...string) int64 {
	t.Helper()
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, tx, statements...)
	before := connector.Stats()
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	after := connector.Stats()
	return after.Requests - after.SchemaRequests - before.Requests + before.SchemaRequests
}
