package nearlyfreetest

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Fault is what goes wrong with a request to an Account.
type Fault int

// The faults.
const (
	// Throttled: the service says that it is busy (503). The driver waits and tries again; a statement fails with ErrThrottled if every try is
	// refused.
	Throttled Fault = iota
	// LostAnswer: a write is done, and the connection breaks before the answer. The driver finds out what became of it.
	LostAnswer
	// Conflict: a write finds that another writer has changed the row (412). The driver reads and computes a statement again; in a
	// transaction it fails with ErrConflict.
	Conflict
	// NoAnswer: the service gets the request and never answers, so the statement ends with its context, or each try with
	// RetryOptions.TryTimeout, which is 2 s here where the Config says nothing.
	NoAnswer
)

// Account is a simulated Azure account in this process, in memory: the driver speaks the service's protocol with it, and a test says what goes
// wrong. Real time passes only while the driver waits before a retry, here a millisecond, and while it waits for NoAnswer.
type Account struct {
	// DB is a database of the account, closed and checked when the test ends.
	DB *sql.DB

	mu   sync.Mutex
	left []injected
}

type injected struct {
	fault Fault
	times int
}

// OpenAccount gives a fresh, empty account.
func OpenAccount(t testing.TB) *Account {
	t.Helper()
	return OpenAccountConfig(t, &nearlyfree.Config{})
}

// OpenAccountConfig is OpenAccount with settings. Store and Transport are the account's. Unless Retry sets them, the pause before a retry is a
// millisecond, and the wait for an answer 2 s.
func OpenAccountConfig(t testing.TB, c *nearlyfree.Config) *Account {
	t.Helper()
	a := &Account{}
	own := *c
	own.Store = "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key
	own.Transport = &azuretest.Transport{Service: azuretest.NewService(embedded.OpenMemory(embedded.Options{})), Fault: a.next}
	if own.Retry.FirstDelay == 0 {
		own.Retry.FirstDelay = time.Millisecond
	}
	if own.Retry.TryTimeout == 0 {
		own.Retry.TryTimeout = 2 * time.Second
	}
	if own.SchemaLease == 0 {
		own.SchemaLease = time.Millisecond // so that nothing waits for it
	}
	a.DB = OpenConfig(t, &own)
	t.Cleanup(a.Heal) // before the database is checked: cleanups run last first
	return a
}

// Inject makes a fault hit the next requests that it can hit, as many as times says. LostAnswer and Conflict hit writes of rows, the others any
// request. Faults wait in turn.
func (a *Account) Inject(f Fault, times int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = append(a.left, injected{f, times})
}

// Heal withdraws the faults that have not hit a request yet.
func (a *Account) Heal() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = nil
}

// Pending is how many requests are still to be hit.
func (a *Account) Pending() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, i := range a.left {
		n += i.times
	}
	return n
}

// next says what goes wrong with a request.
func (a *Account) next(_ int, r *http.Request) azuretest.Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.left) == 0 {
		return azuretest.Fault{}
	}
	first := &a.left[0]
	if (first.fault == LostAnswer || first.fault == Conflict) && !writesRows(r) {
		return azuretest.Fault{}
	}
	fault := first.fault
	if first.times--; first.times <= 0 {
		a.left = a.left[1:]
	}
	switch fault {
	case LostAnswer:
		return azuretest.Fault{LoseAnswer: true}
	case Conflict:
		return azuretest.Fault{Status: http.StatusPreconditionFailed, Code: "UpdateConditionNotSatisfied"}
	case NoAnswer:
		return azuretest.Fault{Delay: 1 << 62}
	}
	return azuretest.Fault{Status: http.StatusServiceUnavailable, Code: "ServerBusy"}
}

// writesRows says whether a request changes rows, rather than the driver's own entities.
func writesRows(r *http.Request) bool {
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/Tables") {
		return false
	}
	own := strings.TrimPrefix(keymap.CatalogTable(""), keymap.DatabasePrefix("")) // how the name of each catalog ends
	if strings.Contains(r.URL.Path, own) {
		return false
	}
	if r.Body == nil {
		return true
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && !bytes.Contains(body, []byte(own))
}
