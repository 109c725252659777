package expr

import "slices"

// kids calls f for each direct operand of n, in the order of the text.
func kids(n Node, f func(Node)) {
	each := func(list []Node) {
		for _, k := range list {
			f(k)
		}
	}
	switch n := n.(type) {
	case *Compare:
		f(n.L)
		f(n.R)
	case *Tuple:
		each(n.List)
	case *Logic:
		each(n.Kids)
	case *Not:
		f(n.X)
	case *Is:
		f(n.X)
	case *Like:
		f(n.X)
		f(n.Pattern)
	case *In:
		f(n.X)
		each(n.List)
	case *Case:
		for _, w := range n.Whens {
			f(w.Cond)
			f(w.Result)
		}
		f(n.Else)
	case *Arith:
		f(n.L)
		f(n.R)
	case *Unary:
		f(n.X)
	case *Cast:
		f(n.X)
	case *Call:
		each(n.Args)
	case *Subquery:
		if n.X != nil {
			f(n.X)
		}
		for _, c := range n.Refs {
			f(c)
		}
	}
}

// weight counts the nodes of n, up to about most. A node that appears in several places counts in each, because it is computed there.
func weight(n Node, most int) int {
	count := 0
	Walk(n, func(Node) bool {
		count++
		return count < most
	})
	return count
}

// Walk visits n and what is below it, parents first; if f returns false, it goes no deeper. Of a Subquery it visits X and Refs, not the Plan.
func Walk(n Node, f func(Node) bool) {
	if f(n) {
		kids(n, func(k Node) { Walk(k, f) })
	}
}

// HasSubquery says whether there is a subquery in n.
func HasSubquery(n Node) bool {
	has := false
	Walk(n, func(n Node) bool {
		_, is := n.(*Subquery)
		has = has || is
		return !has
	})
	return has
}

// Columns visits every column in n, those of enclosing rows (Level > 0) too.
func Columns(n Node, f func(*Column)) {
	Walk(n, func(n Node) bool {
		if c, ok := n.(*Column); ok {
			f(c)
		}
		return true
	})
}

// Conjuncts splits n at its outer ANDs; anything else is its own only conjunct, and nil has none.
func Conjuncts(n Node) []Node {
	if n == nil {
		return nil
	}
	if l, ok := n.(*Logic); ok && l.Op == And {
		return l.Kids
	}
	return []Node{n}
}

// MayBeNull says whether n can yield NULL. It errs on the side of true.
func MayBeNull(n Node) bool {
	switch n := n.(type) {
	case *Const:
		return n.V.IsNull()
	case *Column:
		return n.Nullable
	case *Is:
		return false
	case *Subquery:
		return n.Kind != ExistsSubquery
	case *Compare:
		if n.Op == NullEq {
			return false
		}
	case *Case:
		if MayBeNull(n.Else) {
			return true
		}
		for _, w := range n.Whens {
			if MayBeNull(w.Result) {
				return true
			}
		}
		return false
	case *Arith:
		if n.Op == "/" || n.Op == "div" || n.Op == "%" {
			return true
		}
	case *Call:
		if n.Func.null != nil {
			return n.Func.null(n.Args)
		}
		return true
	case *Logic, *Not, *Like, *In, *Unary, *Tuple:
	default:
		return true
	}
	may := false
	kids(n, func(k Node) { may = may || MayBeNull(k) })
	return may
}

// Rewrite rebuilds n from its leaves up: f gets each node with its operands already rewritten and returns the node to replace it. Unchanged
// parts are shared with n. A Subquery's Plan is not entered.
func Rewrite(n Node, f func(Node) Node) Node {
	switch n := n.(type) {
	case *Compare:
		if l, r := Rewrite(n.L, f), Rewrite(n.R, f); l != n.L || r != n.R {
			c := *n
			c.L, c.R = l, r
			return f(&c)
		}
	case *Tuple:
		if list, changed := rewriteList(n.List, f); changed {
			return f(&Tuple{List: list})
		}
	case *Logic:
		if list, changed := rewriteList(n.Kids, f); changed {
			return f(&Logic{Op: n.Op, Kids: list, Both: n.Both})
		}
	case *Not:
		if x := Rewrite(n.X, f); x != n.X {
			return f(&Not{X: x})
		}
	case *Is:
		if x := Rewrite(n.X, f); x != n.X {
			c := *n
			c.X = x
			return f(&c)
		}
	case *Like:
		if x, p := Rewrite(n.X, f), Rewrite(n.Pattern, f); x != n.X || p != n.Pattern {
			c := *n
			c.X, c.Pattern = x, p
			return f(&c)
		}
	case *In:
		x := Rewrite(n.X, f)
		if list, changed := rewriteList(n.List, f); changed || x != n.X {
			c := *n
			c.X, c.List = x, list
			return f(&c)
		}
	case *Case:
		return f(rewriteCase(n, f))
	case *Arith:
		if l, r := Rewrite(n.L, f), Rewrite(n.R, f); l != n.L || r != n.R {
			c := *n
			c.L, c.R = l, r
			return f(&c)
		}
	case *Unary:
		if x := Rewrite(n.X, f); x != n.X {
			c := *n
			c.X = x
			return f(&c)
		}
	case *Cast:
		if x := Rewrite(n.X, f); x != n.X {
			return f(&Cast{X: x, To: n.To})
		}
	case *Call:
		if list, changed := rewriteList(n.Args, f); changed {
			c := *n
			c.Args = list
			return f(&c)
		}
	case *Subquery:
		if n.X == nil {
			break
		}
		if x := Rewrite(n.X, f); x != n.X {
			c := *n
			c.X = x
			return f(&c)
		}
	}
	return f(n)
}

func rewriteList(list []Node, f func(Node) Node) ([]Node, bool) {
	out, changed := list, false
	for i, k := range list {
		r := Rewrite(k, f)
		if r != k && !changed {
			out, changed = slices.Clone(list), true
		}
		if changed {
			out[i] = r
		}
	}
	return out, changed
}

func rewriteCase(n *Case, f func(Node) Node) *Case {
	c := &Case{Whens: make([]When, len(n.Whens)), Else: Rewrite(n.Else, f), T: n.T}
	same := c.Else == n.Else
	for i, w := range n.Whens {
		c.Whens[i] = When{Cond: Rewrite(w.Cond, f), Result: Rewrite(w.Result, f)}
		same = same && c.Whens[i] == w
	}
	if same {
		return n
	}
	return c
}

// Conjunction joins conditions; nil for none.
func Conjunction(conds []Node) Node {
	switch len(conds) {
	case 0:
		return nil
	case 1:
		return conds[0]
	}
	return &Logic{Op: And, Kids: conds}
}

// Disjunction is the OR of one or more conditions.
func Disjunction(conds []Node) Node {
	if len(conds) == 1 {
		return conds[0]
	}
	return &Logic{Op: Or, Kids: conds}
}
