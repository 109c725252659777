package exec

import (
	"bytes"
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// aggregateNode groups rows: by hash, groups in the order in which they first came; or one at a time where
// rows come by group. Without anything to group by there is one group, also of no rows.
type aggregateNode struct {
	input     Node
	group     []expr.Func
	collation []value.Collation
	aggs      []*expr.Aggregate
	grow      []bool // aligned with aggs: what they hold may become more with each row
	sorted    bool
}

func compileAggregate(n *planner.Aggregate, input Node) *aggregateNode {
	a := &aggregateNode{input: input, group: CompileAll(n.Group), aggs: n.Aggs, sorted: n.Sorted}
	for _, g := range n.Group {
		a.collation = append(a.collation, expr.CollationOf(g))
	}
	for _, of := range n.Aggs {
		a.grow = append(a.grow, of.Grows())
	}
	return a
}

func (n *aggregateNode) fills() []int { return Positions(0, len(n.group)+len(n.aggs)) }

func (n *aggregateNode) Open(f *Frame) Iterator {
	return &aggregateIter{
		node: n, f: f, input: n.input.Open(f),
		row: make([]value.Value, len(n.group)+len(n.aggs)), values: make([]value.Value, len(n.group)),
	}
}

// groupState is one group: its values and the states of its aggregates.
type groupState struct {
	values []value.Value
	states []expr.State
}

type aggregateIter struct {
	node   *aggregateNode
	f      *Frame
	input  Iterator
	row    []value.Value
	values []value.Value // of the row at hand
	key    []byte

	groups  []*groupState // done, from at on not passed yet
	at      int
	ended   bool // the input is
	current *groupState
	last    []byte // Sorted: key of current
	held    int64
}

func (it *aggregateIter) Next(ctx context.Context) ([]value.Value, error) {
	for it.at >= len(it.groups) {
		if it.ended {
			return nil, io.EOF
		}
		it.groups, it.at = it.groups[:0], 0
		var err error
		switch {
		case len(it.node.group) == 0:
			err = it.single(ctx)
		case it.node.sorted:
			err = it.nextSorted(ctx)
		default:
			err = it.hash(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	g := it.groups[it.at]
	it.groups[it.at] = nil
	it.at++
	return it.result(g)
}

func (it *aggregateIter) result(g *groupState) ([]value.Value, error) {
	copy(it.row, g.values)
	for i, s := range g.states {
		v, err := s.Result()
		if err != nil {
			return nil, err
		}
		it.row[len(g.values)+i] = v
	}
	return it.row, nil
}

// single puts all rows into one group.
func (it *aggregateIter) single(ctx context.Context) error {
	g := it.newGroup()
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := it.add(g, row); err != nil {
			return err
		}
	}
	it.groups = append(it.groups, g)
	return it.end()
}

// nextSorted reads up to the end of the group at hand.
func (it *aggregateIter) nextSorted(ctx context.Context) error {
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			if it.current != nil {
				it.groups = append(it.groups, it.current)
			}
			return it.end()
		}
		if err != nil {
			return err
		}
		if err := it.evalGroup(row); err != nil {
			return err
		}
		done := it.current
		if done == nil || !bytes.Equal(it.key, it.last) {
			it.last = append(it.last[:0], it.key...)
			it.current = it.newGroup()
		} else {
			done = nil
		}
		if err := it.add(it.current, row); err != nil {
			return err
		}
		if done != nil {
			it.f.release(it.held)
			it.held = 0
			it.groups = append(it.groups, done)
			return nil
		}
	}
}

// hash reads all rows.
func (it *aggregateIter) hash(ctx context.Context) error {
	index := make(map[string]*groupState)
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			return it.end()
		}
		if err != nil {
			return err
		}
		if err := it.evalGroup(row); err != nil {
			return err
		}
		g := index[string(it.key)]
		if g == nil {
			g = it.newGroup()
			index[string(it.key)] = g
			it.groups = append(it.groups, g)
			size := int64(len(it.key)) + bytesPerEntry + BytesPerRow + int64(len(g.values))*BytesPerValue
			if err := it.hold(size); err != nil {
				return err
			}
		}
		if err := it.add(g, row); err != nil {
			return err
		}
	}
}

// evalGroup computes the values that the row is grouped by, and their key.
func (it *aggregateIter) evalGroup(row []value.Value) error {
	it.f.Env.Row = row
	it.key = it.key[:0]
	for i, f := range it.node.group {
		v, err := f(&it.f.Env)
		if err != nil {
			return err
		}
		it.values[i] = v
		it.key = value.AppendHashKey(it.key, v, it.node.collation[i])
	}
	return nil
}

func (it *aggregateIter) newGroup() *groupState {
	g := &groupState{values: append([]value.Value(nil), it.values...), states: make([]expr.State, len(it.node.aggs))}
	for i, a := range it.node.aggs {
		g.states[i] = a.NewState()
	}
	return g
}

// add adds a row to a group.
func (it *aggregateIter) add(g *groupState, row []value.Value) error {
	it.f.Env.Row = row
	for i, s := range g.states {
		if !it.node.grow[i] {
			if err := s.Add(&it.f.Env); err != nil {
				return err
			}
			continue
		}
		before := s.Size()
		if err := s.Add(&it.f.Env); err != nil {
			return err
		}
		if grown := s.Size() - before; grown != 0 {
			if err := it.hold(int64(grown)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (it *aggregateIter) hold(bytes int64) error {
	it.held += bytes
	return it.f.Charge(bytes, "group by")
}

// end is what follows the last row.
func (it *aggregateIter) end() error {
	it.ended = true
	return it.input.Close()
}

func (it *aggregateIter) Close() error {
	it.f.release(it.held)
	it.held, it.groups, it.at, it.ended = 0, nil, 0, true
	return it.input.Close()
}
