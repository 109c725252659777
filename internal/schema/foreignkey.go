package schema

import (
	"iter"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// ForeignKey says that columns of each row have the values that a row of another table, the parent, has in a unique key, or that
// one of them is NULL. The parent's definition names the table (Table.Referrers), so that a statement that changes a parent's row
// looks for the rows that refer to it. See package dml for how the key is enforced.
type ForeignKey struct {
	Name       string
	Columns    []int
	Database   string // of the parent, as SQL calls it; "": the table's own
	Parent     string
	RefColumns []string // of the parent, by their SQL names
	OnDelete   Action
	OnUpdate   Action
	State      State // WriteOnly: writers enforce it, but older rows may violate it
	// NotEnforced: it is shown but not enforced. No definition of a parent knows of it.
	NotEnforced bool
}

// Action is what happens to the rows that refer to a row that is deleted or gets another key.
type Action uint8

// The actions. NoAction and Restrict mean the same.
const (
	NoAction Action = iota
	Restrict
	Cascade
	SetNull
)

var actionTexts = [...]string{NoAction: "NO ACTION", Restrict: "RESTRICT", Cascade: "CASCADE", SetNull: "SET NULL"}

func (a Action) String() string { return actionTexts[a] }

// Changes says whether the referring rows change, rather than keep the row that they refer to from changing.
func (a Action) Changes() bool { return a == Cascade || a == SetNull }

// To is the table that the key refers to.
func (k *ForeignKey) To() Relative { return Relative{k.Database, k.Parent} }

// RefersTo says whether the key is enforced and refers to a table.
func (k *ForeignKey) RefersTo(table Relative) bool { return !k.NotEnforced && k.To().Is(table) }

// RefersTo says whether rows of t refer to rows of a table, which may be t itself.
func (t *Table) RefersTo(table Relative) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k ForeignKey) bool { return k.RefersTo(table) })
}

// IsTied says whether foreign keys tie the table to others, or to itself.
func (t *Table) IsTied() bool {
	return len(t.Referrers) > 0 || slices.ContainsFunc(t.ForeignKeys, func(k ForeignKey) bool { return !k.NotEnforced })
}

// Parents are the tables that rows of t refer to, each once, without t itself.
func (t *Table) Parents() []Relative {
	var out []Relative
	for _, k := range t.ForeignKeys {
		if to := k.To(); !k.NotEnforced && !to.Is(Own(t.Name)) && !slices.ContainsFunc(out, to.Is) {
			out = append(out, to)
		}
	}
	return out
}

// IsReferredBy says whether t knows that rows of a table refer to its own.
func (t *Table) IsReferredBy(table Relative) bool { return slices.ContainsFunc(t.Referrers, table.Is) }

// Refer notes that rows of a table refer to rows of t, or that they no longer do.
func (t *Table) Refer(table Relative, refers bool) {
	switch known := t.IsReferredBy(table); {
	case refers && !known:
		t.Referrers = append(t.Referrers, table)
	case !refers:
		t.Referrers = slices.DeleteFunc(t.Referrers, table.Is)
	}
}

// AllForeignKeys are the foreign keys that are shown, beginning with that of an interleaved table.
func (t *Table) AllForeignKeys() iter.Seq[*ForeignKey] {
	return func(yield func(*ForeignKey) bool) {
		if t.IsInterleaved() && !yield(t.InterleavedKey()) {
			return
		}
		for i := range t.ForeignKeys {
			if k := &t.ForeignKeys[i]; k.State == Public && !yield(k) {
				return
			}
		}
	}
}

// InterleavedKey is the foreign key of an interleaved table.
func (t *Table) InterleavedKey() *ForeignKey {
	in := t.Interleaved
	k := &ForeignKey{Name: in.Name, Parent: in.Parent, RefColumns: in.Columns}
	for _, p := range in.Key {
		k.Columns = append(k.Columns, p.Column)
	}
	if in.Cascade {
		k.OnDelete = Cascade
	}
	return k
}

// ForeignKeySQL writes a foreign key of the table.
func (t *Table) ForeignKeySQL(k *ForeignKey) string {
	columns, refs := make([]string, len(k.Columns)), make([]string, len(k.RefColumns))
	for i, c := range k.Columns {
		columns[i] = QuoteName(t.Columns[c].Name)
	}
	for i, name := range k.RefColumns {
		refs[i] = QuoteName(name)
	}
	s := "CONSTRAINT " + QuoteName(k.Name) + " FOREIGN KEY (" + strings.Join(columns, ", ") + ") REFERENCES " +
		k.To().sql() + " (" + strings.Join(refs, ", ") + ")"
	if k.OnDelete != NoAction {
		s += " ON DELETE " + k.OnDelete.String()
	}
	if k.OnUpdate != NoAction {
		s += " ON UPDATE " + k.OnUpdate.String()
	}
	if k.NotEnforced {
		s += " NOT ENFORCED"
	}
	return s
}

// begins says whether a key begins with these columns, whole and in this order.
func begins(key []KeyColumn, columns []int) bool {
	if len(key) < len(columns) {
		return false
	}
	for i, c := range columns {
		if key[i].Column != c || key[i].Prefix > 0 {
			return false
		}
	}
	return true
}

// KeyFrom gives a key that statements may read by and that begins with these columns, in this order; nil is the primary key.
func (t *Table) KeyFrom(columns []int) (ix *Index, ok bool) {
	if begins(t.Key, columns) {
		return nil, true
	}
	for _, ix := range t.Indexes {
		if ix.State == Public && ix.Child == "" && begins(ix.Key, columns) {
			return ix, true
		}
	}
	return nil, false
}

// Superseded gives the indexes that foreign keys brought along and that can go because another key begins with their columns.
func (t *Table) Superseded() []*Index {
	var out []*Index
	for _, ix := range t.Indexes {
		others := &Table{Key: t.Key, Indexes: slices.DeleteFunc(slices.Clone(t.Indexes), func(o *Index) bool { return o == ix || slices.Contains(out, o) })}
		if _, ok := others.KeyFrom(ix.columns()); ok && ix.ForForeignKey {
			out = append(out, ix)
		}
	}
	return out
}

func (ix *Index) columns() []int {
	columns := make([]int, len(ix.Key))
	for i, k := range ix.Key {
		columns[i] = k.Column
	}
	return columns
}

// IsSupersededBy says whether a foreign key brought the index along and other begins with its columns.
func (ix *Index) IsSupersededBy(other *Index) bool {
	return ix.ForForeignKey && begins(other.Key, ix.columns())
}

// UniqueKeyOf gives the unique key over exactly these columns, in this order; nil is the primary key.
func (t *Table) UniqueKeyOf(columns []int) (ix *Index, ok bool) {
	if len(t.Key) == len(columns) && begins(t.Key, columns) {
		return nil, true
	}
	for _, ix := range t.Indexes {
		if ix.Unique && ix.State == Public && len(ix.Key) == len(columns) && begins(ix.Key, columns) {
			return ix, true
		}
	}
	return nil, false
}

// AppendKeyBegin appends the beginning of the RowKeys of a row's entity in a key, up to the code of the n-th column and the
// separator after it. A nil ix is the primary key. All of the key's columns are read from row, but only the first n matter.
func (t *Table) AppendKeyBegin(dst []byte, ix *Index, n int, row []value.Value) ([]byte, error) {
	segments, columns := t.Layout.Row, t.Key
	if ix != nil {
		segments, columns = ix.Segments, ix.Key
	}
	whole := n == len(columns) && (ix == nil || ix.Unique)
	dst, err := t.appendKey(dst, segments[:2*n], row) // a text before each code
	if err != nil || whole {
		return dst, err
	}
	return append(dst, keymap.Separator), nil
}

// SameKeyType says whether columns of the two types may refer to each other, as in MySQL: numbers need the same size, sign and
// digits, texts the same collation, whatever their lengths.
func SameKeyType(a, b value.Type) bool {
	if a.Base != b.Base || a.Unsigned != b.Unsigned || a.Collation != b.Collation {
		return false
	}
	switch a.Base {
	case value.TypeChar, value.TypeText, value.TypeBinary, value.TypeBlob: // CHAR and VARCHAR, too: each value has one code
		return true
	case value.TypeDateTime, value.TypeTime:
		return a.Precision == b.Precision && (a.Declared == "TIMESTAMP") == (b.Declared == "TIMESTAMP")
	case value.TypeBit:
		return a.Length == b.Length
	case value.TypeEnum, value.TypeSet:
		return slices.Equal(a.Names, b.Names)
	}
	return SameCodes(a, b)
}

// ForeignKey gives the foreign key of a name, without regard to case, or nil. It does not find that of INTERLEAVE IN PARENT.
func (t *Table) ForeignKey(name string) *ForeignKey {
	for i := range t.ForeignKeys {
		if strings.EqualFold(t.ForeignKeys[i].Name, name) {
			return &t.ForeignKeys[i]
		}
	}
	return nil
}
