package nearlyfree_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestArguments: each placeholder has one argument; where it has a name, by that or by place.
func TestArguments(t *testing.T) {
	db := open(t, "mem://")
	for _, c := range []struct {
		query string
		args  []any
		want  string
		fails string
	}{
		{"SELECT CONCAT(:x, :y, :x)", []any{sql.Named("y", 1), sql.Named("x", 2)}, "212", ""},
		{"SELECT CONCAT(@x, @y)", []any{1, sql.Named("y", 2)}, "12", ""},
		{"SELECT CONCAT($2, $1)", []any{1, 2}, "21", ""},
		{"SELECT CONCAT(:x, :y)", []any{sql.Named("x", 1), sql.Named("x", 2)}, "", "two arguments for x"},
		{"SELECT CONCAT(:x, :y)", []any{sql.Named("y", 1), 2}, "", "two arguments for y"},
		{"SELECT CONCAT(:x, :y)", []any{sql.Named("y", 1)}, "", "no argument for x"},
		{"SELECT CONCAT(:x, :y)", []any{1, 2, 3}, "", "has 2 placeholders, and the call 3 arguments"},
		{"SELECT CONCAT(:x, :y)", []any{1, sql.Named("z", 2)}, "", "the statement has no :z or @z"},
		{"SELECT CONCAT(?, 1)", nil, "", "has 1 placeholder, and the call 0 arguments"},
		{"SELECT CONCAT(?, ?)", []any{1}, "", "has 2 placeholders, and the call 1 argument"},
		{"SELECT CONCAT(?, ?)", []any{1, sql.Named("x", 2)}, "", "has a name"},
	} {
		var got string
		err := db.QueryRow(c.query, c.args...).Scan(&got)
		switch {
		case c.fails == "" && (err != nil || got != c.want):
			t.Errorf("%s %v: %q, %v; want %q", c.query, c.args, got, err, c.want)
		case c.fails != "" && (!errors.Is(err, nearlyfree.ErrBadValue) || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s %v: %q, %v; want an error with %q", c.query, c.args, got, err, c.fails)
		}
	}
}

// TestSeveralStatements: one text may hold several where none of them takes an argument; nothing runs before all are read.
func TestSeveralStatements(t *testing.T) {
	ctx := context.Background()
	db := open(t, "mem://")
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "CREATE TABLE t (id INT PRIMARY KEY); SET @a = 4; INSERT INTO t VALUES (@a), (@a + 1)"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]any{nil, {7}} {
		if _, err := conn.ExecContext(ctx, "DELETE FROM t; INSERT INTO t VALUES (?)", args...); !errors.Is(err, nearlyfree.ErrNotSupported) || !strings.Contains(err.Error(), "take no arguments") {
			t.Errorf("with %d arguments: %v", len(args), err)
		}
	}
	variable, err := conn.PrepareContext(ctx, "SELECT COUNT(*) FROM t WHERE id >= @a")
	if err != nil {
		t.Fatal(err)
	}
	defer variable.Close()
	for want, args := range map[int][]any{2: nil, 1: {5}} {
		var n int
		if err := variable.QueryRow(args...).Scan(&n); err != nil || n != want {
			t.Errorf("with %d arguments: %d rows, %v", len(args), n, err)
		}
	}
}
