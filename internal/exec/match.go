package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// matcher makes the rows of a join: it goes through the matches of one left row after another.
type matcher struct {
	kind planner.JoinKind
	f    *Frame
	on   func(*expr.Env) (bool, error) // nil: all match

	leftFills  []int
	rightFills []int
	row        []value.Value // left and right together
	left       []value.Value // the left iterator's row
	matched    bool          // left has had a match
	active     bool          // there may be more matches of left
	pairs      int           // tried so far
}

// pairsPerLook is how many pairs are tried between two looks at the context: all of them may be in memory.
const pairsPerLook = 1024

// take begins with a left row, which must stay valid until the next call of take.
func (m *matcher) take(left []value.Value) {
	if m.row == nil {
		m.row = make([]value.Value, len(left))
	}
	for _, p := range m.leftFills {
		m.row[p] = left[p]
	}
	m.left, m.matched, m.active = left, false, true
}

// nextRow gives the result of the next match of the left row; nil after the last.
func (m *matcher) nextRow(ctx context.Context, from matches) ([]value.Value, error) {
	for m.active {
		if some, err := from.nextMatch(ctx); err != nil {
			return nil, err
		} else if !some {
			return m.end(), nil
		}
		if row, err := m.try(ctx); err != nil || row != nil {
			return row, err
		}
	}
	return nil, nil
}

// matches is how a join finds the matches of a left row: it puts the next one into the matcher's row.
type matches interface {
	nextMatch(ctx context.Context) (some bool, err error)
}

// try gives what results from the right row now in m.row: a row to pass, or nil.
func (m *matcher) try(ctx context.Context) ([]value.Value, error) {
	if m.pairs++; m.pairs%pairsPerLook == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if m.on != nil {
		m.f.Env.Row = m.row
		ok, err := m.on(&m.f.Env)
		if err != nil || !ok {
			return nil, err
		}
	}
	m.matched = true
	switch m.kind {
	case planner.SemiJoin:
		m.active = false
		return m.left, nil
	case planner.AntiJoin:
		m.active = false
		return nil, nil
	}
	return m.row, nil
}

// end gives what results from the left row once it has no more matches: a row to pass, or nil.
func (m *matcher) end() []value.Value {
	m.active = false
	if m.matched {
		return nil
	}
	switch m.kind {
	case planner.LeftJoin:
		for _, p := range m.rightFills {
			m.row[p] = value.NullValue
		}
		return m.row
	case planner.AntiJoin:
		return m.left
	}
	return nil
}

// needsRight says whether an empty right side means an empty result.
func needsRight(k planner.JoinKind) bool { return k == planner.InnerJoin || k == planner.SemiJoin }

// joinNode is what all joins have in common: the inputs, and what to check of each pair.
type joinNode struct {
	kind        planner.JoinKind
	left, right Node
	on          func(*expr.Env) (bool, error)
	// The positions that the inputs and the join fill; stored, because a join of many tables is as deep.
	leftFills, rightFills, filled []int
}

func compileJoin(kind planner.JoinKind, left, right planner.Node, on expr.Node) (n joinNode, err error) {
	n.kind, n.on = kind, CompileCond(on)
	if n.left, err = Compile(left); err != nil {
		return n, err
	}
	if n.right, err = Compile(right); err != nil {
		return n, err
	}
	n.leftFills, n.rightFills = n.left.fills(), n.right.fills()
	n.filled = n.leftFills
	if kind != planner.SemiJoin && kind != planner.AntiJoin {
		n.filled = merge(n.leftFills, n.rightFills)
	}
	return n, nil
}

func (n *joinNode) fills() []int { return n.filled }

func (n *joinNode) matcher(f *Frame) matcher {
	return matcher{kind: n.kind, f: f, on: n.on, leftFills: n.leftFills, rightFills: n.rightFills}
}

// drain stores all rows of an input and closes it. each is called with every row and its copy.
func drain(ctx context.Context, in Iterator, s *rowStore, each func(row, kept []value.Value) error) error {
	for {
		row, err := in.Next(ctx)
		if err == io.EOF {
			return in.Close()
		}
		if err != nil {
			return err
		}
		kept, err := s.add(row)
		if err != nil {
			return err
		}
		if each == nil {
			continue
		}
		if err := each(row, kept); err != nil {
			return err
		}
	}
}
