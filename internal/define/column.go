package define

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// column makes a column from its definition, without the property that stores it.
func (d *definer) column(def *dialect.ColumnDef) (*schema.Column, error) {
	t, err := d.columnType(def)
	if err != nil {
		return nil, err
	}
	if !d.t.IsExternal() && (def.Property != "" || def.Edm != "") {
		return nil, sqlerr.New(sqlerr.CodeWrongUsage, def.Pos, "PROPERTY and EDM are for columns of an EXTERNAL TABLE")
	}
	col := &schema.Column{
		Name: def.Name, Type: t, NotNull: def.NotNull, AutoIncrement: def.AutoIncrement, Comment: def.Comment,
		Generated: def.GeneratedText, Stored: def.Stored, Invisible: def.Invisible,
	}
	if def.AutoIncrement {
		if t.Class() != value.ClassNumber || t.Base == value.TypeDecimal || t.Base == value.TypeFloat ||
			t.Base == value.TypeDouble || t.Base == value.TypeBool || t.Base == value.TypeBit || t.Base == value.TypeYear || def.Generated != nil {
			return nil, sqlerr.New(sqlerr.CodeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s'", def.Name)
		}
		col.NotNull = true
	}
	if def.Generated != nil && (def.Default != nil || def.OnUpdate != nil) {
		return nil, sqlerr.New(sqlerr.CodeWrongUsage, def.Pos, "Incorrect usage of DEFAULT and generated column")
	}
	if err := setDefault(col, def); err != nil {
		return nil, err
	}
	if def.OnUpdate != nil {
		call, ok := def.OnUpdate.(*dialect.Call)
		if !ok || !isNow(call) || t.Base != value.TypeDateTime || otherDigits(&t, call) {
			return nil, sqlerr.New(sqlerr.CodeInvalidOnUpdate, def.Pos, "Invalid ON UPDATE clause for '%s' column", def.Name)
		}
		col.OnUpdate = currentTimestamp(call)
	}
	return col, nil
}

// setDefault takes the text of DEFAULT. DEFAULT NULL is the same as none.
func setDefault(col *schema.Column, def *dialect.ColumnDef) error {
	col.Default, col.HasDefault = "", false
	if def.Default == nil {
		return nil
	}
	if l, ok := def.Default.(*dialect.Literal); ok && l.Kind == dialect.NullLiteral {
		if col.NotNull {
			return invalidDefault(col)
		}
		return nil
	}
	if col.AutoIncrement {
		return invalidDefault(col)
	}
	col.Default, col.HasDefault = def.DefaultText, true
	if call, ok := def.Default.(*dialect.Call); ok && isNow(call) && !strings.HasPrefix(def.DefaultText, "(") {
		if otherDigits(&col.Type, call) {
			err := invalidDefault(col)
			err.Message += fmt.Sprintf(": a %s needs CURRENT_TIMESTAMP with as many digits", col.Type)
			return err
		}
		col.Default = currentTimestamp(call)
	}
	return nil
}

func invalidDefault(col *schema.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.CodeInvalidDefault, sqlerr.NoPos, "Invalid default value for '%s'", col.Name)
}

func isNow(call *dialect.Call) bool {
	switch call.Name {
	case "current_timestamp", "now", "localtime", "localtimestamp":
		return true
	}
	return false
}

// currentTimestamp is call, one of the names of CURRENT_TIMESTAMP, as MySQL shows it.
func currentTimestamp(call *dialect.Call) string {
	if len(call.Args) == 1 {
		if l, ok := call.Args[0].(*dialect.Literal); ok && l.Text != "0" {
			return "CURRENT_TIMESTAMP(" + l.Text + ")"
		}
	}
	return "CURRENT_TIMESTAMP"
}

// otherDigits says whether call, which is CURRENT_TIMESTAMP, has other fractional-second digits than a column of a type that MySQL
// has. MySQL refuses that.
func otherDigits(t *value.Type, call *dialect.Call) bool {
	if t.Base != value.TypeDateTime || t.Precision < 0 || t.Precision > 6 {
		return false
	}
	digits := "0"
	if len(call.Args) == 1 {
		if l, ok := call.Args[0].(*dialect.Literal); ok {
			digits = l.Text
		}
	}
	return digits != strconv.Itoa(t.Precision)
}

// addCheck adds CHECK (…).
func (d *definer) addCheck(c *dialect.Check) error {
	name := c.Name
	if d.checks == nil {
		d.checks = map[string]bool{}
		for _, other := range d.t.Checks {
			d.checks[strings.ToLower(other.Name)] = true
		}
	}
	for name == "" || c.Name == "" && d.checks[strings.ToLower(name)] {
		d.nextCheck++
		name = schema.Numbered(d.t.Name+"_chk", d.nextCheck)
	}
	if err := CheckName(name, c.Pos); err != nil {
		return err
	}
	if d.checks[strings.ToLower(name)] {
		return sqlerr.New(sqlerr.CodeDuplicateCheck, c.Pos, "Duplicate check constraint name '%s'.", name)
	}
	d.checks[strings.ToLower(name)] = true
	d.t.Checks = append(d.t.Checks, schema.CheckDef{Name: name, Text: c.Text, NotEnforced: c.NotEnforced})
	return nil
}

// checkDefault checks the columns that the default of a column refers to.
func (d *definer) checkDefault(i int) (bad error) {
	t, c := d.t, d.texts.Columns[i]
	if c.DefaultExpr == nil {
		return nil
	}
	expr.Columns(c.DefaultExpr, func(col *expr.Column) {
		switch {
		case col.Index >= len(t.Columns):
			bad = sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in 'default value expression'", col.Name)
		case t.Columns[col.Index].AutoIncrement:
			bad = sqlerr.New(sqlerr.CodeDefaultAuto, sqlerr.NoPos, "Default value expression of column '%s' cannot refer to an auto-increment column.", c.Name)
		case t.Columns[col.Index].Generated != "":
			bad = sqlerr.NotSupported(sqlerr.NoPos, "a default of column '%s' that refers to the generated column '%s' is", c.Name, t.Columns[col.Index].Name)
		case col.Index == i || col.Index > i && schema.RefersToRow(d.texts.Columns[col.Index].DefaultExpr):
			bad = sqlerr.New(sqlerr.CodeDefaultOrder, sqlerr.NoPos, "Default value expression of column '%s' cannot refer to a column defined after it if that column is a generated column or has an expression as default value.", c.Name)
		}
	})
	return bad
}

// bindTexts binds the texts of the whole definition, and checks what they contain.
func (d *definer) bindTexts() (err error) {
	t := d.t
	if d.texts, err = planner.BindTexts(t); err != nil {
		return err
	}
	for i := range d.texts.Columns {
		c := &d.texts.Columns[i]
		if k, ok := c.DefaultExpr.(*expr.Const); ok {
			v, noted, err := c.Type.Store(k.V)
			if d.exact && err == nil {
				if _, err := c.Type.Convert(k.V); err != nil {
					return sqlerr.New(sqlerr.CodeInvalidDefault, sqlerr.NoPos, "Invalid default value for '%s': '%s' does not fit %s exactly; round it yourself, or do without the option exact", c.Name, value.Text(k.V), c.Type)
				}
			}
			if err != nil || v.IsNull() || noted && c.Type.IsText() {
				return invalidDefault(c.Column)
			}
			if _, ok := c.Type.Stored(value.Text(k.V)); c.Type.HasMembers() && !ok {
				return invalidDefault(c.Column) // a number is no default of an ENUM or SET
			}
			// It is rounded once for all; a BIT, and what a hexadecimal literal counts as, is written as MySQL does.
			if _, err := c.Type.Convert(k.V); err != nil || c.Type.Base == value.TypeBit || k.V.Counted() {
				c.Default, c.DefaultExpr = schema.LiteralSQL(v), expr.NewConst(v)
			}
		}
		if err := d.checkDefault(i); err != nil {
			return err
		}
		if c.GeneratedExpr == nil {
			continue
		}
		if expr.VolatilityOf(c.GeneratedExpr) != expr.Immutable {
			return sqlerr.New(sqlerr.CodeGeneratedFunc, sqlerr.NoPos, "Expression of generated column '%s' contains a disallowed function.", c.Name)
		}
		var bad error
		expr.Columns(c.GeneratedExpr, func(col *expr.Column) {
			switch {
			case col.Index >= len(t.Columns):
				bad = sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in 'generated column function'", col.Name)
			case t.Columns[col.Index].AutoIncrement:
				bad = sqlerr.New(sqlerr.CodeGeneratedAuto, sqlerr.NoPos, "Generated column '%s' cannot refer to auto-increment column.", c.Name)
			case t.Columns[col.Index].Generated != "" && col.Index >= i:
				bad = sqlerr.New(sqlerr.CodeGeneratedOrder, sqlerr.NoPos, "Generated column can refer only to generated columns defined prior to it.")
			}
		})
		if bad != nil {
			return bad
		}
	}
	for _, c := range d.texts.Checks {
		if expr.VolatilityOf(c.Expr) != expr.Immutable {
			return sqlerr.New(sqlerr.CodeCheckFunction, sqlerr.NoPos, "An expression of a check constraint '%s' contains disallowed function.", c.Name)
		}
		var bad error
		expr.Columns(c.Expr, func(col *expr.Column) {
			if col.Index >= len(t.Columns) {
				bad = sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in check constraint '%s'", col.Name, c.Name)
			}
		})
		if bad != nil {
			return bad
		}
	}
	d.unqualify()
	return nil
}

// unqualify removes the table's name from its texts, as MySQL does: so they survive renaming and CREATE TABLE … LIKE.
func (d *definer) unqualify() {
	for _, c := range d.t.Columns {
		c.Default, c.Generated = dialect.Unqualified(c.Default), dialect.Unqualified(c.Generated)
	}
	for i := range d.t.Checks {
		d.t.Checks[i].Text = dialect.Unqualified(d.t.Checks[i].Text)
	}
}
