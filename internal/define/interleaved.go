package define

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// interleaved applies the foreign key of an interleaved table, once the primary key is set. A column that refers to the
// parent counts as one, too.
func (d *definer) interleaved(c *dialect.CreateTable) error {
	name := c.Options["INTERLEAVE IN PARENT"]
	var keys []dialect.ForeignKey
	if i := d.interleavedKey(c); i >= 0 {
		keys = append(keys, c.ForeignKeys[i])
	}
	for i := range c.Columns {
		if ref := c.Columns[i].References; ref != nil && strings.EqualFold(ref.Table.Name, name) {
			f := *ref
			f.Columns, f.Pos = []string{c.Columns[i].Name}, c.Columns[i].Pos
			keys = append(keys, f)
		}
	}
	switch {
	case name == "" && c.Options["WITH PARENT"] != "":
		return sqlerr.New(sqlerr.CodeSyntax, c.Table.Pos, "WITH PARENT follows INTERLEAVE IN PARENT, and says that the parent's row is copied to the rows inside it")
	case name == "":
		return nil
	case d.parent == nil || !strings.EqualFold(d.parent.Name, name):
		return sqlerr.NotSupported(c.Table.Pos, "INTERLEAVE IN PARENT in a statement of this form is")
	case d.parent.IsExternal():
		return sqlerr.NotSupported(c.Table.Pos, "INTERLEAVE IN PARENT with an external table is")
	case len(keys) == 0:
		return sqlerr.New(sqlerr.CodeForeignKey, c.Table.Pos, "A table interleaved in '%s' needs FOREIGN KEY (columns) REFERENCES '%s', with the columns that its primary key begins with", name, name)
	case keys[0].NotEnforced:
		return sqlerr.NotSupported(keys[0].Pos, "NOT ENFORCED of the foreign key that interleaves a table is")
	case c.Partitioning != nil:
		return sqlerr.NotSupported(c.Partitioning.Pos, "PARTITION BY of an interleaved table (it has the partitions of its parent) is")
	}
	return d.interleave(&keys[0], c.Options["WITH PARENT"] != "")
}

// interleave checks the foreign key against the keys of both tables.
func (d *definer) interleave(f *dialect.ForeignKey, withParent bool) error {
	parent := d.parent
	switch {
	case f.OnUpdate == "cascade" || f.OnUpdate == "set null" || f.OnUpdate == "set default":
		return sqlerr.NotSupported(f.Pos, "ON UPDATE %s is", strings.ToUpper(f.OnUpdate))
	case f.OnDelete == "set null" || f.OnDelete == "set default":
		return sqlerr.NotSupported(f.Pos, "ON DELETE %s of a column of the primary key is", strings.ToUpper(f.OnDelete))
	case parent.Columns[parent.Key[0].Column].Hidden:
		return sqlerr.New(sqlerr.CodeForeignKey, f.Pos, "Table '%s' has no primary key, so no table can be interleaved in it", parent.Name)
	}
	c := &schema.Interleaving{Parent: parent.Name, RowName: parent.RowName, Name: f.Name, Cascade: f.OnDelete == "cascade", WithParent: withParent}
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
		return sqlerr.New(sqlerr.CodeForeignKeyColumns, f.Pos, "Incorrect foreign key definition for '%s': Key reference and table reference don't match", c.Name)
	}
	for i, p := range parent.Key {
		at := slices.IndexFunc(refs, func(name string) bool { return parent.Ordinal(name) == p.Column })
		if at < 0 || len(refs) != len(parent.Key) {
			return sqlerr.New(sqlerr.CodeNoReferencedKey, f.Pos, "Failed to add the foreign key constraint. A table interleaved in '%s' must reference all columns of its primary key", parent.Name)
		}
		column := d.find(f.Columns[at])
		if column < 0 {
			return sqlerr.New(sqlerr.CodeKeyColumnMissing, f.Pos, "Key column '%s' doesn't exist in table", f.Columns[at])
		}
		if i >= len(d.t.Key) || d.t.Key[i].Column != column {
			return sqlerr.New(sqlerr.CodeForeignKey, f.Pos, "The primary key of '%s' must begin with the columns that reference the primary key of '%s', in its order", d.t.Name, parent.Name)
		}
		if !schema.SameCodes(d.t.Columns[column].Type, parent.Columns[p.Column].Type) {
			return sqlerr.New(sqlerr.CodeIncompatibleKeys, f.Pos, "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.",
				d.t.Columns[column].Name, parent.Columns[p.Column].Name, c.Name)
		}
		c.Columns = append(c.Columns, parent.Columns[p.Column].Name)
		c.Key = append(c.Key, schema.KeyColumn{Column: column, Desc: p.Desc, Cut: p.Cut})
	}
	if len(d.t.Key) == len(c.Key) {
		return sqlerr.New(sqlerr.CodeForeignKey, f.Pos, "The primary key of '%s' needs a further column after those that reference '%s', to tell the rows of one parent apart", d.t.Name, parent.Name)
	}
	d.t.Interleaved = c
	return d.shareParent()
}

// shareParent gives a table the place of its parent.
func (d *definer) shareParent() error {
	parent := d.parent
	if ix := parent.ParentCopies(d.t.Name); d.t.Interleaved.WithParent && ix != nil {
		d.t.RowName = ix.KeyName // of a table that a process died before making
	} else {
		d.t.RowName = parent.Clone().KeyName(d.t.Name)
	}
	if parent.IsExternal() {
		return sqlerr.NotSupported(sqlerr.NoPos, "interleaving with a table that another program made is")
	}
	d.t.SharePartitions(parent)
	p := parent.Spread
	if p == nil {
		return nil
	}
	own := &schema.Spread{Kind: p.Kind, Count: p.Count}
	for _, column := range p.Columns {
		i := slices.IndexFunc(parent.Key, func(k schema.KeyColumn) bool { return k.Column == column })
		own.Columns = append(own.Columns, d.t.Interleaved.Key[i].Column)
	}
	d.t.Spread = own
	return nil
}
