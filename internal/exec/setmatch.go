package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// setMatchNode is EXCEPT [ALL] and INTERSECT [ALL]: it passes the left rows that the right input lacks,
// or has. NULL equals NULL here.
type setMatchNode struct {
	left, right    Node
	intersect, all bool
	types          []value.Type
}

func compileSetMatch(n *planner.SetMatch) (Node, error) {
	left, err := Compile(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := Compile(n.Right)
	if err != nil {
		return nil, err
	}
	return &setMatchNode{left: left, right: right, intersect: n.Intersect, all: n.All, types: unifiedTypes(n.Columns)}, nil
}

func (n *setMatchNode) fills() []int { return Positions(0, len(n.types)) }

func (n *setMatchNode) Open(f *Frame) Iterator {
	return &setMatchIter{node: n, f: f, left: n.left.Open(f), right: n.right.Open(f), row: make([]value.Value, len(n.types))}
}

type setMatchIter struct {
	node        *setMatchNode
	f           *Frame
	left, right Iterator
	counts      map[string]int // by row: how many left rows it still decides; nil before the right input is read
	row         []value.Value
	key         []byte
	held        int64
}

func (it *setMatchIter) Next(ctx context.Context) ([]value.Value, error) {
	if it.counts == nil {
		if err := it.build(ctx); err != nil {
			return nil, err
		}
	}
	for {
		if it.node.intersect && len(it.counts) == 0 {
			return nil, io.EOF
		}
		if err := it.read(ctx, it.left); err != nil {
			return nil, err
		}
		passes, err := it.decide()
		if err != nil {
			return nil, err
		}
		if passes {
			return it.row, nil
		}
	}
}

// build counts the rows of the right input.
func (it *setMatchIter) build(ctx context.Context) error {
	it.counts = make(map[string]int)
	for {
		err := it.read(ctx, it.right)
		if err == io.EOF {
			return it.right.Close()
		}
		if err == nil {
			err = it.count()
		}
		if err != nil {
			return err
		}
	}
}

// read makes the next row of an input, and its key.
func (it *setMatchIter) read(ctx context.Context, input Iterator) error {
	row, err := input.Next(ctx)
	if err != nil {
		return err
	}
	if err := unifyRow(&it.f.Env, it.node.types, it.row, row); err != nil {
		return err
	}
	it.key = it.key[:0]
	for i, v := range it.row {
		it.key = value.AppendHashKey(it.key, v, it.node.types[i].Collation)
	}
	return nil
}

// count adds one to the row's count.
func (it *setMatchIter) count() error {
	n, known := it.counts[string(it.key)]
	if !known {
		size := int64(len(it.key)) + bytesPerEntry
		it.held += size
		if err := it.f.Charge(size, it.operator()); err != nil {
			return err
		}
	}
	it.counts[string(it.key)] = n + 1
	return nil
}

// decide says whether the left row just read passes, and notes that it came.
func (it *setMatchIter) decide() (passes bool, err error) {
	n, known := it.counts[string(it.key)]
	switch {
	case !known && it.node.intersect:
		return false, nil
	case !known && it.node.all:
		return true, nil
	case !known:
		return true, it.count()
	case it.node.all && n > 1:
		it.counts[string(it.key)] = n - 1
	case it.node.all || it.node.intersect:
		delete(it.counts, string(it.key))
	}
	return it.node.intersect, nil
}

func (it *setMatchIter) operator() string {
	if it.node.intersect {
		return "intersect"
	}
	return "except"
}

func (it *setMatchIter) Close() error {
	it.f.release(it.held)
	it.held, it.counts = 0, nil
	return closeBoth(it.left, it.right)
}
