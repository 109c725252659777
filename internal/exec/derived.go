package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// derivedNode moves the rows of an inner query block to their place in the outer block's row.
type derivedNode struct {
	input  Node
	width  int
	offset int
	total  int
}

func compileDerived(n *planner.Derived, input Node) *derivedNode {
	return &derivedNode{input: input, width: n.Input.Width(), offset: n.Offset, total: n.Total}
}

func (n *derivedNode) fills() []int { return Positions(n.offset, n.offset+n.width) }

func (n *derivedNode) Open(f *Frame) Iterator {
	return &derivedIter{node: n, input: n.input.Open(f), row: make([]value.Value, n.total)}
}

type derivedIter struct {
	node  *derivedNode
	input Iterator
	row   []value.Value
}

func (it *derivedIter) Next(ctx context.Context) ([]value.Value, error) {
	row, err := it.input.Next(ctx)
	if err != nil {
		return nil, err
	}
	copy(it.row[it.node.offset:], row[:it.node.width])
	return it.row, nil
}

func (it *derivedIter) Close() error { return it.input.Close() }
