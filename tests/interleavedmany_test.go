package tests

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestInterleavedMany: a DELETE of many rows reads the rows that live inside them together if they lie side by side, and EXPLAIN knows.
func TestInterleavedMany(t *testing.T) {
	t.Parallel()
	for _, spread := range []string{"", " PARTITION BY KEY (tenant)"} {
		connector, conn := connect(t, overService(0, false))
		runAll(t, conn, "CREATE TABLE parent (tenant INT, id INT, n INT, PRIMARY KEY (tenant, id), KEY (n))"+spread,
			"CREATE TABLE child (tenant INT, id INT, line INT, note VARCHAR(20), PRIMARY KEY (tenant, id, line), KEY (note), FOREIGN KEY (tenant, id) REFERENCES parent (tenant, id) ON DELETE CASCADE) INTERLEAVE IN PARENT parent",
			"CREATE TABLE strict (tenant INT, id INT, line INT, PRIMARY KEY (tenant, id, line), FOREIGN KEY (tenant, id) REFERENCES parent (tenant, id)) INTERLEAVE IN PARENT parent")
		for tenant := range 2 {
			runAll(t, conn, "INSERT INTO parent VALUES "+rowsOf(1000, func(i int) string { return fmt.Sprintf("(%d, %d, %d)", tenant, i, i%500) }),
				"INSERT INTO child VALUES "+rowsOf(2000, func(i int) string { return fmt.Sprintf("(%d, %d, %d, 'n%[2]d')", tenant, i/2, i%2) }))
		}
		runAll(t, conn, "INSERT INTO strict VALUES (1, 777, 1)", "ANALYZE TABLE parent", "ANALYZE TABLE child", "ANALYZE TABLE strict")
		for _, c := range []struct {
			statement string
			requests  int64
			known     bool
		}{
			{"DELETE FROM parent WHERE tenant = 0 AND id < 8", 18, true}, // few: one by one
			{"DELETE FROM parent WHERE tenant = 0 AND id >= 8 AND id < 208", 16, true},
			{"DELETE FROM parent WHERE tenant = 0 AND n = 300", 6, true},                   // by an index: after the ETags
			{"DELETE FROM parent WHERE tenant = 0 AND id > 300 AND n % 40 = 0", 38, false}, // far from each other
		} {
			m := aboutRequests.FindStringSubmatch(answer(t.Context(), conn, "EXPLAIN "+c.statement))
			before := connector.Stats()
			runAll(t, conn, c.statement)
			n := connector.Stats().Sub(before)
			real := n.Requests - n.SchemaRequests
			if real != c.requests {
				t.Errorf("%s: %s takes %d requests, want %d", spread, c.statement, real, c.requests)
			}
			about, err := strconv.ParseFloat(m[2], 64)
			if c.known && (err != nil || about > 2*float64(real) || float64(real) > 2*about) {
				t.Errorf("%s: %s takes %d requests; EXPLAIN says %v", spread, c.statement, real, m)
			}
		}
		if _, err := conn.ExecContext(t.Context(), "DELETE FROM parent WHERE tenant = 1 AND id >= 700 AND id < 800"); !errors.Is(err, nearlyfree.ErrForeignKey) {
			t.Errorf("rows that others live in were deleted: %v", err)
		}
		if got := answer(t.Context(), conn, "SELECT COUNT(*), SUM(id) FROM child WHERE tenant = 0"); !strings.Contains(got, "\n") {
			t.Error(got)
		}
		if got := answer(t.Context(), conn, "SELECT COUNT(*) FROM child c LEFT JOIN parent p ON p.tenant = c.tenant AND p.id = c.id WHERE p.id IS NULL"); !strings.Contains(got, "\n0") {
			t.Error(got)
		}
		if got := answer(t.Context(), conn, "CHECK TABLE parent, child, strict"); strings.Count(got, "OK") != 3 {
			t.Error(got)
		}
	}
}
