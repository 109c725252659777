package catalog

import (
	"context"
	"slices"
	"sync"
)

// writers are the statements of this process that write, by epochs: a change of definitions ends the epoch, and waits for
// the statements of that one and of all before. Nobody waits for the change.
type writers struct {
	mu     sync.Mutex // never held over a wait
	now    *epoch
	former []*epoch // those with statements under way
}

type epoch struct {
	running int
	ended   chan struct{} // closed when the last statement of a former epoch has ended
}

// begin joins the epoch of now; what it returns leaves that.
func (w *writers) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		w.now = &epoch{ended: make(chan struct{})}
	}
	e := w.now
	e.running++
	return func() { w.end(e) }
}

func (w *writers) end(e *epoch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.running--
	if e == w.now || e.running > 0 {
		return
	}
	close(e.ended)
	w.former = slices.DeleteFunc(w.former, func(f *epoch) bool { return f == e })
}

// wait returns when all statements have ended that began before, or ctx.
func (w *writers) wait(ctx context.Context) error {
	for _, e := range w.turn() {
		select {
		case <-e.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// turn ends the epoch of now, and gives those whose statements are under way.
func (w *writers) turn() []*epoch {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != nil && w.now.running > 0 {
		w.former = append(w.former, w.now)
		w.now = nil
	}
	return slices.Clone(w.former)
}
