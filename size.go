package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
)

// TableSize is what a table takes in the store: its rows, the entries of its indexes, their bytes as Azure bills them, and the number of its
// store partitions, with the largest of them.
type TableSize = session.TableSize

// PartitionSize is what one store partition holds, of all tables that have entities in it. On Azure each serves about 2,000 entities a
// second.
type PartitionSize = session.PartitionSize

// Sizes reads all rows and index entries of the database, with a request for each thousand, and says what each table takes. For each it lists
// the given number of store partitions, the largest first. Bytes are those that Azure bills, on every store. Tables of other programs are left
// out.
func (k *Connector) Sizes(ctx context.Context, partitions int) ([]TableSize, error) {
	c, err := k.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	m := &engine.Meter{}
	sizes, err := k.database.Sizes(ctx, partitions, m)
	k.database.Maintenance.Add(m)
	return sizes, translate(err, "")
}

// MonthlyCost is what it costs to keep that many bytes for a month.
func (p Price) MonthlyCost(bytes int64) float64 { return float64(bytes) / 1e9 * p.PerGBMonth }
