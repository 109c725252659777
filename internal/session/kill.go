package session

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var errInterrupted = statementError(sqlerr.CodeInterrupted, "Query execution was interrupted")

// interruptible is the context of a statement that KILL may end. A short statement only asks it whether it has ended, which costs
// almost nothing; waiting for its end makes it create a context that can be cancelled.
type interruptible struct {
	outer  context.Context // the caller's
	killed atomic.Bool
	inner  atomic.Pointer[cancellable] // nil: nothing waits for it
}

type cancellable struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Deadline implements context.Context.
func (c *interruptible) Deadline() (time.Time, bool) { return c.outer.Deadline() }

// Done implements context.Context.
func (c *interruptible) Done() <-chan struct{} {
	in := c.inner.Load()
	if in == nil {
		made := &cancellable{}
		made.Context, made.cancel = context.WithCancelCause(c.outer)
		if in = made; !c.inner.CompareAndSwap(nil, made) {
			made.cancel(nil)
			in = c.inner.Load()
		}
		if c.killed.Load() {
			in.cancel(errInterrupted)
		}
	}
	return in.Done()
}

// Err implements context.Context.
func (c *interruptible) Err() error {
	if in := c.inner.Load(); in != nil {
		return in.Err()
	}
	if c.killed.Load() {
		return context.Canceled
	}
	return c.outer.Err()
}

// Value implements context.Context.
func (c *interruptible) Value(key any) any {
	if in := c.inner.Load(); in != nil {
		return in.Value(key) // so that contexts derived from this one derive from it
	}
	return c.outer.Value(key)
}

func (c *interruptible) kill() {
	c.killed.Store(true)
	if in := c.inner.Load(); in != nil {
		in.cancel(errInterrupted)
	}
}

// reason gives the error of a statement that ended with err: that it was interrupted, if it was and err does not say more.
func (c *interruptible) reason(err error) error {
	if c == nil || err == nil || !c.killed.Load() {
		return err
	}
	var (
		partial *dml.PartialError
		halfway *ddl.HalfwayError
		known   *sqlerr.Error
	)
	switch {
	case errors.As(err, &partial):
		partial.Cause = errInterrupted
		return err
	case errors.As(err, &halfway):
		halfway.Cause = errInterrupted
		return err
	case engine.IsUnsure(err), errors.As(err, &known):
		return err
	}
	return errInterrupted
}

// interruptibly begins a statement that KILL may end, until goes is called.
func (s *Session) interruptibly(ctx context.Context) *interruptible {
	c := s.interrupts
	if s.interrupts = nil; c == nil {
		c = &interruptible{}
	}
	c.outer = ctx
	s.at.mu.Lock()
	s.at.running = append(s.at.running, c)
	s.at.mu.Unlock()
	return c
}

// goes says that the statement of c is over; c may be nil.
func (s *Session) goes(c *interruptible) {
	if c == nil {
		return
	}
	s.at.mu.Lock()
	if last := len(s.at.running) - 1; last >= 0 && s.at.running[last] == c {
		s.at.running[last] = nil
		s.at.running = s.at.running[:last]
	} else {
		s.at.running = slices.DeleteFunc(s.at.running, func(o *interruptible) bool { return o == c })
	}
	s.at.mu.Unlock()
	if in := c.inner.Load(); in != nil {
		in.cancel(nil)
		return
	}
	if c.outer = nil; !c.killed.Load() {
		s.interrupts = c // no context derives from it
	}
}

// interrupt ends the statements of the session that are under way, from another goroutine.
func (s *Session) interrupt() {
	s.at.mu.Lock()
	defer s.at.mu.Unlock()
	for _, c := range s.at.running {
		c.kill()
	}
}

// Killed says whether KILL has ended the session.
func (s *Session) Killed() bool { return s.at.killed.Load() }

// kill is KILL. It knows only the sessions of the Database.
func (s *Session) kill(ctx context.Context, stmt *dialect.Kill, args []value.Value) error {
	v, err := s.evaluate(ctx, stmt.ID, args)
	if err != nil {
		return err
	}
	id := int64(value.ToFloat(v))
	other := s.db.session(id)
	if other == nil {
		return statementError(sqlerr.CodeNoSuchThread, "Unknown thread id: %d", id)
	}
	if !stmt.Query {
		other.at.killed.Store(true)
		s.db.leave(other)
	}
	other.interrupt()
	if other == s {
		return errInterrupted
	}
	return nil
}
