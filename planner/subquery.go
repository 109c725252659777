package planner

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// subquery binds (SELECT …) and EXISTS (SELECT …).
func (c *context) subquery(query dialect.Query, kind expr.SubqueryKind) (expr.Node, error) {
	plan, frame, err := c.planSubquery(query, kind == expr.ExistsSubquery)
	if err != nil {
		return nil, err
	}
	s := &expr.Subquery{
		Kind: kind, Plan: plan, Slot: c.b.slot(), Columns: len(plan.Columns),
		Correlated: frame.correlated, Refs: frame.refs, T: value.Type{Base: value.TypeBigInt},
	}
	if kind == expr.ScalarSubquery && s.Columns == 1 {
		s.T = plan.Columns[0].Type
	}
	if s.Repeatable = frame.correlated && repeatable(plan); !s.Repeatable || kind == expr.ScalarSubquery && s.Columns != 1 {
		return s, nil
	}
	s.Whole, err = c.whole(query, kind)
	if s.Whole != nil {
		s.Whole.ByKey = readsByKey(plan)
	}
	return s, err
}

// spread turns a subquery of several columns into a row of subqueries of one column each, so that it compares like any row: (a, b) = (SELECT x,
// y …) is a = (SELECT x …) AND b = (SELECT y …). It leaves other nodes alone.
func (c *context) spread(n expr.Node) expr.Node {
	s, ok := n.(*expr.Subquery)
	if !ok || s.Kind != expr.ScalarSubquery || s.Columns == 1 {
		return n
	}
	row := &expr.Tuple{}
	plan := s.Plan.(*Plan)
	for i, col := range plan.Columns {
		one := *s
		one.Columns, one.T, one.Slot, one.Whole = 1, col.Type, c.b.slot(), nil
		one.Plan = &Plan{
			Root:    &Project{Input: plan.Root, Exprs: []expr.Node{resultColumn(plan, i)}, Names: []string{col.Name}},
			Columns: []ResultColumn{col},
		}
		row.List = append(row.List, &one)
	}
	return row
}

// inSubquery binds x [NOT] IN (SELECT …), x op ANY (SELECT …) and x op ALL (SELECT …).
func (c *context) inSubquery(x expr.Node, e *dialect.In) (expr.Node, error) {
	plan, frame, err := c.planSubquery(e.Query, false)
	if err != nil {
		return nil, err
	}
	want := operandSize(x)
	if e.Op != "" {
		want = 1
	}
	if operandSize(x) != want || len(plan.Columns) != want {
		return nil, sqlerr.New(sqlerr.CodeOperandColumns, sqlerr.NoPos, "Operand should contain %d column(s)", want)
	}
	s := &expr.Subquery{
		Kind: expr.InSubquery, X: x, Not: e.Not, Plan: plan, Slot: c.b.slot(), Columns: len(plan.Columns),
		Correlated: frame.correlated, Refs: frame.refs, T: value.Type{Base: value.TypeBigInt}, Op: comparisons[e.Op], All: e.All,
	}
	s.Repeatable = s.Correlated && repeatable(plan)
	for i := range s.Columns {
		one := x
		if t, ok := x.(*expr.Tuple); ok {
			one = t.List[i]
		}
		collation, err := expr.Comparable("IN", one, resultColumn(plan, i))
		if err != nil {
			return nil, err
		}
		s.Collations = append(s.Collations, collation)
	}
	return s, nil
}

// resultColumn is a column of a subquery's result as a node, for its type.
func resultColumn(p *Plan, i int) *expr.Column {
	return &expr.Column{Index: i, Name: p.Columns[i].Name, T: p.Columns[i].Type, Nullable: p.Columns[i].Nullable}
}

func (c *context) planSubquery(query dialect.Query, exists bool) (*Plan, *frame, error) {
	f := &frame{}
	q, err := c.b.query(query, position{parent: c.scope, frame: f, ctes: c.ctes, exists: exists})
	if err != nil {
		return nil, nil, err
	}
	return &Plan{Root: q.root, Columns: q.columns}, f, nil
}

// joinSubquery turns a conjunct of WHERE that only asks whether a row has matches into a join with them:
//
//	WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND c)   →  a SEMI JOIN b ON b.x = a.x AND c
//	WHERE NOT EXISTS (…)                                   →  a ANTI JOIN b ON …
//	WHERE a.x IN (SELECT b.x FROM b WHERE c)               →  a SEMI JOIN b ON b.x = a.x AND c
//	WHERE a.x NOT IN (SELECT b.x FROM b WHERE c)           →  a ANTI JOIN b ON b.x = a.x AND c
//
// It must not fire if the subquery groups, limits, or unites queries; if the ON of an outer join in it uses the row; if none of its columns must
// equal one of the row (then it runs once, not once a row); for NOT IN if either side can be NULL, because one NULL among the matches makes the
// condition NULL for all rows.
func (q *selection) joinSubquery(e dialect.Expr) (bool, error) {
	kind, x, query := SemiJoin, dialect.Expr(nil), dialect.Query(nil)
	if not, ok := e.(*dialect.Unary); ok && (not.Op == "not" || not.Op == "!") {
		kind, e = AntiJoin, not.X
	}
	switch e := e.(type) {
	case *dialect.Exists:
		query = e.Query
	case *dialect.In:
		if e.Op != "" {
			return false, nil
		}
		if e.Not {
			kind = SemiJoin + AntiJoin - kind
		}
		x, query = e.X, e.Query
	}
	sel, ok := query.(*dialect.Select)
	if !ok || !joinable(sel, x != nil) {
		return false, nil
	}
	undo := q.mark()
	p, ok, err := q.bindSemiJoin(kind, x, sel)
	if err != nil || !ok {
		undo()
		if err != nil && isKnown(err) {
			err = nil // the ordinary way finds the error again, and words it
		}
		return false, err
	}
	q.semiJoins = append(q.semiJoins, p)
	return true, nil
}

// joinable says whether a subquery's rows can be matches just as they are.
func joinable(sel *dialect.Select, in bool) bool {
	if sel.From == nil || len(sel.With) > 0 || len(sel.GroupBy) > 0 || sel.Having != nil || sel.Limit != nil ||
		sel.Lock || sel.CountAll || hasSubquery(sel.Where) || hasLateral(sel.From) { // a lateral query may see the outer row, which a join does not have yet
		return false
	}
	for _, o := range sel.Exprs {
		if o.Star {
			if in {
				return false
			}
			continue
		}
		if hasAggregate(o.Expr) || in && hasSubquery(o.Expr) {
			return false
		}
	}
	return true
}

// mark remembers the state of the block. The returned function restores it.
func (q *selection) mark() func() {
	sources, width, slots, shared := len(q.block.sources), q.block.width, q.b.slots, len(q.b.shared)
	return func() {
		q.block.sources, q.block.width, q.b.slots, q.b.shared = q.block.sources[:sources], width, slots, q.b.shared[:shared]
	}
}

func isKnown(err error) bool {
	var known *sqlerr.Error
	return errors.As(err, &known)
}

// bindSemiJoin binds the tables of a subquery into q's block, and its conditions as conditions of a join.
func (q *selection) bindSemiJoin(kind JoinKind, x dialect.Expr, sel *dialect.Select) (semiJoin, bool, error) {
	in := &selection{
		b: q.b, position: q.position, sel: sel, block: q.block,
		scope: &scope{block: q.block, parent: q.scope, sameRow: true, frame: q.scope.frame},
	}
	var inner srcSet
	first := len(q.block.sources)
	if err := in.bindFrom(sel.From); err != nil || in.tree == nil {
		return semiJoin{}, false, err
	}
	for i := first; i < len(q.block.sources); i++ {
		inner.add(i)
	}
	if err := in.bindWhere(sel.Where, false); err != nil {
		return semiJoin{}, false, err
	}
	p := semiJoin{kind: kind, tree: in.tree, conds: in.where}
	lifted, ok := q.block.liftOuter(in.tree, inner)
	if !ok {
		return semiJoin{}, false, nil
	}
	p.conds = append(p.conds, lifted...)
	restore := in.scope.keepRefs()
	if err := in.bindOutputs(); err != nil {
		return semiJoin{}, false, err
	}
	if x == nil {
		restore() // EXISTS reads none of them
	}
	if x != nil {
		eqs, ok, err := q.partnerEqualities(x, in.outputs, kind == AntiJoin)
		if err != nil || !ok {
			return semiJoin{}, false, err
		}
		p.conds = append(p.conds, eqs...)
	}
	p.tree, p.conds = q.block.factorTree(p.tree), q.block.factored(p.conds, inner)
	var outer srcSet
	for i := range q.block.sources[:first] {
		outer.add(i)
	}
	j := &joiner{block: q.block}
	for _, c := range p.conds {
		if _, _, ok := j.equality(c, outer, inner); ok {
			return p, true, nil
		}
		if _, _, ok := j.dynamicEquality(c, outer, inner); ok {
			return p, true, nil
		}
	}
	return semiJoin{}, false, nil
}

// liftOuter removes from t the conditions that refer to more than set, the subquery's own tables, and gives them as conditions of the join with
// t. Not ok: they decide which rows of an outer join are NULL, row by row of the query around it.
func (k *block) liftOuter(t *joinTree, set srcSet) (lifted []expr.Node, ok bool) {
	var own []expr.Node
	for _, c := range t.conds {
		if k.refers(c).within(set) {
			own = append(own, c)
		} else {
			lifted = append(lifted, c)
		}
	}
	if t.kind == leftTree && len(lifted) > 0 {
		return nil, false
	}
	t.conds = own
	for i, kid := range t.kids {
		more, ok := k.liftOuter(kid, set)
		if !ok || t.kind == leftTree && i == 1 && len(more) > 0 {
			return nil, false
		}
		lifted = append(lifted, more...)
	}
	return lifted, true
}

// partnerEqualities are the conditions x = output of x IN (SELECT output …); false if such conditions do not mean the same. never: rows without
// a match are kept, so nothing may be NULL.
func (q *selection) partnerEqualities(x dialect.Expr, outputs []output, never bool) ([]expr.Node, bool, error) {
	left := []dialect.Expr{x}
	if t, ok := x.(*dialect.Tuple); ok {
		left = t.List
	}
	if len(left) != len(outputs) {
		return nil, false, nil
	}
	var eqs []expr.Node
	for i, e := range left {
		l, err := q.context("where clause").expression(e)
		if err != nil {
			return nil, false, err
		}
		r := outputs[i].node
		if never && (expr.MayBeNull(l) || expr.MayBeNull(r)) || !expr.Deterministic(l) || !expr.Deterministic(r) {
			return nil, false, nil
		}
		if expr.HasQuotient(r) {
			return nil, false, nil // the subquery's rows have no guard digits
		}
		eq, err := expr.NewCompare(expr.Eq, l, r)
		if err != nil {
			return nil, false, err
		}
		eqs = append(eqs, eq)
	}
	return eqs, true, nil
}
