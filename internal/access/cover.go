package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Cover finds the partitions of which a DELETE deletes all rows. Their physical tables are deleted as a whole.
//
//	DELETE FROM log WHERE created < '2027-01-01'  →  the tables of the partitions before
//	DELETE FROM log WHERE created < '2027-03-15'  →  the same, and rows of the partition that the day is in
type Cover struct {
	table *schema.Table
	tests []*test
}

// NewCover gives the cover of a DELETE whose conditions are all on the one dividing column; nil for any other DELETE.
func NewCover(table *schema.Table, offset int, conds []expr.Node) *Cover {
	ps := table.Partitions
	if ps == nil || len(ps.Columns) != 1 || table.IsInterleaved() || len(conds) == 0 {
		return nil
	}
	c := &Cover{table: table}
	constrain := &Constrainer{Table: table, Offset: offset}
	for _, n := range conds {
		ordinal, t := constrain.Test(n)
		if t == nil || ordinal != ps.Columns[0] || t.loose || expr.HasSubquery(n) {
			return nil
		}
		c.tests = append(c.tests, t)
	}
	return c
}

// Partitions gives the partitions of which all rows are deleted. rest: other partitions may lose some rows, too.
func (c *Cover) Partitions(env *expr.Env) (whole []*schema.Partition, rest bool, err error) {
	ps := c.table.Partitions
	set, exact, err := evalAll(env, c.tests, dividing(c.table))
	if err != nil || !exact {
		return nil, true, err
	}
	whole, rest = partitionsCovered(ps, set)
	return whole, rest, nil
}

// PartitionNames are the names of partitions.
func PartitionNames(parts []*schema.Partition) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}
