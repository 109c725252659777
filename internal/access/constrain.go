package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Atom is a condition on one column that can become spans of a key. A key covers the conjunct if it uses all atoms of it.
type Atom struct {
	Ordinal  int // -1: a condition of another kind, which narrows no key
	test     *test
	Conjunct int
}

// mostBranches is how many branches ANDs of ORs may become when they are multiplied out.
const mostBranches = 128

// Constrainer turns conditions on a table into atoms.
type Constrainer struct {
	Table  *schema.Table
	Offset int
	bound  func(index int) bool
}

// Conjuncts gives each condition as an OR of ANDs of atoms.
func (c *Constrainer) Conjuncts(conds []expr.Node) [][][]Atom {
	out := make([][][]Atom, len(conds))
	for i, n := range conds {
		out[i] = c.branches(n, i)
	}
	return out
}

// branches is the disjunctive form of n: (a = 1 OR b = 2) AND c = 3 → a = 1 AND c = 3, b = 2 AND c = 3.
// An OR over one column stays one atom. With more than mostBranches it gives up: one branch of an unknown condition.
func (c *Constrainer) branches(n expr.Node, conjunct int) [][]Atom {
	if ordinal, t := c.Test(n); t != nil {
		return [][]Atom{{{ordinal, t, conjunct}}}
	}
	switch n := n.(type) {
	case *expr.Logic:
		switch n.Op {
		case expr.And:
			out := [][]Atom{nil}
			for _, k := range n.Kids {
				out = multiply(out, c.branches(k, conjunct))
				if len(out) > mostBranches {
					return unknown(conjunct)
				}
			}
			return out
		case expr.Or:
			var out [][]Atom
			for _, k := range n.Kids {
				out = append(out, c.branches(k, conjunct)...)
				if len(out) > mostBranches {
					return unknown(conjunct)
				}
			}
			return out
		}
	case *expr.Compare:
		if alternatives := splitTuple(n); alternatives != nil {
			return c.branches(alternatives, conjunct)
		}
	case *expr.In:
		if alternatives := splitTupleIn(n); alternatives != nil {
			return c.branches(alternatives, conjunct)
		}
	}
	return unknown(conjunct)
}

func multiply(a, b [][]Atom) [][]Atom {
	if len(b) == 1 && len(a) == 1 {
		return [][]Atom{append(a[0], b[0]...)}
	}
	below := strictOf(b)
	out := make([][]Atom, 0, len(a)*len(b))
	for _, x := range a {
		edge := edgeOf(x, below)
		for i := range b {
			both := append(append(make([]Atom, 0, len(x)+len(b[i])+len(edge)), x...), b[i]...)
			if &b[i][0] != below {
				both = append(both, edge...)
			}
			out = append(out, both)
		}
	}
	return out
}

// strictOf is the alternative of an OR that is a < x, or a > x, alone; nil if there is none.
func strictOf(or [][]Atom) *Atom {
	for _, atoms := range or {
		if a := &atoms[0]; len(or) > 1 && len(atoms) == 1 && a.test != nil && (a.test.op == testLt || a.test.op == testGt) {
			return a
		}
	}
	return nil
}

// edgeOf is what the other alternatives of an OR still have to read if one of them reads all that is below: the edge, which is one value if x
// and y are equal.
//
//	a <= x AND (a < y OR b < z)  →  a < y, or a = x AND b < z
//
// It gives nothing if atoms have no a <= x.
func edgeOf(atoms []Atom, below *Atom) []Atom {
	if below == nil {
		return nil
	}
	with := testLe
	if below.test.op == testGt {
		with = testGe
	}
	for _, a := range atoms {
		if a.Ordinal == below.Ordinal && a.test.op == with {
			return []Atom{{a.Ordinal, &test{op: testEdge, kids: []*test{a.test, below.test}}, a.Conjunct}}
		}
	}
	return nil
}

// Test makes a test of a condition on one column; nil if n is not one.
func (c *Constrainer) Test(n expr.Node) (ordinal int, t *test) {
	switch n := n.(type) {
	case *expr.Compare:
		return c.compare(n)
	case *expr.Like:
		return c.like(n)
	case *expr.Is:
		// IS TRUE and IS FALSE compare with zero, which many texts equal.
		if ordinal, ok := c.column(n.X); ok && n.What == expr.IsNull {
			op := testNull
			if n.Not {
				op = testNotNull
			}
			return ordinal, &test{op: op}
		}
	case *expr.In:
		return c.in(n)
	case *expr.Logic:
		return c.logic(n)
	}
	return -1, nil
}

// column says which column of the table n is.
func (c *Constrainer) column(n expr.Node) (ordinal int, ok bool) {
	col, ok := n.(*expr.Column)
	if !ok || col.Level != 0 {
		return -1, false
	}
	ordinal = col.Index - c.Offset
	return ordinal, ordinal >= 0 && ordinal < len(c.Table.Columns)
}

// known says whether n can be computed before the table is read. It may hold arguments, columns of outer queries and columns of
// tables that are read earlier, but nothing that changes from call to call.
func (c *Constrainer) known(n expr.Node) bool {
	if !expr.Deterministic(n) {
		return false
	}
	known := true
	expr.Walk(n, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Column:
			known = known && (n.Level > 0 || c.bound != nil && c.bound(n.Index))
		case *expr.Subquery:
			known = known && !n.Correlated
		case *expr.InsertValue, *expr.Tuple:
			known = false
		}
		return known
	})
	return known
}

// collated says whether a comparison under a collation can use the column's keys. loose says that they find too much. Keys of a column that
// ignores case find everything that is equal byte by byte, but are not in byte order. Keys of a binary column miss values that are equal except
// for case.
func (c *Constrainer) collated(ordinal int, collation value.Collation, ranged bool) (loose, ok bool) {
	t := &c.Table.Columns[ordinal].Type
	switch {
	case !t.IsText() || t.Collation == collation:
		return false, true
	case t.Collation.EqualWhere(collation):
		return true, !ranged
	}
	return false, false
}

// comparisons are the tests that comparisons make.
var comparisons = map[expr.CompareOp]testOp{expr.Eq: testEq, expr.NullEq: testEq, expr.Lt: testLt, expr.Le: testLe, expr.Gt: testGt, expr.Ge: testGe}

func (c *Constrainer) compare(n *expr.Compare) (ordinal int, t *test) {
	op, l, r := n.Op, n.L, n.R
	if ordinal, t := c.dateFunction(op, l, r); t != nil {
		return ordinal, t
	}
	if ordinal, t := c.dateFunction(op.Mirrored(), r, l); t != nil {
		return ordinal, t
	}
	ordinal, ok := c.column(l)
	if !ok || !c.known(r) {
		if ordinal, ok = c.column(r); !ok || !c.known(l) {
			return -1, nil
		}
		op, r = op.Mirrored(), l
	}
	t = &test{value: expr.CompileOperand(r), constant: areConstant(r), nullSafe: op == expr.NullEq}
	if t.op, ok = comparisons[op]; !ok {
		return -1, nil
	}
	if t.loose, ok = c.collated(ordinal, n.Collation, t.op != testEq); !ok {
		return -1, nil
	}
	return ordinal, t
}

// like: name LIKE 'Sm%' → the keys that begin with Sm. It fires only for texts, because LIKE on a number compares its digits, and not if the
// pattern is known to begin with a wildcard: all keys would be read.
func (c *Constrainer) like(n *expr.Like) (ordinal int, t *test) {
	ordinal, ok := c.column(n.X)
	if !ok || n.Not || !c.Table.Columns[ordinal].Type.IsFreeText() || !c.known(n.Pattern) {
		return -1, nil
	}
	if p, ok := n.Pattern.(*expr.Const); ok && p.V.Kind() == value.String {
		if prefix, rest := keymap.LikePrefix(p.V.Text(), n.Escape); prefix == "" && rest == keymap.More {
			return -1, nil
		}
	}
	t = &test{op: testLike, value: expr.Compile(n.Pattern), constant: areConstant(n.Pattern), escape: n.Escape}
	if t.loose, ok = c.collated(ordinal, n.Collation, false); !ok {
		return -1, nil
	}
	return ordinal, t
}

func (c *Constrainer) in(n *expr.In) (ordinal int, t *test) {
	if ordinal, t := c.dateFunctionIn(n); t != nil {
		return ordinal, t
	}
	ordinal, ok := c.column(n.X)
	if !ok || n.Not {
		return -1, nil
	}
	t = &test{op: testIn, list: make([]expr.Func, len(n.List)), constant: areConstant(n.List...)}
	for i, x := range n.List {
		if !c.known(x) {
			return -1, nil
		}
		t.list[i] = expr.CompileOperand(x)
	}
	if t.loose, ok = c.collated(ordinal, n.Collation, false); !ok {
		return -1, nil
	}
	return ordinal, t
}

// logic makes one test of a > 5 AND a < 7, or of a = 5 OR a > 7, if all conditions are on the same column.
func (c *Constrainer) logic(n *expr.Logic) (ordinal int, t *test) {
	t = &test{op: testOr}
	switch n.Op {
	case expr.And:
		t.op = testAnd
	case expr.Xor:
		return -1, nil
	}
	for i, k := range n.Kids {
		o, kid := c.Test(k)
		if kid == nil || i > 0 && o != ordinal {
			return -1, nil
		}
		ordinal = o
		t.kids = append(t.kids, kid)
	}
	return ordinal, t
}

// splitTuple: (a, b) < (1, 2) → a < 1 OR a = 1 AND b < 2. The spans of both in a key (a, b) touch, and become one. It gives nil if n compares no
// tuples.
func splitTuple(n *expr.Compare) expr.Node {
	l, ok := n.L.(*expr.Tuple)
	r, rok := n.R.(*expr.Tuple)
	if !ok || !rok || len(l.List) != len(r.List) {
		return nil
	}
	strict := n.Op
	switch n.Op {
	case expr.Le:
		strict = expr.Lt
	case expr.Ge:
		strict = expr.Gt
	case expr.Lt, expr.Gt:
	default:
		return nil
	}
	or := &expr.Logic{Op: expr.Or}
	for i := range l.List {
		op := strict
		if i == len(l.List)-1 {
			op = n.Op
		}
		var and []expr.Node
		for j := range i {
			and = append(and, compareNodes(expr.Eq, l.List[j], r.List[j]))
		}
		or.Kids = append(or.Kids, expr.Conjunction(append(and, compareNodes(op, l.List[i], r.List[i]))))
	}
	return or
}

// splitTupleIn: (a, b) IN ((1, 2), (3, 4)) → a = 1 AND b = 2 OR a = 3 AND b = 4.
func splitTupleIn(n *expr.In) expr.Node {
	x, ok := n.X.(*expr.Tuple)
	if !ok || n.Not {
		return nil
	}
	or := &expr.Logic{Op: expr.Or}
	for _, e := range n.List {
		y, ok := e.(*expr.Tuple)
		if !ok || len(y.List) != len(x.List) {
			return nil
		}
		and := &expr.Logic{Op: expr.And}
		for i := range x.List {
			and.Kids = append(and.Kids, compareNodes(expr.Eq, x.List[i], y.List[i]))
		}
		or.Kids = append(or.Kids, and)
	}
	return or
}

func compareNodes(op expr.CompareOp, l, r expr.Node) expr.Node {
	return &expr.Compare{Op: op, L: l, R: r, Collation: expr.CollationOf(l, r)}
}
