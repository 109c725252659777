package intent

import (
	"sync"
	"sync/atomic"
)

// known holds which transactions are known to be committed, and since when. It may forget one: then the record is looked for again.
type known struct {
	clock atomic.Uint64
	mu    sync.Mutex
	since map[string]uint64
}

// now gives a time that is later than all earlier ones.
func (k *known) now() uint64 { return k.clock.Add(1) }

// mostKnown is how many transactions are remembered.
const mostKnown = 10_000

func (k *known) add(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.since[id]; ok {
		return
	}
	if k.since == nil || len(k.since) >= mostKnown {
		k.since = map[string]uint64{}
	}
	k.since[id] = k.now()
}

// before says whether a transaction was already known to be committed at a time.
func (k *known) before(id string, at uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	since, ok := k.since[id]
	return ok && since < at
}
