package planner

import (
	"math"
	"slices"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// refer notes the looks for the rows that new ones refer to, each once.
func (w *writing) refer(t *schema.Table, sets func(column int) bool, in *Insert) {
	if w.related == nil {
		return
	}
	if in.Source != nil {
		w.referOf(t, sets, w.rows)
		return
	}
	w.eachReferred(t, sets, func(k *schema.ForeignKey, to *schema.Table) float64 {
		return looksFor(float64(w.valuesOf(in, k.Columns)), to, w.amongOf(in, k.Columns))
	})
}

// referOf is refer for rows whose values are not known.
func (w *writing) referOf(t *schema.Table, sets func(column int) bool, rows float64) {
	w.eachReferred(t, sets, func(_ *schema.ForeignKey, to *schema.Table) float64 {
		if to.Analyzed() {
			return looksFor(occupied(float64(to.Statistics.Rows), rows), to, math.Inf(1))
		}
		return rows
	})
}

func (w *writing) eachReferred(t *schema.Table, sets func(column int) bool, looks func(k *schema.ForeignKey, to *schema.Table) float64) {
	if w.related == nil {
		return
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		r, ok := w.related[t.Beside(k.To())]
		if !ok || k.NotEnforced || sets != nil && !slices.ContainsFunc(k.Columns, sets) {
			continue
		}
		if n := looks(k, r.Table); n > 0 {
			w.looks += n
			w.beside(t, r.Table)
		}
	}
}

// looksFor is how many looks it takes to find n rows of a table, or the rows that refer to n rows, among so many others at most. Rows that are
// close together are read together. See engine.Near.
func looksFor(n float64, t *schema.Table, among float64) float64 {
	if t.Analyzed() {
		among = min(among, float64(t.Statistics.Rows))
	}
	if t.Spread != nil || t.IsDivided() {
		return n
	}
	return looksAmong(n, among)
}

// looksAmong is looksFor in one store partition.
func looksAmong(n, among float64) float64 {
	const few, first, worth = 16, 4, 16 // those of engine.Near
	if n <= few || among > worth*n {
		return n
	}
	return max(1, math.Ceil(among/min(first*n, access.PageEntities)))
}

// looksInside is how many looks it takes to find so many rows inside rows of t, which lie in so many store partitions, side by side in each of
// them.
func looksInside(t *schema.Table, rows, partitions, inside float64) float64 {
	partitions = max(partitions, 1)
	among := (rows + inside) / partitions
	if t.Spread == nil && t.Analyzed() {
		among = max(among, float64(t.Statistics.Rows))
	}
	return partitions * looksAmong(rows/partitions, among)
}

// amongOf is how many values lie between the least and the greatest of VALUES in some columns, if that is known.
func (w *writing) amongOf(in *Insert, columns []int) float64 {
	at := slices.Index(in.Columns, columns[0])
	if len(columns) > 1 || at < 0 || !in.Table.Columns[columns[0]].Type.IsInteger() {
		return math.Inf(1)
	}
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, row := range in.Rows {
		if row[at] == nil {
			return math.Inf(1)
		}
		text := w.e.text(row[at])
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && text != "NULL" {
			return math.Inf(1)
		}
		if err == nil {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	return greatest - least + 1
}

// beside notes that rows of one table are looked for next to rows of another that are written.
func (w *writing) beside(a, b *schema.Table) {
	w.apart = w.apart || a.Physical != b.Physical || a.Spread != nil || b.Spread != nil || a.IsDivided() || b.IsDivided()
}

// loses notes the looks for rows that refer to rows which are deleted or, with sets, get another key, and what becomes of them.
func (w *writing) loses(t *schema.Table, sets func(column int) bool, rows float64) {
	for _, r := range w.related {
		child := r.Table
		for i := range child.ForeignKeys {
			k := &child.ForeignKeys[i]
			if !k.RefersTo(t.As(child)) || w.followed[k] || sets != nil && !slices.ContainsFunc(k.RefColumns, func(c string) bool { return sets(t.Ordinal(c)) }) {
				continue
			}
			w.followed[k] = true
			w.beside(t, child)
			spans := 1.0
			if child.Spread != nil && slices.ContainsFunc(child.Spread.Columns, func(c int) bool { return !slices.Contains(k.Columns, c) }) {
				spans = max(1, float64(child.Layout.Buckets))
			}
			if child.IsDivided() && slices.ContainsFunc(child.Partitions.Columns, func(c int) bool { return !slices.Contains(k.Columns, c) }) {
				spans *= max(1, float64(len(child.Partitions.List)))
			}
			action := k.OnDelete
			if sets != nil {
				action = k.OnUpdate
			}
			looks := looksFor(rows*spans, child, math.Inf(1))
			if !action.Changes() {
				w.looks += looks
				continue
			}
			follow := rows * w.perParent(child, t)
			w.looks += max(looks, follow/access.PageEntities)
			if ix, ok := child.KeyFrom(k.Columns); ok && ix != nil && ix.Copy != schema.CopyRow {
				w.reads += looksFor(follow, child, math.Inf(1))
			}
			if action == schema.Cascade && sets == nil {
				w.remove(child, r.Children, follow, nil)
			} else {
				w.update(child, func(c int) bool { return slices.Contains(k.Columns, c) }, follow, nil)
			}
		}
	}
}
