package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// Memory accounts for what a statement holds at one time. Hold fails if the statement would exceed its bound.
type Memory interface {
	Hold(bytes int64) error
	Release(bytes int64)
}

// largeText is the size from which a waiting value is accounted for. The number of smaller values is bounded by the statement's text.
const largeText = 16 << 10

// Large gives the bytes of a value to be accounted for; 0 for a small value.
func Large(v value.Value) int64 {
	if n := len(v.Text()); n >= largeText {
		return int64(n)
	}
	return 0
}

// hold accounts for a waiting value, if it is large, and adds to held what must be released.
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
