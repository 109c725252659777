package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Interleaving says that a table is interleaved in its parent: it is stored in the parent's physical table and partition, under
// row keys of its own that begin with the parent's key. So a parent and all rows interleaved in it can be
// written in one entity group transaction, and all children of a parent are one range.
//
//	CREATE TABLE item (expense INT, n INT, PRIMARY KEY (expense, n),
//	  FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INTERLEAVE IN PARENT expense
//
//	parent  PK!5
//	child   item!5!1
//
// The foreign key is enforced without reading: a child is written together with a touch of its parent, an empty
// merge, which fails if there is no parent and gives it a new ETag if there is one. A parent is deleted
// on condition of the ETag that was read before its children were.
type Interleaving struct {
	Parent  string      // the table
	RowName string      // begins the parent's row keys; "" for keymap.RowPrefix
	Columns []string    // of the parent's primary key
	Key     []KeyColumn // the parent's primary key, by this table's columns
	Name    string      // of the foreign key
	Cascade bool        // ON DELETE CASCADE; else a parent with children is not deleted
	// WithParent: a copy of the parent's row is stored before the rows interleaved in it. See parentcopy.go.
	WithParent bool

	segments []Segment // of the parent's RowKey
}

// Family is an interleaved table with the tables interleaved in it.
type Family struct {
	Table    *Table
	Children []Family
}

// RowPrefix begins the keys of the table's rows, without the separator.
func (t *Table) RowPrefix() string { return rowPrefix(t.RowName) }

func rowPrefix(name string) string { return cmp.Or(name, keymap.RowPrefix) }

// RowSpan is the span of the keys of the table's rows, without index entries and other tables' rows.
func (t *Table) RowSpan() keymap.Span {
	return keymap.PrefixSpan(t.RowPrefix() + string(keymap.Separator))
}

// AppendParentKey appends the RowKey of the parent of a row. The parent's PartitionKey is the row's own.
func (t *Table) AppendParentKey(dst []byte, row []value.Value) ([]byte, error) {
	return t.appendKey(dst, t.Interleaved.segments, row)
}

// ChildSpan is the span of the rows interleaved in a row of the parent, in that row's partition.
func (t *Table) ChildSpan(parent *Table, row []value.Value) (keymap.Span, error) {
	own := make([]value.Value, len(t.Columns))
	for i, p := range t.Interleaved.Key {
		own[p.Column] = row[parent.Key[i].Column]
	}
	begin := t.Layout.Row[:2*len(t.Interleaved.Key)] // a text before each code
	b, err := t.appendKey(nil, begin, own)
	return keymap.PrefixSpan(string(append(b, keymap.Separator))), err
}

// SameParent says whether two rows have the same parent row.
func (t *Table) SameParent(a, b []value.Value) bool {
	return !slices.ContainsFunc(t.Interleaved.Key, func(p KeyColumn) bool { return a[p.Column] != b[p.Column] })
}

// SharePartitions gives a table the partitions of its parent, if that has any: the dividing columns are in the keys of
// both. A change of a table's partitions must do this to all tables interleaved in it.
func (t *Table) SharePartitions(parent *Table) {
	if !parent.IsDivided() {
		return
	}
	t.Partitions = parent.Partitions.clone()
	for i, column := range parent.Partitions.Columns {
		at := slices.IndexFunc(parent.Key, func(k KeyColumn) bool { return k.Column == column })
		t.Partitions.Columns[i] = t.Interleaved.Key[at].Column
	}
}

// AddChild gives the definition of a table once child is declared to be interleaved in it.
func (t *Table) AddChild(child *Table) *Table {
	next := t.Clone()
	if !slices.ContainsFunc(next.Children, func(name string) bool { return strings.EqualFold(name, child.Name) }) {
		next.Children = append(next.Children, child.Name)
	}
	next.KeyNames = append(next.KeyNames, child.RowName)
	if child.Interleaved.WithParent {
		next.Indexes = append(next.Indexes, next.parentCopyIndex(child))
	}
	return next
}

// RenameChild gives the definition of a table once a table interleaved in it gets another name; "": is dropped.
func (t *Table) RenameChild(from, to string) *Table {
	next := t.Clone()
	next.Children = slices.DeleteFunc(next.Children, func(name string) bool { return strings.EqualFold(name, from) })
	if to != "" {
		next.Children = append(next.Children, to)
	}
	next.renameParentCopies(from, to)
	return next
}

// Alone makes t, which is a copy, a table without ties to another one. Rehome gives it its place.
func (t *Table) Alone() {
	t.Interleaved, t.Children, t.ForeignKeys, t.Referrers = nil, nil, nil, nil
	t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *Index) bool { return ix.Child != "" })
}
