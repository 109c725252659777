package embedded

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

// arena makes strings that stay valid for ever, many in one allocation. Blocks are small, so that a string kept for long does not keep much else
// in memory.
type arena struct {
	block []byte
	size  int // of the last block
}

const (
	firstBlock = 256
	fullBlock  = 8 << 10
)

// room makes space for a text of n bytes.
func (a *arena) room(n int) {
	if cap(a.block)-len(a.block) >= n {
		return
	}
	a.size = min(max(2*a.size, firstBlock), fullBlock)
	a.block = make([]byte, 0, max(a.size, n))
}

func (a *arena) copy(s string) string {
	if s == "" {
		return ""
	}
	a.room(len(s))
	at := len(a.block)
	a.block = append(a.block, s...)
	return view(a.block[at:])
}

func (a *arena) etag(version uint64) string {
	a.room(len(`W/""`) + 16)
	at := len(a.block)
	a.block = appendETag(a.block, version)
	return view(a.block[at:])
}

// keep copies the texts of values that lie elsewhere.
func (a *arena) keep(values []engine.Value) {
	for i := range values {
		values[i].S = a.copy(values[i].S)
	}
}
