package session

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// open begins a session over an engine.
func open(t *testing.T, e engine.Engine) *Session {
	t.Helper()
	closing := make(chan struct{})
	d := &Database{Settings: Settings{Name: schema.DatabaseName(""), Logger: slog.New(slog.DiscardHandler)}, Locks: &Locks{}, Closing: closing}
	d.Catalog = catalog.Open(e, "", 0, &d.Maintenance)
	d.Runtime = &exec.Runtime{Engine: e, Parallel: 1, Logger: d.Logger, Sequences: d.Catalog, Definitions: d.Catalog}
	s := New(d)
	t.Cleanup(func() {
		s.Close()
		close(closing)
		if err := d.Catalog.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// locker begins a session over a service that others use, too, as another process does.
func locker(t *testing.T, service *azuretest.Service) *Session {
	t.Helper()
	return open(t, shared(t, &azuretest.Transport{Service: service}))
}

// shared opens an engine that other processes may use, too.
func shared(t *testing.T, transport *azuretest.Transport) engine.Engine {
	t.Helper()
	options, err := azure.ParseConnectionString("AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key)
	if err != nil {
		t.Fatal(err)
	}
	options.Transport = transport
	e, err := azure.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ask runs a query, and gives the first value of its first row.
func (s *Session) ask(ctx context.Context, query string) (value.Value, error) {
	p, err := s.Prepare(query)
	if err != nil {
		return value.NullValue, err
	}
	out, err := s.Run(ctx, p, nil)
	if err != nil {
		return value.NullValue, err
	}
	defer out.Close()
	row, err := out.Next()
	if err != nil {
		return value.NullValue, err
	}
	return row[0], nil
}

// TestNamedLocksOfProcesses: a lock holds among processes, is renewed while it is held, is given back, and ends some time
// after its process.
func TestNamedLocksOfProcesses(t *testing.T) { synctest.Test(t, namedLocksOfProcesses) }

func namedLocksOfProcesses(t *testing.T) {
	was := lockLease
	lockLease = 300 * time.Millisecond
	t.Cleanup(func() { lockLease = was })
	service := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
	a := locker(t, service)
	b := locker(t, service)
	const yes, no, null = "1", "0", "NULL"
	want := func(s *Session, query, want string) {
		t.Helper()
		if got, err := s.ask(t.Context(), "SELECT "+query); err != nil || value.Text(got) != want {
			t.Errorf("%s is %v, %v, want %s", query, got, err, want)
		}
	}
	want(a, "IS_FREE_LOCK('l')", yes)
	want(a, "GET_LOCK('l', 0)", yes)
	want(a, "GET_LOCK('L', 0)", yes)
	want(b, "GET_LOCK('l', 0)", no)
	want(b, "IS_FREE_LOCK('l')", no)
	want(b, "RELEASE_LOCK('l')", no)
	want(b, "GET_LOCK('l', 1)", no) // renewed: three leases have passed
	want(b, "GET_LOCK('other', 0)", yes)
	want(a, "RELEASE_LOCK('l')", yes)
	want(b, "GET_LOCK('l', 0)", no)
	want(a, "RELEASE_LOCK('l')", yes)
	want(a, "RELEASE_LOCK('l')", null)
	want(b, "GET_LOCK('l', 0)", yes)
	want(b, "RELEASE_ALL_LOCKS()", "2")
	want(a, "IS_FREE_LOCK('other')", yes)

	// A waiter gets it when it is given back.
	want(a, "GET_LOCK('l', 0)", yes)
	released := make(chan struct{})
	go func() {
		defer close(released)
		time.Sleep(50 * time.Millisecond)
		_, _ = a.ask(context.Background(), "SELECT RELEASE_LOCK('l')")
	}()
	want(b, "GET_LOCK('l', 10)", yes)
	<-released
	want(b, "RELEASE_LOCK('l')", yes)

	// A context ends the wait.
	want(a, "GET_LOCK('l', 0)", yes)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := b.ask(ctx, "SELECT GET_LOCK('l', -1)"); err == nil || time.Since(begin) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}

	// A process that ends without giving it back: nobody renews it.
	a.db.Locks.mu.Lock()
	for _, h := range a.db.Locks.held {
		h.renewal()
	}
	a.db.Locks.mu.Unlock()
	want(b, "GET_LOCK('l', 10)", yes)
	want(a, "RELEASE_LOCK('l')", no) // it was lost
	want(b, "IS_FREE_LOCK('l')", no)
}

// TestCloseWithoutAnswer: sessions that hold locks end soon where the store does not answer, however many they are, and their
// locks end with their leases. Once it answers, locks are given back again.
func TestCloseWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		service := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
		first := open(t, shared(t, &azuretest.Transport{Service: service, Fault: func(int, *http.Request) (f azuretest.Fault) {
			if silent.Load() {
				f.Delay = time.Hour
			}
			return f
		}}))
		other := locker(t, service)
		got := func(s *Session, query, want string) {
			t.Helper()
			if v, err := s.ask(t.Context(), "SELECT "+query); err != nil || value.Text(v) != want {
				t.Errorf("%s is %v, %v, want %s", query, v, err, want)
			}
		}
		sessions := []*Session{first, New(first.db), New(first.db)}
		for i, s := range sessions {
			got(s, fmt.Sprintf("GET_LOCK('l%d', 0)", i), "1")
			got(s, fmt.Sprintf("GET_LOCK('m%d', 0)", i), "1")
		}
		silent.Store(true)
		start := time.Now()
		for _, s := range sessions {
			s.Close()
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("closing took %v", took)
		}
		got(other, "GET_LOCK('l2', 0)", "0")
		got(other, "GET_LOCK('l2', 40)", "1")

		silent.Store(false)
		last := New(first.db)
		got(last, "GET_LOCK('l0', 40)", "1")
		last.Close()
		got(other, "IS_FREE_LOCK('l0')", "1")
	})
}
