package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// limitNode passes so many rows behind the first so many.
type limitNode struct {
	input node
	limit bounds
}

func (n *limitNode) fills() []int { return n.input.fills() }

func (n *limitNode) open(f *frame) Iterator { return &limitIter{node: n, f: f} }

type limitIter struct {
	node  *limitNode
	f     *frame
	input Iterator // opened at the first Next, so that LIMIT 0 reads nothing
	left  int64
	began bool
}

func (it *limitIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.began {
		it.began = true
		if err := it.begin(ctx); err != nil {
			return nil, err
		}
	}
	if it.left <= 0 {
		return nil, io.EOF
	}
	row, err := it.input.Next(ctx)
	if err != nil {
		it.left = 0
		return nil, err
	}
	if it.left--; it.left == 0 {
		// What feeds this may be reading ahead. The row stays: it is not the store's.
		err = it.input.Close()
	}
	return row, err
}

// begin evaluates the bounds and skips the rows before the first.
func (it *limitIter) begin(ctx context.Context) error {
	count, offset, err := it.node.limit.eval(&it.f.env)
	if err != nil || count == 0 {
		return err
	}
	it.input = it.node.input.open(it.f)
	for range offset {
		if _, err := it.input.Next(ctx); err != nil {
			return err
		}
	}
	it.left = count
	return nil
}

func (it *limitIter) Close() error {
	it.left = 0
	if it.input == nil {
		return nil
	}
	return it.input.Close()
}
