package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// jsonTableNode yields the rows of a document.
type jsonTableNode struct {
	rows  func(env *expr.Env, emit func(row []value.Value) error) error
	width int
}

func compileJSONTable(n *planner.JSONTable) *jsonTableNode {
	return &jsonTableNode{rows: n.Of.Compile(), width: n.Width()}
}

func (n *jsonTableNode) fills() []int { return Positions(0, n.width) }

func (n *jsonTableNode) Open(f *Frame) Iterator {
	return &jsonTableIter{node: n, f: f, rows: rowStore{run: f.Run, operator: "JSON_TABLE", fills: n.fills()}}
}

type jsonTableIter struct {
	node *jsonTableNode
	f    *Frame
	rows rowStore
	made bool
	at   int
}

func (it *jsonTableIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.made {
		it.made = true
		it.f.Env.Row = nil
		err := it.node.rows(&it.f.Env, func(row []value.Value) error {
			if _, err := it.rows.add(row); err != nil {
				return err
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	if it.at >= len(it.rows.rows) {
		return nil, io.EOF
	}
	it.at++
	return it.rows.rows[it.at-1], nil
}

func (it *jsonTableIter) Close() error {
	it.rows.clear()
	it.at, it.made = 0, true
	return nil
}
