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

// hold accounts for memory that an operator keeps; release gives it back.
func (r *run) hold(bytes int64, operator string) error {
	held := r.held.Add(bytes)
	if r.rt.MaxMemory > 0 && held > r.rt.MaxMemory {
		return &MemoryError{Operator: operator, Max: r.rt.MaxMemory}
	}
	if all := r.rt.Account; all != nil && all.held.Add(bytes) > all.Max {
		return &MemoryError{Operator: operator, Max: all.Max, Shared: true}
	}
	return nil
}

func (r *run) release(bytes int64) {
	r.held.Add(-bytes)
	if all := r.rt.Account; all != nil {
		all.held.Add(-bytes)
	}
}

// end gives back whatever the execution still holds. Nothing of it runs any more.
func (r *run) end() {
	if held := r.held.Swap(0); held != 0 && r.rt.Account != nil {
		r.rt.Account.held.Add(-held)
	}
}

// Hold and Release implement expr.Memory, for values that wait within an expression.
func (r *run) Hold(bytes int64) error { return r.hold(bytes, "expression") }

// Release implements expr.Memory.
func (r *run) Release(bytes int64) { r.release(bytes) }

var _ expr.Memory = (*run)(nil)

// textBytes is the size of what values have beside themselves.
func textBytes(row []value.Value) (bytes int64) {
	for i := range row {
		bytes += int64(len(row[i].Text()))
	}
	return bytes
}
