package nearlyfreetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Watch is an Observer that knows what statements cost. Each database that this package opens has one. For any other, make one the Config's
// Observer, and pass it to AssertRequests and the like instead of the database. The zero Watch is ready to use.
type Watch struct {
	mu    sync.Mutex
	tapes []*tape
}

// tape is what a Watch recorded while something ran.
type tape struct{ statements []*nearlyfree.Statement }

var _ nearlyfree.Observer = (*Watch)(nil)

// Statement implements nearlyfree.Observer.
func (w *Watch) Statement(_ context.Context, s *nearlyfree.Statement) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tapes {
		t.statements = append(t.statements, s)
	}
}

// during gives the statements that end while f runs.
func (w *Watch) during(f func()) []*nearlyfree.Statement {
	t := &tape{}
	w.mu.Lock()
	w.tapes = append(w.tapes, t)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tapes = slices.DeleteFunc(w.tapes, func(x *tape) bool { return x == t })
	}()
	f()
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.statements
}

// watches are those of the databases that this package has opened.
var watches sync.Map // *sql.DB: *Watch

// Watched is a database that this package has opened, or a Watch.
type Watched interface{ *sql.DB | *Watch }

func watchOf[W Watched](t testing.TB, of W) *Watch {
	t.Helper()
	switch of := any(of).(type) {
	case *Watch:
		return of
	case *sql.DB:
		if w, ok := watches.Load(of); ok {
			return w.(*Watch)
		}
	}
	t.Fatal("nearlyfreetest: the database was opened elsewhere: open it with a *nearlyfreetest.Watch as Config.Observer, and give that in its place")
	return nil
}

// AssertRequests fails the test unless the statements of f make exactly so many requests, and lists the requests of each. In memory and on a
// file these are the requests that the same work takes on Azure. A statement counts when it is over: a query when its rows are closed. Work of
// other goroutines on the same database meanwhile counts, too; reading and keeping table definitions does not.
func AssertRequests[W Watched](t testing.TB, db W, requests int64, f func()) {
	t.Helper()
	done := watchOf(t, db).during(f)
	if n := requestsOf(done); n != requests {
		t.Errorf("nearlyfreetest: %d requests were made, and %d expected:\n%s", n, requests, list(done))
	}
}

// AssertNoScan fails the test if a statement of f reads a whole table or partition but does not want all of it. It names the statement, and the
// index that would serve it. It checks the statement's plan, so a table of three rows is enough. It ignores a statement whose hint /*+
// allow_scan */ permits the scan, and one that returns, or changes, all rows that it reads.
func AssertNoScan[W Watched](t testing.TB, db W, f func()) {
	t.Helper()
	for _, wrong := range scansOf(watchOf(t, db).during(f)) {
		t.Errorf("nearlyfreetest: %s", wrong)
	}
}

// Handler gives a handler that does what h does, and fails the test if an HTTP request makes more than so many requests to the store (negative:
// no bound), or scans in the sense of AssertNoScan. It serves one request after the other, so that each is charged only with its own requests.
func Handler[W Watched](t testing.TB, db W, requests int64, h http.Handler) http.Handler {
	t.Helper()
	w := watchOf(t, db)
	var turn sync.Mutex
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		turn.Lock()
		defer turn.Unlock()
		done := w.during(func() { h.ServeHTTP(rw, r) })
		for _, wrong := range scansOf(done) {
			t.Errorf("nearlyfreetest: %s %s: %s", r.Method, r.URL.Path, wrong)
		}
		if n := requestsOf(done); requests >= 0 && n > requests {
			t.Errorf("nearlyfreetest: %s %s: %d requests were made, and %d are allowed:\n%s", r.Method, r.URL.Path, n, requests, list(done))
		}
	})
}

func requestsOf(statements []*nearlyfree.Statement) (n int64) {
	for _, s := range statements {
		n += s.Stats.Requests
	}
	return n
}

// list is statements with what they cost, one a line.
func list(statements []*nearlyfree.Statement) string {
	if len(statements) == 0 {
		return "\tno statement was over"
	}
	var b strings.Builder
	for i, s := range statements {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\t%d by %s", s.Stats.Requests, s.Text)
		if plan := s.Plan(); plan != "" {
			fmt.Fprintf(&b, " (%s)", plan)
		}
	}
	return b.String()
}

// scansOf lists the statements that read, without a key, rows that they do not want.
func scansOf(statements []*nearlyfree.Statement) (wrong []string) {
	for _, s := range statements {
		scans := s.Scans()
		var refused *planner.ScanRefusedError
		if scans == nil || !errors.As(scans, &refused) {
			continue
		}
		selects := slices.ContainsFunc(refused.Reasons, func(r planner.ScanReason) bool { return len(r.Conditions) > 0 })
		if selects || s.Rows < s.Stats.EntitiesReturned {
			wrong = append(wrong, fmt.Sprintf("%s: %v", s.Text, scans))
		}
	}
	return wrong
}
