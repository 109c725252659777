package define

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// alterPartitions is ADD, DROP and TRUNCATE PARTITION. Physical tables follow the definition: a partition without one
// gets one, and one that no partition uses any more is deleted.
func (m *alteration) alterPartitions(a *dialect.AlterAction) error {
	ps := m.t.Partitions
	if in := m.t.Interleaved; in != nil && ps != nil {
		return sqlerr.NotSupported(a.Pos, "%s PARTITION of a table interleaved in '%s', whose partitions it shares, is", partitionVerbs[a.Kind], in.Parent)
	}
	if ps == nil {
		if m.t.Spread != nil {
			return sqlerr.New(sqlerr.CodeOnlyRangeList, a.Pos, "%s PARTITION can only be used on RANGE/LIST partitions", partitionVerbs[a.Kind])
		}
		return sqlerr.New(sqlerr.CodeNoPartitions, a.Pos, "Partition management on a not partitioned table is not possible")
	}
	if a.Kind == dialect.AddPartition {
		for _, c := range ps.Columns {
			ps.Codes = append(ps.Codes, m.t.KeymapPart(schema.KeyColumn{Column: c}))
		}
		before := len(ps.List)
		if err := m.addPartitions(a.Parts, a.Pos); err != nil {
			return err
		}
		for _, p := range ps.List[before:] {
			p.Opening = true
		}
		return nil
	}
	names := a.Names
	if a.Kind == dialect.TruncatePartition && len(names) == 0 {
		for _, p := range ps.List {
			names = append(names, p.Name)
		}
	}
	parts, err := m.partitionsNamed(names, partitionVerbs[a.Kind])
	if err != nil {
		return err
	}
	if a.Kind == dialect.TruncatePartition {
		for _, p := range parts {
			p.Physical = ""
		}
		return nil
	}
	m.t.DropPartitions(parts)
	if len(ps.List) == 0 && !ps.Grows() {
		return sqlerr.New(sqlerr.CodePartitionsAll, a.Pos, "Cannot remove all partitions, use DROP TABLE instead")
	}
	return nil
}

var partitionVerbs = map[dialect.AlterKind]string{
	dialect.AddPartition: "ADD", dialect.DropPartition: "DROP", dialect.TruncatePartition: "TRUNCATE",
}

// divides says whether a column helps determine a row's partition, the store's or the table's.
func (m *alteration) divides(column int) bool { return slices.Contains(m.t.SpreadBy(), column) }

// partitionsNamed resolves the names of ALTER TABLE … PARTITION.
func (m *alteration) partitionsNamed(names []string, verb string) ([]*schema.Partition, error) {
	var out []*schema.Partition
	for _, name := range names {
		p := m.t.Partitions.Named(name)
		if p == nil {
			return nil, sqlerr.New(sqlerr.CodePartitionUnknown, sqlerr.NoPos, "Error in list of partitions to %s: table %s has no partition %s", verb, m.t.Name, name)
		}
		out = append(out, p)
	}
	return out, nil
}
