package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// loopJoinNode tries every pair of rows, the right ones held in memory.
type loopJoinNode struct{ joinNode }

func compileLoopJoin(n *planner.LoopJoin) (Node, error) {
	join, err := compileJoin(n.Kind, n.Left, n.Right, n.On)
	if err != nil {
		return nil, err
	}
	return &loopJoinNode{join}, nil
}

func (n *loopJoinNode) Open(f *Frame) Iterator {
	return &loopJoinIter{
		matcher: n.matcher(f),
		left:    n.left.Open(f), right: n.right.Open(f),
		rows: rowStore{run: f.Run, operator: "join", fills: n.rightFills},
	}
}

type loopJoinIter struct {
	matcher
	left, right Iterator
	rows        rowStore
	held        bool // all right rows are in rows
	at          int
}

func (it *loopJoinIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.held {
		left, err := it.left.Next(ctx)
		if err != nil {
			return nil, err // without left rows nothing is read of the right side
		}
		if err := drain(ctx, it.right, &it.rows, nil); err != nil {
			return nil, err
		}
		it.held = true
		it.take(left)
	}
	if len(it.rows.rows) == 0 && needsRight(it.kind) {
		return nil, io.EOF
	}
	for {
		if !it.active {
			left, err := it.left.Next(ctx)
			if err != nil {
				return nil, err
			}
			it.take(left)
			it.at = 0
		}
		if row, err := it.nextRow(ctx, it); err != nil || row != nil {
			return row, err
		}
	}
}

func (it *loopJoinIter) nextMatch(context.Context) (some bool, err error) {
	if it.at == len(it.rows.rows) {
		return false, nil
	}
	it.rows.restore(it.rows.rows[it.at], it.row)
	it.at++
	return true, nil
}

func (it *loopJoinIter) Close() error {
	it.rows.clear()
	return closeBoth(it.left, it.right)
}

// closeBoth closes two inputs and gives the first error.
func closeBoth(a, b Iterator) error {
	err := a.Close()
	if err2 := b.Close(); err == nil {
		err = err2
	}
	return err
}
