package clients

import (
	"database/sql"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"

	"github.com/gofiber/storage/mysql"
)

// TestStorage runs github.com/gofiber/storage/mysql over a database that it is given.
func TestStorage(t *testing.T) {
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		s := mysql.New(mysql.Config{Db: db, Reset: true, GCInterval: 100 * time.Millisecond})
		get := func(key string) string {
			t.Helper()
			v, err := s.Get(key)
			must(t, err)
			return string(v)
		}
		must(t, s.Set("john", []byte("doe"), 0))
		equal(t, "john", get("john"), "doe")
		must(t, s.Set("john", []byte("\x00\xff binary"), 0))
		must(t, s.Set("john", []byte("\x00\xff binary"), 0)) // the same once more
		equal(t, "john", get("john"), "\x00\xff binary")
		equal(t, "JOHN", get("JOHN"), "")
		must(t, s.Set("empty", nil, 0))
		equal(t, "empty", get("empty"), "")

		must(t, s.Set("brief", []byte("x"), time.Second))
		equal(t, "brief", get("brief"), "x")
		for deadline := time.Now().Add(20 * time.Second); get("brief") != ""; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("brief does not expire")
			}
		}
		must(t, s.Delete("john"))
		must(t, s.Delete("john"))
		equal(t, "john", get("john"), "")
		must(t, s.Set("john", []byte("again"), time.Hour))
		must(t, s.Reset())
		equal(t, "john", get("john"), "")

		other := mysql.New(mysql.Config{Db: db, Table: "other_table"})
		must(t, other.Set("k", []byte("v"), 0))
		equal(t, "k", get("k"), "")
		other = mysql.New(mysql.Config{Db: db, Table: "other_table"}) // finds what is there
		v, err := other.Get("k")
		must(t, err)
		equal(t, "k", string(v), "v")
		must(t, s.Close())
	})
}
