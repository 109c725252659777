package clients

import (
	"database/sql"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"

	"github.com/alexedwards/scs/mysqlstore"
)

// TestSessions runs github.com/alexedwards/scs/mysqlstore with the table that its documentation says.
func TestSessions(t *testing.T) {
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		exec(t, db, "CREATE TABLE sessions (token CHAR(43) PRIMARY KEY, data BLOB NOT NULL, expiry TIMESTAMP(6) NOT NULL)",
			"CREATE INDEX sessions_expiry_idx ON sessions (expiry)")
		store := mysqlstore.NewWithCleanupInterval(db, 50*time.Millisecond)
		stopped := false
		defer func() {
			if !stopped {
				store.StopCleanup()
			}
		}()
		for range 20 { // time.Now() has nanoseconds, most of which no column keeps
			must(t, store.Commit("alive", []byte("first"), time.Now().Add(time.Minute)))
		}
		must(t, store.Commit("alive", []byte("second\x00\xff"), time.Now().Add(time.Minute)))
		must(t, store.Commit("dead", []byte("x"), time.Now().Add(-time.Minute)))
		must(t, store.Commit("deleted", []byte("y"), time.Now().Add(time.Minute)))
		must(t, store.Delete("deleted"))
		must(t, store.Delete("never there"))
		for token, want := range map[string]string{"alive": "second\x00\xff", "dead": "", "deleted": "", "ALIVE": ""} {
			data, found, err := store.Find(token)
			must(t, err)
			equal(t, token, string(data), want)
			equal(t, token+" is found", found, want != "")
		}
		all, err := store.All()
		must(t, err)
		equal(t, "sessions", len(all), 1)
		equal(t, "alive of all", string(all["alive"]), "second\x00\xff")

		must(t, store.Commit("short", []byte("z"), time.Now().Add(300*time.Millisecond)))
		_, found, err := store.Find("short")
		must(t, err)
		equal(t, "short is found in time", found, true)
		deadline := time.Now().Add(20 * time.Second)
		for n := 0; n != 1; { // the cleanup deletes what has expired
			must(t, db.QueryRow("SELECT COUNT(*) FROM sessions").Scan(&n))
			if time.Now().After(deadline) {
				t.Fatalf("%d sessions are left", n)
			}
			time.Sleep(20 * time.Millisecond)
		}
		store.StopCleanup()
		stopped = true
	})
}
