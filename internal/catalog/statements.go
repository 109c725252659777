package catalog

import (
	"context"
	"slices"
	"sync"
	"time"
)

// statements are the statements of this process that are under way, by epoch. A change of definitions ends the current epoch, and
// waits for its statements and those of earlier epochs. No statement waits for the change.
type statements struct {
	mu     sync.Mutex // never held during a wait
	now    *Epoch
	former []*Epoch // earlier ones with statements under way
}

// Epoch holds the statements that began between two changes of definitions.
type Epoch struct {
	of      *statements
	running int
	ended   chan struct{} // closed when the last statement of a former epoch has ended
}

// begin joins the current epoch; End leaves it.
func (s *statements) begin() *Epoch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = &Epoch{of: s, ended: make(chan struct{})}
	}
	s.now.running++
	return s.now
}

// End says that a statement is over. It does nothing on nil.
func (e *Epoch) End() {
	if e == nil {
		return
	}
	s := e.of
	s.mu.Lock()
	defer s.mu.Unlock()
	e.running--
	if e == s.now || e.running > 0 {
		return
	}
	close(e.ended)
	s.former = slices.DeleteFunc(s.former, func(f *Epoch) bool { return f == e })
}

// idle says whether no statement is under way.
func (s *statements) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.former) == 0 && (s.now == nil || s.now.running == 0)
}

// turn ends the current epoch, and gives the epochs that have statements under way.
func (s *statements) turn() []*Epoch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil && s.now.running > 0 {
		s.former = append(s.former, s.now)
		s.now = nil
	}
	return slices.Clone(s.former)
}

// wait returns when all statements of epochs have ended or, with an error, when ctx has.
func wait(ctx context.Context, epochs []*Epoch) error {
	for _, e := range epochs {
		select {
		case <-e.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// waitAtMost is wait that gives up after d, without an error.
func waitAtMost(ctx context.Context, epochs []*Epoch, d time.Duration) error {
	if len(epochs) == 0 {
		return ctx.Err()
	}
	bounded, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if wait(bounded, epochs) == nil {
		return nil
	}
	return ctx.Err()
}
