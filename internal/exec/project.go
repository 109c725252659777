package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// projectNode computes a row.
type projectNode struct {
	input Node
	slots []int       // where the value is the input's at that position; -1: it is computed
	funcs []expr.Func // aligned with slots
}

func compileProject(n *planner.Project, input Node) *projectNode {
	p := &projectNode{input: input, slots: make([]int, len(n.Exprs)), funcs: make([]expr.Func, len(n.Exprs))}
	for i, e := range n.Exprs {
		p.slots[i] = -1
		if c, ok := e.(*expr.Column); ok && c.Level == 0 && c.T.Base != value.TypeDecimal && c.T.Base != value.TypeUnknown {
			p.slots[i] = c.Index
			continue
		}
		p.funcs[i] = expr.Compile(e)
	}
	return p
}

func (n *projectNode) fills() []int { return Positions(0, len(n.slots)) }

func (n *projectNode) Open(f *Frame) Iterator {
	return &projectIter{node: n, f: f, input: n.input.Open(f), row: make([]value.Value, len(n.slots))}
}

type projectIter struct {
	node  *projectNode
	f     *Frame
	input Iterator
	row   []value.Value
	held  int64 // of the large values of row
}

func (it *projectIter) Next(ctx context.Context) ([]value.Value, error) {
	in, err := it.input.Next(ctx)
	if err != nil {
		return nil, err
	}
	it.f.Env.Row = in
	it.release()
	for i, slot := range it.node.slots {
		if slot >= 0 {
			it.row[i] = in[slot]
		} else if it.row[i], err = it.node.funcs[i](&it.f.Env); err != nil {
			return nil, err
		} else if n := expr.Large(it.row[i]); n > 0 {
			it.held += n
			if err := it.f.Charge(n, "row"); err != nil {
				return nil, err
			}
		}
	}
	return it.row, nil
}

// release lets go of the row given last.
func (it *projectIter) release() {
	if it.held > 0 {
		it.f.release(it.held)
		it.held = 0
	}
}

func (it *projectIter) Close() error {
	it.release()
	return it.input.Close()
}
