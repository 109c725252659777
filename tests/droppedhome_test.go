package tests

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestDroppedHome: a process dies when it has committed a transaction, and before all of it has taken its place. The table that its record is in is
// dropped or emptied: what it has written elsewhere stays.
func TestDroppedHome(t *testing.T) {
	t.Parallel()
	for _, drop := range [][]string{{"DROP TABLE kid", "DROP TABLE parent"}, {"DROP TABLE kid, parent"}, {"DROP TABLE kid", "TRUNCATE TABLE parent"}} {
		synctest.Test(t, func(t *testing.T) {
			shop := newShop(t)
			dying, other := shop.enter(false), shop.enter(false)
			runAll(t, dying, "CREATE TABLE parent (id INT PRIMARY KEY)", "CREATE TABLE kid (id INT, k INT, PRIMARY KEY (id, k), FOREIGN KEY (id) REFERENCES parent (id)) INTERLEAVE IN PARENT parent",
				"CREATE TABLE u (id INT PRIMARY KEY, n INT)", "INSERT INTO u VALUES (1, 0)", "INSERT INTO parent VALUES (1), (2)")
			tx, err := dying.Begin()
			if err != nil {
				t.Fatal(err)
			}
			runAll(t, tx, "DELETE FROM parent WHERE id = 1", "UPDATE u SET n = n + 1")
			var writes atomic.Int64
			dying.watch(func(r *http.Request) {
				if ofStatement(r) {
					if writes.Add(1) > 3 { // a note, one that prepares, one that decides
						dying.dead.Store(true)
					}
				}
			})
			if err := tx.Commit(); err != nil || !dying.dead.Load() {
				t.Fatal(err, writes.Load())
			}
			time.Sleep(time.Minute)
			runAll(t, other, drop...)
			time.Sleep(time.Hour)
			fresh := shop.enter(false)
			if n := count(t, fresh.DB, "SELECT n FROM u"); n != 1 {
				t.Errorf("%q: n is %d, and was acknowledged", drop, n)
			}
			runAll(t, fresh, "UPDATE u SET n = n + 1")
			if n := count(t, fresh.DB, "SELECT n FROM u"); n != 2 {
				t.Errorf("%q: n is %d", drop, n)
			}
		})
	}
}
