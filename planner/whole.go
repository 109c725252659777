package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// wholeKeys are the equalities that tie a correlated subquery to the rows around it, while it is bound without them.
type wholeKeys struct {
	inner, outer []*expr.Column
	collations   []value.Collation
}

// whole gives another way to run a correlated subquery: it reads the rows for all outer values at once, by these values.
//
//	(SELECT AVG(b.x) FROM b WHERE b.k = a.k AND c)  →  SELECT b.k, AVG(b.x) FROM b WHERE c GROUP BY b.k
//	(SELECT b.x FROM b WHERE b.k = a.k AND c)       →  SELECT b.k, b.x FROM b WHERE c
//	EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND c)  →  SELECT b.k, 1 FROM b WHERE c
//
// Which of the two is used is decided at run time. It must not fire if the subquery depends on the outer row by anything but equalities of
// columns of one type; if it groups, limits or unites; if its result depends on the order of its rows.
func (c *context) whole(query dialect.Query, kind expr.SubqueryKind) (*expr.Whole, error) {
	sel, ok := query.(*dialect.Select)
	if !ok || c.b.attempts > 0 || sel.From == nil || len(sel.With) > 0 || len(sel.GroupBy) > 0 || sel.Having != nil ||
		sel.Limit != nil || sel.Distinct || len(sel.OrderBy) > 0 || sel.Lock || sel.CountAll {
		return nil, nil
	}
	c.b.attempts++
	defer func() { c.b.attempts-- }()
	w, err := c.bindWhole(sel, kind)
	if err != nil && isKnown(err) {
		return nil, nil // only the ordinary way allows it
	}
	return w, err
}

func (c *context) bindWhole(sel *dialect.Select, kind expr.SubqueryKind) (*expr.Whole, error) {
	f := &frame{}
	q := c.b.newSelection(sel, position{parent: c.scope, frame: f, ctes: c.ctes, exists: kind == expr.ExistsSubquery})
	keys := &wholeKeys{}
	q.keys = keys
	if err := q.bind(); err != nil {
		return nil, err
	}
	if f.correlated || len(keys.inner) == 0 || len(q.windows.all()) > 0 || len(q.outputs) != len(keys.inner)+1 ||
		q.grouping != nil && (kind == expr.ExistsSubquery || q.grouping.rollup || !q.grouping.isUnordered()) {
		return nil, nil
	}
	plan, err := q.build()
	if err != nil {
		return nil, err
	}
	w := &expr.Whole{Plan: &Plan{Root: plan.root, Columns: plan.columns}, Keys: keys.outer, Collations: keys.collations}
	if c.b.joiner(q.block).analyzed {
		w.Entities = plan.requests * access.PageEntities
	}
	if !repeatable(w.Plan.(*Plan)) {
		return nil, nil
	}
	if q.grouping != nil {
		empty := q.withoutRows(len(keys.inner))
		if empty == nil {
			return nil, nil
		}
		w.Empty = empty
	}
	return w, nil
}

// take takes the equality of a column with an outer one as a key.
func (w *wholeKeys) take(cond expr.Node) bool {
	eq, ok := cond.(*expr.Compare)
	if !ok || eq.Op != expr.Eq {
		return false
	}
	a, isA := eq.L.(*expr.Column)
	b, isB := eq.R.(*expr.Column)
	if !isA || !isB || (a.Level == 0) == (b.Level == 0) {
		return false
	}
	if a.Level > 0 {
		a, b = b, a
	}
	if !alike(a.T, b.T) || isText(a.T.Base) && eq.Collation != a.T.Collation {
		return false
	}
	out := *b
	out.Level--
	w.inner, w.outer, w.collations = append(w.inner, a), append(w.outer, &out), append(w.collations, eq.Collation)
	return true
}

// keyOutputs are the columns that come before the select list.
func (q *selection) keyOutputs() (out []output) {
	if q.keys != nil {
		for _, c := range q.keys.inner {
			s := q.block.sources[q.block.sourceOf(c.Index)]
			s.used[c.Index-s.offset] = true
			out = append(out, output{name: c.Name, node: c})
		}
	}
	return out
}

// alike says whether values of two types are equal exactly when their hash keys are.
func alike(a, b value.Type) bool {
	if isInteger(a.Base) && isInteger(b.Base) {
		return true
	}
	return a.Base == b.Base && a.Collation == b.Collation && isPlainBase(a.Base)
}

func isInteger(b value.Base) bool {
	switch b {
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt:
		return true
	}
	return false
}

// isUnordered says whether all aggregates give the same result for any order of rows.
func (g *grouping) isUnordered() bool {
	return !slices.ContainsFunc(g.aggs, func(a *expr.Aggregate) bool {
		switch a.Name {
		case "COUNT", "SUM", "AVG", "MIN", "MAX":
			return false
		}
		return true
	})
}

// withoutRows is the plan of the value for no rows; nil if that depends on the n keys.
func (q *selection) withoutRows(n int) *Plan {
	of := q.outputs[n].node
	byKey := expr.HasSubquery(of)
	expr.Columns(of, func(c *expr.Column) { byKey = byKey || c.Level > 0 || c.Index < n })
	if byKey {
		return nil
	}
	value := expr.Rewrite(of, func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Column); ok {
			own := *c
			own.Index -= n
			return &own
		}
		return x
	})
	none := &Aggregate{Input: &Values{Total: q.block.width}, Aggs: q.grouping.aggs}
	return &Plan{Root: &Project{Input: none, Exprs: []expr.Node{value}, Names: []string{""}}}
}

// repeatable says whether a subquery's plan gives the same rows for the same outer values throughout an execution.
func repeatable(p *Plan) bool {
	is := true
	var node func(Node)
	look := func(n expr.Node) {
		expr.Walk(n, func(n expr.Node) bool {
			if _, insert := n.(*expr.InsertValue); insert || !expr.Deterministic(n) {
				is = false
			}
			return is
		})
		subqueries(n, func(_ *expr.Subquery, sub *Plan) { node(sub.Root) })
	}
	node = func(n Node) {
		if !is {
			return
		}
		expressions(n, look)
		for _, kid := range Children(n) {
			node(kid)
		}
	}
	node(p.Root)
	return is
}

// readsByKey says whether all tables of a plan are read by keys.
func readsByKey(p *Plan) bool {
	return !slices.ContainsFunc(p.Scans(), func(s *access.Scan) bool {
		switch s.Access {
		case access.PointRead, access.PointReads, access.RangeScan:
			return false
		}
		return true
	})
}
