package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// recursiveNode passes the rows of its seed, then, round by round, the rows that its steps make of those of the previous round.
type recursiveNode struct {
	plan  *planner.Recursive
	seed  Node
	steps []Node
	types []value.Type
}

func compileRecursive(n *planner.Recursive) (Node, error) {
	seed, err := Compile(n.Seed)
	if err != nil {
		return nil, err
	}
	steps, err := compileEach(n.Steps)
	return &recursiveNode{plan: n, seed: seed, steps: steps, types: unifiedTypes(n.Columns)}, err
}

func (n *recursiveNode) fills() []int { return Positions(0, len(n.types)) }

func (n *recursiveNode) Open(f *Frame) Iterator {
	it := &recursiveIter{node: n, f: f, row: make([]value.Value, len(n.types)), step: -1, most: f.X.Session.Recursions}
	it.last, it.made = it.newRows(), it.newRows()
	if n.plan.Distinct {
		it.seen = map[string]struct{}{}
	}
	return it
}

// recursion is the rows of the previous round, as a step reads them.
type recursion struct {
	of     *planner.Recursive
	rows   [][]value.Value
	around *recursion
}

type recursiveIter struct {
	node       *recursiveNode
	f          *Frame
	row        []value.Value
	step       int      // being read; -1: the seed
	input      Iterator // of the step; nil: not open yet
	round      uint32
	most       uint32
	last, made rowStore // the rows of the previous round, and of this one
	seen       map[string]struct{}
	key        []byte
	held       int64 // of seen
}

func (it *recursiveIter) newRows() rowStore {
	return rowStore{run: it.f.Run, operator: "with " + it.node.plan.Name, fills: it.node.fills()}
}

func (it *recursiveIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		if it.input == nil {
			if err := it.open(ctx); err != nil {
				return nil, err
			}
		}
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			if err := it.close(); err != nil {
				return nil, err
			}
			continue
		}
		if err == nil {
			err = unifyRow(&it.f.Env, it.node.types, it.row, row)
		}
		isNew := true
		if err == nil && it.seen != nil {
			isNew, err = it.isNew()
		}
		if err != nil {
			return nil, err
		}
		if isNew {
			_, err := it.made.add(it.row)
			return it.row, err
		}
	}
}

// open begins the seed or a step; io.EOF if the previous round made nothing.
func (it *recursiveIter) open(ctx context.Context) error {
	if it.step < 0 {
		it.input = it.node.seed.Open(it.f)
		return nil
	}
	if it.step == len(it.node.steps) {
		if len(it.made.rows) == 0 {
			return io.EOF
		}
		if it.round++; it.round > it.most {
			return sqlerr.New(sqlerr.CodeRecursionDepth, sqlerr.NoPos,
				"Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value", it.round)
		}
		it.last.clear()
		it.last, it.made, it.step = it.made, it.newRows(), 0
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f := &Frame{Run: it.f.Run, Env: it.f.Env}
	f.recursion = &recursion{of: it.node.plan, rows: it.last.rows, around: it.f.recursion}
	it.input = it.node.steps[it.step].Open(f)
	return nil
}

// close ends what is read, and goes on to the next step.
func (it *recursiveIter) close() error {
	err := it.input.Close()
	if it.input = nil; it.step < 0 {
		it.step = len(it.node.steps)
	} else {
		it.step++
	}
	return err
}

// isNew says whether no equal row came before.
func (it *recursiveIter) isNew() (bool, error) {
	it.key = it.key[:0]
	for i, v := range it.row {
		it.key = value.AppendHashKey(it.key, v, it.node.types[i].Collation)
	}
	if _, ok := it.seen[string(it.key)]; ok {
		return false, nil
	}
	size := int64(len(it.key)) + bytesPerEntry
	it.held += size
	if err := it.f.Charge(size, it.made.operator); err != nil {
		return false, err
	}
	it.seen[string(it.key)] = struct{}{}
	return true, nil
}

func (it *recursiveIter) Close() error {
	it.last.clear()
	it.made.clear()
	it.f.release(it.held)
	it.held, it.step = 0, len(it.node.steps)
	if it.input == nil {
		return nil
	}
	return it.input.Close()
}

// recursiveRowsNode passes the rows of the previous round.
type recursiveRowsNode struct {
	of    *planner.Recursive
	width int
}

func (n *recursiveRowsNode) fills() []int { return Positions(0, n.width) }

func (n *recursiveRowsNode) Open(f *Frame) Iterator {
	r := f.recursion
	for r.of != n.of {
		r = r.around
	}
	return &recursiveRowsIter{rows: r.rows}
}

type recursiveRowsIter struct {
	rows [][]value.Value
	at   int
}

func (it *recursiveRowsIter) Next(ctx context.Context) ([]value.Value, error) {
	if it.at%1024 == 1023 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if it.at == len(it.rows) {
		return nil, io.EOF
	}
	it.at++
	return it.rows[it.at-1], nil
}

func (it *recursiveRowsIter) Close() error { return nil }
