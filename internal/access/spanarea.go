package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// area is a range of store partitions, with the ranges of rows to read in each of them.
type area struct {
	interval
	rows []interval
}

// disjoint turns spans of an external table into spans that do not overlap, in the order of partitions and rows:
//
//	[a, m) all rows, [k, z) rows 1  →  [a, m) all rows, [m, z) rows 1
//
// It may read more rows than are wanted, but it walks no partition twice.
func (b *spanBuilder) disjoint(spans []Span) []Span {
	var areas, odd []area
	for _, s := range spans {
		a := area{keyInterval(s.PartitionKey), []interval{spanInterval(s.Span)}}
		switch {
		case s.All:
			a.interval = even(spanInterval(s.PartitionKeys))
			b.r.Exact = b.r.Exact && a.span() == s.PartitionKeys
		case schema.IsOdd(s.PartitionKey):
			odd = append(odd, a)
			continue
		}
		areas = append(areas, a)
	}
	cells := cellsOf(areas)
	// A range cannot be cut at a partition that stores may sort in another way than SQL does. But every store agrees on whether
	// the partition is in a range, as all sort the bounds of ranges alike.
	for _, o := range odd {
		i := slices.IndexFunc(cells, func(c area) bool { return c.lo <= o.lo && o.lo < c.hi })
		if i < 0 {
			cells = append(cells, o)
			continue
		}
		rows := unite(append(slices.Clone(cells[i].rows), o.rows...))
		b.r.Exact = b.r.Exact && sameRows(rows, cells[i].rows) // the other partitions are read more than is wanted
		cells[i].rows = rows
	}
	slices.SortFunc(cells, func(a, b area) int { return strings.Compare(a.lo, b.lo) })
	in := spans[0].Partition
	spans = spans[:0]
	for _, c := range joined(cells) {
		if !c.point {
			b.r.Exact = b.r.Exact && len(c.rows) == 1
			rows := cover(c.rows)
			spans = append(spans, Span{Partition: in, All: true, PartitionKeys: c.span(), Span: rows.span()})
			continue
		}
		for _, r := range c.rows {
			spans = append(spans, Span{Partition: in, PartitionKey: c.lo, Span: r.span()})
		}
	}
	return spans
}

// even widens a range until all stores sort its bounds alike.
func even(iv interval) interval {
	iv.lo = iv.lo[:schema.EvenLen(iv.lo)]
	if n := schema.EvenLen(iv.hi); iv.hi != schema.Top && n < len(iv.hi) {
		to, _ := schema.Successor(iv.hi[:n])
		iv.hi = cmp.Or(to, schema.Top)
	}
	return iv
}

// cellsOf cuts areas at each other's bounds. Where areas overlap there is one cell, with the rows of all.
func cellsOf(areas []area) []area {
	slices.SortFunc(areas, func(a, b area) int { return cmp.Or(strings.Compare(a.lo, b.lo), strings.Compare(a.hi, b.hi)) })
	var bounds []string
	for _, a := range areas {
		bounds = append(bounds, a.lo, a.hi)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	var cells, open []area
	for i := 0; i+1 < len(bounds); i++ {
		lo, hi := bounds[i], bounds[i+1]
		open = slices.DeleteFunc(open, func(a area) bool { return a.hi <= lo })
		for len(areas) > 0 && areas[0].lo == lo {
			open, areas = append(open, areas[0]), areas[1:]
		}
		if len(open) == 0 {
			continue
		}
		c := area{interval: interval{lo: lo, hi: hi, point: hi == keyInterval(lo).hi}}
		for _, a := range open {
			c.rows = append(c.rows, a.rows...)
		}
		c.rows = unite(c.rows)
		cells = append(cells, c)
	}
	return cells
}

// joined merges neighbouring cells that have the same rows.
func joined(cells []area) []area {
	out := cells[:0]
	for _, c := range cells {
		if n := len(out) - 1; n >= 0 && out[n].hi == c.lo && sameRows(out[n].rows, c.rows) {
			out[n].hi, out[n].point = c.hi, false
			continue
		}
		out = append(out, c)
	}
	return out
}

func sameRows(a, b []interval) bool {
	return slices.EqualFunc(a, b, func(a, b interval) bool { return a.lo == b.lo && a.hi == b.hi })
}
