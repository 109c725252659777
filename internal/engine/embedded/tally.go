package embedded

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

// tally counts what a walk costs and says how far it may go.
type tally struct {
	meter *engine.Meter
	page  int // entities a page
	limit int // entities still wanted, or -1 for no limit
	size  int // of the next chunk

	scanned  int // in all
	matched  int // in all
	requests int // in all

	// what the meter has been told of each
	toldRequests, toldScanned, toldMatched int

	spent int // requests that were taken from the Budget
}

func newTally(l engine.Limits, s engine.Scan) tally {
	t := tally{meter: s.Meter, page: l.PageEntities, limit: -1, size: firstChunk, requests: 1}
	if s.Limit > 0 {
		t.limit = s.Limit
	}
	return t
}

// chunk says how many entities to look for; 0 if the limit is reached.
func (t *tally) chunk() int {
	n := min(t.size, t.page)
	t.size = min(2*t.size, fullChunk)
	if t.limit >= 0 {
		n = min(n, t.limit)
	}
	return n
}

// walked counts entities that were looked at.
func (t *tally) walked(n int) {
	t.scanned += n
	t.requests = max(t.requests, (t.scanned+t.page-1)/t.page)
}

// returned counts entities that passed.
func (t *tally) returned(n int) {
	t.matched += n
	if t.limit >= 0 {
		t.limit -= n
	}
}

// flush adds to the meter what it has not been told yet.
func (t *tally) flush() {
	if t.meter == nil {
		return
	}
	t.meter.Requests.Add(int64(t.requests - t.toldRequests))
	t.meter.Scanned.Add(int64(t.scanned - t.toldScanned))
	t.meter.Returned.Add(int64(t.matched - t.toldMatched))
	t.toldRequests, t.toldScanned, t.toldMatched = t.requests, t.scanned, t.matched
}

// spend takes the requests so far from a budget.
func (t *tally) spend(b *engine.Budget) error {
	n := t.requests - t.spent
	t.spent = t.requests
	return b.Take(int64(n))
}
