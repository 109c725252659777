package buffer

import (
	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// tree holds the entries of one table by their keys.
type tree struct {
	table   string
	entries *btree.BTreeG[*entry]
}

func (b *Buffer) tree(table string) *tree { return b.tables[engine.FoldTable(table)] }

// find gives what the transaction has done to an entity, or nil.
func (t *tree) find(partitionKey, rowKey string) *entry {
	if t == nil {
		return nil
	}
	e, _ := t.entries.Get(&entry{partitionKey: partitionKey, rowKey: rowKey})
	return e
}

// entry is what the transaction has done to one entity. It is never changed, only replaced.
type entry struct {
	partitionKey, rowKey string

	// op is the net effect of everything done. When dropped, there is none: the transaction has deleted what it inserted.
	op      engine.OpKind
	dropped bool
	// As in engine.Op; there is about what is stored, not what the transaction has written.
	row     string
	parent  bool
	touch   bool
	there   bool
	ifMatch string // the condition that op is sent with
	seen    string // the ETag of what was stored when an unconditional op looked; "" when it did not, or there was none
	etag    string // the entity's, while buffered

	// The properties that a Merge changes, else all.
	names  []string
	values []engine.Value
}

func (e *entry) exists() bool { return !e.dropped && e.op != engine.Delete }

func less(a, b *entry) bool {
	if a.partitionKey != b.partitionKey {
		return a.partitionKey < b.partitionKey
	}
	return a.rowKey < b.rowKey
}

// entity gives an entry that holds the whole of its entity.
func (e *entry) entity(sel []string) engine.Entity {
	out := engine.Entity{PartitionKey: e.partitionKey, RowKey: e.rowKey, ETag: e.etag, Names: e.names, Values: e.values}
	if sel != nil {
		out.Names, out.Values = sel, engine.Gather(e.names, e.values, sel)
	}
	return out
}

// over lays a Merge over the stored entity, which was read with the same Select.
func (e *entry) over(stored engine.Entity, sel []string) engine.Entity {
	out := stored
	out.ETag, out.Timestamp = e.etag, 0
	out.Values = append([]engine.Value(nil), stored.Values...)
	if sel == nil {
		out.Names, out.Values = engine.Overlay(append([]string(nil), stored.Names...), out.Values, e.names, e.values)
		return out
	}
	at, slot := 0, 0
	for i, name := range e.names {
		if slot, at = engine.FindName(sel, name, at); slot >= 0 && e.values[i].Type != engine.Absent {
			out.Values[slot] = e.values[i]
		}
	}
	return out
}

// operation gives the entry's net effect.
func (e *entry) operation() engine.Op {
	return engine.Op{Kind: e.op, IfMatch: e.ifMatch, Row: e.row, Parent: e.parent, There: e.there, Touch: e.touch,
		Entity: engine.Entity{PartitionKey: e.partitionKey, RowKey: e.rowKey, Names: e.names, Values: e.values}}
}

// octets is about how much memory an entry takes.
func (e *entry) octets() int64 {
	const entryOctets, valueOctets = 256, 48
	n := int64(entryOctets + len(e.partitionKey) + len(e.rowKey) + valueOctets*len(e.values))
	for i := range e.values {
		n += int64(len(e.values[i].S))
	}
	return n
}

func errGone(table string, e *entry) *engine.Error {
	return engine.Errorf(engine.CodeNotFound, "no entity %q, %q in table %q", e.partitionKey, e.rowKey, table)
}
