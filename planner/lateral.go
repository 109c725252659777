package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Apply reads Right anew for each row of Left. Right's expressions see that row as one of an enclosing query.
type Apply struct {
	Kind        JoinKind // InnerJoin or LeftJoin
	Left, Right Node
	On          expr.Node
	Rows        float64 // estimated
}

// Width is that of the block.
func (n *Apply) Width() int { return n.Left.Width() }

// fromRight binds the right side of a join, which sees the left side if it is lateral.
func (q *selection) fromRight(j *dialect.Join, left fromClause) (fromClause, error) {
	d, ok := j.Right.(*dialect.Derived)
	if !ok || !d.Lateral {
		return q.fromSide(j.Right, j.Kind == dialect.LeftJoin)
	}
	if err := aliased(d); err != nil {
		return fromClause{}, err
	}
	return q.lateral(d.As, d.Columns, left, j.Kind, func(at position) (*queryPlan, error) { return q.b.query(d.Query, at) })
}

// aliased refuses a query in FROM without a name.
func aliased(d *dialect.Derived) error {
	if d.As != "" {
		return nil
	}
	if t, ok := d.Query.(*dialect.JSONTable); ok {
		return sqlerr.New(sqlerr.CodeFunctionAlias, t.Pos, "Every table function must have an alias.")
	}
	return sqlerr.New(sqlerr.CodeDerivedAlias, sqlerr.NoPos, "Every derived table must have its own alias")
}

// beforeLateral makes a comma's left side visible to a lateral query in its right side:
//
//	a, (b JOIN LATERAL (…) ON …)  →  (a, b) JOIN LATERAL (…) ON …
func beforeLateral(j *dialect.Join) *dialect.Join {
	right, ok := j.Right.(*dialect.Join)
	if !ok || j.Kind != dialect.CrossJoin || right.Kind == dialect.RightJoin || right.Natural || right.Using != nil || !hasLateral(right) {
		return j
	}
	turned := *right
	turned.Left = &dialect.Join{Kind: dialect.CrossJoin, Left: j.Left, Right: right.Left}
	return &turned
}

func hasLateral(te dialect.TableExpr) bool {
	switch te := te.(type) {
	case *dialect.Derived:
		return te.Lateral
	case *dialect.Join:
		return hasLateral(te.Left) || hasLateral(te.Right)
	}
	return false
}

// lateral makes the rows of a query that sees the tables of left a source of the block.
func (q *selection) lateral(name string, columns []string, left fromClause, kind dialect.JoinKind, made func(position) (*queryPlan, error)) (fromClause, error) {
	of := &frame{}
	at := position{frame: of, ctes: q.position.ctes, parent: &scope{block: q.block, names: left.names, fields: left.fields,
		parent: q.scope.parent, sameRow: q.scope.sameRow, frame: q.scope.frame}}
	from, err := q.derivedPlan(name, columns, func() (*queryPlan, error) { return made(at) })
	if err != nil || !of.correlated {
		return from, err
	}
	if kind == dialect.RightJoin {
		return from, sqlerr.New(sqlerr.CodeLateralJoin, sqlerr.NoPos, "INNER or LEFT JOIN must be used for LATERAL references made by '%s'", name)
	}
	from.tree.src.lateral = true
	return from, nil
}

// apply joins left with a lateral source.
func (j *joiner) apply(kind JoinKind, left *relation, s *source, on []expr.Node) *relation {
	out := left.combine(kind, max(1, s.input.rows))
	out.set = left.set
	out.set.add(s.index)
	out.requests = left.requests + left.rows*s.input.requests
	right := &Derived{Input: s.input.node, Name: s.name, Offset: s.offset, Total: j.block.width}
	out.node = &Apply{Kind: kind, Left: left.node, Right: right, On: expr.Conjunction(on), Rows: out.rows}
	return out
}
