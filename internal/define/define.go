// Package define makes definitions of tables: CREATE TABLE and ALTER TABLE → another schema.Table, checked, with its texts
// bound. It writes nothing: package ddl publishes what it makes.
//
//	table, err := define.Define(create, planner.Options{})
//	next, change, err := define.Alter(table, alter, planner.Options{})
package define

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// rowIDName is the name of the column that a table without a primary key gets: a time-ordered UUID, which *
// does not show.
const rowIDName = "_rowid"

// Define makes the table that a CREATE TABLE describes, checked and with its texts bound. The catalog sets Physical and
// Version. Mistakes in the statement are *sqlerr.Error. CREATE TABLE … LIKE uses Clone; DefineAs adds the columns of
// CREATE TABLE … AS SELECT.
func Define(c *dialect.CreateTable, opt planner.Options) (*schema.Table, error) {
	return DefineInterleaved(c, nil, opt)
}

// DefineInterleaved is Define for a table that is interleaved in parent.
func DefineInterleaved(c *dialect.CreateTable, parent *schema.Table, opt planner.Options) (*schema.Table, error) {
	if c.Table.Database != "" {
		opt.Database = c.Table.Database
	}
	if err := checkTableNames(c); err != nil {
		return nil, err
	}
	if c.External != nil {
		return defineExternal(c, opt.Database)
	}
	d := &definer{t: &schema.Table{Database: opt.Database, Name: c.Table.Name}, parent: parent, collation: opt.Collation, exact: opt.Exact}
	if err := d.options(c.Options); err != nil {
		return nil, err
	}
	if err := d.columns(c.Columns); err != nil {
		return nil, err
	}
	if err := d.keys(c); err != nil {
		return nil, err
	}
	if err := d.partition(c.Partitioning); err != nil {
		return nil, err
	}
	return d.finish()
}

// DefineAs is Define for CREATE TABLE … AS SELECT: columns of the query that the statement does not
// declare come after those that it does.
func DefineAs(c *dialect.CreateTable, columns []planner.ResultColumn, opt planner.Options) (*schema.Table, error) {
	with := *c
	with.Columns = append([]dialect.ColumnDef(nil), c.Columns...)
	for _, col := range columns {
		declared := false
		for i := range c.Columns {
			declared = declared || strings.EqualFold(c.Columns[i].Name, col.Name)
		}
		if !declared {
			with.Columns = append(with.Columns, dialect.ColumnDef{Name: col.Name, Type: typeName(col.Type), NotNull: !col.Nullable, Pos: sqlerr.NoPos})
		}
	}
	return Define(&with, opt)
}

// typeName writes the type of an expression as that of a column that holds all of its values.
func typeName(t value.Type) dialect.TypeName {
	n := dialect.TypeName{Name: t.Base.String(), Members: t.Names, Unsigned: t.Unsigned}
	if t.IsText() {
		n.Collate = t.Collation.String()
	}
	switch t.Base {
	case value.TypeUnknown:
		n.Name = "TEXT"
	case value.TypeBit:
		n.Args, n.Unsigned = []int{t.Length}, false
	case value.TypeDecimal:
		n.Args = []int{max(t.Precision, 1), t.Scale}
	case value.TypeChar, value.TypeBinary:
		if t.Length > 0 {
			n.Args = []int{t.Length}
		} else if t.Base == value.TypeBinary {
			n.Name = "BLOB"
		} else {
			n.Name = "TEXT"
		}
	case value.TypeDateTime, value.TypeTime:
		if n.Args = []int{t.Precision}; t.Precision < 0 {
			n.Args[0] = value.MaxFraction
		}
	}
	return n
}

// definer builds or changes a definition.
type definer struct {
	t         *schema.Table
	parent    *schema.Table        // in which the table is interleaved
	collation value.Collation      // the database's default
	exact     bool                 // Options.Exact
	uniques   []*dialect.ColumnDef // columns that say UNIQUE themselves
	global    []*schema.Index      // indexes that say GLOBAL

	checks    map[string]bool // names of CHECKs, in lower case; nil before the first one is added
	nextCheck int             // the last number used for a name

	texts *schema.Texts // the texts of t; nil before bindTexts
}

// options applies the table's options. Those of MySQL's storage engines have no effect.
func (d *definer) options(options map[string]string) error {
	if err := CheckOptions(options); err != nil {
		return err
	}
	d.t.Comment = options["COMMENT"]
	if text := options["AUTO_INCREMENT"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "AUTO_INCREMENT must be a non-negative integer, not %s", text)
		}
		d.t.FirstAutoIncrement = n
	}
	var err error
	d.t.Collation, err = d.collationOf(options["CHARSET"], options["COLLATE"], d.collation)
	return err
}

func (d *definer) columns(defs []dialect.ColumnDef) error {
	if len(defs) == 0 {
		return sqlerr.New(sqlerr.CodeTableMustHaveCols, sqlerr.NoPos, "A table must have at least 1 column")
	}
	for i := range defs {
		if err := d.addColumn(&defs[i]); err != nil {
			return err
		}
	}
	return nil
}

// addColumn adds a column at the end.
func (d *definer) addColumn(def *dialect.ColumnDef) error {
	col, err := d.newColumn(def)
	if err != nil {
		return err
	}
	col.Property = d.property(def.Name)
	d.t.Columns = append(d.t.Columns, col)
	if def.Unique {
		d.uniques = append(d.uniques, def)
	}
	return d.columnCheck(def)
}

// newColumn makes a column, if the table has room for it and no other column has its name.
func (d *definer) newColumn(def *dialect.ColumnDef) (*schema.Column, error) {
	if d.find(def.Name) >= 0 {
		return nil, sqlerr.New(sqlerr.CodeDuplicateColumn, def.Pos, "Duplicate column name '%s'", def.Name)
	}
	if len(d.t.Columns) >= schema.MaxColumns {
		return nil, sqlerr.New(sqlerr.CodeTooManyColumns, def.Pos, "Too many columns; at most %d fit an entity", schema.MaxColumns)
	}
	return d.column(def)
}

func (d *definer) columnCheck(def *dialect.ColumnDef) error {
	if def.Check == nil {
		return nil
	}
	return d.addCheck(&dialect.Check{Name: def.CheckName, Expr: def.Check, Text: def.CheckText, NotEnforced: def.CheckRests, Pos: def.Pos})
}

// find is Ordinal before Init.
func (d *definer) find(name string) int {
	for i, c := range d.t.Columns {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}

// property finds a property name that no other column has: a renamed column keeps its property.
func (d *definer) property(name string) string {
	property := keymap.PropertyName(name)
	is := func(other string) bool { return strings.EqualFold(other, property) }
	for n := 2; slices.ContainsFunc(d.t.Retired, is) || slices.ContainsFunc(d.t.Columns, func(c *schema.Column) bool { return is(c.Property) }); n++ {
		property = keymap.PropertyName(name + " " + strconv.Itoa(n))
	}
	return property
}

// finish checks what only the whole definition shows, and binds its texts.
func (d *definer) finish() (*schema.Table, error) {
	if err := d.autoIncrement(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(d.t.Columns, (*schema.Column).Visible) {
		return nil, sqlerr.New(sqlerr.CodeNoVisibleColumn, sqlerr.NoPos, "A table must have at least one visible column.")
	}
	if len(d.t.Key) == 0 {
		d.addRowID()
		if len(d.t.Columns) > schema.MaxColumns {
			return nil, sqlerr.New(sqlerr.CodeTooManyColumns, sqlerr.NoPos, "Too many columns; at most %d fit an entity, and a table without a primary key has one more", schema.MaxColumns)
		}
	}
	d.setCuts()
	if err := d.t.Init(); err != nil {
		return nil, err
	}
	return d.t, d.bindTexts()
}

// addRowID gives a table without a primary key a hidden one.
func (d *definer) addRowID() {
	name := rowIDName
	for d.find(name) >= 0 {
		name += "_"
	}
	d.t.Columns = append(d.t.Columns, &schema.Column{
		Name: name, Type: value.Type{Base: value.TypeUUID, Declared: "UUID"}, Property: d.property(name), NotNull: true, Hidden: true,
	})
	d.t.Key = []schema.KeyColumn{{Column: len(d.t.Columns) - 1}}
}

func (d *definer) autoIncrement() error {
	auto := -1
	for i, c := range d.t.Columns {
		if !c.AutoIncrement {
			continue
		}
		if auto >= 0 || !d.beginsKey(i) {
			return sqlerr.New(sqlerr.CodeAutoKey, sqlerr.NoPos,
				"Incorrect table definition; there can be only one auto column and it must be defined as a key%s", sqlerr.Whole(d.autoKeyWay(i, auto)))
		}
		auto = i
	}
	return nil
}

// autoKeyWay says how to make column i, which begins no key, an AUTO_INCREMENT column.
func (d *definer) autoKeyWay(i, other int) string {
	if other >= 0 {
		return ""
	}
	return fmt.Sprintf(": add a key that begins with it, such as KEY (%s) COPY KEYS; its values are then unique in the whole table", schema.QuoteName(sqlerr.Brief(d.t.Columns[i].Name)))
}

// beginsKey says whether a key begins with the column.
func (d *definer) beginsKey(column int) bool {
	if in := d.t.Interleaved; in != nil && d.t.Key[len(in.Key)].Column == column {
		return true // it distinguishes the children of one parent row
	}
	if len(d.t.Key) > 0 && d.t.Key[0].Column == column {
		return true
	}
	for _, ix := range d.t.Indexes {
		if ix.Key[0].Column == column {
			return true
		}
	}
	return false
}
