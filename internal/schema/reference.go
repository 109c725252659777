package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Reference is an enforced foreign key, with the tables and keys by which rows of one find those of the other.
type Reference struct {
	*ForeignKey
	Child, Parent *Table // Parent is nil if there is no such table: then no row can be referred to
	Refs          []int  // the columns of the parent that ForeignKey.Columns refer to

	parentKey, childKey *Index // nil: the primary key
}

// NewReference finds the keys of a foreign key. Only a damaged definition has none.
func NewReference(child *Table, k *ForeignKey, parent *Table) (*Reference, error) {
	r, err := NewParentReference(child, k, parent)
	if err != nil {
		return nil, err
	}
	var ok bool
	if r.childKey, ok = child.KeyFrom(k.Columns); !ok {
		return nil, fmt.Errorf("table %s: no index serves the foreign key %s", child.Name, k.Name)
	}
	return r, nil
}

// NewParentReference is NewReference for a table that may have no index for the key yet: it finds only the referenced row.
func NewParentReference(child *Table, k *ForeignKey, parent *Table) (*Reference, error) {
	r := &Reference{ForeignKey: k, Child: child, Parent: parent}
	if parent == nil {
		return r, nil
	}
	var ok bool
	for _, name := range k.RefColumns {
		r.Refs = append(r.Refs, slices.IndexFunc(parent.Columns, func(c *Column) bool { return strings.EqualFold(c.Name, name) }))
	}
	if slices.Contains(r.Refs, -1) {
		return nil, fmt.Errorf("table %s: the foreign key %s refers to columns that table %s does not have", child.Name, k.Name, parent.Name)
	}
	if r.parentKey, ok = parent.UniqueKeyOf(r.Refs); !ok {
		return nil, fmt.Errorf("table %s: the foreign key %s refers to no unique key of table %s", child.Name, k.Name, parent.Name)
	}
	return r, nil
}

// ChildKey is the index by which the rows that refer to a row are found; nil: the primary key.
func (r *Reference) ChildKey() *Index { return r.childKey }

// ParentKey is the key that is referred to; nil: the primary key.
func (r *Reference) ParentKey() *Index { return r.parentKey }

// Of gives the values by which a row of the child refers to a row. If one of them is NULL, it refers to none.
func (r *Reference) Of(row []value.Value) (values []value.Value, refers bool) {
	return pick(row, r.Columns)
}

// For gives the values by which rows of the child refer to a row of the parent. If one of them is NULL, none do.
func (r *Reference) For(row []value.Value) (values []value.Value, referred bool) {
	return pick(row, r.Refs)
}

func pick(row []value.Value, columns []int) (values []value.Value, ok bool) {
	values = make([]value.Value, len(columns))
	for i, c := range columns {
		if values[i] = row[c]; values[i].IsNull() {
			return nil, false
		}
	}
	return values, true
}

// ParentPartition gives the partition of the parent for a row with the values; nil if there is none, and so no such row.
func (r *Reference) ParentPartition(values []value.Value) (*Partition, error) {
	return r.Parent.partitionIn(spread(len(r.Parent.Columns), r.Refs, values))
}

// partitionIn is PartitionOf, but gives nil if there is no partition.
func (t *Table) partitionIn(row []value.Value) (*Partition, error) {
	p, err := t.PartitionOf(row)
	var none *NoPartitionError
	if errors.As(err, &none) {
		return nil, nil
	}
	return p, err
}

// ChildPartitions are the partitions of the child in which rows with the values may lie.
func (r *Reference) ChildPartitions(values []value.Value) ([]*Partition, error) {
	if !r.Child.IsDivided() || !containsAll(r.Columns, r.Child.Partitions.Columns) {
		return r.Child.AllPartitions(), nil
	}
	p, err := r.Child.partitionIn(spread(len(r.Child.Columns), r.Columns, values))
	if p == nil {
		return nil, err
	}
	return []*Partition{p}, err
}

func containsAll(all, some []int) bool {
	return !slices.ContainsFunc(some, func(c int) bool { return !slices.Contains(all, c) })
}

// ParentPlace gives the keys of the entity, in ParentPartition, that exists exactly if a row of the parent has the values.
func (r *Reference) ParentPlace(values []value.Value) (partition, rowKey string, err error) {
	row := spread(len(r.Parent.Columns), r.Refs, values)
	b, err := r.Parent.AppendEntryPartition(nil, r.parentKey, row)
	if err != nil {
		return "", "", err
	}
	k, err := r.Parent.AppendKeyBegin(nil, r.parentKey, len(r.Refs), row)
	return string(b), string(k), err
}

// ChildSpan gives where the entities of the rows with the values lie, in each of some store partitions of ChildPartitions.
func (r *Reference) ChildSpan(values []value.Value) (partitions []string, span keymap.Span, err error) {
	t, row := r.Child, spread(len(r.Child.Columns), r.Columns, values)
	l := t.LayoutOf(r.childKey)
	partitions = l.partitions()
	if !slices.ContainsFunc(l.Partition, func(s Segment) bool { return s.Text == "" && !slices.Contains(r.Columns, s.Column) }) {
		b, err := t.AppendEntryPartition(nil, r.childKey, row)
		if err != nil {
			return nil, span, err
		}
		partitions = []string{string(b)}
	}
	columns, unique := t.Key, true
	if ix := r.childKey; ix != nil {
		columns, unique = ix.Key, ix.Unique
	}
	b, err := t.AppendKeyBegin(nil, r.childKey, len(r.Columns), row)
	if unique && len(columns) == len(r.Columns) {
		return partitions, keymap.PointSpan(string(b)), err
	}
	return partitions, keymap.PrefixSpan(string(b)), err
}

// spread makes a row in which only some columns have values.
func spread(width int, columns []int, values []value.Value) []value.Value {
	row := make([]value.Value, width)
	for i, c := range columns {
		row[c] = values[i]
	}
	return row
}

// ChildPlace gives the keys of the entity by which a row of the child is found.
func (r *Reference) ChildPlace(row []value.Value) (partition, rowKey string, err error) {
	b, err := r.Child.AppendEntryPartition(nil, r.childKey, row)
	if err != nil {
		return "", "", err
	}
	var k []byte
	if r.childKey == nil {
		k, err = r.Child.AppendRowKey(nil, row)
	} else {
		k, err = r.Child.AppendIndexKey(nil, r.childKey, row)
	}
	return string(b), string(k), err
}
