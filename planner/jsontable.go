package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// JSONTable yields the rows of JSON_TABLE.
type JSONTable struct{ Of *expr.JSONTable }

// Width is the number of columns.
func (n *JSONTable) Width() int { return len(n.Of.Columns()) }

// jsonTableRows is the assumed number of rows of a document.
const jsonTableRows = 10

// jsonTable plans JSON_TABLE, which sees what a lateral query sees.
func (b *builder) jsonTable(t *dialect.JSONTable, at position) (*queryPlan, error) {
	c := &context{b: b, scope: &scope{block: &block{}, parent: at.parent, frame: at.frame}, ctes: at.ctes, clause: "a table function argument"}
	x, err := c.expression(t.X)
	if err != nil {
		return nil, err
	}
	columns, err := c.jsonColumns(t.Columns)
	if err != nil {
		return nil, err
	}
	of, err := expr.NewJSONTable(t.As, x, t.Path, columns)
	if err != nil {
		return nil, exprError(err, t.Pos)
	}
	out := &queryPlan{root: &JSONTable{of}, rows: jsonTableRows}
	for _, column := range of.Columns() {
		out.columns = append(out.columns, ResultColumn{Name: column.Name, Type: column.T, Nullable: true})
	}
	return out, nil
}

func (c *context) jsonColumns(list []dialect.JSONColumn) ([]expr.JSONColumn, error) {
	out := make([]expr.JSONColumn, len(list))
	for i := range list {
		d := &list[i]
		to := &out[i]
		*to = expr.JSONColumn{Name: d.Name, Path: d.Path, OnEmpty: expr.JSONInstead(d.OnEmpty), OnError: expr.JSONInstead(d.OnError)}
		var err error
		switch {
		case d.Columns != nil:
			to.Kind = expr.JSONNested
			to.Columns, err = c.jsonColumns(d.Columns)
		case d.Ordinality:
			to.Kind, to.T = expr.JSONOrdinality, value.Type{Base: value.TypeInt, Unsigned: true}
		default:
			if d.Exists {
				to.Kind = expr.JSONExistsColumn
			}
			to.T, err = c.jsonColumnType(d)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *context) jsonColumnType(d *dialect.JSONColumn) (value.Type, error) {
	if err := castCharset(&d.Type); err != nil {
		return value.Type{}, err
	}
	t, err := value.NewType(d.Type.Name, d.Type.Args, d.Type.Members, d.Type.Unsigned, c.b.opt.Collation)
	if err != nil {
		return t, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "column '%s' of JSON_TABLE: %s", d.Name, err)
	}
	if d.Collate != "" {
		t.Collation, err = schema.CollationNamed(d.Collate)
	}
	return t, err
}
