package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// applyNode reads its right side anew for each left row.
type applyNode struct{ joinNode }

func compileApply(n *planner.Apply) (Node, error) {
	join, err := compileJoin(n.Kind, n.Left, n.Right, n.On)
	if err != nil {
		return nil, err
	}
	return &applyNode{join}, nil
}

func (n *applyNode) Open(f *Frame) Iterator {
	return &applyIter{matcher: n.matcher(f), node: n, left: n.left.Open(f)}
}

type applyIter struct {
	matcher
	node  *applyNode
	left  Iterator
	outer expr.Env // of the left row, as the right side sees it
	right Iterator // of the left row at hand
}

func (it *applyIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		if !it.active {
			left, err := it.left.Next(ctx)
			if err != nil {
				return nil, err
			}
			it.take(left)
			it.outer = it.f.Env
			it.outer.Row = it.row
			f := new(Frame)
			f.InitEnv(it.f.Run, &it.outer)
			f.recursion = it.f.recursion
			it.right = it.node.right.Open(f)
		}
		if row, err := it.nextRow(ctx, it); err != nil || row != nil {
			return row, err
		}
	}
}

func (it *applyIter) nextMatch(ctx context.Context) (some bool, err error) {
	right, err := it.right.Next(ctx)
	if err == io.EOF {
		return false, it.right.Close()
	}
	if err != nil {
		return false, err
	}
	for _, p := range it.rightFills {
		it.row[p] = right[p]
	}
	return true, nil
}

func (it *applyIter) Close() error {
	if it.right == nil {
		return it.left.Close()
	}
	return closeBoth(it.left, it.right)
}
