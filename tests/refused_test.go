package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestRefusedAtOnce: what an account has no transaction for is refused at the statement that goes too far, which leaves nothing; the
// others can be committed. In memory and in a file there is no such bound.
func TestRefusedAtOnce(t *testing.T) {
	t.Parallel()
	rows := func(table string, from, to int) string {
		var values []string
		for i := from; i < to; i++ {
			values = append(values, fmt.Sprintf("(1, %d)", i))
		}
		return "INSERT INTO " + table + " VALUES " + strings.Join(values, ", ")
	}
	others := func(n int) string {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf("('%d', 1)", i))
		}
		return "INSERT INTO strange VALUES " + strings.Join(values, ", ")
	}
	var sets, keys []string
	for i := range 60 {
		sets, keys = append(sets, fmt.Sprintf("c%d = 2", i)), append(keys, fmt.Sprintf("c%d INT DEFAULT 1, KEY k%d (c%d) COPY KEYS", i, i, i))
	}
	for _, c := range []struct {
		what   string
		fit    []string
		far    string // the statement that goes too far
		says   string
		others []string // that fit behind it
	}{
		{"new parents of two partitions", []string{"INSERT INTO tenant VALUES (1, 1)", "INSERT INTO item VALUES (1, 1, 1)", "INSERT INTO other VALUES (5, 1)"},
			"INSERT INTO tenant VALUES (2, 1)", "two places", []string{"INSERT INTO tenant VALUES (1, 2)", "INSERT INTO other VALUES (6, 1)"}},
		{"parents that go, of two partitions", []string{"DELETE FROM tenant WHERE t = 11 AND id = 1"}, "DELETE FROM tenant WHERE t = 12 AND id = 1", "two places",
			[]string{"UPDATE tenant SET id = 5 WHERE t = 11 AND id = 2"}},
		{"a savepoint takes the other one back", []string{"SAVEPOINT s", "INSERT INTO tenant VALUES (2, 1)", "ROLLBACK TO s", "INSERT INTO tenant VALUES (1, 1)"},
			"INSERT INTO tenant VALUES (2, 1)", "two places", nil},
		{"one that comes and goes", []string{"INSERT INTO tenant VALUES (2, 1)", "DELETE FROM tenant WHERE t = 2 AND id = 1", "INSERT INTO tenant VALUES (1, 1)"},
			"INSERT INTO tenant VALUES (2, 1)", "two places", nil},
		{"too many new parents of one partition", []string{"INSERT INTO other VALUES (5, 1)", rows("tenant", 0, 99)}, "INSERT INTO tenant VALUES (1, 100)", "99", []string{"INSERT INTO other VALUES (6, 1)"}},
		{"too many, with their entries", []string{"INSERT INTO other VALUES (5, 1)", rows("owner", 0, 49)}, "INSERT INTO owner VALUES (1, 50), (1, 51)", "99", nil},
		{"a row of too many entries", []string{"INSERT INTO other VALUES (5, 1)"}, "UPDATE wide SET " + strings.Join(sets, ", "), "121 operations", []string{"UPDATE wide SET c1 = 2"}},
		{"a table of other programs, and one of ours", []string{"INSERT INTO strange VALUES ('a', 1)"}, "INSERT INTO other VALUES (5, 1)", "other programs", []string{"INSERT INTO strange VALUES ('b', 1)"}},
		{"a table of ours, and one of other programs", []string{"INSERT INTO other VALUES (5, 1)"}, "INSERT INTO strange VALUES ('a', 1)", "other programs", nil},
		{"a table of other programs, by what was read of ours", []string{"SELECT COUNT(*) FROM other", "SELECT * FROM strange WHERE id = 'a'"}, "INSERT INTO strange VALUES ('a', 1)", "other programs",
			[]string{"INSERT INTO other VALUES (6, 1)"}},
		{"more of other programs than a group", []string{"INSERT INTO strange VALUES ('a', 1)"}, others(100), "other programs", []string{"INSERT INTO strange VALUES ('z', 1)"}},
	} {
		for name, config := range map[string]*nearlyfree.Config{"account": overService(0, false), "memory": {Store: "mem://"}} {
			db, _ := openConfig(t, config)
			runAll(t, db,
				"CREATE TABLE tenant (t INT, id INT, PRIMARY KEY (t, id)) PARTITION BY KEY (t)",
				"CREATE TABLE item (t INT, id INT, n INT, PRIMARY KEY (t, id, n), FOREIGN KEY (t, id) REFERENCES tenant (t, id) ON DELETE CASCADE) INTERLEAVE IN PARENT tenant",
				"CREATE TABLE owner (t INT, id INT, PRIMARY KEY (t, id), KEY (id)) PARTITION BY KEY (t)",
				"CREATE TABLE dog (t INT, id INT, n INT, PRIMARY KEY (t, id, n), FOREIGN KEY (t, id) REFERENCES owner (t, id)) INTERLEAVE IN PARENT owner",
				"CREATE TABLE other (id INT PRIMARY KEY, u INT)",
				"CREATE TABLE wide (id INT PRIMARY KEY, "+strings.Join(keys, ", ")+")",
				"CREATE EXTERNAL TABLE strange (id TEXT, v INT) PARTITION KEY 'p' ROW KEY '{id}'",
				"INSERT INTO tenant VALUES (11, 1), (11, 2), (12, 1)", "INSERT INTO wide (id) VALUES (1)")
			o := &sql.TxOptions{}
			if strings.Contains(c.what, "read") {
				o.Isolation = sql.LevelSerializable
			}
			tx, err := db.BeginTx(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			runAll(t, tx, c.fit...)
			_, err = tx.Exec(c.far)
			if name == "memory" {
				if err != nil {
					t.Errorf("%s in memory: %v", c.what, err)
				}
			} else if !errors.Is(err, nearlyfree.ErrTooLarge) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.what, err)
			}
			runAll(t, tx, c.others...)
			if err := tx.Commit(); err != nil {
				t.Errorf("%s, %s: %v", c.what, name, err)
			}
			db.Close()
		}
	}
}

// TestRefusedGroup: with transactions=group the octets of an entity group transaction are counted at each statement, too.
func TestRefusedGroup(t *testing.T) {
	t.Parallel()
	for _, config := range []*nearlyfree.Config{overService(0, false), {Store: "mem://"}} {
		config.Transactions = nearlyfree.TransactionsGroup
		db, _ := openConfig(t, config)
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s LONGTEXT)")
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		n, text := 0, strings.Repeat("x", 400_000)
		for err == nil && n < 20 {
			if _, err = tx.Exec("INSERT INTO t VALUES (?, ?)", n, text); err == nil {
				n++
			}
		}
		if !errors.Is(err, nearlyfree.ErrTooLarge) || !strings.Contains(err.Error(), "4194304") || n != 10 {
			t.Errorf("%d rows of 400,000 octets: %v", n, err)
		}
		runAll(t, tx, "INSERT INTO t VALUES (100, 'x')")
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
	}
}
