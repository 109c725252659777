package define

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Alter makes the definition that an action of ALTER TABLE leads to, and says what it means for stored
// data. CREATE INDEX and DROP INDEX are AddIndex and DropIndexAction. t stays as it is. A renamed table has
// its new name in next; the catalog decides where to find it.
func Alter(t *schema.Table, a dialect.AlterAction, opt planner.Options) (next *schema.Table, ch Change, err error) {
	m := &alteration{definer: definer{t: t.Clone(), collation: opt.Collation, exact: opt.Exact}, old: t}
	for i := range t.Columns {
		m.from = append(m.from, i)
	}
	if err := checkNewNames(&a); err != nil {
		return nil, Change{}, err
	}
	if err := m.apply(&a); err != nil {
		return nil, Change{}, err
	}
	if next, err = m.finish(); err != nil {
		return nil, Change{}, err
	}
	if err := m.keepsKeys(); err != nil {
		return nil, Change{}, err
	}
	if err := m.recompute(); err != nil {
		return nil, Change{}, err
	}
	for _, c := range m.texts.Columns {
		if !slices.Contains(m.added, c.Column) {
			continue
		}
		if c.DefaultOfRow() {
			return nil, Change{}, sqlerr.NotSupported(sqlerr.NoPos, "ADD COLUMN %s with a default that refers to other columns: add it without, UPDATE the rows, and ALTER COLUMN %s SET DEFAULT; this is", c.Name, c.Name)
		}
		m.change.Rewrite = m.change.Rewrite || !c.Instant()
		m.change.Verify = m.change.Verify || c.Generated != "" || c.NotNull && c.InitialExpr() == nil
		if !c.Instant() {
			c.State = schema.WriteOnly
		}
	}
	// If the action only adds an index, sending the same statement again resumes it.
	if m.change.Rewrite || len(m.change.Fill) > 0 && (a.Kind != dialect.AddIndex || m.change.Verify) {
		next.Change = &schema.Change{Phase: schema.Backfill}
	}
	m.change.From, m.change.New = m.from, make([]expr.Node, len(next.Columns))
	for i, from := range m.from {
		if from < 0 {
			m.change.New[i] = m.texts.Columns[i].InitialExpr()
		}
	}
	return next, m.change, nil
}

// alteration is a definition being changed.
type alteration struct {
	definer
	old    *schema.Table
	from   []int // by column: the old column, -1: new
	added  []*schema.Column
	change Change
}

func (m *alteration) apply(a *dialect.AlterAction) error {
	switch a.Kind {
	case dialect.AddColumn:
		return m.add(a)
	case dialect.DropColumn:
		return m.drop(a)
	case dialect.RenameColumn:
		return m.renameColumn(a.Name, a.NewName, a.Pos)
	case dialect.ModifyColumn:
		return m.modify(a)
	case dialect.AlterDefault:
		return m.alterDefault(a)
	case dialect.AlterVisibility:
		return m.alterVisibility(a)
	case dialect.AddIndex:
		return m.createIndex(a)
	case dialect.DropIndexAction:
		return m.dropIndex(a)
	case dialect.RenameIndex:
		return m.renameIndex(a)
	case dialect.RenameTableTo:
		m.t.Name, m.change.Outdates = a.NewName, true
		return nil
	case dialect.AddCheck:
		m.change.Verify = true
		return m.addCheck(&a.Check)
	case dialect.DropCheck:
		return m.dropCheck(a)
	case dialect.AlterCheck, dialect.AlterConstraint:
		return m.alterCheck(a)
	case dialect.DropConstraint:
		return m.dropConstraint(a)
	case dialect.TableOption:
		return m.alterOptions(a)
	case dialect.OrderRows:
		for _, name := range a.Names {
			if _, err := m.existing(name, a.Pos); err != nil {
				return err
			}
		}
		return nil
	case dialect.AddForeignKey:
		return m.addForeignKey(&a.ForeignKey)
	case dialect.DropForeignKey:
		return m.dropForeignKey(a)
	case dialect.DropPrimaryKey:
		return m.dropIndex(&dialect.AlterAction{Name: schema.PrimaryName, Pos: a.Pos, IfExists: a.IfExists})
	}
	return m.alterPartitions(a)
}

func cantDrop(name string, pos dialect.Pos) *sqlerr.Error {
	return sqlerr.New(sqlerr.CodeCantDropField, pos, "Can't DROP '%s'; check that column/key exists", name)
}

// existing finds a column that SQL may change.
func (m *alteration) existing(name string, pos dialect.Pos) (int, error) {
	i := m.find(name)
	if i < 0 || m.t.Columns[i].Hidden {
		return 0, sqlerr.New(sqlerr.CodeUnknownColumn, pos, "Unknown column '%s' in '%s'", name, m.t.Name)
	}
	return i, nil
}

func (m *alteration) add(a *dialect.AlterAction) error {
	if a.IfExists && m.find(a.Column.Name) >= 0 {
		return nil
	}
	if a.Column.PrimaryKey {
		if m.t.PrimaryKey() != nil {
			return sqlerr.New(sqlerr.CodeMultiplePrimaryKey, a.Pos, "Multiple primary key defined")
		}
		return sqlerr.NotSupported(a.Pos, "ADD COLUMN %s … PRIMARY KEY, which would have one value in all rows (add it without, UPDATE the rows, and ADD PRIMARY KEY (%[1]s)), is", a.Column.Name)
	}
	if a.Column.AutoIncrement {
		return sqlerr.New(sqlerr.CodeNotSupported, a.Pos, "adding an AUTO_INCREMENT column to a table is not supported: add it without, UPDATE the rows, add a key that begins with it, and MODIFY it")
	}
	if err := m.addColumn(&a.Column); err != nil {
		return err
	}
	m.from = append(m.from, -1)
	added := m.t.Columns[len(m.t.Columns)-1]
	m.added = append(m.added, added)
	m.change.Verify = a.Column.Check != nil
	before := len(m.t.Indexes)
	if err := m.columnIndexes(); err != nil {
		return err
	}
	m.change.Fill = append(m.change.Fill, m.t.Indexes[before:]...)
	return m.place(len(m.t.Columns)-1, a)
}

// place moves a column to the place given by FIRST or AFTER; a new column comes before a hidden row id.
func (m *alteration) place(i int, a *dialect.AlterAction) error {
	to := i
	switch {
	case a.First:
		to = 0
	case a.After != "":
		after, err := m.existing(a.After, a.Pos)
		if err != nil {
			return err
		}
		if to = after + 1; after >= i {
			to = after
		}
	default:
		return nil
	}
	order := make([]int, 0, len(m.t.Columns))
	for j := range m.t.Columns {
		if j != i {
			order = append(order, j)
		}
	}
	m.reorder(slices.Insert(order, to, i))
	return nil
}

// reorder makes the columns those of order, in this order; columns left out must be in no key.
func (m *alteration) reorder(order []int) {
	columns, from := make([]*schema.Column, len(order)), make([]int, len(order))
	at := make([]int, len(m.t.Columns))
	for i, old := range order {
		columns[i], from[i], at[old] = m.t.Columns[old], m.from[old], i
	}
	m.t.Columns, m.from = columns, from
	move := func(parts []schema.KeyColumn) {
		for i := range parts {
			parts[i].Column = at[parts[i].Column]
		}
	}
	move(m.t.Key)
	if m.t.IsInterleaved() {
		move(m.t.Interleaved.Key)
	}
	for i := range m.t.ForeignKeys {
		for j, c := range m.t.ForeignKeys[i].Columns {
			m.t.ForeignKeys[i].Columns[j] = at[c]
		}
	}
	for _, ix := range m.t.Indexes {
		move(ix.Key)
		for i := range ix.Include {
			ix.Include[i] = at[ix.Include[i]]
		}
	}
	if p := m.t.Spread; p != nil {
		for i := range p.Columns {
			p.Columns[i] = at[p.Columns[i]]
		}
	}
	if p := m.t.Partitions; p != nil {
		for i := range p.Columns {
			p.Columns[i] = at[p.Columns[i]]
		}
	}
}

// drop drops a column. As in MySQL it is also removed from indexes; an index over it alone is dropped.
func (m *alteration) drop(a *dialect.AlterAction) error {
	i := m.find(a.Name)
	if i < 0 || m.t.Columns[i].Hidden {
		if a.IfExists {
			return nil
		}
		return cantDrop(a.Name, a.Pos)
	}
	name := m.t.Columns[i].Name
	is := func(p schema.KeyColumn) bool { return p.Column == i }
	if m.divides(i) && !slices.ContainsFunc(m.t.Key, is) {
		return sqlerr.NotSupported(a.Pos, "dropping '%s', by which the table is partitioned, is", name)
	}
	if at := slices.IndexFunc(m.t.ForeignKeys, func(k schema.ForeignKey) bool { return slices.Contains(k.Columns, i) }); at >= 0 {
		return sqlerr.New(sqlerr.CodeForeignKeyDrop, a.Pos, "Cannot drop column '%s': needed in a foreign key constraint '%s'", name, m.t.ForeignKeys[at].Name)
	}
	if slices.ContainsFunc(m.t.Key, is) {
		return sqlerr.NotSupported(a.Pos, "dropping '%s', a column of the primary key, is", name)
	}
	visible := 0
	for _, c := range m.t.Columns {
		if !c.Hidden {
			visible++
		}
	}
	if visible == 1 {
		return sqlerr.New(sqlerr.CodeCantRemoveAll, a.Pos, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
	}
	if err := m.unused(i, a.Pos); err != nil {
		return err
	}
	for _, ix := range slices.Clone(m.t.Indexes) {
		ix.Include = slices.DeleteFunc(ix.Include, func(c int) bool { return c == i })
		if !slices.ContainsFunc(ix.Key, is) {
			continue
		}
		at := slices.Index(m.t.Indexes, ix)
		m.removeIndex(ix)
		parts := slices.DeleteFunc(ix.Key, is)
		if len(parts) == 0 {
			continue
		}
		ix.Key = parts
		if err := m.uniqueInPartition(ix); err != nil {
			return err
		}
		ix.KeyName = m.t.KeyName(ix.Name)
		m.t.Indexes = slices.Insert(m.t.Indexes, at, ix)
		m.change.Fill = append(m.change.Fill, ix)
	}
	order := make([]int, 0, len(m.t.Columns))
	for j := range m.t.Columns {
		if j != i {
			order = append(order, j)
		}
	}
	m.t.Retired = append(m.t.Retired, m.t.Columns[i].Property)
	m.reorder(order)
	m.change.Rewrite = true
	return nil
}

// unused refuses to change a column that a check or a generated column uses.
func (m *alteration) unused(i int, pos dialect.Pos) error {
	name := m.t.Columns[i].Name
	uses := func(n expr.Node) bool {
		found := false
		if n != nil {
			expr.Columns(n, func(c *expr.Column) { found = found || c.Level == 0 && c.Index == i })
		}
		return found
	}
	old, err := planner.Texts(m.old)
	if err != nil {
		return err
	}
	for _, c := range old.Checks {
		if uses(c.Expr) {
			return sqlerr.New(sqlerr.CodeCheckUses, pos, "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", c.Name, name)
		}
	}
	for j, c := range old.Columns {
		if j != i && uses(c.GeneratedExpr) {
			return sqlerr.New(sqlerr.CodeGeneratedDependsOn, pos, "Column '%s' has a generated column dependency.", name)
		}
	}
	return nil
}

func (m *alteration) renameColumn(name, to string, pos dialect.Pos) error {
	i, err := m.existing(name, pos)
	if err != nil {
		return err
	}
	if j := m.find(to); j >= 0 && j != i {
		return sqlerr.New(sqlerr.CodeDuplicateColumn, pos, "Duplicate column name '%s'", to)
	}
	if !strings.EqualFold(name, to) {
		if len(m.t.Children) > 0 && slices.ContainsFunc(m.t.Key, func(p schema.KeyColumn) bool { return p.Column == i }) {
			return sqlerr.NotSupported(pos, "renaming '%s', which table '%s' references, is", name, m.t.Children[0])
		}
		if err := m.unused(i, pos); err != nil {
			return err
		}
	}
	m.change.Outdates = m.change.Outdates || !strings.EqualFold(name, to)
	m.t.Columns[i].Name = to
	return nil
}

func (m *alteration) alterDefault(a *dialect.AlterAction) error {
	i, err := m.existing(a.Name, a.Pos)
	if err != nil {
		return err
	}
	m.change.Outdates = true
	return setDefault(m.t.Columns[i], &a.Column)
}

func (m *alteration) alterVisibility(a *dialect.AlterAction) error {
	i, err := m.existing(a.Name, a.Pos)
	if err != nil {
		return err
	}
	m.change.Outdates = true
	m.t.Columns[i].Invisible = a.Column.Invisible
	return nil
}

// alterOptions applies the options that have an effect: COMMENT, AUTO_INCREMENT and COLLATE, which is for new columns except
// in CONVERT TO.
func (m *alteration) alterOptions(a *dialect.AlterAction) error {
	options := a.Options
	if options["INTERLEAVE IN PARENT"] != "" || options["WITH PARENT"] != "" {
		return sqlerr.NotSupported(a.Pos, "ALTER TABLE … INTERLEAVE IN PARENT and WITH PARENT (only CREATE TABLE has them) are")
	}
	if comment, ok := options["COMMENT"]; ok {
		m.t.Comment = comment
	}
	if text, ok := options["AUTO_INCREMENT"]; ok {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "AUTO_INCREMENT must be a non-negative integer, not %s", text)
		}
		m.t.FirstAutoIncrement = n
	}
	charset, collate := options["CHARSET"], options["COLLATE"]
	if charset == "" && collate == "" {
		return nil
	}
	var err error
	if m.t.Collation, err = m.collationOf(charset, collate, m.collation); err != nil || options["CONVERT TO"] == "" {
		return err
	}
	return m.collate(a.Pos)
}
