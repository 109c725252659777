package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestAddForeignKeyRequests: ADD FOREIGN KEY and CHECK TABLE look for what many rows refer to by ranges, and name each row that refers to none.
func TestAddForeignKeyRequests(t *testing.T) {
	t.Parallel()
	for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutSingle, nearlyfree.LayoutTable} {
		config := overService(0, false)
		config.Layout = layout
		config.MaxEntities = 100 // that a statement may read; it does not bound what a definition takes
		connector, conn := connect(t, config)
		runAll(t, conn, "CREATE TABLE parent (id INT PRIMARY KEY, n INT)", "CREATE TABLE child (id INT PRIMARY KEY, p INT, KEY (p))",
			"INSERT INTO parent VALUES "+rowsOf(3000, func(i int) string { return fmt.Sprintf("(%d, 0)", i) }),
			"INSERT INTO child VALUES "+rowsOf(2500, func(i int) string { return fmt.Sprintf("(%d, %d)", i, i*7%2900) }))
		requests := func(statement string) int64 {
			t.Helper()
			before := connector.Stats()
			runAll(t, conn, statement)
			after := connector.Stats()
			return after.Requests - after.SchemaRequests - before.Requests + before.SchemaRequests
		}
		without := requests("CHECK TABLE child")
		// 3 pages of rows; 3 of those that they refer to.
		if n := requests("ALTER TABLE child ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES parent (id)"); n > 20 {
			t.Errorf("layout %v: ADD FOREIGN KEY takes %d requests", layout, n)
		}
		if n := requests("CHECK TABLE child"); n != without+6 {
			t.Errorf("layout %v: CHECK TABLE takes %d requests, and %d without the foreign key", layout, n, without)
		}

		runAll(t, conn, "SET foreign_key_checks = 0", "DELETE FROM parent WHERE id IN (7, 700, 2100)", "SET foreign_key_checks = 1")
		if said := answer(t.Context(), conn, "CHECK TABLE child"); !strings.Contains(said, "3 rows refer to rows that are not there") {
			t.Errorf("layout %v: CHECK TABLE says\n%s", layout, said)
		}
		runAll(t, conn, "ALTER TABLE child DROP FOREIGN KEY f")
		_, err := conn.ExecContext(t.Context(), "ALTER TABLE child ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES parent (id)")
		if err == nil || !strings.Contains(err.Error(), "1452") {
			t.Errorf("layout %v: ADD FOREIGN KEY over rows that refer to none: %v", layout, err)
		}
	}
}
