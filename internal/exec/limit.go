package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// limitNode skips as many rows as OFFSET says, and passes as many as LIMIT says.
type limitNode struct {
	input Node
	limit bounds
	// countAll reads the rows after the last, too, and tells the session how many there are.
	countAll bool
}

func (n *limitNode) fills() []int { return n.input.fills() }

func (n *limitNode) Open(f *Frame) Iterator { return &limitIter{node: n, f: f} }

type limitIter struct {
	node  *limitNode
	f     *Frame
	input Iterator // opened at the first Next, so that LIMIT 0 reads nothing
	left  int64
	seen  int64 // rows that input gave
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
		return nil, it.countRest(ctx)
	}
	row, err := it.next(ctx)
	if err != nil {
		it.left = 0
		return nil, err
	}
	if it.left--; it.left == 0 && !it.node.countAll {
		// The input may be reading ahead. The row stays valid: it is not the store's.
		err = it.input.Close()
	}
	return row, err
}

// begin evaluates the bounds and skips the rows before the first.
func (it *limitIter) begin(ctx context.Context) error {
	count, offset, err := it.node.limit.eval(&it.f.Env)
	if err != nil || count == 0 && !it.node.countAll {
		return err
	}
	it.input = it.node.input.Open(it.f)
	for range offset {
		if _, err := it.next(ctx); err != nil {
			return err
		}
	}
	it.left = count
	return nil
}

// next gives a row of the input, counted.
func (it *limitIter) next(ctx context.Context) ([]value.Value, error) {
	row, err := it.input.Next(ctx)
	switch {
	case err == nil:
		it.seen++
	case err == io.EOF && it.node.countAll:
		it.f.Run.X.Session.FoundRows = it.seen
	}
	return row, err
}

// countRest reads the unwanted rows if they are to be counted. It gives io.EOF, or the error of reading.
func (it *limitIter) countRest(ctx context.Context) error {
	for it.node.countAll {
		if _, err := it.next(ctx); err != nil {
			return err
		}
	}
	return io.EOF
}

func (it *limitIter) Close() error {
	it.left = 0
	if it.input == nil {
		return nil
	}
	return it.input.Close()
}
