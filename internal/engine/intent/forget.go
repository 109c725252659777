package intent

import (
	"context"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// How long a record is kept after it is no longer needed: longer than a reader that met its intents takes, and longer than any request is under
// way.
const (
	keepCommitted = time.Minute
	keepAborted   = time.Hour
)

// together is how many records of one partition one request deletes.
const together = 8

// forgetting holds the records that this process will delete.
type forgetting struct {
	mu      sync.Mutex
	records map[home][]spent // by age
	count   int              // that were noted since it was last emptied
}

// spent is a record that is not needed after a certain time.
type spent struct {
	id string
	at time.Time
}

func (f *forgetting) add(h home, id string, keep time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.records == nil || f.count >= mostKnown {
		f.records, f.count = map[home][]spent{}, 0 // those that were noted stay in the store
	}
	f.count++
	f.records[h] = append(f.records[h], spent{id, time.Now().Add(keep)})
}

// take takes the records of a partition that may go, if there are at least that many.
func (f *forgetting) take(h home, least int) (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kept []spent
	for _, r := range f.records[h] {
		if len(ids) < 100 && !r.at.After(time.Now()) {
			ids = append(ids, r.id)
		} else {
			kept = append(kept, r)
		}
	}
	if len(ids) < least {
		return nil
	}
	f.records[h] = kept
	return ids
}

// some deletes records of one partition if that is worth a request.
func (f *forgetting) some(ctx context.Context, s *Store, h home, m *engine.Meter) {
	f.delete(ctx, s, h, f.take(h, together), m)
}

// all deletes all records that may go.
func (f *forgetting) all(ctx context.Context, s *Store) {
	f.mu.Lock()
	var homes []home
	for h := range f.records {
		homes = append(homes, h)
	}
	f.mu.Unlock()
	for _, h := range homes {
		f.delete(ctx, s, h, f.take(h, 1), nil)
	}
}

// delete deletes records. If one of them is gone, or the request fails, they stay: they take some space, and REPAIR TABLE finds them.
func (f *forgetting) delete(ctx context.Context, s *Store, h home, ids []string, m *engine.Meter) {
	if len(ids) == 0 {
		return
	}
	c := engine.Commit{Table: h.table, PartitionKey: h.partition, Meter: m}
	for _, id := range ids {
		c.Ops = append(c.Ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: h.partition, RowKey: recordKey(id)}})
	}
	_ = s.direct.Commit(ctx, c)
}

// aborted notes that a record has to go once no request of its transaction can still arrive.
func (s *Store) aborted(h home, id string) { s.forget.add(h, id, keepAborted) }
