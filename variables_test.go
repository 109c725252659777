package nearlyfree_test

import (
	"database/sql"
	"testing"
)

// Beside placeholders without names @name is a variable of the session, as in MySQL.
func TestVariablesBesidePlaceholders(t *testing.T) {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range []string{"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)", "SET @a = 2, @n = 0", "PREPARE s FROM 'SELECT @a + ?'"} {
		if _, err := c.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, q := range []struct {
		query string
		args  []any
		want  int
	}{
		{"SELECT n + ? FROM t WHERE id = @a", []any{5}, 25},
		{"SELECT SUM(@n := @n + n) FROM t WHERE id > ?", []any{1}, 70},
		{"SELECT ? - @a * ?", []any{10, 3}, 4},
		{"EXECUTE s USING @a", nil, 4},
	} {
		var got int
		if err := c.QueryRowContext(t.Context(), q.query, q.args...).Scan(&got); err != nil || got != q.want {
			t.Errorf("%s: got %d, want %d, %v", q.query, got, q.want, err)
		}
	}
}
