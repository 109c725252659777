package nearlyfree_test

import (
	"database/sql"
	"testing"
)

// What RowsAffected and ROW_COUNT() count with client_found_rows, as MySQL does with CLIENT_FOUND_ROWS.
func TestClientFoundRows(t *testing.T) {
	for _, flag := range []struct {
		dsn  string
		want []int64
	}{
		{"mem://", []int64{2, 1, 0, 0, 0, 2, 1, 2, 0}},
		{"mem://?client_found_rows=true", []int64{2, 2, 2, 0, 1, 2, 1, 2, 0}},
	} {
		pool, err := sql.Open("nearlyfree", flag.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		db, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE t (id INT PRIMARY KEY, n INT)"); err != nil {
			t.Fatal(err)
		}
		for i, s := range []string{
			"INSERT INTO t VALUES (1, 1), (2, 2)",
			"UPDATE t SET n = 2",
			"UPDATE t SET n = 2",
			"UPDATE t SET n = 2 WHERE id = 3",
			"INSERT INTO t VALUES (1, 9) ON DUPLICATE KEY UPDATE n = 2",
			"INSERT INTO t VALUES (1, 9) ON DUPLICATE KEY UPDATE n = 3",
			"INSERT INTO t VALUES (4, 9) ON DUPLICATE KEY UPDATE n = 3",
			"DELETE FROM t WHERE id < 3",
			"INSERT IGNORE INTO t VALUES (4, 8)",
		} {
			r, err := db.ExecContext(t.Context(), s)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			var counted int64
			if err := db.QueryRowContext(t.Context(), "SELECT ROW_COUNT()").Scan(&counted); err != nil {
				t.Fatal(err)
			}
			if n, err := r.RowsAffected(); n != flag.want[i] || counted != n || err != nil {
				t.Errorf("%s: %s: %d rows, ROW_COUNT() %d, want %d, %v", flag.dsn, s, n, counted, flag.want[i], err)
			}
		}
	}
}
