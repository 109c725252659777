package nearlyfreetest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// Open gives a fresh, empty database in memory, within microseconds. When the test ends the database is closed. If anything was written, every
// index entry of every table, in every database, is first compared with its row (CHECK TABLE), and the test fails if one is missing, stale or
// orphaned.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	return OpenConfig(t, &nearlyfree.Config{Store: "mem://"})
}

// OpenConfig is Open with settings, and with any store.
func OpenConfig(t testing.TB, c *nearlyfree.Config) *sql.DB {
	t.Helper()
	own, watch := watched(c)
	connector, err := nearlyfree.NewConnector(own)
	if err != nil {
		t.Fatalf("nearlyfreetest: %v", err)
	}
	check := checkAll
	if c.Store != "mem://" { // others may have databases there, too
		check = Check
	}
	return open(t, connector, watch, check)
}

// watched is c with a Watch among its observers.
func watched(c *nearlyfree.Config) (*nearlyfree.Config, *Watch) {
	own, watch := *c, &Watch{}
	own.Observer = watch
	if c.Observer != nil {
		own.Observer = nearlyfree.Observers{c.Observer, watch}
	}
	return &own, watch
}

// open gives the database of a Connector until the test ends. If anything was written, it is then checked; check may be nil.
func open(t testing.TB, connector *nearlyfree.Connector, watch *Watch, check func(*sql.DB) error) *sql.DB {
	db := sql.OpenDB(connector)
	watches.Store(db, watch)
	t.Cleanup(func() {
		watches.Delete(db)
		if check != nil && connector.Stats().EntitiesWritten > 0 {
			if err := check(db); err != nil {
				t.Errorf("nearlyfreetest: %v", err)
			}
		}
		if err := db.Close(); err != nil {
			t.Errorf("nearlyfreetest: closing: %v", err)
		}
	})
	return db
}

// Check runs CHECK TABLE on every table of the data source name's database, and gives an error that lists the faults; nil if there are none.
func Check(db *sql.DB) error {
	var database string
	if err := db.QueryRow("SELECT DATABASE()").Scan(&database); err != nil {
		return err
	}
	return checkDatabase(db, database)
}

// checkAll is Check of all databases of the store.
func checkAll(db *sql.DB) error {
	rows, err := db.Query("SHOW DATABASES WHERE `Database` <> 'information_schema'")
	if err != nil {
		return err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		all = append(all, name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, name := range all {
		if err := checkDatabase(db, name); err != nil {
			return err
		}
	}
	return nil
}

func checkDatabase(db *sql.DB, database string) error {
	tables, err := definitions(db, database)
	if err != nil {
		return err
	}
	var wrong []string
	for _, table := range tables {
		messages, err := check(db, quote(database)+"."+quote(table))
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
	rows, err := db.Query("CHECK TABLE " + table)
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

// definitions gives the names of the tables that have a definition; others need no check. SHOW asks for the newest definitions.
func definitions(db *sql.DB, database string) ([]string, error) {
	rows, err := db.Query("SHOW TABLE STATUS FROM " + quote(database) + " WHERE Version IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []string
	for rows.Next() {
		var name string
		into := []any{&name}
		for range columns[1:] {
			into = append(into, new(any))
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
