package define

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

func (m *alteration) createIndex(a *dialect.AlterAction) error {
	if a.Index.Primary {
		return m.addPrimary(&a.Index)
	}
	if (a.IfExists || a.Index.IfNot) && a.Index.Name != "" && m.t.Index(a.Index.Name) != nil {
		return nil
	}
	ix, err := m.addIndex(&a.Index)
	if err == nil {
		m.change.Fill = append(m.change.Fill, ix)
	}
	return err
}

// addPrimary gives a primary key to a table without one: a unique index, because its rows are stored by their row ids, over columns that
// become NOT NULL.
func (m *alteration) addPrimary(def *dialect.IndexDef) error {
	if m.t.PrimaryKey() != nil {
		return sqlerr.New(sqlerr.CodeMultiplePrimaryKey, def.Pos, "Multiple primary key defined")
	}
	parts, err := m.primaryColumns(def)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.t.SpreadBy(), func(c int) bool {
		return !slices.ContainsFunc(parts, func(p schema.KeyColumn) bool { return p.Column == c })
	}) {
		return sqlerr.New(sqlerr.CodePartitionColumn, def.Pos, "A PRIMARY KEY must include all columns in the table's partitioning function")
	}
	for _, p := range parts {
		col := m.t.Columns[p.Column]
		if col.NotNull {
			continue
		}
		col.NotNull, m.change.Verify = true, true
		if col.HasDefault && strings.EqualFold(col.Default, "NULL") {
			col.HasDefault, col.Default = false, ""
		}
	}
	ix := &schema.Index{Name: schema.PrimaryName, KeyName: m.t.KeyName(schema.PrimaryName), Unique: true, Key: parts, Comment: def.Comment}
	m.t.Indexes = slices.Insert(m.t.Indexes, 0, ix)
	m.change.Fill = append(m.change.Fill, ix)
	return nil
}

func (m *alteration) dropIndex(a *dialect.AlterAction) error {
	ix := m.t.Index(a.Name)
	if ix == nil && strings.EqualFold(a.Name, schema.PrimaryName) && !m.t.HidesKey() {
		return sqlerr.New(sqlerr.CodeNotSupported, a.Pos, "ALTER TABLE … DROP PRIMARY KEY is not supported, as rows are stored by the key that CREATE TABLE says: make another table, and INSERT INTO … SELECT the rows")
	}
	if ix == nil {
		if a.IfExists {
			return nil
		}
		return cantDrop(a.Name, a.Pos)
	}
	m.removeIndex(ix)
	return nil
}

// removeIndex removes an index from the definition and notes that its entries are to be deleted.
func (m *alteration) removeIndex(ix *schema.Index) {
	m.t.Indexes = slices.DeleteFunc(m.t.Indexes, func(other *schema.Index) bool { return other == ix })
	m.change.Drop = append(m.change.Drop, m.old.Index(ix.Name))
}

func (m *alteration) renameIndex(a *dialect.AlterAction) error {
	ix := m.t.Index(a.Name)
	if ix == nil {
		return planner.NoSuchKey(a.Pos, a.Name, m.t.Name)
	}
	if ix.Child != "" {
		return sqlerr.NotSupported(a.Pos, "renaming '%s', the stored parent copies among the rows of table '%s', is", ix.Name, ix.Child)
	}
	if other := m.t.Index(a.NewName); other != nil && other != ix {
		return sqlerr.New(sqlerr.CodeDuplicateKeyName, a.Pos, "Duplicate key name '%s'", a.NewName)
	}
	for _, name := range []string{a.Name, a.NewName} {
		if strings.EqualFold(name, schema.PrimaryName) {
			return sqlerr.New(sqlerr.CodeWrongIndexName, a.Pos, "Incorrect index name '%s'", name)
		}
	}
	ix.Name, ix.ForForeignKey = a.NewName, false // a user who names it means to keep it
	return nil
}

// check finds a check constraint; -1 if there is none.
func (m *alteration) check(name string) int {
	return slices.IndexFunc(m.t.Checks, func(c schema.CheckDef) bool { return strings.EqualFold(c.Name, name) })
}

func (m *alteration) dropCheck(a *dialect.AlterAction) error {
	i := m.check(a.Name)
	switch {
	case i >= 0:
		m.t.Checks = slices.Delete(m.t.Checks, i, i+1)
	case !a.IfExists:
		return sqlerr.New(sqlerr.CodeNoCheck, a.Pos, "Check constraint '%s' is not found in the table.", a.Name)
	}
	return nil
}

// alterCheck makes a check enforced or not enforced.
func (m *alteration) alterCheck(a *dialect.AlterAction) error {
	i := m.check(a.Name)
	switch {
	case i >= 0:
	case a.Kind == dialect.AlterCheck:
		return sqlerr.New(sqlerr.CodeNoCheck, a.Pos, "Check constraint '%s' is not found in the table.", a.Name)
	case m.hasConstraint(a.Name):
		return sqlerr.New(sqlerr.CodeAlterConstraint, a.Pos, "Altering constraint enforcement is not supported for the constraint '%s'. Enforcement state alter is not supported for the PRIMARY, UNIQUE and FOREIGN KEY type constraints.", a.Name)
	default:
		return noConstraint(a)
	}
	c := &m.t.Checks[i]
	m.change.Verify = c.NotEnforced && !a.Check.NotEnforced
	c.NotEnforced = a.Check.NotEnforced
	return nil
}

// hasConstraint says whether a key that is a constraint has the name.
func (m *alteration) hasConstraint(name string) bool {
	ix := m.t.Index(name)
	return m.isForeignKey(name) || m.t.ForeignKey(name) != nil || ix != nil && ix.Unique || strings.EqualFold(name, schema.PrimaryName)
}

func noConstraint(a *dialect.AlterAction) error {
	return sqlerr.New(sqlerr.CodeNoConstraint, a.Pos, "Constraint '%s' does not exist.", a.Name)
}

// isForeignKey says whether name is the foreign key of an interleaved table to its parent.
func (m *alteration) isForeignKey(name string) bool {
	return m.t.IsInterleaved() && strings.EqualFold(m.t.Interleaved.Name, name)
}

func (m *alteration) dropForeignKey(a *dialect.AlterAction) error {
	switch {
	case m.isForeignKey(a.Name):
		return sqlerr.NotSupported(a.Pos, "dropping the foreign key of a table interleaved in '%s' is", m.t.Interleaved.Parent)
	case m.t.ForeignKey(a.Name) != nil:
		m.t.ForeignKeys = slices.DeleteFunc(m.t.ForeignKeys, func(k schema.ForeignKey) bool { return strings.EqualFold(k.Name, a.Name) })
		return nil
	case a.IfExists:
		return nil
	}
	return cantDrop(a.Name, a.Pos)
}

// dropConstraint drops the constraint of the name: a check, a foreign key, the primary key or a unique key.
func (m *alteration) dropConstraint(a *dialect.AlterAction) error {
	ix := m.t.Index(a.Name)
	switch {
	case m.check(a.Name) >= 0:
		return m.dropCheck(a)
	case m.isForeignKey(a.Name), m.t.ForeignKey(a.Name) != nil:
		return m.dropForeignKey(a)
	case ix != nil && ix.Unique, strings.EqualFold(a.Name, schema.PrimaryName):
		return m.dropIndex(a)
	case a.IfExists:
		return nil
	}
	return noConstraint(a)
}
