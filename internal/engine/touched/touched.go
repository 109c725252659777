// Package touched counts, if asked to, which store partitions a statement reads and writes. On Azure each of them serves about 2,000 entities a
// second, the first limit that a growing program meets.
package touched

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Partition is what was done with the entities of one store partition.
type Partition struct {
	Physical     string `json:"table"` // as the store calls it
	PartitionKey string `json:"partition"`
	Read         int64  `json:"read"` // entities
	Written      int64  `json:"written"`
}

// Partitions holds the counts by partition.
type Partitions struct {
	mu sync.Mutex
	of map[engine.Place]*Partition
}

// most is how many partitions of one statement are counted separately.
const most = 10_000

type key struct{}

// With gives a context whose reads and writes an engine of Over counts.
func With(ctx context.Context) (context.Context, *Partitions) {
	p := &Partitions{of: map[engine.Place]*Partition{}}
	return context.WithValue(ctx, key{}, p), p
}

func counterOf(ctx context.Context) *Partitions {
	p, _ := ctx.Value(key{}).(*Partitions)
	return p
}

func (p *Partitions) add(table, partition string, read, written int) {
	if p == nil || read+written == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := engine.Place{Table: table, PartitionKey: partition}
	of := p.of[at]
	if of == nil {
		if len(p.of) == most {
			return
		}
		of = &Partition{Physical: table, PartitionKey: partition}
		p.of[at] = of
	}
	of.Read += int64(read)
	of.Written += int64(written)
}

func (p *Partitions) entities(table string, entities []engine.Entity) {
	for begin, i := 0, 0; i < len(entities); i++ {
		if i == len(entities)-1 || entities[i+1].PartitionKey != entities[i].PartitionKey {
			p.add(table, entities[i].PartitionKey, i+1-begin, 0)
			begin = i + 1
		}
	}
}

func (p *Partitions) commit(c *engine.Commit) { p.add(c.Table, c.PartitionKey, 0, len(c.Ops)) }

// List gives what was counted, the partition with the most entities first.
func (p *Partitions) List() []Partition {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Partition, 0, len(p.of))
	for _, of := range p.of {
		list = append(list, *of)
	}
	slices.SortFunc(list, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(b.Read+b.Written, a.Read+a.Written), cmp.Compare(a.Physical, b.Physical), cmp.Compare(a.PartitionKey, b.PartitionKey))
	})
	return list
}
