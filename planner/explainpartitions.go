package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// partitionsRead are the partitions that are read, as they are listed.
func partitionsRead(r *access.Reads) []*schema.Partition {
	var out []*schema.Partition
	for _, k := range r.Points {
		out = append(out, k.Partition)
	}
	for _, s := range r.Spans {
		out = append(out, s.Partition)
	}
	slices.SortFunc(out, access.ComparePartitions)
	return slices.Compact(out)
}

// partitionsText names partitions.
func partitionsText(parts []*schema.Partition) string {
	if len(parts) == 0 {
		return "no partitions"
	}
	var names []string
	for _, p := range parts[:min(mostShown, len(parts))] {
		names = append(names, p.Name)
	}
	return plural("partition", names, len(parts))
}

// tables gives the partitions whose physical tables a DELETE deletes, if that is known now. It also gives the plan of what is deleted row by
// row; nil: nothing is.
func (e *explainer) tables(p *Plan) (whole []*schema.Partition, byRows *Plan) {
	d, ok := p.Write.(*Delete)
	if !ok || d.Whole == nil || !e.computable(d.Source.(*access.Scan)) {
		return nil, p
	}
	whole, rest, err := d.Whole.Partitions(&expr.Env{Args: e.args, Session: &expr.Session{}})
	switch {
	case err != nil || len(whole) == 0:
		return nil, p
	case !rest:
		return whole, nil
	}
	return whole, p.ByRows(access.PartitionNames(whole))
}
