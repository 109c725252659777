package nearlyfree_test

import (
	"context"
	"database/sql"
	"testing"
)

func ask(t *testing.T, c *sql.Conn, query string) (n sql.NullInt64) {
	t.Helper()
	if err := c.QueryRowContext(context.Background(), "SELECT "+query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// TestNamedLocksOfOneStore: two Connectors of one memory share its locks; two databases of it do not.
func TestNamedLocksOfOneStore(t *testing.T) {
	var conns []*sql.Conn
	for _, dsn := range []string{"mem://locks", "mem://locks", "mem://locks?database=other"} {
		db, err := sql.Open("nearlyfree", dsn)
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(); db.Close() })
		conns = append(conns, c)
	}
	for i, want := range []int64{1, 0, 1} {
		if got := ask(t, conns[i], "GET_LOCK('l', 0)"); got.Int64 != want {
			t.Errorf("connection %d gets %d, want %d", i, got.Int64, want)
		}
	}
}
