package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// selectNode passes the rows that satisfy a condition.
type selectNode struct {
	input Node
	cond  func(*expr.Env) (bool, error)
	once  bool // cond is the same for all rows
}

func (n *selectNode) fills() []int { return n.input.fills() }

func (n *selectNode) Open(f *Frame) Iterator {
	return &selectIter{node: n, f: f, input: n.input.Open(f)}
}

type selectIter struct {
	node  *selectNode
	f     *Frame
	input Iterator
	asked bool // once: cond was asked
	shut  bool // once: cond lets no row through
}

func (it *selectIter) Next(ctx context.Context) ([]value.Value, error) {
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

// nextOnce asks before the first row is read, so that nothing is read for a condition that is not true.
func (it *selectIter) nextOnce(ctx context.Context) ([]value.Value, error) {
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

func (it *selectIter) Close() error { return it.input.Close() }
