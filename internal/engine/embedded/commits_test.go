package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

func newFile(t *testing.T) *File {
	t.Helper()
	e, err := OpenFile(filepath.Join(t.TempDir(), "store.db"), FileOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.CreateTable(t.Context(), "tab", nil); err != nil {
		t.Fatal(err)
	}
	return e.(*File)
}

func insert(rk string) engine.Commit {
	return engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Entity: engine.Entity{PartitionKey: "p", RowKey: rk,
		Names: []string{"K"}, Values: []engine.Value{{Type: engine.String, S: rk}}}}}}
}

func (f *File) there(t *testing.T, rk string) bool {
	t.Helper()
	_, err := f.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: rk})
	var e *engine.Error
	if err != nil && (!errors.As(err, &e) || e.Code != engine.CodeNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func (f *File) transactions(t *testing.T) int {
	t.Helper()
	id := 0
	if err := f.db.Load().View(func(tx *bolt.Tx) error { id = tx.ID(); return nil }); err != nil {
		t.Fatal(err)
	}
	return id
}

// waitQueued waits until n changes are queued.
func waitQueued(t *testing.T, c *commits, n int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); c.queued() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d changes are queued, want %d", c.queued(), n)
		}
	}
}

// TestGroup: commits that wait together are one transaction of the file, and fail or succeed each alone, in
// order.
func TestGroup(t *testing.T) {
	f := newFile(t)
	before := f.transactions(t)
	f.commits.lead <- struct{}{} // as if a group were being written
	const n = 20
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = f.Commit(t.Context(), insert(fmt.Sprint(i/2))) })
		waitQueued(t, &f.commits, i+1)
	}
	<-f.commits.lead
	wg.Wait()
	for i, err := range errs {
		var e *engine.Error
		if i%2 == 0 && err != nil {
			t.Errorf("the first insert of %d: %v", i/2, err)
		}
		if i%2 == 1 && (!errors.As(err, &e) || e.Code != engine.CodeExists || e.Op != 0) {
			t.Errorf("the second insert of %d: %v", i/2, err)
		}
	}
	if n := f.transactions(t) - before; n != 1 {
		t.Errorf("%d transactions were written, want 1", n)
	}
	etags := map[string]bool{}
	for i := range n / 2 {
		e, err := f.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		etags[e.ETag] = true
	}
	if len(etags) != n/2 {
		t.Errorf("%d commits of one group have %d ETags", n/2, len(etags))
	}
	// What is refused costs no transaction.
	before = f.transactions(t)
	f.Commit(t.Context(), insert("0"))
	if n := f.transactions(t) - before; n != 0 {
		t.Errorf("a refused commit wrote %d transactions", n)
	}
}

// TestWithdraw: a commit whose context ends while it waits is not applied.
func TestWithdraw(t *testing.T) {
	f := newFile(t)
	f.commits.lead <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- f.Commit(ctx, insert("x")) }()
	waitQueued(t, &f.commits, 1)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	<-f.commits.lead
	if err := f.Commit(t.Context(), insert("y")); err != nil {
		t.Fatal(err)
	}
	if f.there(t, "x") || !f.there(t, "y") {
		t.Fatal("a withdrawn commit is applied, or another one is not")
	}
}

// TestTaken: a commit whose context ends while it is being written is reported as what becomes of it.
func TestTaken(t *testing.T) {
	f := newFile(t)
	f.commits.lead <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	reached, goOn := make(chan struct{}), make(chan struct{})
	results := make(chan error, 2)
	go func() {
		results <- f.commits.do(t.Context(), &change{apply: func(*fileTx, uint64, int64) (refused, err error) {
			close(reached)
			<-goOn
			return nil, nil
		}})
	}()
	waitQueued(t, &f.commits, 1)
	go func() { results <- f.Commit(ctx, insert("x")) }()
	waitQueued(t, &f.commits, 2)
	<-f.commits.lead
	<-reached
	cancel()
	select {
	case err := <-results:
		t.Fatalf("a commit that is being written returned %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(goOn)
	for range 2 {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	if !f.there(t, "x") {
		t.Fatal("a commit that succeeded is not there")
	}
}

// TestFull: when the file cannot grow, all that was to be written together fails, not applied, and readers and
// later writers are not harmed.
func TestFull(t *testing.T) {
	f := newFile(t)
	if err := f.Commit(t.Context(), insert("before")); err != nil {
		t.Fatal(err)
	}
	f.db.Load().MaxSize = 1
	f.db.Load().AllocSize = 4096
	large := insert("large")
	for i := range 15 {
		e := &large.Ops[0].Entity
		e.Names = append(e.Names, fmt.Sprint("P", i))
		e.Values = append(e.Values, engine.Value{Type: engine.Binary, S: string(make([]byte, 60<<10))})
	}
	for range 3 {
		var e *engine.Error
		if err := f.Commit(t.Context(), large); !errors.As(err, &e) || e.Applied != engine.NotApplied || e.Cause == nil {
			t.Fatalf("got %#v", err)
		}
	}
	if f.there(t, "large") || !f.there(t, "before") {
		t.Fatal("a failed commit is applied, or an older one is not")
	}
	f.db.Load().MaxSize = 0
	if err := f.Commit(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	if !f.there(t, "large") {
		t.Fatal("the commit is not there")
	}
}

// TestCloseWhileWaiting: commits that wait when the store is closed fail, and none hangs.
func TestCloseWhileWaiting(t *testing.T) {
	f := newFile(t)
	f.commits.lead <- struct{}{}
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() { results <- f.Commit(t.Context(), insert(fmt.Sprint(i))) }()
	}
	waitQueued(t, &f.commits, cap(results))
	f.closed.Store(true)
	<-f.commits.lead
	for range cap(results) {
		var e *engine.Error
		if err := <-results; !errors.As(err, &e) || e.Code != engine.CodeClosed {
			t.Errorf("got %v", err)
		}
	}
	f.closed.Store(false) // for Close to do its work
}
