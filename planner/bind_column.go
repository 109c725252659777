package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// column binds a name. It is, in this order, a column of this query's tables, an alias of its select list, or a column of an enclosing query.
func (c *context) column(e *dialect.Column) (expr.Node, error) {
	if c.scope == nil {
		return nil, unknownColumn(e, c.clause)
	}
	if e.Table == "" && len(c.aliases) > 0 {
		f, err := c.scope.lookup(e, c.clause)
		if f == nil || err != nil || c.having && !c.grouping.has(f) {
			n, aliasErr := findOutput(c.aliases, e, c.clause)
			if aliasErr != nil {
				return nil, aliasErr
			}
			if n != nil && c.windows == nil && isWindowed(n) {
				return nil, windowAlias(e)
			}
			if n != nil {
				return n, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if c.beside != nil {
		if n := c.beside(e); n != nil {
			return c.b.local(n), nil
		}
	}
	n, err := c.scope.resolve(e, c.clause)
	if err != nil {
		return nil, err
	}
	c.writeColumn(e)
	return c.b.localColumn(n), nil
}

// findOutput finds the element of a select list that a bare name means; nil if there is none.
func findOutput(outputs []output, e *dialect.Column, clause string) (expr.Node, error) {
	var found expr.Node
	for _, o := range outputs {
		if !strings.EqualFold(o.name, e.Name) {
			continue
		}
		if found != nil && !expr.Equal(found, o.node) {
			return nil, sqlerr.New(sqlerr.CodeNonUniqueColumn, e.Pos, "Column '%s' in %s is ambiguous", e.Name, clause)
		}
		found = o.node
	}
	return found, nil
}

// defaultOf binds DEFAULT(column).
func (c *context) defaultOf(e *dialect.Default) (expr.Node, error) {
	if e.Column == nil {
		return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "DEFAULT must be a whole value in VALUES or SET")
	}
	for at := c.scope; at != nil; at = at.parent {
		f, err := at.lookup(e.Column, c.clause)
		if err != nil {
			return nil, err
		}
		if f == nil || f.src.table == nil || f.ordinal >= len(f.src.table.Columns) {
			continue
		}
		texts := c.b.earlier
		if texts == nil {
			if texts, err = Texts(f.src.table); err != nil {
				return nil, err
			}
		}
		col := texts.Columns[f.ordinal]
		switch {
		case schema.RefersToRow(col.DefaultExpr):
			return nil, sqlerr.New(sqlerr.CodeDefaultOfRow, sqlerr.NoPos, "DEFAULT function cannot be used with default value expressions")
		case col.DefaultExpr != nil:
			if k, ok := col.DefaultExpr.(*expr.Const); ok && (col.Type.HasMembers() || col.Type.Base == value.TypeBit) {
				v, err := col.Type.Convert(k.V)
				return &expr.Const{V: v, T: col.Type}, err
			}
			return col.DefaultExpr, nil
		case col.NotNull:
			return nil, sqlerr.New(sqlerr.CodeNoDefault, sqlerr.NoPos, "Field '%s' doesn't have a default value", col.Name)
		}
		return null(), nil
	}
	return nil, unknownColumn(e.Column, c.clause)
}
