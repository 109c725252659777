package intent

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// Expiry is how long to wait for an undecided transaction after it was met, or after its record was last seen to change. Time is measured only
// here, by the monotonic clock. A wrong measurement costs an abort and nothing else.
const Expiry = 10 * time.Second

// met holds which undecided transactions were met, and when.
type met struct {
	mu   sync.Mutex
	ids  map[string]meeting
	left map[string]int // decided ones: how often their intents were in the way
}

type meeting struct {
	since time.Time
	etag  string // of the record then
}

// expired notes a meeting, and says whether it has lasted for too long.
func (m *met) expired(id, etag string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	is, ok := m.ids[id]
	if ok && is.etag == etag {
		return time.Since(is.since) >= Expiry
	}
	if len(m.ids) >= mostKnown || m.ids == nil {
		m.ids = map[string]meeting{}
	}
	m.ids[id] = meeting{time.Now(), etag}
	return false
}

// aLot is how often a transaction's intents are in the way before its process is assumed not to settle them.
const aLot = 3

// isLeft notes how many times intents of a decided transaction were in the way, and says whether they count as left behind.
func (m *met) isLeft(id string, times int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.left) >= mostKnown || m.left == nil {
		m.left = map[string]int{}
	}
	m.left[id] += times
	return m.left[id] >= aLot
}

// place is where an entity is.
type place struct{ table, partitionKey, rowKey string }

// await waits until the transaction of an intent is decided, and aborts it if that takes too long or no process will decide it any more. The
// state is gone if the entity has lost the intent meanwhile. waited says whether await took time.
func (s *Store) await(ctx context.Context, at place, m *marker, meter *engine.Meter) (is state, waited bool, err error) {
	for try := 1; ; try++ {
		is, etag, err := s.look(ctx, m.home, m.id, meter)
		if err != nil || is.isDecided() {
			return is, try > 1, err
		}
		if s.own.isDead(m.id) || s.met.expired(m.id, etag) && !s.own.isLive(m.id) {
			s.met.isLeft(m.id, aLot)
			is, err := s.abort(ctx, m.home, m.id, etag, meter)
			return is, try > 1, mayNot(err, at)
		}
		if err := retry.Sleep(ctx, retry.Intent.Pause(try)); err != nil {
			return undecided, true, err
		}
		e, err := s.base.Get(ctx, engine.Get{Table: at.table, PartitionKey: at.partitionKey, RowKey: at.rowKey, Select: []string{markerProperty}, Meter: meter})
		if isCode(err, engine.CodeNotFound) || err == nil && !bears(&e, m.id) {
			return gone, true, nil
		}
		if err != nil {
			return undecided, true, err
		}
	}
}

// own holds which transactions of this process are being decided, and which of them never will be.
type own struct {
	mu  sync.Mutex
	ids map[string]bool // true: live
}

func (o *own) isLive(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ids[id]
}

func (o *own) isDead(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	live, ok := o.ids[id]
	return ok && !live
}

func (o *own) begin(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = map[string]bool{}
	}
	o.ids[id] = true
}

// end says that nothing more is done for a transaction. If it was not decided and may have left intents, it is dead.
func (o *own) end(id string, left bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if delete(o.ids, id); left {
		if len(o.ids) >= mostKnown {
			o.forget()
		}
		o.ids[id] = false
	}
}

// forget drops the dead transactions: others will find that they have expired.
func (o *own) forget() {
	for id, live := range o.ids {
		if !live {
			delete(o.ids, id)
		}
	}
}

// mayNot explains the refusal of a request that ends what another transaction has left on an entity, for a caller that may not write there.
func mayNot(err error, at place) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != engine.CodeReadOnly && e.Code != engine.CodeAuth {
		return err
	}
	explained := engine.Errorf(e.Code, "a transaction whose process has died, or may not delete, has left something on entity %q, %q of table %s; to end it takes the right to add, update and delete entities: "+
		"let a process that has it run REPAIR TABLE, or try the same", at.partitionKey, at.rowKey, at.table)
	explained.Cause = err
	return explained
}
