package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Composition says that a table lives inside its parent: in the parent's physical table and partition, under
// row keys of its own that begin with the parent's key. So a parent and all that lives inside it can be
// written in one entity group transaction, and all children of a parent are one range.
//
//	CREATE TABLE item (expense INT, n INT, PRIMARY KEY (expense, n),
//	  FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INSIDE expense
//
//	parent  PK!5
//	child   item!5!1
//
// The foreign key is kept without reading: a child is written together with a touch of its parent, a merge of
// nothing, which fails where there is no parent and gives it a new ETag where there is one. A parent is deleted
// on condition of the ETag that was read before its children were.
type Composition struct {
	Parent  string    // the table
	RowName string    // begins the parent's row keys; "" for keymap.RowPrefix
	Columns []string  // of the parent's primary key
	Key     []KeyPart // the parent's primary key, by this table's columns
	Name    string    // of the foreign key
	Cascade bool      // ON DELETE CASCADE; else a parent with children is not deleted
	// WithParent: a copy of the parent's row lies before the rows that live inside it. See beside.go.
	WithParent bool `json:",omitempty"`

	parts []keymap.Part // of Key
}

// Family is a table that lives inside another one, with those that live inside it.
type Family struct {
	Table    *Table
	Children []Family
}

// RowPrefix begins the keys of the table's rows, without the separator.
func (t *Table) RowPrefix() string {
	if t.RowName == "" {
		return keymap.RowPrefix
	}
	return t.RowName
}

// RowSpan is the span of the keys of the table's rows, without index entries and other tables' rows.
func (t *Table) RowSpan() keymap.Span {
	return keymap.PrefixSpan(t.RowPrefix() + string(keymap.Separator))
}

// AppendParentKey appends the RowKey of the parent of a row. The parent's PartitionKey is the row's own.
func (t *Table) AppendParentKey(dst []byte, row []value.Value) ([]byte, error) {
	if t.Inside.RowName == "" {
		dst = append(dst, keymap.RowPrefix...)
	} else {
		dst = append(dst, t.Inside.RowName...)
	}
	return t.appendCodes(dst, t.Inside.Key, t.Inside.parts, row)
}

// ChildSpan is where the rows lie that live inside a row of the parent, in the row's partition.
func (t *Table) ChildSpan(parent *Table, row []value.Value) (keymap.Span, error) {
	own := make([]value.Value, len(t.Columns))
	for i, p := range t.Inside.Key {
		own[p.Column] = row[parent.Key[i].Column]
	}
	n := len(t.Inside.Key)
	b, err := t.appendCodes([]byte(t.RowPrefix()), t.Key[:n], t.keyParts[:n], own)
	return keymap.PrefixSpan(string(append(b, keymap.Separator))), err
}

// SameParent says whether two rows live inside the same row.
func (t *Table) SameParent(a, b []value.Value) bool {
	return !slices.ContainsFunc(t.Inside.Key, func(p KeyPart) bool { return a[p.Column] != b[p.Column] })
}

// keyNameOf gives the name that the keys of an index, or of the rows of a table inside this one, begin with. Where
// other tables share the physical table it holds RowName, so that it is none of theirs.
func (d *definer) keyNameOf(name string) string {
	if d.t.RowName != "" {
		return keymap.NestedName(d.t.RowName, name)
	}
	return keymap.IndexName(name)
}

// inside takes the foreign key of a table that lives inside its parent, once the primary key is set. Foreign
// keys between tables of their own are refused: no transaction covers both, so they could not be kept.
func (d *definer) inside(c *dialect.CreateTable) error {
	keys := slices.Clone(c.ForeignKeys)
	for i := range c.Columns {
		if ref := c.Columns[i].References; ref != nil {
			f := *ref
			f.Columns, f.Pos = []string{c.Columns[i].Name}, c.Columns[i].Pos
			keys = append(keys, f)
		}
	}
	name := c.Options["INSIDE"]
	switch {
	case name == "" && c.Options["WITH PARENT"] != "":
		return newError(codeSyntax, c.Table.Pos, "WITH PARENT follows INSIDE, and says that the parent's row is copied to the rows inside it")
	case name == "" && len(keys) == 0:
		return nil
	case name == "":
		return d.foreignKeyRefused(keys[0].Pos, keys[0].Table.Name)
	case d.parent == nil:
		return notSupported(c.Table.Pos, "INSIDE in a statement of this form is")
	case d.parent.Foreign != nil:
		return notSupported(c.Table.Pos, "INSIDE an external table is")
	case len(keys) == 0:
		return newError(codeForeignKey, c.Table.Pos, "A table INSIDE '%s' needs FOREIGN KEY (columns) REFERENCES '%s', with the columns that its primary key begins with", name, name)
	case len(keys) > 1:
		return d.foreignKeyRefused(keys[1].Pos, keys[1].Table.Name)
	case !strings.EqualFold(keys[0].Table.Name, name) || !strings.EqualFold(d.parent.Name, name):
		return d.foreignKeyRefused(keys[0].Pos, keys[0].Table.Name)
	case c.Partitioning != nil:
		return notSupported(c.Partitioning.Pos, "PARTITION BY of a table INSIDE another one, whose partitions it shares, is")
	}
	return d.composition(&keys[0], c.Options["WITH PARENT"] != "")
}

func (d *definer) foreignKeyRefused(pos dialect.Pos, parent string) error {
	return newError(codeNotSupported, pos, "a foreign key to a table that is kept elsewhere is not supported, because no transaction covers both tables: "+
		"let the primary key of '%s' begin with that of '%s' and declare it INSIDE %s, or remove FOREIGN KEY and REFERENCES", d.t.Name, parent, parent)
}

// composition checks the foreign key against the keys of both tables.
func (d *definer) composition(f *dialect.ForeignKey, withParent bool) error {
	parent := d.parent
	switch {
	case f.OnUpdate == "cascade" || f.OnUpdate == "set null" || f.OnUpdate == "set default":
		return notSupported(f.Pos, "ON UPDATE %s is", strings.ToUpper(f.OnUpdate))
	case f.OnDelete == "set null" || f.OnDelete == "set default":
		return notSupported(f.Pos, "ON DELETE %s of a column of the primary key is", strings.ToUpper(f.OnDelete))
	case parent.Columns[parent.Key[0].Column].Hidden:
		return newError(codeForeignKey, f.Pos, "Table '%s' has no primary key that another table could live under", parent.Name)
	}
	c := &Composition{Parent: parent.Name, RowName: parent.RowName, Name: f.Name, Cascade: f.OnDelete == "cascade", WithParent: withParent}
	if c.Name == "" {
		c.Name = d.t.Name + "_ibfk_1"
	}
	refs := f.RefColumns
	if refs == nil && len(f.Columns) == len(parent.Key) {
		for _, p := range parent.Key {
			refs = append(refs, parent.Columns[p.Column].Name)
		}
	}
	if len(refs) != len(f.Columns) {
		return newError(codeForeignKeyColumns, f.Pos, "Incorrect foreign key definition for '%s': Key reference and table reference don't match", c.Name)
	}
	for i, p := range parent.Key {
		at := slices.IndexFunc(refs, func(name string) bool { return parent.Ordinal(name) == p.Column })
		if at < 0 || len(refs) != len(parent.Key) {
			return newError(codeNoReferencedKey, f.Pos, "Failed to add the foreign key constraint. A table INSIDE '%s' must reference all columns of its primary key", parent.Name)
		}
		column := d.find(f.Columns[at])
		if column < 0 {
			return newError(codeKeyColumnMissing, f.Pos, "Key column '%s' doesn't exist in table", f.Columns[at])
		}
		if i >= len(d.t.Key) || d.t.Key[i].Column != column {
			return newError(codeForeignKey, f.Pos, "The primary key of '%s' must begin with the columns that reference the primary key of '%s', in its order", d.t.Name, parent.Name)
		}
		if !sameCodes(d.t.Columns[column].Type, parent.Columns[p.Column].Type) {
			return newError(codeIncompatibleKeys, f.Pos, "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.",
				d.t.Columns[column].Name, parent.Columns[p.Column].Name, c.Name)
		}
		c.Columns = append(c.Columns, parent.Columns[p.Column].Name)
		c.Key = append(c.Key, KeyPart{Column: column, Desc: p.Desc, Cut: p.Cut})
	}
	if len(d.t.Key) == len(c.Key) {
		return newError(codeForeignKey, f.Pos, "The primary key of '%s' must have a column behind those that reference '%s', which tells the rows inside one row apart", d.t.Name, parent.Name)
	}
	d.t.Inside = c
	return d.shareParent()
}

// shareParent gives a table the place of its parent.
func (d *definer) shareParent() error {
	parent := d.parent
	if ix := parent.Beside(d.t.Name); d.t.Inside.WithParent && ix != nil {
		d.t.RowName = ix.KeyName // of a table that a process did not live to make
	} else {
		names := &definer{t: parent.Clone()}
		d.t.RowName = names.keyName(d.t.Name)
	}
	if parent.Foreign != nil {
		return notSupported(noPos, "a table INSIDE one that another program made is")
	}
	d.t.ShareParts(parent)
	p := parent.Partition
	if p == nil {
		return nil
	}
	own := &Partitioning{Kind: p.Kind, Count: p.Count}
	for _, column := range p.Columns {
		i := slices.IndexFunc(parent.Key, func(k KeyPart) bool { return k.Column == column })
		own.Columns = append(own.Columns, d.t.Inside.Key[i].Column)
	}
	d.t.Partition = own
	return nil
}

// ShareParts gives a table the parts of the one that it lives inside, if that has such: what divides the rows of one is in
// the keys of both. Whoever changes the parts of a table does this to all that live inside it, in the same change.
func (t *Table) ShareParts(parent *Table) {
	if parent.Parts == nil {
		return
	}
	t.Parts = parent.Parts.clone()
	for i, column := range parent.Parts.Columns {
		at := slices.IndexFunc(parent.Key, func(k KeyPart) bool { return k.Column == column })
		t.Parts.Columns[i] = t.Inside.Key[at].Column
	}
}

// AddChild gives the definition of a table when another one is declared to live inside it.
func (t *Table) AddChild(child *Table) *Table {
	next := t.Clone()
	if !slices.ContainsFunc(next.Children, func(name string) bool { return strings.EqualFold(name, child.Name) }) {
		next.Children = append(next.Children, child.Name)
	}
	next.KeyNames = append(next.KeyNames, child.RowName)
	if child.Inside.WithParent {
		next.Indexes = append(next.Indexes, next.besideIndex(child))
	}
	return next
}

// RenameChild gives the definition of a table when one that lives inside it gets another name; "": is dropped.
func (t *Table) RenameChild(from, to string) *Table {
	next := t.Clone()
	next.Children = slices.DeleteFunc(next.Children, func(name string) bool { return strings.EqualFold(name, from) })
	if to != "" {
		next.Children = append(next.Children, to)
	}
	next.renameBeside(from, to)
	return next
}

// Alone makes t, which is a copy, a table that nothing ties to another one. Rehome gives it its place.
func (t *Table) Alone() {
	t.Inside, t.Children = nil, nil
	t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *Index) bool { return ix.Beside != "" })
}

// family finds the tables that live inside t; the plan depends on them.
func (b *builder) family(t *Table) ([]Family, error) {
	var out []Family
	for _, name := range t.Children {
		child, err := b.table(&dialect.TableName{Database: t.Database, Name: name, Pos: noPos})
		if isMissing(err) {
			continue // declared by a process that did not live to make it
		}
		if err != nil {
			return nil, err
		}
		if child.Inside == nil || !strings.EqualFold(child.Inside.Parent, t.Name) {
			continue
		}
		inside, err := b.family(child)
		if err != nil {
			return nil, err
		}
		out = append(out, Family{Table: child, Children: inside})
	}
	return out, nil
}

func isMissing(err error) bool {
	e, ok := err.(*Error)
	return ok && e.Code == codeNoSuchTable
}
