package exec

import (
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Account counts the memory that several statements hold together: all statements of a Connector, or of the process.
type Account struct {
	Name   string   // of the option that limits it, for errors
	Parent *Account // counts these statements and others; nil: none
	max    atomic.Int64
	held   atomic.Int64
}

// Process is the account of all statements of the process. It has no limit unless it is given one.
var Process = &Account{Name: "SetMemoryLimit"}

// NewAccount makes an account within the process's. max is in bytes; 0: no limit.
func NewAccount(name string, max int64) *Account {
	a := &Account{Name: name, Parent: Process}
	a.max.Store(max)
	return a
}

// SetMax sets the limit in bytes, 0 for none, and gives the previous one.
func (a *Account) SetMax(max int64) int64 { return a.max.Swap(max) }

// Max is the limit in bytes; 0: none.
func (a *Account) Max() int64 { return a.max.Load() }

// Held is how many bytes all statements of the account hold, each rounded up to an accountStep.
func (a *Account) Held() int64 { return a.held.Load() }

// add counts bytes; a negative number gives them back. over is an account that then holds too many bytes.
func (a *Account) add(bytes int64) (over *Account) {
	for ; a != nil; a = a.Parent {
		held := a.held.Add(bytes)
		if most := a.max.Load(); most > 0 && held > most && over == nil {
			over = a
		}
	}
	return over
}

// accountStep is a number of bytes. All cores share the accounts, so an execution takes memory from them in such steps: most
// charges change only its own count.
const accountStep = 16 << 10

// Charge accounts for memory that an operator keeps; release gives it back.
func (r *Run) Charge(bytes int64, operator string) error {
	if r.around != nil {
		return r.around.Charge(bytes, operator)
	}
	held := r.held.Add(bytes)
	over := r.take(held)
	switch {
	case r.Rt.MaxMemory > 0 && held > r.Rt.MaxMemory:
		return &MemoryError{Operator: operator, Max: r.Rt.MaxMemory}
	case over != nil:
		return &MemoryError{Operator: operator, Max: over.Max(), Shared: over.Name}
	}
	return nil
}

func (r *Run) release(bytes int64) {
	if r.around != nil {
		r.around.release(bytes)
		return
	}
	r.take(r.held.Add(-bytes))
}

// take makes the accounts count what r holds, rounded up to a step. It gives nothing back before two steps are free, so that a
// value that is held and released again and again changes nothing. over is an account that now holds too many bytes.
func (r *Run) take(held int64) (over *Account) {
	for {
		taken := r.taken.Load()
		if taken-2*accountStep < held && held <= taken {
			return nil
		}
		next := (max(held, 0) + accountStep - 1) / accountStep * accountStep
		if r.taken.CompareAndSwap(taken, next) {
			return r.Rt.Account.add(next - taken)
		}
		held = r.held.Load()
	}
}

// End gives back whatever the execution still holds. No part of it may still be running.
func (r *Run) End() {
	r.LetGo()
	r.held.Store(0)
	if taken := r.taken.Swap(0); taken != 0 {
		r.Rt.Account.add(-taken)
	}
}

// Hold and Release implement expr.Memory, for values that are kept within an expression.
func (r *Run) Hold(bytes int64) error { return r.Charge(bytes, "expression") }

// Release implements expr.Memory.
func (r *Run) Release(bytes int64) { r.release(bytes) }

var _ expr.Memory = (*Run)(nil)

// TextBytes is the size of what values hold outside the value.Value itself.
func TextBytes(row []value.Value) (bytes int64) {
	for i := range row {
		bytes += int64(len(row[i].Text()))
	}
	return bytes
}
