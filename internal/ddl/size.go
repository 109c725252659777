package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// TableSize is the space that a table takes in the store.
type TableSize struct {
	Table      string
	Rows       int64
	Entries    int64 // of its indexes
	Bytes      int64 // of both, as the service bills them
	IndexBytes int64
	Partitions int64           // store partitions
	Largest    []PartitionSize // of these, the one with the most entities first
}

// PartitionSize is what one store partition holds, of all tables that are in it.
type PartitionSize struct {
	Physical, PartitionKey string
	Partition              string // of a table with PARTITION BY RANGE or LIST
	Entities, Bytes        int64
}

// Name is how SQL shows the place: the partition, if the table has any, and the PartitionKey.
func (p *PartitionSize) Name() string {
	if p.Partition == "" {
		return p.PartitionKey
	}
	return p.Partition + " " + p.PartitionKey
}

// Sizes reads all entities of tables, and gives the space that these take. It lists so many partitions of each.
func Sizes(ctx context.Context, e engine.Engine, tables []*schema.Table, largest int, m *engine.Meter) ([]TableSize, error) {
	sizes := &sizing{most: largest, sizes: map[*schema.Table]*TableSize{}, owners: keyOwners{}, named: map[string]string{}}
	for _, t := range tables {
		if !t.IsView() && !t.IsExternal() {
			sizes.own(t)
		}
	}
	for _, physical := range sizes.order {
		if err := sizes.read(ctx, e, physical, m); err != nil {
			return nil, err
		}
	}
	out := make([]TableSize, len(sizes.tables))
	for i, t := range sizes.tables {
		out[i] = *t
	}
	return out, nil
}

// sizing adds up.
type sizing struct {
	most   int
	tables []*TableSize
	sizes  map[*schema.Table]*TableSize
	order  []string // the physical tables
	owners keyOwners
	named  map[string]string // by physical table: the partition of a table that it is
}

// own adds a table.
func (s *sizing) own(t *schema.Table) {
	size := &TableSize{Table: t.Name}
	s.tables, s.sizes[t] = append(s.tables, size), size
	for _, physical := range t.Physicals() {
		if s.owners[physical] == nil {
			s.order = append(s.order, physical)
		}
	}
	s.owners.add(t)
	if t.IsDivided() {
		for _, part := range t.Partitions.List {
			s.named[part.Physical] = part.Name
		}
	}
}

// read reads a physical table, one store partition after another.
func (s *sizing) read(ctx context.Context, e engine.Engine, physical string, m *engine.Meter) error {
	limits := e.Limits()
	partition := PartitionSize{Physical: physical}
	inside := map[*TableSize]bool{} // the tables with entities in the partition
	end := func() {
		for t := range inside {
			t.Partitions++
			t.keep(partition, s.most)
		}
		clear(inside)
	}
	err := engine.Each(ctx, e, engine.Scan{Table: physical, AllPartitions: true, Meter: m}, func(entity *engine.Entity) error {
		if entity.PartitionKey != partition.PartitionKey || partition.Entities == 0 {
			end()
			partition = PartitionSize{Physical: physical, PartitionKey: strings.Clone(entity.PartitionKey), Partition: s.named[physical]}
		}
		bytes := int64(limits.Size(entity))
		partition.Entities++
		partition.Bytes += bytes
		of := s.owners.of(physical, entity.RowKey)
		if of.table == nil {
			return nil
		}
		size := s.sizes[of.table]
		inside[size] = true
		size.Bytes += bytes
		if of.index == nil && !of.table.IsParentCopy(entity.RowKey) {
			size.Rows++
			return nil
		}
		size.Entries++
		size.IndexBytes += bytes
		return nil
	})
	end()
	return err
}

// keep adds a partition to the list of the largest.
func (t *TableSize) keep(p PartitionSize, most int) {
	at, _ := slices.BinarySearchFunc(t.Largest, p, func(a, b PartitionSize) int { return cmp.Compare(b.Entities, a.Entities) })
	if at < most {
		t.Largest = slices.Insert(t.Largest, at, p)
		t.Largest = t.Largest[:min(len(t.Largest), most)]
	}
}
