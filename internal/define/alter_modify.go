package define

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// modify changes a column's definition, and its name for CHANGE COLUMN. Rows are rewritten only if
// the new type stores values in another form or may refuse some; keys are rebuilt if their codes change.
func (m *alteration) modify(a *dialect.AlterAction) error {
	name := a.Name
	if name == "" {
		name = a.Column.Name
	}
	i, err := m.existing(name, a.Pos)
	if err != nil {
		if a.IfExists {
			return nil
		}
		return err
	}
	if err := m.renameColumn(name, a.Column.Name, a.Pos); err != nil {
		return err
	}
	old := m.old.Columns[i]
	col, err := m.column(&a.Column)
	if err != nil {
		return err
	}
	col.Property, col.Initial = old.Property, old.Initial
	is := func(p schema.KeyColumn) bool { return p.Column == i }
	if inKey := slices.ContainsFunc(m.t.PrimaryKey(), is); inKey || a.Column.PrimaryKey {
		if a.Column.Null {
			return primaryNull(a.Pos)
		}
		col.NotNull = col.NotNull || inKey
	}
	m.t.Columns[i] = col
	if !schema.SameCodes(old.Type, col.Type) {
		if err := m.renewKeys(i, old.Type, col.Type, a.Pos); err != nil {
			return err
		}
	}
	m.change.Rewrite = !sameForm(old.Type, col.Type) || dialect.Unqualified(col.Generated) != old.Generated
	if !sameForm(old.Type, col.Type) {
		col.Property = m.property(col.Name) // a property has one form, so that each row tells its form
		m.t.Retired = append(m.t.Retired, old.Property)
		col.PreviousForm = &schema.Form{Property: old.Property, Type: old.Type, Initial: old.Initial}
		if v, _, err := col.Type.Store(old.Absent()); err == nil {
			col.SetInitial(v)
		} else { // then no row lacks the property: the change would be refused
			col.Initial, col.PreviousForm.Initial = nil, nil
		}
	}
	m.change.Verify = m.change.Rewrite || col.NotNull && !old.NotNull || a.Column.Check != nil
	m.change.Outdates = m.change.Outdates || col.Default != old.Default || col.HasDefault != old.HasDefault || col.OnUpdate != old.OnUpdate || col.Invisible != old.Invisible || col.AutoIncrement != old.AutoIncrement
	if err := m.columnCheck(&a.Column); err != nil {
		return err
	}
	if a.Column.PrimaryKey {
		if err := m.addPrimary(&dialect.IndexDef{Parts: []dialect.KeyColumn{{Column: a.Column.Name}}, Pos: a.Pos}); err != nil {
			return err
		}
	}
	if a.Column.Unique {
		m.uniques = append(m.uniques, &a.Column)
		before := len(m.t.Indexes)
		if err := m.columnIndexes(); err != nil {
			return err
		}
		m.change.Fill = append(m.change.Fill, m.t.Indexes[before:]...)
	}
	return m.place(i, a)
}

// renewKeys rebuilds the keys that contain a column whose codes change, or refuses the change.
func (m *alteration) renewKeys(i int, from, to value.Type, pos dialect.Pos) error {
	name := m.t.Columns[i].Name
	say := func(t value.Type) string {
		if t.IsText() && from.Collation != to.Collation {
			return t.String() + " COLLATE " + t.Collation.String()
		}
		return t.String()
	}
	switch {
	case slices.ContainsFunc(m.t.Key, func(p schema.KeyColumn) bool { return p.Column == i }):
		return sqlerr.NotSupported(pos, "changing '%s', a column of the primary key, from %s to %s is", name, say(from), say(to))
	case m.divides(i):
		return sqlerr.NotSupported(pos, "changing '%s', by which the table is partitioned, from %s to %s is", name, say(from), say(to))
	}
	m.renewIndexes(i)
	return nil
}

// collate gives all texts the table's collation.
func (m *alteration) collate(pos dialect.Pos) error {
	for i, col := range m.t.Columns {
		old := col.Type
		if !old.IsText() || old.Collation == m.t.Collation {
			continue
		}
		col.Type.Collation = m.t.Collation
		if err := col.Type.CheckMembers(); err != nil {
			return sqlerr.New(sqlerr.CodeSyntax, pos, "Column '%s': %s", col.Name, err)
		}
		if err := m.renewKeys(i, old, col.Type, pos); err != nil {
			return err
		}
	}
	return nil
}

// renewIndexes rebuilds the indexes over a column, under new key names.
func (m *alteration) renewIndexes(column int) {
	for _, ix := range slices.Clone(m.t.Indexes) {
		if slices.Contains(m.change.Fill, ix) || !slices.ContainsFunc(ix.Key, func(p schema.KeyColumn) bool { return p.Column == column }) {
			continue
		}
		at := slices.Index(m.t.Indexes, ix)
		m.removeIndex(ix)
		ix.KeyName = m.t.KeyName(ix.Name)
		m.t.Indexes = slices.Insert(m.t.Indexes, at, ix)
		m.change.Fill = append(m.change.Fill, ix)
	}
}

// recompute makes generated columns be recomputed whose expressions change, or read a column whose values may change: their rows are
// rewritten, and the indexes over them rebuilt, which would otherwise keep entries of the former values.
func (m *alteration) recompute() error {
	other := make([]bool, len(m.t.Columns)) // by column: its values may change
	var generated []int
	for i, from := range m.from {
		if from >= 0 {
			was, is := m.old.Columns[from], m.t.Columns[i]
			other[i] = was.Property != is.Property || was.Generated != is.Generated || was.Type.Collation != is.Type.Collation
			if was.Generated != is.Generated {
				generated = append(generated, i)
			}
		}
	}
	for i, c := range m.texts.Columns { // in their order: one reads only those before it
		if c.GeneratedExpr == nil || other[i] || m.from[i] < 0 {
			continue
		}
		expr.Columns(c.GeneratedExpr, func(read *expr.Column) { other[i] = other[i] || other[read.Index] })
		if other[i] {
			generated = append(generated, i)
		}
	}
	if len(generated) == 0 {
		return nil
	}
	for _, i := range generated {
		name := m.t.Columns[i].Name
		if m.divides(i) || slices.ContainsFunc(m.t.Key, func(p schema.KeyColumn) bool { return p.Column == i }) {
			return sqlerr.NotSupported(sqlerr.NoPos, "changing what the generated column '%s' is computed of, by which rows are stored, is", name)
		}
		m.renewIndexes(i)
		m.change.Rewrite, m.change.Verify = true, true
	}
	return m.t.Init()
}

// sameForm says whether every value of type a is stored the same way as type b.
func sameForm(a, b value.Type) bool {
	switch {
	case a.IsInteger() && b.IsInteger():
		wide := func(t value.Type) bool { return t.Unsigned && t.Base == value.TypeBigInt }
		return a.Base <= b.Base && a.Unsigned == b.Unsigned && wide(a) == wide(b)
	case (a.Base == value.TypeFloat || a.Base == value.TypeDouble) && b.Base == value.TypeDouble && b.Precision == 0:
		return a.Unsigned || !b.Unsigned
	case a.IsFreeText() && b.IsFreeText(),
		a.Class() == value.ClassOctets && b.Class() == value.ClassOctets:
		return (b.Length == 0 || a.Length > 0 && a.Length <= b.Length) && a.KeepsAs(b)
	case a.Base != b.Base || a.Unsigned != b.Unsigned || a.Scale != b.Scale:
		return false
	case a.Base == value.TypeDecimal:
		return a.Precision <= b.Precision
	case a.Base == value.TypeFloat, a.Base == value.TypeDouble:
		return b.Precision == 0 || a.Precision > 0 && a.Precision <= b.Precision
	case a.Declared != b.Declared && b.Declared == "TIMESTAMP":
		return false // its range is smaller
	case a.Base == value.TypeBit:
		return a.Length == b.Length || a.Length < b.Length && b.Length < 64 // with 64 bits it is a text
	case a.Base == value.TypeDateTime, a.Base == value.TypeTime:
		return b.Precision < 0 || a.Precision >= 0 && a.Precision <= b.Precision
	case a.Base == value.TypeEnum, a.Base == value.TypeSet:
		return len(a.Names) <= len(b.Names) && slices.Equal(a.Names, b.Names[:len(a.Names)])
	}
	return true
}
