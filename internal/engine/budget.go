package engine

import (
	"fmt"
	"sync/atomic"
)

// Budget is how many requests a statement may make; nil is unlimited. Many goroutines may use it.
type Budget struct {
	Max  int64
	made atomic.Int64
}

// Take takes n requests, before they are sent if their number is known by then.
func (b *Budget) Take(n int64) error {
	if b == nil || n == 0 {
		return nil
	}
	if made := b.made.Add(n); made > b.Max {
		return &BudgetError{Needs: made, Max: b.Max}
	}
	return nil
}

// Left is how many more requests may be made. The Budget must not be nil.
func (b *Budget) Left() int64 { return b.Max - b.made.Load() }

// BudgetError says that a statement needs more requests than its Budget has.
type BudgetError struct{ Needs, Max int64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the statement needs %d requests at least, and max_requests, or max_cost, allows %d", e.Needs, e.Max)
}
