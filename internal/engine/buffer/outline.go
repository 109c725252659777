package buffer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// outline counts what a store may refuse, so that each statement can ask without walking over everything written before.
type outline struct {
	places  map[engine.Place]*place // by the folded name of the table
	watched map[engine.Place]bool   // those with parents, or with a row that is wide
	aside   engine.Aside            // whose tables do not count; nil: there are none
}

// place holds the number of operations in a partition of a table.
type place struct{ ops, parents int }

// A row with fewer operations, and fewer octets, including its index entries is refused nowhere.
const (
	wideOps    = 48
	wideOctets = 256 << 10
)

// count adds an entry, or removes it.
func (o *outline) count(folded string, e *entry, n int) {
	if o == nil || e.dropped || o.isAside(folded) {
		return
	}
	at := engine.Place{Table: folded, PartitionKey: e.partitionKey}
	p := o.places[at]
	if p == nil {
		p = &place{}
		o.places[at] = p
	}
	p.ops += n
	if e.parent && !e.isTouch() {
		p.parents += n
		o.watched[at] = true
	}
	if p.ops == 0 {
		delete(o.places, at)
		delete(o.watched, at)
	}
}

// watchWide makes a place watched if a row there is wide.
func (o *outline) watchWide(c *engine.Commit) {
	if o == nil || o.isAside(c.Table) {
		return
	}
	ops, octets := map[string]int{}, map[string]int{}
	for i := range c.Ops {
		op := &c.Ops[i]
		unit := op.Row
		if unit == "" {
			unit = op.Entity.RowKey
		}
		ops[unit]++
		for j := range op.Entity.Values {
			octets[unit] += len(op.Entity.Values[j].S)
		}
		if ops[unit] > wideOps || octets[unit] > wideOctets {
			o.watched[engine.Place{Table: engine.FoldTable(c.Table), PartitionKey: c.PartitionKey}] = true
			return
		}
	}
}

func (o *outline) isAside(table string) bool { return o.aside != nil && o.aside.Has(table) }

// isTouch says whether the entry only changes an ETag.
func (e *entry) isTouch() bool { return e.op == engine.Merge && len(e.names) == 0 }

// fitOutline asks the store whether it accepts what was written so far.
func (b *Buffer) fitOutline(e engine.Bounded) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := &engine.Outline{Places: len(b.outline.places), Commit: b.commitAt}
	for _, t := range b.sorted() {
		if b.beside(t.table) != nil {
			continue
		}
		t.entries.Scan(func(e *entry) bool {
			if !e.dropped {
				o.Tables = append(o.Tables, t.table)
			}
			return e.dropped
		})
	}
	if o.Places == 1 {
		for o.Only = range b.outline.places {
		}
	}
	if b.validates {
		o.Since = b.since
	}
	for at := range b.outline.watched {
		if b.outline.places[at] != nil {
			o.Watched = append(o.Watched, at)
		}
	}
	slices.SortFunc(o.Watched, func(a, b engine.Place) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.PartitionKey, b.PartitionKey))
	})
	return e.Fit(o)
}

// commitAt gives what the transaction writes in one partition.
func (b *Buffer) commitAt(at engine.Place) engine.Commit {
	t := b.tree(at.Table)
	c := engine.Commit{Table: t.table, PartitionKey: at.PartitionKey}
	t.entries.Ascend(&entry{partitionKey: at.PartitionKey}, func(e *entry) bool {
		if e.partitionKey != at.PartitionKey {
			return false
		}
		if !e.dropped {
			c.Ops = append(c.Ops, e.operation())
		}
		return true
	})
	return c
}
