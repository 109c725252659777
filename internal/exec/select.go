package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// selectNode passes the rows that satisfy a condition.
type selectNode struct {
	input node
	cond  func(*expr.Env) (bool, error)
}

func (n *selectNode) fills() []int { return n.input.fills() }

func (n *selectNode) open(f *frame) Iterator {
	return &selectIter{node: n, f: f, input: n.input.open(f)}
}

type selectIter struct {
	node  *selectNode
	f     *frame
	input Iterator
}

func (it *selectIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		row, err := it.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		it.f.env.Row = row
		ok, err := it.node.cond(&it.f.env)
		if err != nil {
			return nil, err
		}
		if ok {
			return row, nil
		}
	}
}

func (it *selectIter) Close() error { return it.input.Close() }
