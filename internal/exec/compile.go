package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Node is an operator whose expressions are compiled. It is immutable; open starts it for one execution.
type Node interface {
	Open(f *Frame) Iterator
	// fills gives the positions of the row that the operator may set, ascending. The others are NULL or
	// meaningless, so an operator that keeps rows need not keep them.
	fills() []int
}

// program is a query plan compiled. It is made at the plan's first execution and kept with the plan.
type program struct {
	root    Node
	point   *pointNode // set if the whole query is one point read
	rereads bool       // see rereads
}

// programOf gives the compiled form of p.
func programOf(p *planner.Plan) (*program, error) {
	if made, ok := p.Compiled.Load().(*program); ok {
		return made, nil
	}
	if p.Root == nil {
		return nil, errors.New("the plan is of a write, not of a query")
	}
	root, err := Compile(p.Root)
	if err != nil {
		return nil, err
	}
	made := &program{root: root, point: pointNodeOf(p.Root), rereads: rereads(p)}
	p.Compiled.Store(made)
	return made, nil
}

// Compile makes the operator of n and of all nodes below it.
func Compile(n planner.Node) (Node, error) {
	made, err := compile(n)
	if err != nil {
		return nil, err
	}
	return operator{made, n}, nil
}

func compile(n planner.Node) (Node, error) {
	switch n := n.(type) {
	case *access.Scan:
		return compileScan(n)
	case *planner.Values:
		return compileValues(n), nil
	case *planner.JSONTable:
		return compileJSONTable(n), nil
	case *planner.Concat:
		return compileConcat(n)
	case *planner.SetMatch:
		return compileSetMatch(n)
	case *planner.HashJoin:
		return compileHashJoin(n)
	case *planner.LookupJoin:
		return compileLookupJoin(n)
	case *planner.LoopJoin:
		return compileLoopJoin(n)
	case *planner.Apply:
		return compileApply(n)
	case *planner.FamilyScan:
		return compileFamilyScan(n)
	case *planner.Shared:
		return compileShared(n)
	case *planner.Recursive:
		return compileRecursive(n)
	case *planner.RecursiveRows:
		return &recursiveRowsNode{of: n.Of, width: n.Width()}, nil
	}
	kids := planner.Children(n)
	if len(kids) != 1 {
		return nil, fmt.Errorf("no operator for plan node %T", n)
	}
	input, err := Compile(kids[0])
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *planner.Filter:
		return &filterNode{input: input, cond: expr.CompileCond(n.Cond), once: n.Once}, nil
	case *planner.Project:
		return compileProject(n, input), nil
	case *planner.Sort:
		return &sortNode{input: input, keys: compileOrder(n.Keys), limit: compileLimit(n.Limit, n.Offset)}, nil
	case *planner.Limit:
		return &limitNode{input: input, limit: compileLimit(n.Count, n.Offset), countAll: n.CountAll}, nil
	case *planner.Distinct:
		return &distinctNode{input: input, width: n.Width(), collation: n.Collation}, nil
	case *planner.Aggregate:
		return compileAggregate(n, input), nil
	case *planner.Window:
		return compileWindow(n, input), nil
	case *planner.Derived:
		return compileDerived(n, input), nil
	}
	return nil, fmt.Errorf("no operator for plan node %T", n)
}

// Positions gives the positions from begin up to end.
func Positions(begin, end int) []int {
	out := make([]int, 0, end-begin)
	for i := begin; i < end; i++ {
		out = append(out, i)
	}
	return out
}

// merge gives the positions in a or b, ascending.
func merge(a, b []int) []int {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// CompileAll compiles each of the expressions.
func CompileAll(nodes []expr.Node) []expr.Func {
	out := make([]expr.Func, len(nodes))
	for i, n := range nodes {
		out[i] = expr.Compile(n)
	}
	return out
}

// CompileCond compiles a condition that may be missing.
func CompileCond(n expr.Node) func(*expr.Env) (bool, error) {
	if n == nil {
		return nil
	}
	return expr.CompileCond(n)
}

// bounds is a LIMIT and its OFFSET.
type bounds struct{ count, offset expr.Func }

func compileLimit(count, offset expr.Node) bounds {
	var b bounds
	if count != nil {
		b.count = expr.Compile(count)
	}
	if offset != nil {
		b.offset = expr.Compile(offset)
	}
	return b
}

// noLimit is the count if there is no LIMIT.
const noLimit = int64(^uint64(0) >> 1)

// eval gives the bounds of one execution.
func (b bounds) eval(env *expr.Env) (count, offset int64, err error) {
	count = noLimit
	if b.count != nil {
		if count, err = evalLimit(b.count, env); err != nil {
			return 0, 0, err
		}
	}
	if b.offset != nil {
		if offset, err = evalLimit(b.offset, env); err != nil {
			return 0, 0, err
		}
	}
	return count, offset, nil
}

func evalLimit(f expr.Func, env *expr.Env) (int64, error) {
	v, err := f(env)
	if err != nil {
		return 0, err
	}
	switch v.Kind() {
	case value.Int:
		if v.Int() >= 0 {
			return v.Int(), nil
		}
	case value.Uint: // LIMIT 18446744073709551615 is how MySQL spells "all"
		return int64(min(v.Uint(), uint64(noLimit))), nil
	}
	return 0, sqlerr.New(sqlerr.CodeWrongArguments, sqlerr.NoPos, "LIMIT and OFFSET take non-negative integers, not '%s'", value.Text(v))
}

// sortKey is a compiled access.SortKey.
type sortKey struct {
	f         expr.Func
	desc      bool
	collation value.Collation
}

func compileOrder(keys []access.SortKey) []sortKey {
	out := make([]sortKey, len(keys))
	for i, k := range keys {
		out[i] = sortKey{f: expr.Compile(k.Expr), desc: k.Desc, collation: expr.CollationOf(k.Expr)}
	}
	return out
}
