package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// aggBase is above all positions of a row. While an expression over groups is bound, its columns are those of the ungrouped rows, and the result
// of aggregate j is the column aggBase + j.
const aggBase = 1 << 24

// levelIndex is, while expressions are bound, the column with a ROLLUP row's level: how many of the GROUP BY values the row is a group of.
const levelIndex = aggBase - 1

// grouping is a query's GROUP BY and aggregates. Its rows hold the groups' values, the level if there is a ROLLUP, then the aggregates' results.
type grouping struct {
	group      []expr.Node
	aggs       []*expr.Aggregate
	determined map[int]bool // columns that have one value in each group, by position
	implicit   bool         // no GROUP BY: one group
	rollup     bool         // WITH ROLLUP
	step       func() error // of the builder
}

// add gives the column of the groups' rows that holds agg; equal aggregates share one.
func (g *grouping) add(agg *expr.Aggregate) *expr.Column {
	at := -1
	for i, a := range g.aggs {
		if sameAggregate(a, agg) {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(g.aggs)
		g.aggs = append(g.aggs, agg)
	}
	return &expr.Column{Index: aggBase + at, Name: agg.String(), T: agg.T, Nullable: agg.Name != "COUNT", Aggregate: true}
}

func sameAggregate(a, b *expr.Aggregate) bool {
	if a.Name != b.Name || a.Distinct != b.Distinct || a.Star != b.Star || a.Separator != b.Separator ||
		len(a.Args) != len(b.Args) || len(a.OrderBy)+len(b.OrderBy) > 0 {
		return false
	}
	for i := range a.Args {
		if !expr.Equal(a.Args[i], b.Args[i]) || !expr.Deterministic(a.Args[i]) {
			return false
		}
	}
	return true
}

// has says whether f is itself a group.
func (g *grouping) has(f *field) bool {
	if f != nil && f.computed != nil {
		return g != nil && g.find(f.computed) >= 0
	}
	return g != nil && f != nil && g.find(&expr.Column{Index: f.src.offset + f.ordinal}) >= 0
}

// find gives the group that n is, or -1.
func (g *grouping) find(n expr.Node) int {
	col, isColumn := n.(*expr.Column)
	for i, group := range g.group {
		if isColumn {
			if c, ok := group.(*expr.Column); ok && c.Level == 0 && col.Level == 0 && c.Index == col.Index {
				return i
			}
		} else if expr.Equal(group, n) {
			return i
		}
	}
	return -1
}

// position gives the place in the groups' rows of a column of the ungrouped rows, which must be grouped by or have one value in each group.
func (g *grouping) position(col *expr.Column, describe func() error) (int, error) {
	if col.Index >= windowBase {
		return col.Index, nil
	}
	if col.Index >= aggBase {
		return g.aggregateAt(col.Index), nil
	}
	if col.Index == levelIndex {
		return len(g.group), nil
	}
	if i := g.find(col); i >= 0 {
		return i, nil
	}
	if !g.determined[col.Index] {
		return 0, describe()
	}
	agg, err := expr.NewAggregate("any_value", []expr.Node{col}, false, false, nil, nil)
	if err != nil {
		return 0, err
	}
	return g.aggregateAt(g.add(agg).Index), nil
}

// aggregateAt is the place in the groups' rows of the aggregate of column index.
func (g *grouping) aggregateAt(index int) int {
	if g.rollup {
		index++
	}
	return len(g.group) + index - aggBase
}

// outerColumn is position for a column that a subquery over the groups refers to.
func (g *grouping) outerColumn(col *expr.Column, e *dialect.Column) (*expr.Column, error) {
	i, err := g.position(col, func() error {
		return sqlerr.New(sqlerr.CodeWrongFieldGroup, e.Pos,
			"Subquery refers to column '%s', which is not in the GROUP BY clause of the outer query", columnText(e))
	})
	if err != nil {
		return nil, err
	}
	out := *col
	out.Index, out.Nullable = i, true
	return &out, nil
}

// havingClause is the clause that knows the columns of groups alone.
const havingClause = "HAVING clause"

// over turns n, which is bound over the rows that are grouped, into an expression over the groups' rows. what and number say
// which part of the query it is, for the error.
func (g *grouping) over(n expr.Node, number int, what string) (expr.Node, error) {
	places := map[expr.Node]*expr.Column{}
	var err error
	var visit func(n expr.Node) bool
	visit = func(n expr.Node) bool {
		if err != nil || places[n] != nil {
			return false
		}
		if _, constant := n.(*expr.Const); constant && !g.rollup {
			return false
		}
		if err = g.step(); err != nil {
			return false
		}
		if i := g.find(n); i >= 0 {
			places[n] = &expr.Column{Index: i, Name: expr.String(n), T: n.Type(), Nullable: g.rollup || expr.MayBeNull(n)}
			return false
		}
		switch n := n.(type) {
		case *expr.Column:
			if n.Level > 0 {
				return false
			}
			var i int
			if i, err = g.position(n, func() error { return g.notGrouped(n, number, what) }); err == nil {
				c := *n
				c.Index, c.Nullable = i, n.Nullable || g.implicit && n.Index < aggBase
				places[n] = &c
			}
		case *expr.Subquery:
			// What its plan refers to is over the groups' rows already.
			if n.X != nil {
				expr.Walk(n.X, visit)
			}
			return false
		}
		return true
	}
	expr.Walk(n, visit)
	if err != nil {
		return nil, err
	}
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		if c := places[n]; c != nil {
			return c
		}
		return n
	}), nil
}

func (g *grouping) notGrouped(c *expr.Column, number int, what string) error {
	if what == havingClause {
		return sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in 'having clause'", c.Name)
	}
	if g.implicit {
		return sqlerr.New(sqlerr.CodeMixOfGroupFunc, sqlerr.NoPos,
			"In aggregated query without GROUP BY, expression #%d of %s contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by",
			number, what, c.Name)
	}
	return sqlerr.New(sqlerr.CodeWrongFieldGroup, sqlerr.NoPos,
		"Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
		number, what, c.Name)
}

// determine computes which columns have one value in each group: those grouped by, those that WHERE and joins make equal to one of these or to a
// constant, and all columns of a table whose primary key, or a unique key that cannot be NULL, is among them. It repeats until nothing is added.
func (g *grouping) determine(tree *joinTree, where []expr.Node) {
	g.determined = map[int]bool{}
	if g.rollup {
		return // in the rows of several groups nothing is
	}
	for _, n := range g.group {
		if c, ok := n.(*expr.Column); ok && c.Level == 0 {
			g.determined[c.Index] = true
		}
	}
	for before := -1; before != len(g.determined); {
		before = len(g.determined)
		for _, cond := range where {
			g.equal(cond, nil)
		}
		g.determineTree(tree)
	}
}

func (g *grouping) determineTree(t *joinTree) {
	if t == nil {
		return
	}
	for _, kid := range t.kids {
		g.determineTree(kid)
	}
	switch t.kind {
	case leafTree:
		g.determineTable(t.src)
	case innerTree:
		for _, cond := range t.conds {
			g.equal(cond, nil)
		}
	case leftTree:
		// The right row is determined by the left one if ON's left columns are determined.
		right := map[int]bool{}
		t.kids[1].sources(func(s *source) {
			for i := range s.used {
				right[s.offset+i] = true
			}
		})
		for _, cond := range t.conds {
			all := expr.Deterministic(cond)
			expr.Columns(cond, func(c *expr.Column) {
				all = all && (c.Level > 0 || right[c.Index] || g.determined[c.Index])
			})
			if !all {
				return
			}
		}
		for _, cond := range t.conds {
			g.equal(cond, right)
		}
	}
}

// equal notes that cond, if it is an equality, makes either side determine the other. With only, it determines no column outside of only.
func (g *grouping) equal(cond expr.Node, only map[int]bool) {
	eq, ok := cond.(*expr.Compare)
	if !ok || eq.Op != expr.Eq && eq.Op != expr.NullEq {
		return
	}
	for _, side := range [2][2]expr.Node{{eq.L, eq.R}, {eq.R, eq.L}} {
		c, ok := side[0].(*expr.Column)
		if !ok || c.Level > 0 || only != nil && !only[c.Index] {
			continue
		}
		if t := side[1].Type(); t.Base != value.TypeUnknown && c.T.Class() == value.ClassText && t.Class() != value.ClassText {
			continue // several texts equal one number
		}
		all := expr.Deterministic(side[1])
		expr.Columns(side[1], func(o *expr.Column) { all = all && (o.Level > 0 || g.determined[o.Index]) })
		if all {
			g.determined[c.Index] = true
		}
	}
}

func (g *grouping) determineTable(s *source) {
	t := s.table
	if t == nil || t.Virtual != nil {
		return
	}
	has := func(parts []schema.KeyColumn, notNull bool) bool {
		for _, p := range parts {
			if !g.determined[s.offset+p.Column] || p.Prefix > 0 || notNull && !t.Columns[p.Column].NotNull {
				return false
			}
		}
		return true
	}
	key := has(t.Key, false)
	for _, ix := range t.Indexes {
		key = key || ix.Unique && has(ix.Key, true)
	}
	if key {
		for i := range s.used {
			g.determined[s.offset+i] = true
		}
	}
}
