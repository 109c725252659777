package exec

import (
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Account is the memory that several statements hold together: those of one Connector, or of the process.
type Account struct {
	Name   string   // of the bound, for errors
	Parent *Account // that counts the same, and more; nil: none
	max    atomic.Int64
	held   atomic.Int64
}

// Process is the account of all statements of the process. It has no bound unless it is given one.
var Process = &Account{Name: "SetMemoryLimit"}

// NewAccount makes an account within that of the process. max is in bytes; 0: no bound.
func NewAccount(name string, max int64) *Account {
	a := &Account{Name: name, Parent: Process}
	a.max.Store(max)
	return a
}

// SetMax sets the bound in bytes, 0 for none, and gives the one before.
func (a *Account) SetMax(max int64) int64 { return a.max.Swap(max) }

// Max is the bound in bytes; 0: none.
func (a *Account) Max() int64 { return a.max.Load() }

// Held is how many bytes all statements of the account hold.
func (a *Account) Held() int64 { return a.held.Load() }

// add accounts for bytes, which are below 0 when they are given back. over is the account that has too many then.
func (a *Account) add(bytes int64) (over *Account) {
	for ; a != nil; a = a.Parent {
		held := a.held.Add(bytes)
		if most := a.max.Load(); most > 0 && held > most && over == nil {
			over = a
		}
	}
	return over
}

// Charge accounts for memory that an operator keeps; release gives it back.
func (r *Run) Charge(bytes int64, operator string) error {
	held := r.held.Add(bytes)
	over := r.Rt.Account.add(bytes)
	switch {
	case r.Rt.MaxMemory > 0 && held > r.Rt.MaxMemory:
		return &MemoryError{Operator: operator, Max: r.Rt.MaxMemory}
	case over != nil:
		return &MemoryError{Operator: operator, Max: over.Max(), Shared: over.Name}
	}
	return nil
}

func (r *Run) release(bytes int64) {
	r.held.Add(-bytes)
	r.Rt.Account.add(-bytes)
}

// End gives back whatever the execution still holds. Nothing of it runs any more.
func (r *Run) End() {
	if held := r.held.Swap(0); held != 0 {
		r.Rt.Account.add(-held)
	}
}

// Hold and Release implement expr.Memory, for values that wait within an expression.
func (r *Run) Hold(bytes int64) error { return r.Charge(bytes, "expression") }

// Release implements expr.Memory.
func (r *Run) Release(bytes int64) { r.release(bytes) }

var _ expr.Memory = (*Run)(nil)

// TextBytes is the size of what values have beside themselves.
func TextBytes(row []value.Value) (bytes int64) {
	for i := range row {
		bytes += int64(len(row[i].Text()))
	}
	return bytes
}
