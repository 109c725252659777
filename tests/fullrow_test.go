package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestFullRows: on an account a transaction of several partitions notes new content beside the old one. A row without room for that is the
// one whose new content is written by the request that decides; of several, the transaction is refused as a whole.
func TestFullRows(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		columns := make([]string, 250)
		for i := range columns {
			columns[i] = fmt.Sprintf("c%d INT DEFAULT 1", i)
		}
		runAll(t, db, "CREATE TABLE big (id INT PRIMARY KEY, n INT, a LONGBLOB) PARTITION BY HASH (id) PARTITIONS 8",
			"INSERT INTO big VALUES (1, 0, NULL), (2, 0, REPEAT('x', 900000)), (3, 0, NULL), (4, 0, REPEAT('x', 900000))",
			"CREATE TABLE wide (id INT PRIMARY KEY, n INT, "+strings.Join(columns, ", ")+") PARTITION BY HASH (id) PARTITIONS 8", "INSERT INTO wide (id, n) VALUES (1, 0)", "INSERT INTO wide (id, n) VALUES (2, 0)")
		for i, c := range []struct {
			statements string
			refused    bool
		}{
			{"UPDATE big SET n = n + 1 WHERE id < 4", false},
			{"UPDATE big SET n = n + 1 WHERE id > 2", false},
			{"UPDATE big SET n = n + 1", true},
			{"UPDATE wide SET n = n + 1 WHERE id = 1", false},
			{"UPDATE wide SET n = n + 1", true},
			{"INSERT INTO wide (id, n) VALUES (3, 0), (4, 0)", true},
			{"UPDATE wide SET n = n + 1 WHERE id = 1; UPDATE big SET n = n + 1 WHERE id = 1", true},
			{"DELETE FROM big WHERE id < 3; INSERT INTO big VALUES (2, 0, REPEAT('y', 900000)), (9, 0, NULL)", false},
		} {
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			for _, s := range strings.Split(c.statements, ";") {
				if _, err = tx.Exec(s); err != nil {
					break
				}
			}
			if err == nil {
				err = tx.Commit()
			}
			var e *nearlyfree.Error
			switch {
			case !c.refused && err != nil, c.refused && (!errors.As(err, &e) || !errors.Is(err, nearlyfree.ErrTooLarge) || e.Applied != nearlyfree.AppliedNo || !strings.Contains(err.Error(), "has no room for")):
				t.Errorf("%d, %s: %v", i, c.statements, err)
			}
			tx.Rollback()
		}
		if sum := count(t, db, "SELECT (SELECT SUM(n) FROM big) * 10 + (SELECT SUM(n) FROM wide)"); sum != 31 {
			t.Errorf("the rows have %d", sum)
		}
		runAll(t, db, "CHECK TABLE big, wide")
	}, "service")
}
