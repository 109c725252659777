// Package retry says what is tried again, how often, and after which pauses. All loops that try again go by it.
//
//	policy     tries   pauses             what went wrong
//	Request    6       100 ms … 30 s      a request of the store was not answered, or is to come later (Config.Retry sets it)
//	Race       12      2 … 256 ms         another writer changed rows or definitions between reading and writing them
//	Clear      10      2 … 256 ms         a range of keys is not empty after all of it was deleted
//	Outdated   5       none               a statement was planned by a definition that was changed since
//	Intent     -      8 ms … 1 s          a transaction of others is being decided; it is waited for as long as it lives
//	Busy       -       50 ms … 1 s        another session holds a named lock; GET_LOCK says how long to wait
//	Transaction -      1 … 128 ms         a transaction of RunTx met a conflict; it ends when its context does
//
// Pauses double from the first to the longest, each less a random part of up to one half, so that those that collided do not collide again.
//
// Loops nest: a statement is planned again, its rows are read again, a change of definitions within it is made again. Their tries do not
// multiply. A Race that was given up is not restarted by a loop around it. All loops of a statement share one budget: MaxAgain further tries in
// all, and none once MaxTime has passed since the first one, except that MinAgain are always made, because one try of a large statement may take
// long. Progress refills the budget: published definitions, a written window of rows and an emptied range are not done again.
//
// A statement that writes rows goes on beyond that if others have changed them: one of those that collided has succeeded, so giving up is of no
// use. Overtaken ends MaxTime after the first such try, as a database that locks rows stops waiting.
//
// A request has its own tries in each of these, because it is repeated alone: a statement sends at most Request.Tries times the requests of 1 +
// MaxAgain tries. A store that answers nothing ends it after Request.Tries: no other loop repeats a failure of that kind.
//
//	tries := retry.Begin(ctx, retry.Race)
//	for {
//		err := write(tries.Context)
//		if !isRace(err) {
//			return err
//		}
//		if err := tries.Again(err); err != nil {
//			return err
//		}
//	}
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Policy is how one kind of failure is met.
type Policy struct {
	Tries   int           // in all; 0: no bound
	First   time.Duration // before the second try; 0: no pauses
	Longest time.Duration // no pause is longer

	conflict bool // the end is a *ConflictError
}

// The policies. See the package's comment.
var (
	Request  = Policy{Tries: 6, First: 100 * time.Millisecond, Longest: 30 * time.Second}
	Race     = Policy{Tries: 12, First: 2 * time.Millisecond, Longest: 256 * time.Millisecond, conflict: true}
	Clear    = Policy{Tries: 10, First: 2 * time.Millisecond, Longest: 256 * time.Millisecond}
	Outdated = Policy{Tries: 5}
	Busy     = Policy{First: 50 * time.Millisecond, Longest: time.Second}
	Intent   = Policy{First: 8 * time.Millisecond, Longest: time.Second}

	Transaction = Policy{First: time.Millisecond, Longest: 128 * time.Millisecond}
)

// The budget that the loops of a statement share.
const (
	MaxAgain = 24
	MinAgain = 3
	MaxTime  = time.Minute
)

// BelieveDuplicates is the try of a Race from which two rows with the same value of a unique index are believed: if the rows were not read at
// the same time, the first may have given up the value before the other took it.
const BelieveDuplicates = 3

// Pause gives the pause after a try, counted from 1.
func (p Policy) Pause(try int) time.Duration {
	pause := p.Longest
	if shift := min(try-1, 32); p.First <= pause>>shift {
		pause = p.First << shift
	}
	return pause - time.Duration(rand.Int64N(int64(pause)/2+1))
}

// ConflictError says that other writers came between in each try of a Race; nothing was written.
type ConflictError struct {
	Tries int
	Cause error
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("other writers changed the same rows or definitions during each of %d tries; try again", e.Tries)
}

// Unwrap gives the cause.
func (e *ConflictError) Unwrap() error { return e.Cause }

// Loop is what a loop knows of its tries.
type Loop struct {
	Context context.Context // for what is tried: the loops in it share the budget
	Try     int             // from 1
	policy  Policy
	again   int // tries that Again has allowed
}

// Begin begins a loop, and the budget unless a loop around it has one.
func Begin(ctx context.Context, p Policy) Loop {
	return Loop{Context: Statement(ctx), Try: 1, policy: p}
}

// Statement gives a context whose loops share one budget, which is that of ctx if it has one.
func Statement(ctx context.Context) context.Context {
	if budgetOf(ctx) != nil {
		return ctx
	}
	return &budget{Context: ctx}
}

// Again pauses before the next try. If there is none, it returns the cause of the last failure, for a Race in a *ConflictError; if the context
// ends, the context's error.
func (l *Loop) Again(cause error) error {
	var given *ConflictError
	if errors.As(cause, &given) {
		return cause
	}
	made, ok := budgetOf(l.Context).take(l.again+1 != l.policy.Tries)
	switch {
	case ok:
		l.Try++
		l.again++
		return Sleep(l.Context, l.policy.Pause(l.again))
	case l.policy.conflict:
		return &ConflictError{made, cause}
	}
	return cause
}

// Overtaken is Again after others have changed, and so got ahead with, what was to be written. It takes nothing from the budget.
func (l *Loop) Overtaken(cause error) error {
	var given *ConflictError
	if errors.As(cause, &given) {
		return cause
	}
	made, ok := budgetOf(l.Context).overtake()
	if !ok {
		return &ConflictError{made, cause}
	}
	l.Try++
	return Sleep(l.Context, l.policy.Pause(made))
}

// Progress says that something was done that no try repeats: the count begins anew.
func (l *Loop) Progress() {
	l.Try, l.again = 1, 0
	Progress(l.Context)
}

// Progress refills the budget of a statement that has done something that no try of it repeats.
func Progress(ctx context.Context) {
	if b := budgetOf(ctx); b != nil {
		b.fill()
	}
}

// budget is a context with what the loops of a statement share.
type budget struct {
	context.Context
	mu    sync.Mutex
	again int       // tries again since the budget was full
	since time.Time // of the first of them

	overtaken      int       // tries again because others had succeeded
	overtakenSince time.Time // the first of them
}

type budgetKey struct{}

func (b *budget) Value(key any) any {
	if _, ok := key.(budgetKey); ok {
		return b
	}
	return b.Context.Value(key)
}

// budgetOf gives nil if no loop has begun.
func budgetOf(ctx context.Context) *budget {
	b, _ := ctx.Value(budgetKey{}).(*budget)
	return b
}

// take takes another try, if there is one and it is wanted. It gives the number of tries before.
func (b *budget) take(wanted bool) (made int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	made = b.again + 1
	if b.again == 0 {
		b.since = time.Now()
	}
	if !wanted || b.again == MaxAgain || b.again >= MinAgain && time.Since(b.since) > MaxTime {
		return made, false
	}
	b.again++
	return made, true
}

// overtake takes another try after others have succeeded.
func (b *budget) overtake() (made int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.overtaken == 0 {
		b.overtakenSince = time.Now()
	}
	b.overtaken++
	return b.overtaken, b.overtaken <= MinAgain || time.Since(b.overtakenSince) <= MaxTime
}

func (b *budget) fill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.again, b.overtaken = 0, 0
}
