package exec

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// aggregateNode groups rows: by hash, with groups in the order of their first rows; or one group at a time if rows come by
// group. Without grouping columns there is one group, even of no rows. With a rollup there is one for each level.
type aggregateNode struct {
	input     Node
	group     []expr.Func
	collation []value.Collation
	aggs      []*expr.Aggregate
	grow      []bool // aligned with aggs: their state may grow with each row
	sorted    bool
	rollup    bool
}

func compileAggregate(n *planner.Aggregate, input Node) *aggregateNode {
	a := &aggregateNode{input: input, group: CompileAll(n.Group), aggs: n.Aggs, sorted: n.Sorted, rollup: n.Rollup}
	for _, g := range n.Group {
		a.collation = append(a.collation, expr.CollationOf(g))
	}
	for _, of := range n.Aggs {
		a.grow = append(a.grow, of.Grows())
	}
	return a
}

func (n *aggregateNode) fills() []int { return Positions(0, n.width()) }

func (n *aggregateNode) width() int {
	if n.rollup {
		return len(n.group) + 1 + len(n.aggs)
	}
	return len(n.group) + len(n.aggs)
}

func (n *aggregateNode) Open(f *Frame) Iterator {
	return &aggregateIter{
		node: n, f: f, input: n.input.Open(f),
		row: make([]value.Value, n.width()), values: make([]value.Value, len(n.group)), ends: make([]int, len(n.group)),
	}
}

// groupState is one group: its values and the states of its aggregates. As many of the values as its level says identify it,
// and the others are NULL.
type groupState struct {
	values []value.Value
	states []expr.State
	level  int
	held   int64
}

type aggregateIter struct {
	node   *aggregateNode
	f      *Frame
	input  Iterator
	row    []value.Value
	values []value.Value // of the current row
	key    []byte
	ends   []int // of the values in key

	groups []*groupState // done; those from at on are not passed yet
	at     int
	ended  bool // the input is
	held   int64

	// If rows come in order: the groups of the last row, the largest first, and that row's key.
	open     []*groupState
	last     []byte
	lastEnds []int
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
	it.f.release(g.held)
	it.held -= g.held
	return it.result(g)
}

func (it *aggregateIter) result(g *groupState) ([]value.Value, error) {
	at := copy(it.row, g.values)
	if it.node.rollup {
		it.row[at] = value.FromInt(int64(g.level))
		at++
	}
	for i, s := range g.states {
		v, err := s.Result()
		if err != nil {
			return nil, err
		}
		it.row[at+i] = v
	}
	return it.row, nil
}

// single puts all rows into one group.
func (it *aggregateIter) single(ctx context.Context) error {
	g := it.newGroup(0)
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

// nextSorted reads up to the end of the current group. With a rollup further groups may end with it.
func (it *aggregateIter) nextSorted(ctx context.Context) error {
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			it.close(0)
			return it.end()
		}
		if err != nil {
			return err
		}
		if err := it.evalGroup(row); err != nil {
			return err
		}
		if same := it.same(); it.open == nil || same < len(it.values) {
			it.close(same + 1)
			it.last = append(it.last[:0], it.key...)
			it.lastEnds = append(it.lastEnds[:0], it.ends...)
			for level := it.firstLevel(); level <= len(it.values); level++ {
				if len(it.open) == 0 || it.open[len(it.open)-1].level < level {
					it.open = append(it.open, it.newGroup(level))
				}
			}
		}
		for _, g := range it.open {
			if err := it.add(g, row); err != nil {
				return err
			}
		}
		if len(it.groups) > 0 {
			return nil
		}
	}
}

// firstLevel is the level of the largest groups.
func (it *aggregateIter) firstLevel() int {
	if it.node.rollup {
		return 0
	}
	return len(it.values)
}

// close ends the open groups from a level on.
func (it *aggregateIter) close(level int) {
	for n := len(it.open) - 1; n >= 0 && it.open[n].level >= level; n-- {
		it.groups = append(it.groups, it.open[n])
		it.open = it.open[:n]
	}
}

// same is how many values, from the first on, the current row shares with the previous one.
func (it *aggregateIter) same() int {
	if it.open == nil || bytes.Equal(it.key, it.last) {
		return len(it.values)
	}
	for i, end := range it.ends {
		if !bytes.Equal(it.key[:end], it.last[:it.lastEnds[i]]) {
			return i
		}
	}
	return len(it.values)
}

// hash reads all rows.
func (it *aggregateIter) hash(ctx context.Context) error {
	index := make([]map[string]*groupState, len(it.values)+1) // by level
	for level := it.firstLevel(); level < len(index); level++ {
		index[level] = map[string]*groupState{}
	}
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			if it.node.rollup {
				it.sortRollup()
			}
			return it.end()
		}
		if err != nil {
			return err
		}
		if err := it.evalGroup(row); err != nil {
			return err
		}
		for level := it.firstLevel(); level < len(index); level++ {
			g, err := it.indexed(index[level], level)
			if err != nil {
				return err
			}
			if err := it.add(g, row); err != nil {
				return err
			}
		}
	}
}

// indexed gives the current row's group at a level.
func (it *aggregateIter) indexed(index map[string]*groupState, level int) (*groupState, error) {
	key := it.key
	if level < len(it.ends) {
		key = key[:it.endOf(level)]
	}
	if g := index[string(key)]; g != nil {
		return g, nil
	}
	g := it.newGroup(level)
	index[string(key)] = g
	it.groups = append(it.groups, g)
	return g, it.hold(g, int64(len(key))+bytesPerEntry+BytesPerRow+int64(len(g.values))*BytesPerValue)
}

// endOf is the length of the part of the key for so many values.
func (it *aggregateIter) endOf(values int) int {
	if values == 0 {
		return 0
	}
	return it.ends[values-1]
}

// sortRollup sorts the groups by their values, each larger group after those that it consists of.
func (it *aggregateIter) sortRollup() {
	compare := func(a, b *groupState) int {
		for i := range a.values {
			switch {
			case a.level <= i || b.level <= i:
				return b.level - a.level
			default:
				c := it.node.collation[i]
				if order := value.Order(sortValue(a.values[i], c), sortValue(b.values[i], c), value.Binary); order != 0 {
					return order
				}
			}
		}
		return 0
	}
	slices.SortStableFunc(it.groups, compare)
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
		it.ends[i] = len(it.key)
	}
	return nil
}

// newGroup makes the current row's group at a level.
func (it *aggregateIter) newGroup(level int) *groupState {
	g := &groupState{values: make([]value.Value, len(it.values)), states: make([]expr.State, len(it.node.aggs)), level: level}
	copy(g.values, it.values[:level])
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
			if err := it.hold(g, int64(grown)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (it *aggregateIter) hold(g *groupState, bytes int64) error {
	g.held += bytes
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
	it.held, it.groups, it.open, it.at, it.ended = 0, nil, nil, 0, true
	return it.input.Close()
}
