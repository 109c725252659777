package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// openTwo opens a store twice, as two processes do: each with its own definitions.
func openTwo(t *testing.T, lease time.Duration) (a, b *sql.DB) {
	t.Helper()
	config := overService(0, false)
	config.SchemaLease = lease
	a, _ = openConfig(t, config)
	b, _ = openConfig(t, config)
	return a, b
}

func openConfig(t *testing.T, config *nearlyfree.Config) (*sql.DB, *nearlyfree.Connector) {
	t.Helper()
	k, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(k)
	t.Cleanup(func() { db.Close() })
	return db, k
}

func mustExec(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// TestPartsAsRowsArrive: what one process has committed into a part that it made, another one finds at once, though
// it trusts older definitions for a lease.
func TestPartsAsRowsArrive(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t, 20*time.Millisecond)
	mustExec(t, a, "CREATE TABLE visit (at DATE, id INT, PRIMARY KEY (at, id)) PARTITION BY RANGE (at) INTERVAL (1 MONTH)")
	for i := range 12 {
		var before, n int
		if err := b.QueryRow("SELECT COUNT(*) FROM visit").Scan(&before); err != nil || before != i {
			t.Fatalf("%d rows before, %v", before, err)
		}
		mustExec(t, a, "INSERT INTO visit VALUES (?, ?)", fmt.Sprintf("2026-%02d-15", i+1), i)
		if err := b.QueryRow("SELECT COUNT(*) FROM visit WHERE id = ?", i).Scan(&n); err != nil || n != 1 {
			t.Fatalf("month %d: the other process finds %d rows, %v", i+1, n, err)
		}
	}
}

// TestPartsUnderWriters: processes that need the same new parts at the same time make each once, and no row is
// lost while parts come and go.
func TestPartsUnderWriters(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t, 5*time.Millisecond)
	mustExec(t, a, "CREATE TABLE n (v INT, w INT, PRIMARY KEY (v), KEY w (w)) PARTITION BY RANGE (v) INTERVAL (10)")
	const writers, each = 6, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			db := []*sql.DB{a, b}[w%2]
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for _, i := range r.Perm(each) {
				for {
					_, err := db.Exec("INSERT INTO n VALUES (?, ?)", i*writers+w, i)
					if err == nil {
						break
					}
					if !errors.Is(err, nearlyfree.ErrConflict) {
						t.Errorf("writer %d: %v", w, err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for _, db := range []*sql.DB{a, b} {
		var rows, sum int
		if err := db.QueryRow("SELECT COUNT(*), SUM(v) FROM n").Scan(&rows, &sum); err != nil {
			t.Fatal(err)
		}
		if total := writers * each; rows != total || sum != total*(total-1)/2 {
			t.Errorf("%d rows, sum %d", rows, sum)
		}
		var name, op, kind, text string
		if err := db.QueryRow("CHECK TABLE n").Scan(&name, &op, &kind, &text); err != nil || text != "OK" {
			t.Errorf("CHECK TABLE: %s, %v", text, err)
		}
	}
}

// TestCreateTableAsParts: the rows of CREATE TABLE … AS SELECT get their parts.
func TestCreateTableAsParts(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t, time.Millisecond)
	mustExec(t, a, "CREATE TABLE visit (at DATETIME, id INT, PRIMARY KEY (at, id)) PARTITION BY RANGE (at) INTERVAL (1 MONTH)")
	mustExec(t, a, "INSERT INTO visit VALUES ('2026-01-05', 1), ('2026-02-28', 2), ('2026-07-01', 3)")
	mustExec(t, a, "CREATE TABLE quarter (at DATE, id INT, PRIMARY KEY (at, id)) PARTITION BY RANGE (at) INTERVAL (1 QUARTER) AS SELECT DATE(at) AS at, id FROM visit")
	mustExec(t, a, "CREATE TABLE daily (at DATE, id INT, PRIMARY KEY (at, id)) PARTITION BY LIST COLUMNS (at) AUTOMATIC AS SELECT DATE(at) AS at, id FROM visit")
	for table, want := range map[string]string{"visit": "p202601,p202602,p202607,p202608", "quarter": "p202601,p202607,p202610",
		"daily": "p2026_01_05,p2026_02_28,p2026_07_01"} {
		var ids, parts string
		if err := b.QueryRow("SELECT GROUP_CONCAT(id ORDER BY id) FROM " + table).Scan(&ids); err != nil || ids != "1,2,3" {
			t.Errorf("%s: rows %s, %v", table, ids, err)
		}
		if err := b.QueryRow("SELECT GROUP_CONCAT(PARTITION_NAME ORDER BY PARTITION_ORDINAL_POSITION) FROM information_schema.PARTITIONS WHERE table_schema = DATABASE() AND TABLE_NAME = ?", table).Scan(&parts); err != nil || parts != want {
			t.Errorf("%s: parts %s, %v", table, parts, err)
		}
	}
}

// TestDropPartUnderReaders: a process that reads by older definitions while a part goes finds its rows or none, and
// no error.
func TestDropPartUnderReaders(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t, 20*time.Millisecond)
	mustExec(t, a, "CREATE TABLE log (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)")
	mustExec(t, a, "INSERT INTO log VALUES (1, 1), (2, 2), (11, 3), (21, 4)")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			var n int
			if err := b.QueryRow("SELECT COUNT(*) FROM log").Scan(&n); err != nil || n != 4 && n != 2 && n != 1 {
				t.Errorf("%d rows, %v", n, err)
				return
			}
		}
	})
	mustExec(t, a, "ALTER TABLE log DROP PARTITION p0")
	r, err := a.Exec("DELETE FROM log WHERE id < 20")
	if err != nil {
		t.Fatal(err)
	}
	var e *nearlyfree.Error
	if n, err := r.RowsAffected(); !errors.As(err, &e) || e.Number != 1235 || !errors.Is(err, nearlyfree.ErrNotSupported) {
		t.Errorf("rows that nobody counted are %d, %v", n, err)
	}
	close(stop)
	wg.Wait()
	mustExec(t, b, "INSERT INTO log VALUES (1, 1)") // p1 goes from where p0 began
	var n int
	if err := a.QueryRow("SELECT COUNT(*) FROM log WHERE id < 20").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}

const lastingLease = time.Hour

// TestPartAhead: the first row of a period waits for nothing where the period before had rows. The process that
// writes it would wait for two hours if it had to make its part, or to open it.
func TestPartAhead(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = time.Millisecond
	a, _ := openConfig(t, config)
	mustExec(t, a, "CREATE TABLE visit (at DATE, id INT, PRIMARY KEY (at, id)) PARTITION BY RANGE (at) INTERVAL (1 MONTH)")
	mustExec(t, a, "INSERT INTO visit VALUES ('2026-01-01', 1)") // both January and February are made, and opened

	patient := *config
	patient.SchemaLease = lastingLease
	b, connector := openConfig(t, &patient)
	mustExec(t, b, "INSERT INTO visit VALUES ('2026-01-02', 2)")
	ignorant, _ := openConfig(t, &patient)
	count(t, ignorant, "SELECT COUNT(*) FROM visit")
	before := connector.Stats()
	mustExec(t, b, "INSERT INTO visit VALUES ('2026-02-01', 3)")
	cost := connector.Stats().Sub(before)
	if statement, maintenance := cost.Requests-cost.SchemaRequests, cost.SchemaRequests; statement != 1 || maintenance != 3 {
		t.Errorf("%d requests for the row, %d for the part behind it", statement, maintenance)
	}
	checkParts(t, b, "p202601,p202602,p202603")

	// March is there, and another process goes by a definition without it.
	mustExec(t, b, "INSERT INTO visit VALUES ('2026-02-02', 4)")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.ExecContext(ctx, "INSERT INTO visit VALUES ('2026-03-01', 5)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a row was written to a part that others may not know yet: %v", err)
	}

	// A process that has known it for so long opens it as it writes to the part before, and another one need not wait.
	c, _ := openConfig(t, config)
	mustExec(t, c, "INSERT INTO visit VALUES ('2026-02-03', 6)")
	time.Sleep(3 * config.SchemaLease)
	mustExec(t, c, "INSERT INTO visit VALUES ('2026-02-04', 7)")
	d, _ := openConfig(t, &patient)
	mustExec(t, d, "INSERT INTO visit VALUES ('2026-03-02', 8)")
	checkParts(t, d, "p202601,p202602,p202603,p202604")
	if n := count(t, a, "SELECT COUNT(*) FROM visit"); n != 7 {
		t.Errorf("%d rows", n)
	}
}

func checkParts(t *testing.T, db *sql.DB, want string) {
	t.Helper()
	var parts string
	if err := db.QueryRow("SELECT GROUP_CONCAT(PARTITION_NAME ORDER BY PARTITION_ORDINAL_POSITION) FROM information_schema.PARTITIONS WHERE table_schema = DATABASE()").Scan(&parts); err != nil || parts != want {
		t.Errorf("parts %s, %v", parts, err)
	}
}

// TestTransactionOverGrowth: a transaction is not refused because the table got more parts meanwhile, but because one
// went.
func TestTransactionOverGrowth(t *testing.T) {
	t.Parallel()
	a, b := openTwo(t, time.Millisecond)
	mustExec(t, a, "CREATE TABLE n (v INT PRIMARY KEY) PARTITION BY RANGE (v) INTERVAL (10)")
	mustExec(t, a, "INSERT INTO n VALUES (1)")
	for i, change := range []string{"INSERT INTO n VALUES (55)", "INSERT INTO n VALUES (-5), (25)", "ALTER TABLE n DROP PARTITION p50"} {
		tx, err := a.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("INSERT INTO n VALUES (?)", 2+i); err != nil {
			t.Fatal(err)
		}
		mustExec(t, b, change)
		time.Sleep(2 * time.Millisecond) // so that the lease is over
		if err := tx.Commit(); i < 2 && err != nil || i == 2 && !errors.Is(err, nearlyfree.ErrSchemaChanged) {
			t.Errorf("%s: %v", change, err)
		}
	}
	if n := count(t, b, "SELECT SUM(v) FROM n"); n != 1+2+3-5+25 {
		t.Errorf("the sum is %d", n)
	}
}

// TestDeletePartsFails: a DELETE of whole parts and of rows of another one says exactly what it has deleted, whichever
// of its requests fails.
func TestDeletePartsFails(t *testing.T) {
	t.Parallel()
	said := map[string]int{}
	for n := 1; ; n++ {
		config := overService(0, false)
		config.Bulk = nearlyfree.BulkChunked
		transport := config.Transport.(*azuretest.Transport)
		db, _ := openConfig(t, config)
		mustExec(t, db, "CREATE TABLE log (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)")
		var values []string
		for id := 10; id < 180; id++ {
			values = append(values, fmt.Sprintf("(%d)", id))
		}
		mustExec(t, db, "INSERT INTO log VALUES (1), (5000), "+strings.Join(values, ", "))
		var writes atomic.Int64
		transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
			if !ofStatement(r) || writes.Add(1) != int64(n) {
				return azuretest.Fault{}
			}
			return azuretest.Fault{Status: http.StatusForbidden, Code: "AuthorizationFailure"}
		})
		_, err := db.Exec("DELETE FROM log WHERE id < 1000")
		transport.SetFault(nil)
		whole, rows := count(t, db, "SELECT COUNT(*) FROM log WHERE id < 20"), count(t, db, "SELECT COUNT(*) FROM log WHERE id BETWEEN 20 AND 1000")
		if err == nil {
			if whole+rows > 0 {
				t.Errorf("%d and %d rows are left", whole, rows)
			}
			break
		}
		var e *nearlyfree.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		want, applied := "", nearlyfree.AppliedPartly
		switch {
		case whole == 11 && rows == 160:
			applied = nearlyfree.AppliedNo
		case whole == 0 && rows == 160:
			want = "the rows of partitions p0, p1 were deleted; no others were: "
		case whole == 0:
			want = fmt.Sprintf("the rows of partitions p0, p1 were deleted; %d of 160 rows were written (", 160-rows)
		default:
			t.Errorf("%d and %d rows are left", whole, rows)
		}
		if !strings.HasPrefix(e.Message, want) || e.Applied != applied {
			t.Errorf("%d and %d rows are left, and request %d says %v (%v)", whole, rows, n, err, e.Applied)
		}
		said[want]++
	}
	if len(said) < 3 {
		t.Errorf("too few cases: %v", said)
	}
}

// TestAlterOverGrowth: what changes the form of a table's rows loses no part that rows make meanwhile, and is not ended
// by it.
func TestAlterOverGrowth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, alterOverGrowth)
}

func alterOverGrowth(t *testing.T) {
	a, b := openTwo(t, 5*time.Millisecond)
	mustExec(t, a, "CREATE TABLE n (v INT PRIMARY KEY, w INT) PARTITION BY RANGE (v) INTERVAL (10)")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	rows := 0
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			v := 5 * rows
			if rows%3 == 0 {
				v = -v // in a part of its own: it is made before the row
			}
			retried(t, func() error {
				_, err := b.Exec("INSERT INTO n (v) VALUES (?)", v)
				return err
			})
			rows++
		}
	})
	const wanted = 20 // parts that are made meanwhile
	for turn := 0; turn < 3 || turn < 1000 && count(t, a, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE table_schema = DATABASE()") < wanted; turn++ {
		for _, change := range []string{"ADD COLUMN x INT NOT NULL DEFAULT 7", "MODIFY COLUMN w VARCHAR(10)", "DROP COLUMN x", "MODIFY COLUMN w INT", "ADD INDEX w (w)", "DROP INDEX w"} {
			mustExec(t, a, "ALTER TABLE n "+change)
		}
	}
	close(stop)
	wg.Wait()
	if n := count(t, a, "SELECT COUNT(*) FROM n"); n != rows {
		t.Errorf("%d rows of %d", n, rows)
	}
	if n := count(t, a, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE table_schema = DATABASE()"); n < wanted {
		t.Errorf("only %d parts were made meanwhile", n)
	}
}

// TestIndexOverDrops: who makes an index is not ended by parts that others drop, empty and make meanwhile.
func TestIndexOverDrops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testIndexOverDrops)
}

func testIndexOverDrops(t *testing.T) {
	a, b := twoProcesses(t)
	mustExec(t, a, "CREATE TABLE n (v INT PRIMARY KEY, w INT) PARTITION BY RANGE (v) INTERVAL (10)")
	fill := func(db *sql.DB, from int) {
		var rows []string
		for v := from; v < from+100; v++ {
			rows = append(rows, fmt.Sprintf("(%d, %d)", v, v%7))
		}
		repeated(t, db, "REPLACE INTO n VALUES "+strings.Join(rows, ", "))
	}
	fill(a, 0)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for next := 100; ; next += 10 {
			select {
			case <-stop:
				return
			default:
			}
			for _, q := range []string{fmt.Sprintf("ALTER TABLE n DROP PARTITION p%d", next-100), fmt.Sprintf("ALTER TABLE n TRUNCATE PARTITION p%d", next-90)} {
				retried(t, func() error {
					_, err := b.Exec(q)
					if e := (*nearlyfree.Error)(nil); errors.As(err, &e) && e.Number == 1507 {
						return nil // a try before has dropped it, and then met a change by the other process
					}
					return err
				})
			}
			fill(b, next-90)
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 4 {
		mustExec(t, a, "CREATE INDEX w ON n (w)")
		if err := nearlyfreetest.Check(a); err != nil {
			t.Error(err)
		}
		mustExec(t, a, "DROP INDEX w ON n")
	}
}

// TestCheckOverDrops: CHECK TABLE passes over parts that another process drops or empties meanwhile.
func TestCheckOverDrops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testCheckOverDrops)
}

func testCheckOverDrops(t *testing.T) {
	a, b := withSlow(t, func(*http.Request) {})
	mustExec(t, a, "CREATE TABLE n (v INT PRIMARY KEY, w INT, KEY (w)) PARTITION BY RANGE (v) INTERVAL (10)")
	for v := range 20 {
		mustExec(t, a, "INSERT INTO n VALUES (?, 1)", 10*v)
	}
	checked := make(chan error)
	go func() { checked <- nearlyfreetest.Check(b) }()
	time.Sleep(2 * time.Second)
	mustExec(t, a, "ALTER TABLE n TRUNCATE PARTITION p180")
	mustExec(t, a, "ALTER TABLE n DROP PARTITION p190")
	select {
	case err := <-checked:
		t.Fatalf("nothing was dropped while it checked: %v", err)
	default:
	}
	if err := <-checked; err != nil {
		t.Error(err)
	}
}

// TestChildrenInParts: while parts come and go, by two processes, a child lies in the part of its parent and goes with
// it; none is written without one.
func TestChildrenInParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, childrenInParts)
}

func childrenInParts(t *testing.T) {
	a, b := openTwo(t, 5*time.Millisecond)
	mustExec(t, a, "CREATE TABLE visit (v INT PRIMARY KEY, w INT) PARTITION BY RANGE (v) INTERVAL (10)")
	mustExec(t, a, "CREATE TABLE page (v INT, n INT, w INT, PRIMARY KEY (v, n), KEY w (w), FOREIGN KEY (v) REFERENCES visit (v) ON DELETE CASCADE) INTERLEAVE IN PARENT visit")
	var wg sync.WaitGroup
	const writers, each = 4, 15
	for w := range writers {
		db, other := a, b
		if w%2 == 0 {
			db, other = b, a
		}
		wg.Go(func() {
			for i := range each {
				v := 5*i + w
				retried(t, func() error {
					tx, err := db.Begin()
					if err != nil {
						return err
					}
					defer tx.Rollback()
					if _, err := tx.Exec("INSERT INTO visit VALUES (?, 0)", v); err != nil {
						return err
					}
					if _, err := tx.Exec("INSERT INTO page VALUES (?, 1, ?)", v, i); err != nil {
						return err
					}
					return tx.Commit()
				})
				retried(t, func() error { // by the process that did not make the part; the parent may be deleted
					if _, err := other.Exec("INSERT INTO page VALUES (?, 2, ?)", v, i); !errors.Is(err, nearlyfree.ErrForeignKey) {
						return err
					}
					return nil
				})
			}
		})
	}
	for drop := range 3 {
		time.Sleep(30 * time.Millisecond)
		retried(t, func() error {
			_, err := a.Exec("DELETE FROM visit WHERE v < ?", 10*(drop+1))
			return err
		})
	}
	wg.Wait()
	for _, db := range []*sql.DB{a, b} {
		if err := nearlyfreetest.Check(db); err != nil {
			t.Error(err)
		}
		if n := count(t, db, "SELECT COUNT(*) FROM page p LEFT JOIN visit v ON v.v = p.v WHERE v.v IS NULL"); n > 0 {
			t.Errorf("%d children without a parent", n)
		}
		visits, pages := count(t, db, "SELECT COUNT(*) FROM visit"), count(t, db, "SELECT COUNT(*) FROM page")
		if pages > 2*visits || pages < visits || visits < writers*(each-6) {
			t.Errorf("%d parents, %d children", visits, pages)
		}
	}
}
