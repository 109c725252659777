package session

import (
	"context"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestShapes: statements that read a row by its key share a plan, and those that insert rows of literals, whatever their literals are; all others have their own.
func TestShapes(t *testing.T) {
	s := open(t, embedded.OpenMemory(embedded.Options{}))
	ctx := context.Background()
	run := func(query string) *Prepared {
		t.Helper()
		p, err := s.PrepareOnce(ctx, query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out, err := s.Run(ctx, p, nil)
		if err == nil {
			err = out.Drain()
		}
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return p
	}
	run("CREATE TABLE t (id VARCHAR(20), n BIGINT, d DATE, x DOUBLE, name VARCHAR(20), PRIMARY KEY (id, n), KEY (name))")
	run("CREATE TABLE u (id DATE PRIMARY KEY, n BIGINT)")
	for _, c := range []struct {
		one, other string
		shared     bool
	}{
		{"SELECT name, n FROM t WHERE id = 'a' AND n = 1", "SELECT name, n FROM t WHERE id = 'it''s' AND n = 22", true},
		{"SELECT * FROM t WHERE (n = 1) AND id = 'a'", "SELECT * FROM t WHERE (n = 2) AND id = ''", true},
		{"UPDATE t SET n = 5, name = 'b' WHERE id = 'a' AND n = 1", "UPDATE t SET n = 6, name = 'c' WHERE id = 'd' AND n = 9", true},
		{"DELETE FROM t WHERE id = 'a' AND n = 1", "DELETE FROM t WHERE id = 'b' AND n = 2", true},
		{"UPDATE t SET x = 1, name = 'b' WHERE id = 'a' AND n = 1", "UPDATE t SET x = 2, name = 'c' WHERE id = 'd' AND n = 9", false},
		{"SELECT name FROM t WHERE id = 'a' AND n = '1'", "SELECT name FROM t WHERE id = 'b' AND n = '2'", false},
		{"SELECT name FROM t WHERE id = 1 AND n = 1", "SELECT name FROM t WHERE id = 2 AND n = 2", false},
		{"SELECT name FROM t WHERE id = 'a'", "SELECT name FROM t WHERE id = 'b'", false},
		{"SELECT name FROM t WHERE name = 'a'", "SELECT name FROM t WHERE name = 'b'", false},
		{"SELECT n = 1 FROM t WHERE id = 'a' AND n = 1", "SELECT n = 1 FROM t WHERE id = 'b' AND n = 2", false},
		{"SELECT n FROM u WHERE id = '2026-01-01'", "SELECT n FROM u WHERE id = '2026-01-02'", false},
		{"INSERT INTO t VALUES ('i', 1, '2026-01-01', 1.5, 'n')", "INSERT INTO t VALUES ('j', 2, '2026-01-02', 2.25, 'it''s')", true},
		{"INSERT INTO t (n, id) VALUES (3, 'a'), (4, 'b')", "INSERT INTO t (n, id) VALUES (5, 'a'), (6, 'b')", true},
		{"INSERT INTO t SET n = 7, id = 'a', d = DEFAULT, x = NULL", "INSERT INTO t SET n = 8, id = 'a', d = DEFAULT, x = NULL", true},
		{"INSERT INTO t VALUES ('k', 1 + 1, NULL, 1, 'n')", "INSERT INTO t VALUES ('k', 1 + 2, NULL, 1, 'n')", false},
		{"INSERT INTO t VALUES (CONCAT('l', 'm'), 1, NULL, 1, 'n')", "INSERT INTO t VALUES (CONCAT('l', 'n'), 2, NULL, 1, 'n')", false},
		{"INSERT INTO t (n, id) VALUES (9, 'a') RETURNING name", "INSERT INTO t (n, id) VALUES (10, 'a') RETURNING name", false},
		{"INSERT INTO t (n, id) VALUES (1, 'b') ON DUPLICATE KEY UPDATE x = 1", "INSERT INTO t (n, id) VALUES (2, 'b') ON DUPLICATE KEY UPDATE x = 1", false},
		{"INSERT IGNORE INTO t (n, id) VALUES (1, 'b')", "INSERT IGNORE INTO t (n, id) VALUES (2, 'b')", false},
		{"SELECT name FROM t WHERE id = 'a' 'b' AND n = 1", "SELECT name FROM t WHERE id = 'a' 'c' AND n = 1", false},
		{"SELECT name FROM t WHERE id = 'a' AND n = 1 OR n = 2", "SELECT name FROM t WHERE id = 'b' AND n = 2 OR n = 3", false},
		{"SELECT name FROM t WHERE id = 'a' AND n = 1234567890123456789", "SELECT name FROM t WHERE id = 'b' AND n = 1234567890123456780", false},
	} {
		one, other := run(c.one), run(c.other)
		if shared := one.shape != nil && one.shape == other.shape; shared != c.shared {
			t.Errorf("%s and %s share a plan: %t, want %t", c.one, c.other, shared, c.shared)
		}
		if other.Parsed.Text != c.other || other.Parsed.Placeholders != 0 {
			t.Errorf("the statement's text is %q with %d arguments, want %q", other.Parsed.Text, other.Parsed.Placeholders, c.other)
		}
	}
}
