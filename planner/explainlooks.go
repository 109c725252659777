package planner

import (
	"slices"

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
	w.eachReferred(t, sets, func(k *schema.ForeignKey) float64 { return float64(w.valuesOf(in, k.Columns)) })
}

// referOf is refer of rows whose values are not known.
func (w *writing) referOf(t *schema.Table, sets func(column int) bool, rows float64) {
	w.eachReferred(t, sets, func(k *schema.ForeignKey) float64 {
		n := rows
		if r, ok := w.related[t.Beside(k.To())]; ok && r.Table.Analyzed() {
			n = occupied(float64(r.Table.Statistics.Rows), n)
		}
		return n
	})
}

func (w *writing) eachReferred(t *schema.Table, sets func(column int) bool, looks func(*schema.ForeignKey) float64) {
	if w.related == nil {
		return
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		r, ok := w.related[t.Beside(k.To())]
		if !ok || k.NotEnforced || sets != nil && !slices.ContainsFunc(k.Columns, sets) {
			continue
		}
		if n := looks(k); n > 0 {
			w.looks += n
			w.beside(t, r.Table)
		}
	}
}

// beside notes that rows of one table are looked for where those of another one are written.
func (w *writing) beside(a, b *schema.Table) {
	w.apart = w.apart || a.Physical != b.Physical || a.Spread != nil || b.Spread != nil || a.IsDivided() || b.IsDivided()
}

// loses notes the looks for rows that refer to some that go or, with sets, get another key, and what becomes of those.
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
			if !action.Changes() {
				w.looks += rows * spans
				continue
			}
			follow := rows * w.perParent(child, t)
			w.looks += max(rows*spans, follow/access.PageEntities)
			if ix, ok := child.KeyFrom(k.Columns); ok && ix != nil && ix.Copy != schema.CopyRow {
				w.reads += follow
			}
			if action == schema.Cascade && sets == nil {
				w.remove(child, r.Children, follow, nil)
			} else {
				w.update(child, func(c int) bool { return slices.Contains(k.Columns, c) }, follow, nil)
			}
		}
	}
}
