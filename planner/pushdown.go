package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// narrowing plans a query again with conditions on its rows, over its columns. They are checked beneath its GROUP BY, DISTINCT, windows or
// UNION, where a key may serve them:
//
//	SELECT … FROM (SELECT a, COUNT(*) FROM t GROUP BY a) g WHERE a = 1  →  SELECT … FROM (SELECT a, COUNT(*) FROM t WHERE a = 1 GROUP BY a) g
//
// taken says which conditions need not be checked on its rows any more. A nil plan: none could be moved beneath.
//
// It must not fire if the query has a LIMIT or gives different rows each time; for a column that is not in all of GROUP BY and PARTITION BY, or
// has different types within a UNION; for a condition that distinguishes what these treat as equal; for one that may fail, if it would meet rows
// that the query or an earlier condition excludes.
type narrowing func(conds []expr.Node) (plan *queryPlan, taken []bool, err error)

// maxNarrowed is how many queries of a statement are planned again.
const maxNarrowed = 500

// narrowed is a source's rows under the conditions that were moved into it.
type narrowed struct {
	conds, rest []expr.Node
	input       *relation
}

// narrowed gives the rows of a derived table as conds narrow them, and those of conds that must still be checked on these rows.
func (s *source) narrowed(conds []expr.Node) (*relation, []expr.Node, error) {
	if s.narrow == nil || len(conds) == 0 {
		return s.input, conds, nil
	}
	for _, n := range s.ways {
		if slices.EqualFunc(n.conds, conds, expr.Equal) {
			return n.input, n.rest, nil
		}
	}
	n := narrowed{conds: conds, input: s.input}
	within := make([]expr.Node, len(conds)) // over the query's columns
	for i, c := range conds {
		within[i], _ = replaced(c, func(col *expr.Column) expr.Node {
			own := *col
			own.Index -= s.offset
			return &own
		})
	}
	plan, taken, err := among(within, func(c expr.Node) bool { return expr.Deterministic(c) && !expr.HasSubquery(c) }, s.narrow)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range conds {
		if plan == nil || !taken[i] {
			n.rest = append(n.rest, c)
		}
	}
	if plan != nil {
		n.input = &relation{node: plan.root, rows: plan.rows, requests: plan.requests}
	}
	s.ways = append(s.ways, n)
	return n.input, n.rest, nil
}

// replaced is n with each column of the row replaced by what of gives; not ok: of gives nil for one.
func replaced(n expr.Node, of func(*expr.Column) expr.Node) (out expr.Node, ok bool) {
	ok = true
	out = expr.Rewrite(n, func(n expr.Node) expr.Node {
		switch n.(type) {
		case *expr.Compare, *expr.In, *expr.Is, *expr.Like, *expr.Logic, *expr.Not:
			return expr.Folded(n)
		}
		c, is := n.(*expr.Column)
		if !is || c.Level > 0 {
			return n
		}
		if x := of(c); x != nil {
			return x
		}
		ok = false
		return n
	})
	return out, ok
}

// narrowing gives the narrowing of a SELECT that is bound but not built yet; nil: its rows depend on all rows beneath.
func (q *selection) narrowing() func(built *queryPlan) narrowing {
	if at := q.position; at.top || at.exists || q.keys != nil || q.sel.Limit != nil || q.sel.Lock ||
		q.grouping != nil && (q.grouping.implicit || q.grouping.rollup) {
		return func(*queryPlan) narrowing { return nil }
	}
	bound := q.unbuilt()
	return func(built *queryPlan) narrowing {
		return func(conds []expr.Node) (*queryPlan, []bool, error) {
			own := bound.unbuilt()
			taken, some := own.take(conds)
			if !some || !repeatable(&Plan{Root: built.root}) {
				return nil, nil, nil
			}
			if q.b.narrowed++; q.b.narrowed > maxNarrowed {
				return nil, nil, nil
			}
			plan, err := own.build()
			return plan, taken, err
		}
	}
}

// unbuilt is a copy of q that can be built without changing q.
func (q *selection) unbuilt() *selection {
	own, block := *q, *q.block
	block.sources = slices.Clone(block.sources)
	own.block = &block
	own.where, own.outputs, own.order = slices.Clone(q.where), slices.Clone(q.outputs), slices.Clone(q.order)
	return &own
}

// take adds to WHERE the conditions that mean the same there, and says which they are.
func (q *selection) take(conds []expr.Node) (taken []bool, some bool) {
	taken = make([]bool, len(conds))
	apart := q.grouping == nil && !q.sel.Distinct && len(q.windows.all()) == 0 // each row is checked by itself
	// A condition may fail as long as it meets only rows that would have come to it anyway.
	mayFail := q.givesAll()
	for i, c := range conds {
		if !apart && !decidesAlike(c) {
			mayFail = false
			continue
		}
		own, ok := replaced(c, func(c *expr.Column) expr.Node { return q.beneath(c.Index) })
		if !ok || !mayFail && canFail(own, q.b.writes()) {
			mayFail = false
			continue
		}
		taken[i], some = true, true
		if k, constant := own.(*expr.Const); !constant || !isTrue(k) {
			q.where = append(q.where, expr.Conjuncts(own)...)
		}
	}
	return taken, some
}

// givesAll says whether each row of the single table that q reads is part of a row of its result: rows are grouped, but none is left out.
func (q *selection) givesAll() bool {
	return q.tree != nil && q.tree.kind == leafTree && len(q.where) == 0 && len(q.semiJoins) == 0 && q.having == nil
}

// beneath gives the column of the tables, or the constant, that equals column i of the result for all rows of a group and of a partition; nil:
// there is none.
func (q *selection) beneath(i int) expr.Node {
	n := q.outputs[i].node
	if k, ok := n.(*expr.Const); ok {
		return plainConst(k)
	}
	c, ok := n.(*expr.Column)
	if !ok || c.Level > 0 || c.Index >= levelIndex {
		return nil
	}
	for _, call := range q.windows.all() {
		if !slices.ContainsFunc(call.partition, func(x expr.Node) bool { return expr.Equal(x, c) }) {
			return nil
		}
	}
	if q.grouping == nil {
		return c
	}
	if c.Index >= len(q.grouping.group) {
		return nil
	}
	switch group := q.grouping.group[c.Index].(type) {
	case *expr.Const:
		return plainConst(group)
	case *expr.Column:
		if group.Level == 0 {
			return group
		}
	}
	return nil
}

// plainConst is k if it counts as what it shows.
func plainConst(k *expr.Const) expr.Node {
	if expr.HasQuotient(k) || expr.MayCount(k) || k.T.Truth { // TRUE is another document than the 1 that DISTINCT keeps
		return nil
	}
	return k
}

// decidesAlike says whether a condition is the same for all values that GROUP BY, DISTINCT and PARTITION BY treat as equal:
//
//	a = 'x' by the collation of a, not HEX(a) = '78' where case does not count
func decidesAlike(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Logic:
		return !slices.ContainsFunc(n.Kids, func(k expr.Node) bool { return !decidesAlike(k) })
	case *expr.Not:
		return decidesAlike(n.X)
	case *expr.Is:
		if _, column := n.X.(*expr.Column); column && n.What == expr.IsNull {
			return true
		}
	case *expr.Compare:
		if comparesAlike(n.Collation, n.L, n.R) {
			return true
		}
	case *expr.In:
		if comparesAlike(n.Collation, append([]expr.Node{n.X}, n.List...)...) {
			return true
		}
	}
	alike := true
	expr.Columns(n, func(c *expr.Column) { alike = alike && (c.Level > 0 || equalIsSame(c.T)) })
	return alike
}

// comparesAlike says whether operands compare the same for all equal values of a column. A text must be compared with texts, by its own
// collation.
func comparesAlike(collation value.Collation, operands ...expr.Node) bool {
	text, texts := false, true
	for _, n := range operands {
		t := n.Type()
		texts = texts && isText(t.Base)
		if c, ok := n.(*expr.Column); ok && c.Level == 0 {
			if !isPlainBase(t.Base) && t.Base != value.TypeDouble || isText(t.Base) && t.Collation != collation {
				return false
			}
			text = text || isText(t.Base)
			continue
		}
		own := false
		expr.Columns(n, func(c *expr.Column) { own = own || c.Level == 0 })
		if own {
			return false
		}
	}
	return !text || texts
}

// equalIsSame says whether equal values of the type cannot be distinguished by anything.
func equalIsSame(t value.Type) bool {
	switch t.Base {
	case value.TypeChar, value.TypeText:
		return t.Collation == value.Binary
	case value.TypeBinary, value.TypeBlob, value.TypeDate, value.TypeUUID:
		return true
	}
	return isInteger(t.Base)
}

// writes says whether the statement is not a query.
func (b *builder) writes() bool { return b.first == nil }

// narrowUnion gives the narrowing of a UNION, EXCEPT or INTERSECT of arms.
func (b *builder) narrowUnion(u *dialect.Union, arms []*queryPlan, columns []ResultColumn, end ending) narrowing {
	if u.Limit != nil {
		return nil
	}
	all := func(conds []expr.Node) (*queryPlan, []bool, error) {
		taken := slices.Repeat([]bool{true}, len(conds))
		own, some := slices.Clone(arms), false
		for i, arm := range arms {
			plan, ofArm, err := arm.narrowAs(columns, conds, u.Op == dialect.UnionOp && u.All)
			if err != nil {
				return nil, nil, err
			}
			if plan != nil {
				own[i], some = plan, true
			}
			for k := range taken {
				taken[k] = taken[k] && plan != nil && ofArm[k]
			}
		}
		if !some {
			return nil, nil, nil
		}
		return united(u, own, columns, end), taken, nil
	}
	if u.Op == dialect.UnionOp {
		return all
	}
	return func(conds []expr.Node) (*queryPlan, []bool, error) { // the operation leaves out rows that a condition which can fail must not meet
		return among(conds, func(c expr.Node) bool { return !canFail(c, b.writes()) }, all)
	}
}

// narrowAs narrows an arm of a UNION by conditions over the columns of the whole. apart: equal rows keep their number.
func (p *queryPlan) narrowAs(columns []ResultColumn, conds []expr.Node, apart bool) (*queryPlan, []bool, error) {
	if p.narrow == nil {
		return nil, nil, nil
	}
	return among(conds, func(c expr.Node) bool {
		same := apart || decidesAlike(c)
		expr.Walk(c, func(n expr.Node) bool {
			switch n := n.(type) {
			case *expr.Tuple: // whose values are compared by the collations of their types
				same = false
			case *expr.Column:
				same = same && (n.Level > 0 || p.sameColumn(n.Index, columns[n.Index].Type))
			}
			return same
		})
		return same
	}, p.narrow)
}

// sameColumn says whether column i holds and compares the same values as a UNION's column of type to.
func (p *queryPlan) sameColumn(i int, to value.Type) bool {
	of := p.columns[i].Type
	col := &expr.Column{Index: i, T: of}
	switch {
	case of.Base == value.TypeUnknown || of.HasMembers() || of.Truth != to.Truth || of.Unsigned != to.Unsigned || heldAs(col, to) != expr.Node(col):
		return false
	case isInteger(of.Base):
		return isInteger(to.Base)
	case isText(of.Base):
		return isText(to.Base) && of.Collation == to.Collation
	}
	return of.Base == to.Base && of.Collation == to.Collation && of.Length == to.Length && of.Precision == to.Precision && of.Scale == to.Scale &&
		(of.Declared == "TIMESTAMP") == (to.Declared == "TIMESTAMP")
}

// narrowShared makes the narrowing of a WITH or view. Its rows may be kept for other places, so they must not depend on a row.
func (b *builder) narrowShared(def *dialect.CTE, whole *queryPlan) narrowing {
	narrow := whole.narrow
	if narrow == nil || b.whole[def] {
		return nil
	}
	type way struct {
		conds []expr.Node
		plan  *queryPlan
		taken []bool
	}
	var ways []way
	return func(conds []expr.Node) (*queryPlan, []bool, error) {
		return among(conds, isOfNoRow, func(own []expr.Node) (*queryPlan, []bool, error) {
			for _, w := range ways {
				if slices.EqualFunc(w.conds, own, expr.Equal) {
					return w.plan, w.taken, nil // so that its rows are kept for both places
				}
			}
			plan, taken, err := narrow(own)
			if plan != nil {
				plan.root = &Shared{Input: plan.root, Name: def.Name, def: def, requests: plan.requests, of: whole}
			}
			if err == nil {
				ways = append(ways, way{own, plan, taken})
			}
			return plan, taken, err
		})
	}
}

// isOfNoRow says whether a condition does not depend on the row of an enclosing query.
func isOfNoRow(n expr.Node) bool {
	is := true
	expr.Columns(n, func(c *expr.Column) { is = is && c.Level == 0 })
	return is
}

// among narrows only by the conditions that may allows. Conditions after one that it does not allow must not be able to fail.
func among(conds []expr.Node, may func(expr.Node) bool, narrow narrowing) (*queryPlan, []bool, error) {
	var own []expr.Node
	var at []int
	for i, c := range conds {
		if may(c) && (len(own) == i || !canFail(c, false)) {
			own, at = append(own, c), append(at, i)
		}
	}
	if len(own) == 0 {
		return nil, nil, nil
	}
	plan, ofOwn, err := narrow(own)
	if plan == nil || err != nil {
		return nil, nil, err
	}
	taken := make([]bool, len(conds))
	for i, k := range at {
		taken[k] = ofOwn[i]
	}
	return plan, taken, nil
}

// places is where a statement reads a WITH or view.
type places struct {
	whole            bool    // its rows are read as they are
	narrowed         int     // in how many places conditions narrow it
	narrow, requests float64 // estimated requests: of these places, and of all rows
}

// count counts a place.
func (n *Shared) count(of map[*dialect.CTE]*places) {
	p := of[n.def]
	if p == nil {
		p = &places{}
		of[n.def] = p
	}
	if n.of == nil {
		p.whole = true
		return
	}
	p.narrowed++
	p.narrow, p.requests = p.narrow+n.requests, n.of.requests
}

// notNarrowed finds a WITH or view that costs more when narrowed in several places than when read once for all. It marks it, so that the
// statement is planned again.
func (b *builder) notNarrowed(of map[*dialect.CTE]*places) (some bool) {
	for def, p := range of {
		if p.narrowed > 0 && (p.whole || p.narrow > p.requests) {
			b.whole[def], some = true, true
		}
	}
	return some
}
