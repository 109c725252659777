package planner

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// BindTexts binds the texts of a definition that was read from the catalog, after Init: defaults, ON
// UPDATE, generated columns, checks.
func BindTexts(t *schema.Table) error {
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
			n, err := bindText(t, text.sql, text.clause, text.row)
			if err != nil {
				return err
			}
			*text.node = n
		}
	}
	for _, checks := range [...][]schema.CheckDef{t.Checks, t.Coming} {
		for i := range checks {
			n, err := bindText(t, checks[i].Text, "check constraint "+checks[i].Name+" expression", true)
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
func bindText(t *schema.Table, text, clause string, row bool) (expr.Node, error) {
	e, err := dialect.ParseExpr(text, dialect.Options{})
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "%s: %s is not an expression that can stand here", clause, text)
	}
	b := &builder{plan: &Plan{}, seen: map[*schema.Table]bool{}}
	c := &context{b: b, clause: clause}
	if row {
		if c, err = b.rowContext(t, &dialect.TableName{Name: t.Name}, clause, nil); err != nil {
			return nil, err
		}
	}
	n, err := c.expression(e)
	var known *sqlerr.Error
	if err = exprError(err, sqlerr.NoPos); errors.As(err, &known) {
		known.Pos = int(sqlerr.NoPos) // the place in the text is none in the statement
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
