package planner

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Texts gives the texts of a definition as expressions. They are bound when a statement first needs them.
func Texts(t *schema.Table) (*schema.Texts, error) { return t.Texts(BindTexts) }

// BindTexts binds the texts of a definition, after Init: defaults, ON UPDATE, generated columns, checks.
func BindTexts(t *schema.Table) (*schema.Texts, error) {
	out := &schema.Texts{Columns: make([]schema.ColumnTexts, len(t.Columns))}
	for i, c := range t.Columns {
		out.Columns[i].Column = c
	}
	for i := range out.Columns {
		c := &out.Columns[i]
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
				continue
			}
			n, err := bindText(t, out, text.sql, text.clause, text.row)
			if err != nil {
				return nil, err
			}
			*text.node = n
		}
	}
	for _, def := range t.Checks {
		n, err := bindText(t, out, def.Text, "check constraint "+def.Name+" expression", true)
		if err != nil {
			return nil, err
		}
		if !def.NotEnforced {
			out.Checks = append(out.Checks, schema.CheckExpr{Name: def.Name, Expr: n})
		}
	}
	return out, nil
}

// bindText binds an expression of the definition; with row, over the table's row. clause names the expression in errors; earlier is what has
// been bound so far.
func bindText(t *schema.Table, earlier *schema.Texts, text, clause string, row bool) (expr.Node, error) {
	e, err := dialect.ParseExpr(text, dialect.Options{})
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "%s: %s has a subquery, which a definition cannot have", clause, text)
	}
	b := &builder{plan: &Plan{}, seen: map[*schema.Table]bool{}, earlier: earlier}
	c := &context{b: b, clause: clause}
	if row {
		if c, err = b.rowContext(&rowTarget{table: t, name: &dialect.TableName{Name: t.Name}}, clause); err != nil {
			return nil, err
		}
	}
	n, err := c.expression(e)
	var known *sqlerr.Error
	if err = exprError(err, sqlerr.NoPos); errors.As(err, &known) {
		known.Pos = int(sqlerr.NoPos) // a place in the definition's text is no place in the statement
	}
	return n, err
}

// BindConstant binds an expression that names no column. clause and pos tell where it is, for errors.
func BindConstant(e dialect.Expr, clause string, pos dialect.Pos) (expr.Node, error) {
	if hasSubquery(e) {
		return nil, sqlerr.New(sqlerr.CodeSyntax, pos, "the values of a partition are constants")
	}
	c := &context{b: &builder{plan: &Plan{}, seen: map[*schema.Table]bool{}}, clause: clause}
	return c.expression(e)
}
