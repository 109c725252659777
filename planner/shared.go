package planner

import (
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// Shared is the query of a WITH that several places of the statement read: it runs once, and its rows are kept for the others.
//
//	WITH r AS (SELECT k, SUM(x) AS s FROM b GROUP BY k) SELECT … FROM r WHERE s = (SELECT MAX(s) FROM r)
//
// It must not be made of a query that only picks columns and rows: that is merged into each place, where keys may serve it. No rows are kept of
// a query that is read once in one place.
type Shared struct {
	Input Node
	Name  string
	Keep  bool // it is read more than once

	def      *dialect.CTE
	requests float64    // estimated
	of       *queryPlan // the query that was narrowed to the conditions of one place; nil: it was not

	// Compiled is where the executor keeps its own form of the operator.
	Compiled atomic.Value
}

// Width is that of the query.
func (n *Shared) Width() int { return n.Input.Width() }

// sharedQuery is a WITH's query that was planned.
type sharedQuery struct {
	def    *dialect.CTE
	plan   *queryPlan
	blocks int // of the plan
}

// sharedQuery plans the query of a WITH, unless it was planned before. The query sees nothing of the query that refers to it, so the plan is the
// same for all.
func (b *builder) sharedQuery(def *dialect.CTE, env *cteEnv) (*queryPlan, error) {
	for _, s := range b.shared {
		if s.def == def {
			b.plan.Blocks += s.blocks // walks of the plan meet the blocks again
			return s.plan, b.tooManyBlocks()
		}
	}
	before := b.plan.Blocks
	query := b.plainQuery
	if isRecursive(def) {
		query = b.recursiveQuery
	}
	plan, err := query(def, env)
	if err != nil {
		return nil, err
	}
	plan.root = &Shared{Input: plan.root, Name: def.Name, def: def}
	plan.narrow = b.narrowShared(def, plan)
	b.shared = append(b.shared, sharedQuery{def, plan, b.plan.Blocks - before})
	return plan, nil
}

func (b *builder) plainQuery(def *dialect.CTE, env *cteEnv) (*queryPlan, error) {
	return b.query(def.Query, position{frame: &frame{}, ctes: env})
}

// keepShared finds the queries whose rows are kept. again: the statement must be planned again; see notNarrowed.
func (b *builder) keepShared() (again bool) {
	if len(b.shared) == 0 {
		return false
	}
	met := map[*Shared]bool{}
	of := map[*dialect.CTE]*places{}
	b.plan.operators(func(n Node, often bool) {
		if s, ok := n.(*Shared); ok {
			s.Keep = s.Keep || often || met[s]
			if !met[s] {
				s.count(of)
			}
			met[s] = true
		}
	})
	return b.notNarrowed(of)
}

// operators calls f for each operator of the statement, subqueries included, in the order in which EXPLAIN prints them, once for what is below a
// Shared. often: the operator is in a subquery that runs for each row.
func (p *Plan) operators(f func(n Node, often bool)) {
	seen, shared := map[*Plan]bool{p: true}, map[*Shared]bool{}
	var node func(n Node, often bool)
	sub := func(n expr.Node, often bool) {
		subqueries(n, func(s *expr.Subquery, q *Plan) {
			if !seen[q] {
				seen[q] = true
				node(q.Root, often || s.Correlated)
			}
		})
	}
	node = func(n Node, often bool) {
		f(n, often)
		if s, ok := n.(*Shared); ok {
			if shared[s] {
				return
			}
			shared[s] = true
		}
		_, rounds := n.(*Recursive)
		for _, c := range Children(n) {
			node(c, often || rounds)
		}
		expressions(n, func(x expr.Node) { sub(x, often) })
	}
	if p.Root != nil {
		node(p.Root, false)
	}
	if p.Write != nil {
		if n := writeSource(p.Write); n != nil {
			node(n, false)
		}
		writeExpressions(p.Write, func(x expr.Node) { sub(x, true) })
	}
}
