package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// keyWalk visits, in order, the RowKeys or PartitionKeys that are allowed by sets of intervals on their first columns.
type keyWalk struct {
	columns     []keyColumn
	tail        string
	whole       bool // a point on each column is a whole key
	copyColumns int  // see KeyPlan.CopyColumns
	sets        [][]interval
	rows        bool       // the keys are RowKeys, and are passed to row
	found       []interval // the PartitionKeys, or ranges of them
}

// emit takes a key, or a range of keys.
func (b *spanBuilder) emit(w *keyWalk, keys interval) error {
	if w.rows {
		return b.row(keys)
	}
	w.found = append(w.found, keys)
	return nil
}

// walk visits the keys that begin with buf and go on with what column i, and those after it, allow.
func (b *spanBuilder) walk(w *keyWalk, i int, buf []byte) error {
	if i == len(w.columns) && w.whole {
		return b.emit(w, interval{lo: string(append(buf, w.tail...)), point: true})
	}
	if i < len(w.columns) {
		buf = append(buf, w.columns[i].lead...)
	} else {
		buf = append(buf, w.tail...)
	}
	if i == len(w.sets) {
		to, exact := schema.Successor(string(buf))
		b.r.Exact = b.r.Exact && exact
		return b.emit(w, spanInterval(keymap.Span{From: string(buf), To: to}))
	}
	for j := range w.sets[i] {
		if w.rows {
			b.enter(i, j)
		}
		if err := b.walkInterval(w, i, buf, w.sets[i][j]); err != nil {
			return err
		}
	}
	return nil
}

// walkInterval is walk for one interval of column i.
func (b *spanBuilder) walkInterval(w *keyWalk, i int, buf []byte, iv interval) error {
	p := &w.columns[i]
	last := i+1 == len(w.sets)
	if iv.point {
		next := append(buf, iv.lo...)
		switch {
		case !p.GivesBack(iv.lo):
			return nil // no row has it
		case last && p.Form == schema.FormCode && i+1 != w.copyColumns && !(w.whole && i+1 == len(w.columns)):
			return b.emit(w, interval{lo: string(next), hi: p.Behind(string(next))}) // the key itself, and all that continue it
		}
		return b.walk(w, i+1, next)
	}
	iv, exact := p.reach(iv)
	b.r.Exact = b.r.Exact && exact && last // after a range, later columns do not narrow the key
	from := string(append(buf, iv.lo...))
	to := string(append(buf, iv.hi...))
	if iv.hi == schema.Top {
		to, _ = schema.Successor(string(buf))
	}
	if out := spanInterval(keymap.Span{From: from, To: to}); out.lo < out.hi {
		return b.emit(w, out)
	}
	return nil
}
