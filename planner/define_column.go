package planner

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// column makes a column of its definition, without the property that it is kept in.
func (d *definer) column(def *dialect.ColumnDef) (*Column, error) {
	t, err := d.columnType(def)
	if err != nil {
		return nil, err
	}
	if d.t.Foreign == nil && (def.Property != "" || def.Edm != "") {
		return nil, newError(codeWrongUsage, def.Pos, "PROPERTY and EDM are for columns of an EXTERNAL TABLE")
	}
	col := &Column{
		Name: def.Name, Type: t, NotNull: def.NotNull, AutoIncrement: def.AutoIncrement, Comment: def.Comment,
		Generated: def.GeneratedText, Stored: def.Stored,
	}
	if def.AutoIncrement {
		if kindOf(t) != numberKind || t.Base == value.TypeDecimal || t.Base == value.TypeFloat ||
			t.Base == value.TypeDouble || t.Base == value.TypeBool || t.Base == value.TypeBit || t.Base == value.TypeYear || def.Generated != nil {
			return nil, newError(codeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s'", def.Name)
		}
		col.NotNull = true
	}
	if def.Generated != nil && (def.Default != nil || def.OnUpdate != nil) {
		return nil, newError(codeWrongUsage, def.Pos, "Incorrect usage of DEFAULT and generated column")
	}
	if err := setDefault(col, def); err != nil {
		return nil, err
	}
	if def.OnUpdate != nil {
		call, ok := def.OnUpdate.(*dialect.Call)
		if !ok || !isNow(call) || t.Base != value.TypeDateTime || otherDigits(&t, call) {
			return nil, newError(codeInvalidOnUpdate, def.Pos, "Invalid ON UPDATE clause for '%s' column", def.Name)
		}
		col.OnUpdate = "CURRENT_TIMESTAMP"
		if len(call.Args) == 1 {
			if l, ok := call.Args[0].(*dialect.Literal); ok {
				col.OnUpdate += "(" + l.Text + ")"
			}
		}
	}
	return col, nil
}

// setDefault takes the text of DEFAULT. DEFAULT NULL is the same as none.
func setDefault(col *Column, def *dialect.ColumnDef) error {
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
	if call, ok := def.Default.(*dialect.Call); ok && isNow(call) && !strings.HasPrefix(def.DefaultText, "(") && otherDigits(&col.Type, call) {
		err := invalidDefault(col)
		err.Message += fmt.Sprintf(": a %s needs CURRENT_TIMESTAMP with as many digits", col.Type)
		return err
	}
	col.Default, col.HasDefault = def.DefaultText, true
	return nil
}

func invalidDefault(col *Column) *Error {
	return newError(codeInvalidDefault, noPos, "Invalid default value for '%s'", col.Name)
}

func isNow(call *dialect.Call) bool {
	switch call.Name {
	case "current_timestamp", "now", "localtime", "localtimestamp":
		return true
	}
	return false
}

// otherDigits says whether a column of a type that MySQL has asks call, which is CURRENT_TIMESTAMP, for other digits of a second
// than its own. MySQL refuses that.
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
		name = numbered(d.t.Name+"_chk", d.nextCheck)
	}
	if d.checks[strings.ToLower(name)] {
		return newError(codeDuplicateCheck, c.Pos, "Duplicate check constraint name '%s'.", name)
	}
	d.checks[strings.ToLower(name)] = true
	d.t.Checks = append(d.t.Checks, CheckDef{Name: name, Text: c.Text})
	return nil
}

// BindTexts binds the texts of a definition that was read from the catalog, after Init: defaults, ON
// UPDATE, generated columns, checks.
func (t *Table) BindTexts() error {
	for _, c := range t.Columns {
		for _, text := range [...]struct {
			sql, clause string
			node        *expr.Node
			row         bool
		}{
			{c.Default, "default of " + c.Name, &c.DefaultExpr, true},
			{c.OnUpdate, "ON UPDATE of " + c.Name, &c.OnUpdateExpr, false},
			{c.Generated, "generated column " + c.Name, &c.GeneratedExpr, true},
		} {
			if text.sql == "" {
				*text.node = nil
				continue
			}
			n, err := t.bindText(text.sql, text.clause, text.row)
			if err != nil {
				return err
			}
			*text.node = n
		}
	}
	for _, checks := range [...][]CheckDef{t.Checks, t.Coming} {
		for i := range checks {
			n, err := t.bindText(checks[i].Text, "check constraint "+checks[i].Name+" expression", true)
			if err != nil {
				return err
			}
			checks[i].Expr = n
		}
	}
	return nil
}

// bindText binds an expression of the definition; with row, over the table's row. clause tells where it
// stands, for errors.
func (t *Table) bindText(text, clause string, row bool) (expr.Node, error) {
	e, err := dialect.ParseExpr(text, dialect.Options{})
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, newError(codeSyntax, noPos, "%s: %s is not an expression that can stand here", clause, text)
	}
	b := &builder{plan: &Plan{}, seen: map[*Table]bool{}}
	c := &context{b: b, clause: clause}
	if row {
		if c, err = b.rowContext(t, &dialect.TableName{Name: t.Name}, clause, nil); err != nil {
			return nil, err
		}
	}
	n, err := c.expression(e)
	var known *Error
	if err = exprError(err, noPos); errors.As(err, &known) {
		known.Pos = int(noPos) // the place in the text is none in the statement
	}
	return n, err
}

// checkDefault checks the columns that the default of a column refers to.
func (t *Table) checkDefault(i int) (bad error) {
	c := t.Columns[i]
	if c.DefaultExpr == nil {
		return nil
	}
	expr.Columns(c.DefaultExpr, func(col *expr.Column) {
		switch {
		case col.Index >= len(t.Columns):
			bad = newError(codeUnknownColumn, noPos, "Unknown column '%s' in 'default value expression'", col.Name)
		case t.Columns[col.Index].AutoIncrement:
			bad = newError(codeDefaultAuto, noPos, "Default value expression of column '%s' cannot refer to an auto-increment column.", c.Name)
		case t.Columns[col.Index].Generated != "":
			bad = notSupported(noPos, "a default of column '%s' that refers to the generated column '%s' is", c.Name, t.Columns[col.Index].Name)
		case col.Index == i || col.Index > i && refersToRow(t.Columns[col.Index].DefaultExpr):
			bad = newError(codeDefaultOrder, noPos, "Default value expression of column '%s' cannot refer to a column defined after it if that column is a generated column or has an expression as default value.", c.Name)
		}
	})
	return bad
}

// refersToRow says whether n, which may be nil, hangs on columns.
func refersToRow(n expr.Node) bool {
	refers := false
	if n != nil {
		expr.Columns(n, func(*expr.Column) { refers = true })
	}
	return refers
}

// DefaultOfRow says whether the column's default is computed of other columns.
func (c *Column) DefaultOfRow() bool { return c.HasDefault && refersToRow(c.DefaultExpr) }

// checkTexts checks what the bound texts of a new definition may be.
func (d *definer) checkTexts() error {
	t := d.t
	for i, c := range t.Columns {
		if k, ok := c.DefaultExpr.(*expr.Const); ok {
			v, noted, err := c.Type.Store(k.V)
			if d.exact && err == nil {
				if _, err := c.Type.Convert(k.V); err != nil {
					return newError(codeInvalidDefault, noPos, "Invalid default value for '%s': '%s' does not fit %s exactly; round it yourself, or do without the option exact", c.Name, value.Text(k.V), c.Type)
				}
			}
			if err != nil || v.IsNull() || noted && isText(&c.Type) {
				return invalidDefault(c)
			}
			if _, ok := c.Type.Stored(value.Text(k.V)); hasMembers(&c.Type) && !ok {
				return invalidDefault(c) // a number is no default of an ENUM or SET
			}
			// It is rounded once for all; a BIT, and what a hexadecimal literal counts as, is written as MySQL does.
			if _, err := c.Type.Convert(k.V); err != nil || c.Type.Base == value.TypeBit || k.V.Counted() {
				c.Default, c.DefaultExpr = literalSQL(v), expr.NewConst(v)
			}
		}
		if err := t.checkDefault(i); err != nil {
			return err
		}
		if c.GeneratedExpr == nil {
			continue
		}
		if expr.VolatilityOf(c.GeneratedExpr) != expr.Immutable {
			return newError(codeGeneratedFunc, noPos, "Expression of generated column '%s' contains a disallowed function.", c.Name)
		}
		var bad error
		expr.Columns(c.GeneratedExpr, func(col *expr.Column) {
			switch {
			case col.Index >= len(t.Columns):
				bad = newError(codeUnknownColumn, noPos, "Unknown column '%s' in 'generated column function'", col.Name)
			case t.Columns[col.Index].AutoIncrement:
				bad = newError(codeGeneratedAuto, noPos, "Generated column '%s' cannot refer to auto-increment column.", c.Name)
			case t.Columns[col.Index].Generated != "" && col.Index >= i:
				bad = newError(codeGeneratedOrder, noPos, "Generated column can refer only to generated columns defined prior to it.")
			}
		})
		if bad != nil {
			return bad
		}
	}
	for _, c := range t.Checks {
		if expr.VolatilityOf(c.Expr) != expr.Immutable {
			return newError(codeCheckFunction, noPos, "An expression of a check constraint '%s' contains disallowed function.", c.Name)
		}
		var bad error
		expr.Columns(c.Expr, func(col *expr.Column) {
			if col.Index >= len(t.Columns) {
				bad = newError(codeUnknownColumn, noPos, "Unknown column '%s' in check constraint '%s'", col.Name, c.Name)
			}
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}
