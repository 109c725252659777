package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// valuesNode yields rows of expressions.
type valuesNode struct {
	rows  [][]expr.Func
	width int
}

func compileValues(n *planner.Values) *valuesNode {
	v := &valuesNode{width: n.Total, rows: make([][]expr.Func, len(n.Rows))}
	for i, row := range n.Rows {
		v.rows[i] = CompileAll(row)
		v.width = max(v.width, len(row))
	}
	return v
}

// fills gives nothing if there are no rows. Otherwise they would be as wide as the whole block, and a join would take the places
// of other tables for its right side's.
func (n *valuesNode) fills() []int {
	if len(n.rows) == 0 {
		return nil
	}
	return Positions(0, n.width)
}

func (n *valuesNode) Open(f *Frame) Iterator {
	return &valuesIter{node: n, f: f, row: make([]value.Value, n.width)}
}

type valuesIter struct {
	node *valuesNode
	f    *Frame
	row  []value.Value
	next int
}

func (it *valuesIter) Next(ctx context.Context) ([]value.Value, error) {
	if it.next >= len(it.node.rows) {
		return nil, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	it.f.Env.Row = nil
	for i, f := range it.node.rows[it.next] {
		v, err := f(&it.f.Env)
		if err != nil {
			return nil, err
		}
		it.row[i] = v
	}
	it.next++
	return it.row, nil
}

func (it *valuesIter) Close() error {
	it.next = len(it.node.rows)
	return nil
}
