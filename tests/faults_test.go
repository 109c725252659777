package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// badDays are the faults that a service may have with a request.
var badDays = []azuretest.Fault{
	{LoseAnswer: true}, {Lose: true}, {Twice: true}, {Twice: true, LoseAnswer: true}, {Refuse: true}, {Tear: 30}, {Cut: 30}, {Tear: 1}, {Cut: 400}, {Delay: 2 * time.Millisecond}, {Delay: 40 * time.Millisecond},
	{Status: 500, Code: "InternalError"}, {Status: 500, Code: "OperationTimedOut"}, {Status: 502}, {Status: 503, Code: "ServerBusy", RetryAfter: "1"},
	{Status: 503}, {Status: 429, Code: "TooManyRequests", RetryAfter: "0"}, {Status: 504}, {Status: 408},
	{Status: 412, Code: "UpdateConditionNotSatisfied"},
}

// weather gives faults to a share of the requests.
type weather struct {
	mu     sync.Mutex
	random *rand.Rand
	share  float64
}

func (w *weather) fault(_ int, r *http.Request) azuretest.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.random.Float64() >= w.share {
		return azuretest.Fault{}
	}
	f := badDays[w.random.IntN(len(badDays))]
	if f.Status == http.StatusPreconditionFailed && r.Method == http.MethodGet {
		return azuretest.Fault{}
	}
	return f
}

func (w *weather) set(share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.share = share
}

// maybe is what a row's counter may be: each element is a state that the errors so far allow; -1 is no row.
type maybe []int

func (m maybe) with(states ...int) maybe {
	out := append(slices.Clone(m), states...)
	slices.Sort(out)
	return slices.Compact(out)
}

// each gives the states with all rows that exist changed.
func (m maybe) each(change func(int) int) maybe {
	out := maybe{}
	for _, n := range m {
		if n >= 0 {
			n = change(n)
		}
		out = out.with(n)
	}
	return out
}

func (m maybe) certain() bool { return len(m) == 1 }

// account is a table of counters, and what each may be.
type account struct {
	*testing.T
	db    *sql.DB
	parts int
	rows  map[[2]int]maybe // by p and id
}

// applied says what an error tells of a write. An error that is none of the driver's is the context's, or what
// database/sql says of a Commit when the end of the context has rolled its transaction back.
func (a *account) applied(err error) nearlyfree.Applied {
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		return e.Applied
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, sql.ErrTxDone) {
		a.Fatalf("not an error of the driver: %T %v", err, err)
	}
	return nearlyfree.AppliedNo
}

// saw takes what was read of a row for the truth.
func (a *account) saw(what string, key [2]int, n int) {
	a.Helper()
	if !slices.Contains(a.rows[key], n) {
		a.Errorf("%s: row %v has %d, and may have %v", what, key, n, a.rows[key])
	}
	a.rows[key] = maybe{n}
}

// wrote takes note of a write of one row.
func (a *account) wrote(what string, key [2]int, err error, change func(int) int) {
	a.Helper()
	before := a.rows[key]
	after := maybe{}
	for _, n := range before {
		after = after.with(change(n))
	}
	if err == nil {
		a.rows[key] = after
		return
	}
	switch a.applied(err) {
	case nearlyfree.AppliedUnknown, nearlyfree.AppliedPartly:
		a.rows[key] = before.with(after...)
	}
}

func (a *account) insert(ctx context.Context, key [2]int) {
	r, err := a.db.ExecContext(ctx, "INSERT INTO t (p, id, n, u) VALUES (?, ?, 0, ?)", key[0], key[1], fmt.Sprint("u", key[1]))
	if errors.Is(err, nearlyfree.ErrDuplicateKey) {
		if slices.Equal(a.rows[key], maybe{-1}) {
			a.Errorf("INSERT of %v, which is not there: %v", key, err)
		}
		a.rows[key] = slices.DeleteFunc(slices.Clone(a.rows[key]), func(n int) bool { return n < 0 })
		return
	}
	if err == nil {
		if n, _ := r.RowsAffected(); n != 1 || !slices.Contains(a.rows[key], -1) {
			a.Errorf("INSERT of %v, which may be %v: %d rows", key, a.rows[key], n)
		}
		a.rows[key] = maybe{0}
		return
	}
	a.wrote("INSERT", key, err, func(n int) int { return max(n, 0) })
}

func (a *account) increment(ctx context.Context, key [2]int) {
	r, err := a.db.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE p = ? AND id = ?", key[0], key[1])
	if err == nil && a.rows[key].certain() {
		want := int64(1)
		if a.rows[key][0] < 0 {
			want = 0
		}
		if n, _ := r.RowsAffected(); n != want {
			a.Errorf("UPDATE of %v, which is %v: %d rows", key, a.rows[key], n)
		}
	}
	a.wrote("UPDATE", key, err, func(n int) int {
		if n < 0 {
			return n
		}
		return n + 1
	})
}

func (a *account) delete(ctx context.Context, key [2]int) {
	_, err := a.db.ExecContext(ctx, "DELETE FROM t WHERE p = ? AND u = ?", key[0], fmt.Sprint("u", key[1]))
	a.wrote("DELETE", key, err, func(int) int { return -1 })
}

func (a *account) incrementAll(ctx context.Context) {
	_, err := a.db.ExecContext(ctx, "UPDATE t SET n = n + 1")
	if errors.Is(err, nearlyfree.ErrDuplicateKey) {
		a.Errorf("UPDATE of all: %v", err)
	}
	for key, m := range a.rows {
		after := m.each(func(n int) int { return n + 1 })
		switch {
		case err == nil:
			a.rows[key] = after
		case a.applied(err) != nearlyfree.AppliedNo:
			a.rows[key] = m.with(after...)
		}
	}
}

// transfer is a transaction that moves one from a row to another of the same partition.
func (a *account) transfer(ctx context.Context, from, to [2]int) {
	if from == to || !a.rows[from].certain() || !a.rows[to].certain() || a.rows[from][0] < 1 || a.rows[to][0] < 0 {
		return
	}
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return
	}
	for key, by := range map[[2]int]int{from: -1, to: 1} {
		if _, err := tx.ExecContext(ctx, "UPDATE t SET n = n + ? WHERE p = ? AND id = ?", by, key[0], key[1]); err != nil {
			tx.Rollback()
			return
		}
	}
	err = tx.Commit()
	if err != nil && a.applied(err) != nearlyfree.AppliedUnknown {
		return
	}
	wasFrom, wasTo := a.rows[from][0], a.rows[to][0]
	a.rows[from], a.rows[to] = maybe{wasFrom - 1}, maybe{wasTo + 1}
	if err == nil {
		return
	}
	// Both or neither: the first that is read tells.
	a.rows[from] = a.rows[from].with(wasFrom)
	a.rows[to] = a.rows[to].with(wasTo)
	sum := 0
	for {
		if err := a.db.QueryRow("SELECT SUM(n) FROM t WHERE p = ? AND id IN (?, ?)", from[0], from[1], to[1]).Scan(&sum); err == nil {
			break
		}
	}
	if sum != wasFrom+wasTo {
		a.Errorf("transfer between %v and %v: half of it stands", from, to)
	}
}

func (a *account) readOne(ctx context.Context, key [2]int, where string, args ...any) {
	n := -1
	err := a.db.QueryRowContext(ctx, "SELECT n FROM t WHERE "+where, args...).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return
	}
	a.saw(where, key, n)
}

func (a *account) readAll(ctx context.Context, q string) error {
	rows, err := a.db.QueryContext(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := map[[2]int]int{}
	for rows.Next() {
		var key [2]int
		var n int
		if err := rows.Scan(&key[0], &key[1], &n); err != nil {
			return err // the context may have ended since Next
		}
		if was, twice := found[key]; twice {
			a.Errorf("%s: row %v comes twice, with %d and %d", q, key, was, n)
		}
		found[key] = n
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for key := range a.rows {
		n, ok := found[key]
		if !ok {
			n = -1
		}
		a.saw(q, key, n)
	}
	return nil
}

// TestBadService: whatever goes wrong between driver and service, what a query gives is right or an error; and a
// write has happened once, or not, or its error says that this is not known.
func TestBadService(t *testing.T) {
	t.Parallel()
	for name, definition := range map[string]string{
		"one partition":   "CREATE TABLE t (p INT, id INT, n INT NOT NULL, u VARCHAR(20) NOT NULL, PRIMARY KEY (p, id), UNIQUE KEY (p, u), KEY (n))",
		"many partitions": "CREATE TABLE t (p INT, id INT, n INT NOT NULL, u VARCHAR(20) NOT NULL, PRIMARY KEY (p, id), UNIQUE KEY (p, u), KEY (n)) PARTITION BY KEY (p)",
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) { badService(t, definition, seed) })
		}
	}
}

func badService(t *testing.T, definition string, seed uint64) {
	config, transport := fakeService(t)
	config.Retry.TryTimeout = 20 * time.Millisecond
	w := &weather{random: rand.New(rand.NewPCG(seed, 7))}
	transport.SetFault(w.fault)
	db := nearlyfreetest.OpenConfig(t, config)
	run(t, db, definition)
	random := rand.New(rand.NewPCG(seed, 8))
	a := &account{T: t, db: db, parts: 4, rows: map[[2]int]maybe{}}
	for p := range a.parts {
		for id := range 5 {
			a.rows[[2]int{p, id}] = maybe{-1}
		}
	}
	ctx := context.Background()
	w.set(0.15)
	for range 250 {
		key := [2]int{random.IntN(a.parts), random.IntN(5)}
		ctx, cancel := ctx, func() {}
		if random.IntN(6) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(4000))*time.Microsecond)
		}
		switch random.IntN(12) {
		case 0, 1, 2:
			a.insert(ctx, key)
		case 3, 4:
			a.increment(ctx, key)
		case 5:
			a.delete(ctx, key)
		case 6, 7:
			a.incrementAll(ctx)
		case 8:
			a.transfer(ctx, key, [2]int{key[0], random.IntN(5)})
		case 9:
			a.readOne(ctx, key, "p = ? AND id = ?", key[0], key[1])
		case 10:
			a.readOne(ctx, key, "p = ? AND u = ?", key[0], fmt.Sprint("u", key[1]))
		default:
			for _, q := range []string{"SELECT p, id, n FROM t", "SELECT p, id, n FROM t WHERE n >= 0 ORDER BY n", "SELECT a.p, a.id, b.n FROM t a JOIN t b ON a.p = b.p AND a.id = b.id"} {
				_ = a.readAll(ctx, q)
			}
		}
		cancel()
		if t.Failed() {
			break
		}
	}
	w.set(0)
	if err := a.readAll(ctx, "SELECT p, id, n FROM t"); err != nil {
		t.Error(err)
	}
}

// TestOneUnknownAmongConflicts: a statement some of whose transactions met another writer is not run again when the
// answer of another one was lost, and nothing can be read then: its rows would be changed twice.
func TestOneUnknownAmongConflicts(t *testing.T) {
	t.Parallel()
	config, transport := fakeService(t)
	config.Bulk = nearlyfree.BulkChunked
	db := nearlyfreetest.OpenConfig(t, config)
	run(t, db, "CREATE TABLE t (p INT PRIMARY KEY, n INT NOT NULL) PARTITION BY KEY (p)")
	run(t, db, "INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0)")
	for refused := range 12 {
		var mu sync.Mutex
		writes := 0
		transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
			if !ofStatement(r) {
				return azuretest.Fault{Refuse: strings.Contains(r.URL.RawQuery, keymap.OperationIDs)}
			}
			mu.Lock()
			defer mu.Unlock()
			writes++
			switch {
			case writes > 4:
				return azuretest.Fault{}
			case writes-1 == refused%4:
				return azuretest.Fault{Status: http.StatusPreconditionFailed, Code: "UpdateConditionNotSatisfied"}
			}
			return azuretest.Fault{Delay: time.Millisecond, LoseAnswer: true}
		})
		_, err := db.Exec("UPDATE t SET n = n + 1")
		transport.SetFault(nil)
		var e *nearlyfree.Error
		if !errors.As(err, &e) || e.Applied != nearlyfree.AppliedUnknown {
			t.Errorf("got %v, want an error of unknown effect", err)
		}
		for _, n := range ids(t, db, "SELECT n FROM t") {
			if n > 1 {
				t.Errorf("a row was changed %d times", n)
			}
		}
		run(t, db, "UPDATE t SET n = 0")
	}
}

// TestLostAnswersOfBuilding: building an index, or writing rows anew, does not end where the answer to a write is lost:
// the rows are read again, which tells whether they were written.
func TestLostAnswersOfBuilding(t *testing.T) {
	t.Parallel()
	config, transport := fakeService(t)
	db := nearlyfreetest.OpenConfig(t, config) // which holds every entry against its row in the end
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)")
	for from := 0; from < 1000; from += 100 {
		q := "INSERT INTO t VALUES "
		for id := from; id < from+100; id++ {
			q += fmt.Sprintf("(%d, %d),", id, id%7)
		}
		run(t, db, q[:len(q)-1])
	}
	for _, q := range []string{"CREATE INDEX n ON t (n)", "CREATE UNIQUE INDEX u ON t (n, id)", "ALTER TABLE t MODIFY n VARCHAR(10) NOT NULL"} {
		var lost, batches atomic.Int64
		transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
			if r.ContentLength < 10_000 || batches.Add(1)%2 == 0 { // definitions are shorter than rows
				return azuretest.Fault{}
			}
			lost.Add(1)
			return azuretest.Fault{LoseAnswer: true}
		})
		run(t, db, q)
		transport.SetFault(nil)
		if lost.Load() == 0 {
			t.Errorf("%s: no answer was lost", q)
		}
	}
}

// TestLostAnswersOfDefinitions: where the answer to a change of definitions is lost, or the service fails over it, it is
// found out whether it was made, and it is made once.
func TestLostAnswersOfDefinitions(t *testing.T) {
	t.Parallel()
	config, transport := fakeService(t)
	db := nearlyfreetest.OpenConfig(t, config)
	var n, faults atomic.Int64
	transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
		if !strings.HasSuffix(r.URL.Path, "$batch") {
			return azuretest.Fault{}
		}
		switch n.Add(1) % 3 {
		case 1:
			faults.Add(1)
			return azuretest.Fault{LoseAnswer: true}
		case 2:
			faults.Add(1)
			return azuretest.Fault{Status: http.StatusInternalServerError, Code: "InternalError"}
		}
		return azuretest.Fault{}
	})
	for _, q := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "CREATE TABLE u (id INT PRIMARY KEY)", "CREATE INDEX n ON t (n)", "ALTER TABLE t ADD COLUMN note VARCHAR(10)",
		"RENAME TABLE t TO v", "DROP INDEX n ON v", "CREATE UNIQUE INDEX n ON v (n, note)", "DROP TABLE u", "CREATE TABLE u (id INT PRIMARY KEY, n INT)",
		"ALTER TABLE v DROP COLUMN note", "TRUNCATE TABLE v",
		"CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))",
		"ALTER TABLE p DROP PARTITION a", "ALTER TABLE p ADD PARTITION (PARTITION c VALUES LESS THAN (30))",
	} {
		run(t, db, q)
	}
	if faults.Load() < 10 {
		t.Errorf("%d faults", faults.Load())
	}
	transport.SetFault(nil)
	run(t, db, "INSERT INTO v VALUES (1, 2)")
	run(t, db, "INSERT INTO u VALUES (1, 2)")
	run(t, db, "INSERT INTO p VALUES (1), (25)")
}

// TestLostAnswersOfSequences: an INSERT does not fail because the answer to what takes its AUTO_INCREMENT values was lost. Where no
// answer comes at all it says that no row was written.
func TestLostAnswersOfSequences(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Int64 // so many answers are lost
		config := overService(0, false)
		config.SchemaLease = time.Minute
		config.Transport.(*azuretest.Transport).SetFault(func(_ int, r *http.Request) azuretest.Fault {
			sequence := ofStatement(r) && (r.URL.Path == "/Z8Z2catalog" || strings.Contains(r.URL.Path, "sequence!"))
			return azuretest.Fault{LoseAnswer: sequence && lost.Add(-1) >= 0, Delay: time.Millisecond}
		})
		db := nearlyfreetest.OpenConfig(t, config)
		exec(t, db, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
		met := 0
		for i := range 300 { // several blocks
			lost.Store(2)
			if _, err := db.Exec("INSERT INTO t (v) VALUES (?)", i); err != nil {
				t.Fatal(err)
			}
			if lost.Load() < 2 {
				met++
			}
		}
		if met < 2 {
			t.Errorf("%d statements lost an answer", met)
		}
		if n := count(t, db, "SELECT COUNT(*) FROM t"); n != 300 {
			t.Errorf("%d rows", n)
		}
		lost.Store(1 << 40)
		var err error
		written := 300
		for err == nil {
			if _, err = db.Exec("INSERT INTO t (v) VALUES (0)"); err == nil {
				written++
			}
		}
		var e *nearlyfree.Error
		if !errors.As(err, &e) || e.Applied != nearlyfree.AppliedNo || !strings.Contains(err.Error(), "AUTO_INCREMENT") {
			t.Errorf("without any answer: %v", err)
		}
		if n := count(t, db, "SELECT COUNT(*) FROM t"); n != written {
			t.Errorf("%d rows, want %d", n, written)
		}
	})
}
