package schema

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// NoTableError says that there is no table of that name.
type NoTableError struct{ Database, Name string }

func (e *NoTableError) Error() string {
	if e.Database == "" {
		return fmt.Sprintf("Table '%s' doesn't exist", e.Name)
	}
	return fmt.Sprintf("Table '%s.%s' doesn't exist", e.Database, e.Name)
}

// DefaultDatabase is the SQL name of a store's nameless database.
const DefaultDatabase = "nearlyfree"

// DatabaseName is the SQL name of a database.
func DatabaseName(database string) string {
	if database == "" {
		return DefaultDatabase
	}
	return database
}

// NoDatabaseError says that there is no database of that name.
type NoDatabaseError struct{ Name string }

func (e *NoDatabaseError) Error() string { return fmt.Sprintf("Unknown database '%s'", e.Name) }

// Init computes what the stored definition implies: the names of columns and the layout of keys. It is
// called once, before the table is used or published; the error says what is wrong with a damaged definition.
func (t *Table) Init() error {
	t.texts = &boundTexts{}
	t.byName = make(map[string]int, len(t.Columns))
	for i, c := range t.Columns {
		if c.State != Public {
			continue
		}
		name := strings.ToLower(c.Name)
		if t.IsUndeclared() && i > 0 {
			if _, dup := t.byName[name]; dup {
				continue // properties may differ by case: the first one has the name
			}
		}
		if _, dup := t.byName[name]; dup {
			return fmt.Errorf("table %s: column %s is there twice", t.Name, c.Name)
		}
		t.byName[name] = i
	}
	if t.IsView() {
		return nil
	}
	if len(t.Key) == 0 && t.Virtual == nil {
		return fmt.Errorf("table %s has no key", t.Name)
	}
	var err error
	if t.Layout, err = t.layout(); err != nil {
		return err
	}
	for _, ix := range t.Indexes {
		if ix.Segments, err = t.entrySegments(ix); err != nil {
			return err
		}
		if ix.Global != 0 {
			if ix.layout, err = t.entryLayout(ix); err != nil {
				return err
			}
		}
		for _, c := range ix.Include {
			if c < 0 || c >= len(t.Columns) {
				return fmt.Errorf("table %s: index %s includes a column that is not there", t.Name, ix.Name)
			}
		}
	}
	for _, k := range t.ForeignKeys {
		if len(k.Columns) == 0 || len(k.Columns) != len(k.RefColumns) || slices.ContainsFunc(k.Columns, func(c int) bool { return c < 0 || c >= len(t.Columns) }) {
			return fmt.Errorf("table %s: foreign key %s names columns that are not there", t.Name, k.Name)
		}
	}
	if t.IsInterleaved() {
		if t.Interleaved.segments, err = t.codes("foreign key", rowPrefix(t.Interleaved.RowName), t.Interleaved.Key); err != nil {
			return err
		}
	}
	if t.whole = nil; !t.IsDivided() {
		t.whole = []*Partition{{Physical: t.Physical}}
		return nil
	}
	return t.Partitions.init(t)
}

// Ordinal gives the position of a column by its name, without regard to case, or -1. "ETag" is
// ETagOrdinal if the table has no column of that name.
func (t *Table) Ordinal(name string) int {
	name = strings.ToLower(name)
	if i, ok := t.byName[name]; ok {
		return i
	}
	if name == "etag" {
		return t.ETagOrdinal()
	}
	return -1
}

// ColumnNames are the names of the columns that a statement may name.
func (t *Table) ColumnNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range t.Columns {
			if c.Listed() && !yield(c.Name) {
				return
			}
		}
	}
}

// Index gives the index of a name, without regard to case, or nil.
func (t *Table) Index(name string) *Index {
	for _, ix := range t.Indexes {
		if strings.EqualFold(ix.Name, name) {
			return ix
		}
	}
	return nil
}

// Clone gives a copy that can be changed without changing t: its columns, keys and indexes are its own,
// bound expressions are shared. Init must be called on it when the changes are made.
func (t *Table) Clone() *Table {
	c := *t
	c.texts, c.byName, c.Layout, c.whole = nil, nil, KeyLayout{}, nil
	c.Columns = cloneColumns(t.Columns)
	c.Key = slices.Clone(t.Key)
	c.Indexes = make([]*Index, len(t.Indexes))
	for i, ix := range t.Indexes {
		d := *ix
		d.Key, d.Include, d.Segments = slices.Clone(ix.Key), slices.Clone(ix.Include), nil
		c.Indexes[i] = &d
	}
	c.Checks = slices.Clone(t.Checks)
	c.ForeignKeys, c.Referrers = slices.Clone(t.ForeignKeys), slices.Clone(t.Referrers)
	for i := range c.ForeignKeys {
		k := &c.ForeignKeys[i]
		k.Columns, k.RefColumns = slices.Clone(k.Columns), slices.Clone(k.RefColumns)
	}
	c.KeyNames, c.Retired = slices.Clone(t.KeyNames), slices.Clone(t.Retired)
	c.Children = slices.Clone(t.Children)
	c.View = t.View.clone()
	if t.IsInterleaved() {
		in := *t.Interleaved
		in.Columns, in.Key = slices.Clone(in.Columns), slices.Clone(in.Key)
		c.Interleaved = &in
	}
	if t.IsDivided() {
		c.Partitions = t.Partitions.clone()
	}
	if t.Change != nil {
		change := *t.Change
		change.Before = cloneColumns(change.Before)
		c.Change = &change
	}
	if t.Spread != nil {
		p := *t.Spread
		p.Columns = slices.Clone(p.Columns)
		c.Spread = &p
	}
	return &c
}

func cloneColumns(columns []*Column) []*Column {
	if columns == nil {
		return nil
	}
	out := make([]*Column, len(columns))
	for i, col := range columns {
		c := *col
		c.Type.Names = slices.Clone(col.Type.Names)
		out[i] = &c
	}
	return out
}

// Holds says whether entries of the index carry a column: always those of its own key, of the primary key
// and of what determines the row's partition, and all columns if the whole row is copied.
func (t *Table) Holds(ix *Index, column int) bool {
	if ix.Copy == CopyRow {
		return column < len(t.Columns)
	}
	is := func(p KeyColumn) bool { return p.Column == column }
	return slices.ContainsFunc(ix.Key, is) || slices.ContainsFunc(t.Key, is) ||
		slices.Contains(t.SpreadBy(), column) ||
		ix.Copy == CopyInclude && slices.Contains(ix.Include, column)
}

// Numbered makes the nth name of a kind, such as t_chk_1.
func Numbered(name string, n int) string { return name + "_" + strconv.Itoa(n) }

// Copies is the number of index entries of a row.
func (t *Table) Copies() int {
	n := 0
	for _, ix := range t.Indexes {
		if ix.State != DeleteOnly {
			n++
		}
	}
	return n
}

// SameCodes says whether values of the two types have the same codes in keys.
func SameCodes(a, b value.Type) bool {
	if a.Collation != b.Collation {
		return false
	}
	switch {
	case a.HasMembers() || b.HasMembers():
		n := min(len(a.Names), len(b.Names)) // members added at the end do not renumber the others
		return a.Base == b.Base && slices.Equal(a.Names[:n], b.Names[:n])
	case a.IsInteger() && b.IsInteger():
		return a.Unsigned == b.Unsigned
	case a.Base == value.TypeDecimal && b.Base == value.TypeDecimal:
		return a.Precision == b.Precision && a.Scale == b.Scale
	case a.Class() == value.ClassText && b.Class() == value.ClassText, a.Class() == value.ClassOctets && b.Class() == value.ClassOctets:
		return keymap.Cuttable(a) == keymap.Cuttable(b) && a.KeepsAs(b)
	}
	return a.Base == b.Base
}

// PrimaryName is the name of the primary key. If ALTER TABLE has given a key to a table without one, an index has this name: it acts as
// the primary key, but rows are still stored by their hidden row ids.
const PrimaryName = "PRIMARY"

// IsPrimary says whether the index is the primary key of a table whose rows are stored by hidden row ids.
func (ix *Index) IsPrimary() bool { return ix.Name == PrimaryName }

// HidesKey says whether rows are stored by a hidden row id, because CREATE TABLE gave no primary key.
func (t *Table) HidesKey() bool { return len(t.Key) > 0 && t.Columns[t.Key[0].Column].Hidden }

// PrimaryKey gives the columns of the primary key as statements know it; nil: there is none.
func (t *Table) PrimaryKey() []KeyColumn {
	if !t.HidesKey() {
		return t.Key
	}
	if ix := t.Index(PrimaryName); ix != nil {
		return ix.Key
	}
	return nil
}

// KeyNamed finds a key that statements can read by: nil and true is the primary key by which rows are stored.
func (t *Table) KeyNamed(name string) (ix *Index, ok bool) {
	if strings.EqualFold(name, PrimaryName) && !t.HidesKey() {
		return nil, len(t.Key) > 0
	}
	for _, ix := range t.Indexes {
		if strings.EqualFold(ix.Name, name) && ix.State == Public && ix.Child == "" {
			return ix, true
		}
	}
	return nil, false
}

// IsExternal says whether another program chose the form of the table's entities.
func (t *Table) IsExternal() bool { return t.External != nil }

// IsDivided says whether the table's rows are divided over partitions.
func (t *Table) IsDivided() bool { return t.Partitions != nil }

// IsInterleaved says whether the table is interleaved in another one.
func (t *Table) IsInterleaved() bool { return t.Interleaved != nil }
