package tests

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// withSlow gives two databases over one store, as two processes have it, in virtual time. Each request of the second one
// takes almost half a lease, and is seen before.
func withSlow(t *testing.T, see func(r *http.Request)) (fast, slow *sql.DB) {
	t.Helper()
	config := overService(0, false)
	config.SchemaLease = time.Second
	other := *config
	other.Transport = &azuretest.Transport{Service: config.Transport.(*azuretest.Transport).Service, Fault: func(_ int, r *http.Request) azuretest.Fault {
		see(r)
		return azuretest.Fault{Delay: 400 * time.Millisecond}
	}}
	return nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, &other)
}

// TestIndexOverLongTransaction: the rows of a transaction that takes longer than it takes to make an index are in that index, too,
// though none of its requests takes longer than a lease.
func TestIndexOverLongTransaction(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, "one statement", func(t *testing.T) {
		testIndexOverLongTransaction(t, func(db *sql.DB, insert string) error {
			_, err := db.Exec(insert)
			return err
		})
	})
	inVirtualTime(t, "several", func(t *testing.T) {
		testIndexOverLongTransaction(t, func(db *sql.DB, insert string) error {
			tx, err := db.Begin()
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if _, err := tx.Exec(insert); err != nil {
				return err
			}
			return tx.Commit()
		})
	})
}

func testIndexOverLongTransaction(t *testing.T, write func(db *sql.DB, insert string) error) {
	writing, begin := make(chan struct{}), sync.Once{}
	a, b := withSlow(t, func(r *http.Request) {
		if ofStatement(r) {
			begin.Do(func() { close(writing) })
		}
	})
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, w INT) PARTITION BY KEY (id)")
	const rows = 300 // each in a partition of its own
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d)", i, i%7))
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		retried(t, func() error { return write(b, "INSERT INTO t VALUES "+strings.Join(values, ", ")) })
	})
	<-writing
	exec(t, a, "CREATE INDEX w ON t (w)")
	wg.Wait()
	if err := nearlyfreetest.Check(a); err != nil {
		t.Error(err)
	}
	if n := count(t, a, "SELECT COUNT(*) FROM t"); n != rows {
		t.Errorf("%d rows of %d", n, rows)
	}
}
