package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// filterNode passes the rows that satisfy a condition.
type filterNode struct {
	input Node
	cond  func(*expr.Env) (bool, error)
	once  bool // cond is the same for all rows
}

func (n *filterNode) fills() []int { return n.input.fills() }

func (n *filterNode) Open(f *Frame) Iterator {
	return &filterIter{node: n, f: f, input: n.input.Open(f)}
}

type filterIter struct {
	node  *filterNode
	f     *Frame
	input Iterator
	asked bool // once: cond was evaluated
	shut  bool // once: cond lets no row through
}

func (it *filterIter) Next(ctx context.Context) ([]value.Value, error) {
	if it.node.once {
		return it.nextOnce(ctx)
	}
	for {
		row, err := it.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		it.f.Env.Row = row
		ok, err := it.node.cond(&it.f.Env)
		if err != nil {
			return nil, err
		}
		if ok {
			return row, nil
		}
	}
}

// nextOnce evaluates the condition before the first row is read, so that nothing is read if it is not true.
func (it *filterIter) nextOnce(ctx context.Context) ([]value.Value, error) {
	if !it.asked {
		it.asked, it.shut = true, true
		it.f.Env.Row = nil
		ok, err := it.node.cond(&it.f.Env)
		if err != nil {
			return nil, err
		}
		it.shut = !ok
	}
	if it.shut {
		return nil, io.EOF
	}
	return it.input.Next(ctx)
}

func (it *filterIter) Close() error { return it.input.Close() }
