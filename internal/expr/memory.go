package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// Memory accounts for what a statement holds at a time. Hold fails when it would be more than the statement may.
type Memory interface {
	Hold(bytes int64) error
	Release(bytes int64)
}

// largeText is the size from which a value is accounted for while it waits to be used: smaller ones are as many as the
// statement's text names, and that is bounded.
const largeText = 16 << 10

// Large gives the bytes of a value that are to be accounted for; 0 of a small one.
func Large(v value.Value) int64 {
	if n := len(v.Text()); n >= largeText {
		return int64(n)
	}
	return 0
}

// hold accounts for a value that waits, if it is a large one, and adds to held what is to be released.
func (e *Env) hold(v value.Value, held *int64) error {
	n := Large(v)
	*held += n
	return e.holdBytes(n)
}

func (e *Env) holdBytes(n int64) error {
	if n == 0 || e.Memory == nil {
		return nil
	}
	return e.Memory.Hold(n)
}

func (e *Env) release(held int64) {
	if held > 0 && e.Memory != nil {
		e.Memory.Release(held)
	}
}
