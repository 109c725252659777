package planner

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// values plans VALUES ROW(…), ROW(…), whose columns are column_0 and so on. As in a UNION, their types hold the values of all rows.
func (b *builder) values(v *dialect.Values, at position) (*queryPlan, error) {
	ctes, err := at.ctes.with(v.With)
	if err != nil {
		return nil, err
	}
	c := &context{b: b, scope: &scope{block: &block{}, parent: at.parent, frame: at.frame}, ctes: ctes, clause: "field list"}
	arms := make([]*queryPlan, len(v.Rows))
	node := &Values{Rows: make([][]expr.Node, len(v.Rows)), Total: len(v.Rows[0])}
	for i, row := range v.Rows {
		switch {
		case len(row) == 0:
			return nil, sqlerr.New(sqlerr.CodeEmptyRow, v.Pos, "Each row of a VALUES clause must have at least one column")
		case len(row) != node.Total:
			return nil, sqlerr.New(sqlerr.CodeColumnCount, v.Pos, "Column count doesn't match value count at row %d", i+1)
		}
		if node.Rows[i], err = c.expressions(row); err != nil {
			return nil, err
		}
		arms[i] = &queryPlan{}
		for j, n := range node.Rows[i] {
			arms[i].columns = append(arms[i].columns, ResultColumn{Name: fmt.Sprintf("column_%d", j), Type: n.Type(), Nullable: expr.MayBeNull(n)})
		}
	}
	columns, err := unionColumns(arms)
	if err != nil {
		return nil, err
	}
	for _, row := range node.Rows {
		for j := range row {
			row[j] = heldAs(row[j], columns[j].Type)
		}
	}
	end, err := b.ending(columns, v.OrderBy, v.Limit, position{frame: at.frame, ctes: ctes})
	return &queryPlan{root: end.of(node), columns: columns, rows: float64(len(node.Rows))}, err
}
