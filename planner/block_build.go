package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// build makes the operators of a bound SELECT.
func (q *selection) build() (*queryPlan, error) {
	if q.onlyExists() && q.keys == nil {
		q.limit = &Limit{Count: expr.NewConst(value.FromInt(1))}
	}
	if q.grouping == nil && q.having != nil {
		q.where = append(q.where, expr.Conjuncts(q.having)...)
		q.having = nil
	}
	in, err := q.input()
	if err != nil {
		return nil, err
	}
	node, ordered := in.node, in.ordered
	if g := q.grouping; g != nil {
		groups := &Aggregate{Input: node, Group: g.group, Aggs: g.aggs, Sorted: ordered && len(g.group) > 0, Rollup: g.rollup}
		node = groups
		ordered = ordered && !g.rollup && q.groupsServeOrder()
		if n := q.block.groups(g.group, in.rows); n > 0 && !g.implicit {
			in.rows = n
		} else {
			in.rows = g.estimate(in.rows)
		}
		groups.Rows = in.rows
		if q.having != nil {
			node = &Filter{Input: node, Cond: q.having}
		}
	}
	if len(q.windows.all()) > 0 {
		var have []access.SortKey
		if in.ordered && q.grouping == nil {
			have = q.windowOrder()
		}
		node, ordered = q.withWindows(node, have)
	}
	return q.finish(node, ordered, in)
}

// input builds what the rows come from: tables, joins, WHERE.
func (q *selection) input() (*relation, error) {
	if q.tree == nil {
		values := &relation{node: &Values{Rows: [][]expr.Node{{}}}, rows: 1}
		return values.filtered(q.where), nil
	}
	j := q.b.joiner(q.block)
	var limit expr.Node
	var order []access.SortKey
	switch g := q.grouping; {
	case g != nil && !g.implicit:
		order = q.groupOrder()
	case g != nil:
		if key, ok := q.leastOf(); ok {
			order, limit = []access.SortKey{key}, expr.NewConst(value.FromInt(1))
		}
	case len(q.windows.all()) > 0:
		order = q.windowOrder()
	default:
		order = q.order
		if !q.sel.Distinct || q.onlyExists() {
			var err error
			if limit, err = q.limit.wantedRows(); err != nil {
				return nil, err
			}
		}
	}
	in, err := j.plan(q.tree, q.where, q.semiJoins, order, limit)
	if err != nil {
		return nil, err
	}
	if g := q.grouping; g != nil && g.implicit && limit != nil && in.ordered {
		in.node = &Limit{Input: in.node, Count: limit}
	}
	return in, nil
}

// groupOrder is the order in which groups could come one by one: that of ORDER BY as far as it goes along.
func (q *selection) groupOrder() []access.SortKey {
	var keys []access.SortKey
	taken := map[int]bool{}
	for _, o := range q.order {
		if q.grouping.rollup {
			break // rows of several groups come behind theirs
		}
		c, ok := o.Expr.(*expr.Column)
		if !ok || c.Level > 0 || c.Index >= len(q.grouping.group) || taken[c.Index] {
			break
		}
		taken[c.Index] = true
		keys = append(keys, access.SortKey{Expr: q.grouping.group[c.Index], Desc: o.Desc})
	}
	for i, n := range q.grouping.group {
		if !taken[i] {
			keys = append(keys, access.SortKey{Expr: n})
		}
	}
	for _, k := range keys {
		if c, ok := k.Expr.(*expr.Column); !ok || c.Level > 0 {
			return nil
		}
	}
	return keys
}

// groupsServeOrder says whether groups that come in groupOrder are in the order of ORDER BY.
func (q *selection) groupsServeOrder() bool {
	for i, o := range q.order {
		c, ok := o.Expr.(*expr.Column)
		if !ok || c.Level > 0 || c.Index >= len(q.grouping.group) {
			return false
		}
		for _, before := range q.order[:i] {
			if before.Expr.(*expr.Column).Index == c.Index {
				return false
			}
		}
	}
	return true
}

// leastOf recognizes SELECT MIN(x), which the first row in the order of x answers, and MAX(x), which the
// first in descending order does:
//
//	aggregate MIN(x)  →  aggregate MIN(x)
//	  scan                 limit 1
//	                         scan WHERE x IS NOT NULL, ordered by x
//
// It must not fire next to other aggregates, if x can be NULL and no condition excludes that, or for an ENUM or SET.
func (q *selection) leastOf() (access.SortKey, bool) {
	g := q.grouping
	if len(g.aggs) != 1 || q.tree.kind != leafTree || len(q.semiJoins) > 0 || len(g.aggs[0].Args) != 1 {
		return access.SortKey{}, false
	}
	agg := g.aggs[0]
	c, ok := agg.Args[0].(*expr.Column)
	if !ok || c.Level > 0 || agg.Name != "MIN" && agg.Name != "MAX" || c.T.HasMembers() {
		return access.SortKey{}, false // members sort by their number, but the least is by their text
	}
	if c.Nullable {
		notNull, err := expr.NewIs(c, expr.IsNull, true)
		if err != nil {
			return access.SortKey{}, false
		}
		q.where = append(q.where, notNull)
	}
	return access.SortKey{Expr: c, Desc: agg.Name == "MAX"}, true
}

// estimate guesses how many groups that many rows make.
func (g *grouping) estimate(rows float64) float64 {
	if g.implicit {
		return 1
	}
	return max(1, rows/groupRows)
}

// groupRows is the assumed number of rows in a group.
const groupRows = 10

// finish builds what comes after the rows or groups: order, select list, DISTINCT, LIMIT.
func (q *selection) finish(node Node, ordered bool, in *relation) (*queryPlan, error) {
	plan := &queryPlan{rows: in.rows, requests: in.requests}
	for _, o := range q.outputs {
		plan.columns = append(plan.columns, ResultColumn{Name: o.name, Type: o.node.Type(), Nullable: expr.MayBeNull(o.node)})
	}
	project := &Project{}
	for _, o := range q.outputs {
		project.Exprs = append(project.Exprs, o.node)
		project.Names = append(project.Names, o.name)
	}
	needsSort := len(q.order) > 0 && !ordered
	switch {
	case q.sel.Distinct && !q.onlyExists():
		keys, err := q.distinctOrder()
		if err != nil {
			return nil, err
		}
		project.Input = node
		distinct := &Distinct{Input: project}
		for _, c := range plan.columns {
			distinct.Collation = append(distinct.Collation, c.Type.Collation)
		}
		node = distinct
		if needsSort {
			node = q.sort(node, keys)
		}
	case needsSort && q.computedOnce():
		node = q.sortComputed(node, project)
	default:
		if needsSort {
			node = q.sort(node, q.order)
		}
		project.Input = node
		node = project
	}
	if q.limit != nil {
		node = &Limit{Input: node, Count: q.limit.Count, Offset: q.limit.Offset}
		if n, ok := constInt(q.limit.Count); ok {
			plan.rows = min(plan.rows, float64(n))
		}
	}
	plan.root = node
	return plan, nil
}

func (q *selection) sort(in Node, keys []access.SortKey) Node {
	s := &Sort{Input: in, Keys: keys}
	if q.limit != nil {
		s.Limit, s.Offset = q.limit.Count, q.limit.Offset
		if s.Limit == nil {
			s.Offset = nil
		}
	}
	return s
}

// distinctOrder gives ORDER BY over the columns of a SELECT DISTINCT. It may only use these columns, because each row of the result stands for
// many.
func (q *selection) distinctOrder() ([]access.SortKey, error) {
	keys := make([]access.SortKey, len(q.order))
	for i, o := range q.order {
		places := map[expr.Node]*expr.Column{}
		var bad *expr.Column
		expr.Walk(o.Expr, func(n expr.Node) bool {
			for j, out := range q.outputs {
				if expr.Equal(out.node, n) {
					places[n] = &expr.Column{Index: j, Name: out.name, T: n.Type(), Nullable: expr.MayBeNull(n)}
					return false
				}
			}
			if c, ok := n.(*expr.Column); ok && c.Level == 0 {
				bad = c
			}
			return true
		})
		if bad != nil {
			return nil, sqlerr.New(sqlerr.CodeOrderNotInDistinct, sqlerr.NoPos,
				"Expression #%d of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT",
				i+1, bad.Name)
		}
		keys[i] = access.SortKey{Desc: o.Desc, Expr: expr.Rewrite(o.Expr, func(n expr.Node) expr.Node {
			if c := places[n]; c != nil {
				return c
			}
			return n
		})}
	}
	return keys, nil
}

// computedOnce says whether an order key is an element of the select list that must not be computed again, because it would have another value
// (RAND()) or costs a query.
func (q *selection) computedOnce() bool {
	for _, o := range q.order {
		if !expr.Deterministic(o.Expr) || expr.HasSubquery(o.Expr) {
			return true
		}
	}
	return false
}

// sortComputed computes the select list first, with the order keys behind it, and sorts that.
func (q *selection) sortComputed(in Node, list *Project) Node {
	wide := &Project{Input: in}
	wide.Exprs = append(wide.Exprs, list.Exprs...)
	wide.Names = append(wide.Names, list.Names...)
	keys := make([]access.SortKey, len(q.order))
	for i, o := range q.order {
		at := -1
		for j, e := range list.Exprs {
			if expr.Equal(e, o.Expr) {
				at = j
				break
			}
		}
		if at < 0 {
			at = len(wide.Exprs)
			wide.Exprs = append(wide.Exprs, o.Expr)
			wide.Names = append(wide.Names, "")
		}
		keys[i] = access.SortKey{Desc: o.Desc, Expr: &expr.Column{
			Index: at, Name: expr.String(o.Expr), T: o.Expr.Type(), Nullable: expr.MayBeNull(o.Expr)}}
	}
	node := q.sort(wide, keys)
	if len(wide.Exprs) == len(list.Exprs) {
		return node
	}
	narrow := &Project{Input: node, Names: list.Names}
	for i, e := range list.Exprs {
		narrow.Exprs = append(narrow.Exprs, &expr.Column{
			Index: i, Name: list.Names[i], T: e.Type(), Nullable: expr.MayBeNull(e)})
	}
	return narrow
}
