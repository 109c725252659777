package exec

import (
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Account is the memory that all statements of a process hold together.
type Account struct {
	Max  int64 // bytes; 0: no bound
	held atomic.Int64
}

// Charge accounts for memory that an operator keeps; release gives it back.
func (r *Run) Charge(bytes int64, operator string) error {
	held := r.held.Add(bytes)
	if r.Rt.MaxMemory > 0 && held > r.Rt.MaxMemory {
		return &MemoryError{Operator: operator, Max: r.Rt.MaxMemory}
	}
	if all := r.Rt.Account; all != nil && all.held.Add(bytes) > all.Max {
		return &MemoryError{Operator: operator, Max: all.Max, Shared: true}
	}
	return nil
}

func (r *Run) release(bytes int64) {
	r.held.Add(-bytes)
	if all := r.Rt.Account; all != nil {
		all.held.Add(-bytes)
	}
}

// End gives back whatever the execution still holds. Nothing of it runs any more.
func (r *Run) End() {
	if held := r.held.Swap(0); held != 0 && r.Rt.Account != nil {
		r.Rt.Account.held.Add(-held)
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

// Held is how many bytes all statements together hold.
func (a *Account) Held() int64 { return a.held.Load() }
