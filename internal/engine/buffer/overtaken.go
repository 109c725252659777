package buffer

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// mostLooks is how many entities Overtaken looks at.
const mostLooks = 100

// Overtaken says whether others have changed what the transaction has read to write by, so that Commit would fail: then it gives the
// error that Commit would give. Where reads are of a snapshot, nothing that a statement finds comes from others.
func (b *Buffer) Overtaken(ctx context.Context, m *engine.Meter) error {
	if b.IsUnconfirmed() {
		return b.e.(engine.Transactor).Transact(ctx, engine.Transaction{Since: b.since, Meter: m})
	}
	if b.since != nil {
		return nil
	}
	commits := b.Commits()
	type look struct{ commit, op, at int }
	var looks []look
	at := 0
	for i := range commits {
		for j := range commits[i].Ops {
			if commits[i].Ops[j].IfMatch != "" && len(looks) < mostLooks {
				looks = append(looks, look{i, j, at})
			}
			at++
		}
	}
	err := engine.SideBySide(ctx, b.parallel, len(looks), func(ctx context.Context, i int) error {
		c := &commits[looks[i].commit]
		op := &c.Ops[looks[i].op]
		e, err := b.e.Get(ctx, engine.Get{Table: c.Table, PartitionKey: c.PartitionKey, RowKey: op.Entity.RowKey, Select: []string{}, Meter: m})
		var failed *engine.Error
		switch {
		case errors.As(err, &failed) && failed.Code == engine.CodeNotFound:
			failed.Op = looks[i].at
		case err == nil && e.ETag != op.IfMatch:
			err = engine.StaleRead(c.Table, c.PartitionKey, op.Entity.RowKey)
			err.(*engine.Error).Op = looks[i].at
		}
		return err
	})
	return placed(err, commits)
}
