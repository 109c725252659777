package nearlyfreetest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// Open gives a fresh, empty database in memory. When the test ends, every index entry of every table is held
// against its row (CHECK TABLE), the test fails if one is missing, stale or orphaned, and the database is closed.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	return OpenConfig(t, &nearlyfree.Config{Store: "mem://"})
}

// OpenConfig is Open with settings, and with any store.
func OpenConfig(t testing.TB, c *nearlyfree.Config) *sql.DB {
	t.Helper()
	connector, err := nearlyfree.NewConnector(c)
	if err != nil {
		t.Fatalf("nearlyfreetest: %v", err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := Check(db); err != nil {
			t.Errorf("nearlyfreetest: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("nearlyfreetest: closing: %v", err)
		}
	})
	return db
}

// Check runs CHECK TABLE on every table and gives an error that lists what is wrong; nil when nothing is.
func Check(db *sql.DB) error {
	tables, err := definitions(db)
	if err != nil {
		return err
	}
	var wrong []string
	for _, table := range tables {
		messages, err := check(db, table)
		if err != nil {
			return err
		}
		wrong = append(wrong, messages...)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("index entries do not match their rows:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

func check(db *sql.DB, table string) ([]string, error) {
	rows, err := db.Query("CHECK TABLE `" + strings.ReplaceAll(table, "`", "``") + "`")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var wrong []string
	for rows.Next() {
		var name, op, kind, text string
		if err := rows.Scan(&name, &op, &kind, &text); err != nil {
			return nil, err
		}
		if kind != "note" && (kind != "status" || text != "OK") {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", name, kind, text))
		}
	}
	return wrong, rows.Err()
}

// definitions gives the names of the tables that have a definition; others are nobody's to check. SHOW asks for
// the newest definitions.
func definitions(db *sql.DB) ([]string, error) {
	rows, err := db.Query("SHOW TABLE STATUS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		var version sql.NullInt64
		var other any
		if err := rows.Scan(&name, &other, &version, &other, &other, &other, &other, &other, &other); err != nil {
			return nil, err
		}
		if version.Valid {
			all = append(all, name)
		}
	}
	return all, rows.Err()
}
