package intent

import (
	"context"
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// isUnmet says whether a requirement does not hold when the transaction's own writes are made.
func (x *transaction) isUnmet(ctx context.Context, r *engine.Requirement, as reading) (bool, error) {
	there, deleted := r.Own(x.commits)
	if !there {
		c := x.store.scan(ctx, engine.Scan{Table: r.Table, PartitionKey: r.PartitionKey, From: r.From, To: r.To,
			Select: []string{}, Limit: len(deleted) + 1, Meter: x.meter}, as)
		c.self = x.id
		defer c.Close()
		for !there {
			chunk, err := c.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return false, err
			}
			for i := range chunk {
				there = there || !deleted[chunk[i].RowKey]
			}
		}
	}
	return there != r.Any, nil
}
