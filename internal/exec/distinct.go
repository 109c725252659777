package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// distinctNode passes each row once, the first of those that are equal.
type distinctNode struct {
	input     Node
	width     int
	collation []value.Collation
}

func (n *distinctNode) fills() []int { return n.input.fills() }

func (n *distinctNode) Open(f *Frame) Iterator {
	return &distinctIter{node: n, f: f, input: n.input.Open(f), seen: make(map[string]struct{})}
}

type distinctIter struct {
	node  *distinctNode
	f     *Frame
	input Iterator
	seen  map[string]struct{}
	key   []byte
	held  int64
}

// bytesPerEntry is roughly the size of a Go map entry apart from its key's bytes.
const bytesPerEntry = 48

func (it *distinctIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		row, err := it.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		it.key = it.key[:0]
		for i := range it.node.width {
			it.key = value.AppendHashKey(it.key, row[i], collationAt(it.node.collation, i))
		}
		if _, ok := it.seen[string(it.key)]; ok {
			continue
		}
		size := int64(len(it.key)) + bytesPerEntry
		if err := it.f.Charge(size, "distinct"); err != nil {
			return nil, err
		}
		it.held += size
		it.seen[string(it.key)] = struct{}{}
		return row, nil
	}
}

func (it *distinctIter) Close() error {
	it.f.release(it.held)
	it.held, it.seen = 0, map[string]struct{}{}
	return it.input.Close()
}

// collationAt gives the collation at a position; Binary after the end of the list.
func collationAt(list []value.Collation, i int) value.Collation {
	if i < len(list) {
		return list[i]
	}
	return value.Binary
}
