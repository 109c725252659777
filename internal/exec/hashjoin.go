package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// hashJoinNode finds matches by equality in a hash table of the right rows. Matches of a left row come in
// the order of the right input.
type hashJoinNode struct {
	joinNode
	keys    []hashKey
	dynamic bool // see strangers
}

func compileHashJoin(n *planner.HashJoin) (Node, error) {
	join, err := compileJoin(n.Kind, n.Left, n.Right, n.On)
	if err != nil {
		return nil, err
	}
	return &hashJoinNode{joinNode: join, keys: compileHashKeys(n), dynamic: n.Dynamic}, nil
}

func (n *hashJoinNode) Open(f *Frame) Iterator {
	return &hashJoinIter{
		matcher: n.matcher(f),
		left:    n.left.Open(f), right: n.right.Open(f),
		table: newHashTable(f, n.keys, n.rightFills, n.dynamic),
	}
}

type hashJoinIter struct {
	matcher
	left, right Iterator
	table       hashTable
	built       bool
}

func (it *hashJoinIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.built {
		left, err := it.left.Next(ctx)
		if err != nil {
			return nil, err // without left rows nothing is read of the right side
		}
		if err := it.build(ctx); err != nil {
			return nil, err
		}
		it.built = true
		if err := it.find(left); err != nil {
			return nil, err
		}
	}
	if it.table.matchesNone() && needsRight(it.kind) {
		return nil, io.EOF
	}
	for {
		if !it.active {
			left, err := it.left.Next(ctx)
			if err != nil {
				return nil, err
			}
			if err := it.find(left); err != nil {
				return nil, err
			}
		}
		if row, err := it.nextRow(ctx, it); err != nil || row != nil {
			return row, err
		}
	}
}

func (it *hashJoinIter) nextMatch(ctx context.Context) (some bool, err error) {
	return it.table.next(ctx, it.row)
}

// build reads the right side.
func (it *hashJoinIter) build(ctx context.Context) error {
	for {
		row, err := it.right.Next(ctx)
		if err == io.EOF {
			return it.right.Close()
		}
		if err == nil {
			err = it.table.add(row)
		}
		if err != nil {
			return err
		}
	}
}

// find begins with a left row.
func (it *hashJoinIter) find(left []value.Value) error {
	it.take(left)
	return it.table.find(left)
}

func (it *hashJoinIter) Close() error {
	it.table.clear()
	it.built = true
	return closeBoth(it.left, it.right)
}
