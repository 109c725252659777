package nearlyfree

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// locker opens a connection to a service that others use, too, as another process does.
func locker(t *testing.T, service *azuretest.Service) (*Connector, *sql.Conn) {
	t.Helper()
	k, err := NewConnector(&Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, Transport: &azuretest.Transport{Service: service}})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(k)
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); db.Close() })
	return k, c
}

func ask(t *testing.T, c *sql.Conn, query string) (n sql.NullInt64) {
	t.Helper()
	if err := c.QueryRowContext(context.Background(), "SELECT "+query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// TestNamedLocksOfProcesses: a lock holds among processes, is renewed while it is held, is given back, and ends some time
// after its process.
func TestNamedLocksOfProcesses(t *testing.T) {
	was := lockLease
	lockLease = 300 * time.Millisecond
	t.Cleanup(func() { lockLease = was })
	service := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
	ka, a := locker(t, service)
	_, b := locker(t, service)
	yes, no, null := sql.NullInt64{Int64: 1, Valid: true}, sql.NullInt64{Valid: true}, sql.NullInt64{}
	want := func(c *sql.Conn, query string, want sql.NullInt64) {
		t.Helper()
		if got := ask(t, c, query); got != want {
			t.Errorf("%s is %v, want %v", query, got, want)
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
	want(b, "RELEASE_ALL_LOCKS()", sql.NullInt64{Int64: 2, Valid: true})
	want(a, "IS_FREE_LOCK('other')", yes)

	// A waiter gets it when it is given back.
	want(a, "GET_LOCK('l', 0)", yes)
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = a.ExecContext(context.Background(), "DO RELEASE_LOCK('l')")
	}()
	want(b, "GET_LOCK('l', 10)", yes)
	want(b, "RELEASE_LOCK('l')", yes)

	// A context ends the wait.
	want(a, "GET_LOCK('l', 0)", yes)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := b.QueryRowContext(ctx, "SELECT GET_LOCK('l', -1)").Scan(new(int)); err == nil || time.Since(begin) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}

	// A process that ends without giving it back: nobody renews it.
	ka.store.locks.mu.Lock()
	for _, h := range ka.store.locks.held {
		h.renewal()
	}
	ka.store.locks.mu.Unlock()
	want(b, "GET_LOCK('l', 10)", yes)
	want(a, "RELEASE_LOCK('l')", no) // it was lost
	want(b, "IS_FREE_LOCK('l')", no)
}

// TestNamedLocksOfOneStore: two Connectors of one memory share its locks; two databases of it do not.
func TestNamedLocksOfOneStore(t *testing.T) {
	var conns []*sql.Conn
	for _, dsn := range []string{"mem://locks", "mem://locks", "mem://locks?database=other"} {
		db, err := sql.Open("nearlyfree", dsn)
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(); db.Close() })
		conns = append(conns, c)
	}
	for i, want := range []int64{1, 0, 1} {
		if got := ask(t, conns[i], "GET_LOCK('l', 0)"); got.Int64 != want {
			t.Errorf("connection %d gets %d, want %d", i, got.Int64, want)
		}
	}
}
