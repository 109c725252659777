package buffer

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// mostLooks is the maximum number of entities that Overtaken looks at.
const mostLooks = 100

// Overtaken says whether others have changed what the transaction has read to write by, or have taken a key that it inserts, so that Commit
// would fail: then it returns an error like Commit's. If reads are of a snapshot, nothing that a statement finds comes from others.
func (b *Buffer) Overtaken(ctx context.Context, m *engine.Meter) error {
	if b.IsUnconfirmed() {
		return b.e.(engine.Transactor).Transact(ctx, engine.Transaction{Since: b.since, Meter: m})
	}
	if b.since != nil {
		return nil
	}
	looks := b.assumed()
	return engine.SideBySide(ctx, b.parallel, len(looks), func(ctx context.Context, i int) error {
		table, e := looks[i].table, looks[i].entry
		got, err := b.e.Get(ctx, engine.Get{Table: table, PartitionKey: e.partitionKey, RowKey: e.rowKey, Select: []string{}, Meter: m})
		var failed *engine.Error
		switch {
		case errors.As(err, &failed) && failed.Code == engine.CodeNotFound:
			if e.isNew() {
				return nil
			}
			failed.Table, failed.Entity = table, &engine.Entity{PartitionKey: e.partitionKey, RowKey: e.rowKey}
		case err == nil && (e.isNew() || got.ETag != e.ifMatch):
			err = engine.StaleRead(table, e.partitionKey, e.rowKey)
		}
		return atOp(err, i)
	})
}

// assumption is an entity for which the transaction relies on what the store had, or on its having none.
type assumption struct {
	table string
	entry *entry
}

func (b *Buffer) assumed() (all []assumption) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.sorted() {
		if b.beside(t.table) != nil {
			continue
		}
		t.entries.Scan(func(e *entry) bool {
			if e.isNew() || e.ifMatch != "" {
				all = append(all, assumption{t.table, e})
			}
			return len(all) < mostLooks
		})
	}
	return all[:min(len(all), mostLooks)]
}
