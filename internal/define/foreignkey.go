package define

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// foreignKeys adds the foreign keys of a CREATE TABLE, except that of INTERLEAVE IN PARENT, once all indexes exist. As in MySQL,
// REFERENCES of a column has no effect.
func (d *definer) foreignKeys(c *dialect.CreateTable) error {
	for i := range c.ForeignKeys {
		if i == d.interleavedKey(c) {
			continue
		}
		f := &c.ForeignKeys[i]
		if err := d.indexForeignKey(f); err != nil {
			return err
		}
		if err := d.addForeignKey(f); err != nil {
			return err
		}
	}
	return nil
}

// interleavedKey gives the position of the foreign key that interleaves the table; -1 if there is none.
func (d *definer) interleavedKey(c *dialect.CreateTable) int {
	name := c.Options["INTERLEAVE IN PARENT"]
	return slices.IndexFunc(c.ForeignKeys, func(f dialect.ForeignKey) bool {
		return name != "" && f.Table.Database == "" && strings.EqualFold(f.Table.Name, name)
	})
}

// indexForeignKey adds an index on the columns of a foreign key if no key begins with them.
func (d *definer) indexForeignKey(f *dialect.ForeignKey) error {
	def, err := NeededIndex(d.t, f)
	if err != nil || def == nil {
		return err
	}
	parts, err := d.keyColumns(def)
	if err != nil {
		return err
	}
	d.t.Indexes = slices.DeleteFunc(d.t.Indexes, func(ix *schema.Index) bool { return ix.IsSupersededBy(&schema.Index{Key: parts}) })
	_, err = d.addIndex(def)
	return err
}

// NeededIndex is the index that a foreign key brings along, named after the constraint as in MySQL; nil if a key of t begins with its
// columns.
func NeededIndex(t *schema.Table, f *dialect.ForeignKey) (*dialect.IndexDef, error) {
	columns, err := (&definer{t: t}).foreignColumns(f)
	if err != nil || f.NotEnforced {
		return nil, err
	}
	if _, ok := t.KeyFrom(columns); ok {
		return nil, nil
	}
	def := &dialect.IndexDef{Name: f.Name, Pos: f.Pos, ForForeignKey: true}
	if def.Name == "" {
		def.Name = f.IndexName
	}
	if t.Index(def.Name) != nil {
		def.Name = ""
	}
	for _, name := range f.Columns {
		def.Parts = append(def.Parts, dialect.KeyColumn{Column: name})
	}
	return def, nil
}

// foreignColumns finds the columns of a foreign key.
func (d *definer) foreignColumns(f *dialect.ForeignKey) ([]int, error) {
	var columns []int
	for _, name := range f.Columns {
		i := d.find(name)
		switch {
		case i < 0:
			return nil, sqlerr.New(sqlerr.CodeKeyColumnMissing, f.Pos, "Key column '%s' doesn't exist in table", name)
		case slices.Contains(columns, i):
			return nil, sqlerr.New(sqlerr.CodeDuplicateColumn, f.Pos, "Duplicate column name '%s'", name)
		}
		columns = append(columns, i)
	}
	return columns, nil
}

var actions = map[string]schema.Action{"": schema.NoAction, "no action": schema.NoAction, "restrict": schema.Restrict, "cascade": schema.Cascade, "set null": schema.SetNull}

// addForeignKey adds a foreign key, without regard to the table that it refers to: CheckForeignKey does the rest.
func (d *definer) addForeignKey(f *dialect.ForeignKey) error {
	k := schema.ForeignKey{Name: f.Name, Database: f.Table.Database, Parent: f.Table.Name, RefColumns: f.RefColumns, NotEnforced: f.NotEnforced}
	if k.Name == "" {
		k.Name = d.foreignKeyName()
	}
	if err := CheckName(k.Name, f.Pos); err != nil {
		return err
	}
	var err error
	if k.Columns, err = d.foreignColumns(f); err != nil {
		return err
	}
	if len(k.RefColumns) != len(k.Columns) {
		return sqlerr.New(sqlerr.CodeForeignKeyColumns, f.Pos, "Incorrect foreign key definition for '%s': Key reference and table reference don't match", k.Name)
	}
	if d.t.ForeignKey(k.Name) != nil || d.t.IsInterleaved() && strings.EqualFold(d.t.Interleaved.Name, k.Name) {
		return sqlerr.New(sqlerr.CodeDuplicateForeignKey, f.Pos, "Duplicate foreign key constraint name '%s'", k.Name)
	}
	for _, at := range []struct {
		clause, action string
		to             *schema.Action
	}{{"ON DELETE", f.OnDelete, &k.OnDelete}, {"ON UPDATE", f.OnUpdate, &k.OnUpdate}} {
		action, ok := actions[at.action]
		if !ok {
			return sqlerr.New(sqlerr.CodeForeignKey, f.Pos, "Cannot add foreign key constraint: %s %s is not supported, as in InnoDB; use SET NULL, CASCADE or RESTRICT", at.clause, strings.ToUpper(at.action))
		}
		*at.to = action
	}
	for _, c := range k.Columns {
		if err := d.acts(&k, d.t.Columns[c], f.Pos); err != nil {
			return err
		}
	}
	d.t.ForeignKeys = append(d.t.ForeignKeys, k)
	return nil
}

// acts refuses a column that the foreign key's actions could not change.
func (d *definer) acts(k *schema.ForeignKey, c *schema.Column, pos dialect.Pos) error {
	nulls := k.OnDelete == schema.SetNull || k.OnUpdate == schema.SetNull
	if nulls && c.NotNull {
		return sqlerr.New(sqlerr.CodeForeignKeyNotNull, pos, "Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", c.Name, k.Name)
	}
	if c.Generated != "" && (nulls || k.OnUpdate == schema.Cascade) {
		clause := "ON UPDATE " + k.OnUpdate.String()
		if !k.OnUpdate.Changes() {
			clause = "ON DELETE SET NULL"
		}
		return sqlerr.New(sqlerr.CodeForeignKeyGenerated, pos, "Cannot define foreign key with %s clause on a generated column.", clause)
	}
	return nil
}

// foreignKeyName makes the name of a foreign key that has none: like MySQL, it continues from the highest number.
func (d *definer) foreignKeyName() string {
	prefix, highest := d.t.Name+"_ibfk_", 0
	count := func(name string) {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			if n, err := strconv.Atoi(name[len(prefix):]); err == nil {
				highest = max(highest, n)
			}
		}
	}
	for _, k := range d.t.ForeignKeys {
		count(k.Name)
	}
	if d.t.IsInterleaved() {
		count(d.t.Interleaved.Name)
	}
	return prefix + strconv.Itoa(highest+1)
}

// CheckForeignKey checks an enforced foreign key of child against the table that it refers to, which may be child itself.
func CheckForeignKey(child *schema.Table, k *schema.ForeignKey, parent *schema.Table) error {
	for _, t := range []*schema.Table{child, parent} {
		if t.IsExternal() {
			return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "a foreign key of or to the external table '%s' is not supported, because others write there: say NOT ENFORCED", t.Name)
		}
	}
	refs := make([]int, len(k.RefColumns))
	for i, name := range k.RefColumns {
		refs[i] = slices.IndexFunc(parent.Columns, func(c *schema.Column) bool { return strings.EqualFold(c.Name, name) && c.State == schema.Public })
		if refs[i] < 0 {
			return sqlerr.New(sqlerr.CodeForeignKeyColumn, sqlerr.NoPos, "Failed to add the foreign key constraint. Missing column '%s' for constraint '%s' in the referenced table '%s'", name, k.Name, parent.Name)
		}
	}
	for i, c := range k.Columns {
		if own, ref := child.Columns[c], parent.Columns[refs[i]]; !schema.SameKeyType(own.Type, ref.Type) {
			return sqlerr.New(sqlerr.CodeIncompatibleKeys, sqlerr.NoPos, "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.", own.Name, ref.Name, k.Name)
		}
	}
	if _, ok := parent.UniqueKeyOf(refs); !ok {
		if _, ok := parent.KeyFrom(refs); ok {
			return sqlerr.New(sqlerr.CodeNoUniqueKey, sqlerr.NoPos, "Failed to add the foreign key constraint. Missing unique key for constraint '%s' in the referenced table '%s'", k.Name, parent.Name)
		}
		return sqlerr.New(sqlerr.CodeNoReferencedKey, sqlerr.NoPos, "Failed to add the foreign key constraint. Missing index for constraint '%s' in the referenced table '%s'", k.Name, parent.Name)
	}
	if s := child.Spread; s != nil && s.Kind == schema.SpreadByKey {
		for _, c := range s.Columns {
			if !slices.Contains(k.Columns, c) {
				return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "the foreign key '%s' without the column '%s' is not supported, as table '%s' has a store partition for each value of that, and all would have to be searched: "+
					"add the column to both keys, or say PARTITION BY KEY (…) PARTITIONS n", k.Name, child.Columns[c].Name, child.Name)
			}
		}
	}
	return nil
}

// keepsKeys refuses a change that would make a foreign key of the table unenforceable: other column types, or no index.
func (m *alteration) keepsKeys() error {
	for i := range m.t.ForeignKeys {
		k := &m.t.ForeignKeys[i]
		was := m.old.ForeignKey(k.Name)
		if k.NotEnforced || was == nil {
			continue
		}
		for _, c := range k.Columns {
			col := m.t.Columns[c]
			if from := m.from[c]; from >= 0 && !schema.SameKeyType(m.old.Columns[from].Type, col.Type) {
				return sqlerr.New(sqlerr.CodeForeignKeyChange, sqlerr.NoPos, "Cannot change column '%s': used in a foreign key constraint '%s'", m.old.Columns[from].Name, k.Name)
			}
			if err := m.acts(k, col, sqlerr.NoPos); err != nil {
				return err
			}
		}
		if !m.hasKey(k.Columns, false) {
			return neededIndex(m.old.KeyFrom(was.Columns))
		}
	}
	return nil
}

// hasKey says whether the table has a key over the columns, or one that begins with them, that need not be filled first.
func (m *alteration) hasKey(columns []int, unique bool) bool {
	t := m.t.Clone()
	t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *schema.Index) bool { return isKey(m.change.Fill, ix) })
	find := t.KeyFrom
	if unique {
		find = t.UniqueKeyOf
	}
	_, ok := find(columns)
	return ok
}

func neededIndex(ix *schema.Index, _ bool) error {
	name := "PRIMARY"
	if ix != nil {
		name = ix.Name
	}
	return sqlerr.New(sqlerr.CodeIndexNeeded, sqlerr.NoPos, "Cannot drop index '%s': needed in a foreign key constraint", name)
}

// KeepsReferred refuses a next definition of t that lacks what a foreign key of child, which may be t itself, refers to. from is
// Change.From.
func KeepsReferred(t, next *schema.Table, from []int, child *schema.Table, k *schema.ForeignKey) error {
	elsewhere := !t.As(child).IsOwn()
	if elsewhere && !strings.EqualFold(t.Name, next.Name) {
		return renamedElsewhere("table", t.Name, child, k)
	}
	refs, was := make([]int, len(k.RefColumns)), make([]int, len(k.RefColumns))
	for i, name := range k.RefColumns {
		was[i] = t.Ordinal(name)
		if refs[i] = slices.Index(from, was[i]); refs[i] < 0 {
			return sqlerr.New(sqlerr.CodeForeignKeyDropParent, sqlerr.NoPos, "Cannot drop column '%s': needed in a foreign key constraint '%s' of table '%s'", name, k.Name, child.Name)
		}
		if elsewhere && !strings.EqualFold(name, next.Columns[refs[i]].Name) {
			return renamedElsewhere("column", name, child, k)
		}
		if !schema.SameKeyType(t.Columns[was[i]].Type, next.Columns[refs[i]].Type) {
			return sqlerr.New(sqlerr.CodeForeignKeyChangeParent, sqlerr.NoPos, "Cannot change column '%s': used in a foreign key constraint '%s' of table '%s'", name, k.Name, child.Name)
		}
	}
	ix, ok := t.UniqueKeyOf(was)
	now, still := next.UniqueKeyOf(refs)
	if ok && (!still || now != nil && !isKey(t.Indexes, now)) {
		return neededIndex(ix, true)
	}
	return nil
}

// renamedElsewhere refuses to rename what the definition of a table in another database names: no change covers both.
func renamedElsewhere(what, name string, child *schema.Table, k *schema.ForeignKey) error {
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "renaming the %s '%s' is not supported while the foreign key '%s' of table '%s.%s' refers to it: drop the key, and add it again afterwards",
		what, name, k.Name, schema.DatabaseName(child.Database), child.Name)
}
