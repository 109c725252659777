package exec

import (
	"context"
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// sharedNode passes the rows of a WITH's query, which its first reader keeps for the others.
type sharedNode struct {
	plan  *planner.Shared
	input Node
	width int
}

// compileShared makes the operator once for all places where it stands.
func compileShared(n *planner.Shared) (Node, error) {
	if made, ok := n.Compiled.Load().(*sharedNode); ok {
		return made.orInput(), nil
	}
	input, err := Compile(n.Input)
	if err != nil {
		return nil, err
	}
	made := &sharedNode{plan: n, input: input, width: n.Width()}
	n.Compiled.Store(made)
	return made.orInput(), nil
}

// orInput is the query itself if it has no other reader.
func (n *sharedNode) orInput() Node {
	if !n.plan.Keep {
		return n.input
	}
	return n
}

func (n *sharedNode) fills() []int { return n.input.fills() }

func (n *sharedNode) Open(f *Frame) Iterator { return &sharedIter{node: n, f: f} }

// sharedRows are the rows that were kept.
type sharedRows struct {
	rows  rowStore
	done  bool
	large bool // too many to be kept: each reader runs the query itself
}

// sharedOf gives what the execution keeps of n.
func (r *Run) sharedOf(n *planner.Shared) *sharedRows {
	for r.around != nil {
		r = r.around
	}
	s := r.shared[n]
	if s == nil {
		if r.shared == nil {
			r.shared = map[*planner.Shared]*sharedRows{}
		}
		s = &sharedRows{rows: rowStore{run: r, operator: "with " + n.Name, fills: Positions(0, n.Width())}}
		r.shared[n] = s
	}
	return s
}

type sharedIter struct {
	node *sharedNode
	f    *Frame
	at   int
	own  Iterator // of the query, if its rows are not kept
}

func (it *sharedIter) Next(ctx context.Context) ([]value.Value, error) {
	s := it.f.sharedOf(it.node.plan)
	if !s.done && !s.large {
		if err := it.keep(ctx, s); err != nil {
			return nil, err
		}
	}
	if s.large {
		if it.own == nil {
			it.own = it.node.input.Open(it.f)
		}
		return it.own.Next(ctx)
	}
	if it.at == len(s.rows.rows) {
		return nil, io.EOF
	}
	it.at++
	return s.rows.rows[it.at-1], nil
}

// keep reads all rows. If memory does not suffice, it drops them.
func (it *sharedIter) keep(ctx context.Context, s *sharedRows) error {
	in := it.node.input.Open(it.f)
	most := it.f.Rt.MaxMemory / 2
	err := drain(ctx, in, &s.rows, func(_, _ []value.Value) error {
		if most > 0 && s.rows.held > most {
			return &MemoryError{Operator: s.rows.operator, Max: most} // other operators need some, too
		}
		return nil
	})
	if err == nil {
		s.done = true
		return nil
	}
	in.Close()
	s.rows.clear()
	var memory *MemoryError
	if errors.As(err, &memory) && memory.Operator == s.rows.operator {
		s.large = true
		return nil
	}
	return err
}

func (it *sharedIter) Close() error {
	if it.own == nil {
		return nil
	}
	return it.own.Close()
}
