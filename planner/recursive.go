package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Recursive is the query of a WITH that reads its own rows: those of Seed, then in each round what Steps make of the rows of the previous round,
// until a round makes none. Types are those of Columns. Distinct: of equal rows only the first counts.
type Recursive struct {
	Seed     Node
	Steps    []Node
	Name     string
	Distinct bool
	Columns  []ResultColumn
}

// RecursiveRows are the rows of the previous round, within a step.
type RecursiveRows struct{ Of *Recursive }

// Width is that of the seed.
func (n *Recursive) Width() int { return n.Seed.Width() }

// Width is that of the query.
func (n *RecursiveRows) Width() int { return n.Of.Width() }

// operator is the line of a Recursive.
func (n *Recursive) operator() []string {
	if n.Distinct {
		return []string{"recursive " + n.Name, "each row once"}
	}
	return []string{"recursive " + n.Name}
}

// recursiveArm is a SELECT of a recursive query that refers to it.
type recursiveArm struct {
	sel *dialect.Select
	all bool // UNION ALL is before it
}

// isRecursive says whether a WITH refers to itself.
func isRecursive(def *dialect.CTE) bool {
	return def.Recursive && references(def.Query, def.Name) > 0
}

// recursiveQuery plans the query of a WITH that refers to itself.
func (b *builder) recursiveQuery(def *dialect.CTE, env *cteEnv) (*queryPlan, error) {
	u, ok := def.Query.(*dialect.Union)
	if !ok {
		return nil, sqlerr.New(sqlerr.CodeRecursiveNoUnion, sqlerr.NoPos, "Recursive Common Table Expression '%s' should contain a UNION", def.Name)
	}
	env, err := env.with(u.With)
	if err != nil {
		return nil, err
	}
	seed, arms, err := splitRecursive(def, u)
	if err != nil {
		return nil, err
	}
	start, err := b.query(seed, position{frame: &frame{}, ctes: env})
	if err != nil {
		return nil, err
	}
	n := &Recursive{Seed: start.root, Name: def.Name, Distinct: !arms[len(arms)-1].all, Columns: start.columns}
	for i := range n.Columns {
		n.Columns[i].Nullable = true
	}
	out := &queryPlan{root: n, columns: n.Columns, rows: start.rows * recursiveRounds, requests: start.requests}
	env = &cteEnv{def: def, outer: env, rows: &queryPlan{root: &RecursiveRows{Of: n}, columns: n.Columns, rows: max(1, start.rows)}}
	if !n.Distinct && slices.ContainsFunc(arms, func(a recursiveArm) bool { return !a.all }) {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "UNION ALL behind UNION DISTINCT in the recursive part of a WITH is")
	}
	for _, arm := range arms {
		step, err := b.query(arm.sel, position{frame: &frame{}, ctes: env})
		if err != nil {
			return nil, err
		}
		if len(step.columns) != len(n.Columns) {
			return nil, sqlerr.New(sqlerr.CodeUnionColumns, sqlerr.NoPos, "The used SELECT statements have a different number of columns")
		}
		keepRead(step.root)
		n.Steps = append(n.Steps, converted(step, n.Columns))
		out.requests += step.requests * recursiveRounds
	}
	if len(u.OrderBy) > 0 {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "ORDER BY of a recursive WITH is")
	}
	limit, err := (&context{b: b, clause: "limit"}).limit(u.Limit)
	if limit != nil {
		limit.Input = out.root
		out.root = limit
	}
	return out, err
}

// recursiveRounds is the assumed number of rounds.
const recursiveRounds = 5

// splitRecursive divides a recursive query into what is read first and the SELECTs that refer to it.
func splitRecursive(def *dialect.CTE, u *dialect.Union) (seed dialect.Query, arms []recursiveArm, err error) {
	var left dialect.Query = u
	for {
		at, ok := left.(*dialect.Union)
		if !ok || at != u && (len(at.OrderBy) > 0 || at.Limit != nil || len(at.With) > 0) || references(at.Right, def.Name) == 0 {
			break
		}
		if at.Op != dialect.UnionOp {
			return nil, nil, sqlerr.NotSupported(sqlerr.NoPos, "EXCEPT and INTERSECT in a recursive WITH are")
		}
		sel, ok := at.Right.(*dialect.Select)
		if !ok {
			return nil, nil, sqlerr.NotSupported(sqlerr.NoPos, "a UNION in parentheses in the recursive part of a WITH is")
		}
		if err := checkArm(def, sel); err != nil {
			return nil, nil, err
		}
		arms = append([]recursiveArm{{sel, at.All}}, arms...)
		left = at.Left
	}
	if len(arms) == 0 || references(left, def.Name) > 0 {
		return nil, nil, sqlerr.New(sqlerr.CodeRecursiveNoSeed, sqlerr.NoPos,
			"Recursive Common Table Expression '%s' should have one or more non-recursive query blocks followed by one or more recursive ones", def.Name)
	}
	return left, arms, nil
}

// checkArm refuses what a SELECT that refers to its own query cannot hold.
func checkArm(def *dialect.CTE, sel *dialect.Select) error {
	aggregates := len(sel.GroupBy) > 0 || sel.Having != nil && hasAggregate(sel.Having)
	for _, e := range sel.Exprs {
		aggregates = aggregates || !e.Star && (hasAggregate(e.Expr) || hasWindow(e.Expr))
	}
	direct, outer := ofFrom(sel.From, def.Name, false)
	switch {
	case aggregates:
		return sqlerr.New(sqlerr.CodeRecursiveAggregate, sqlerr.NoPos,
			"Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block", def.Name)
	case sel.Distinct || len(sel.OrderBy) > 0 || sel.Limit != nil:
		return sqlerr.NotSupported(sqlerr.NoPos, "ORDER BY, LIMIT or DISTINCT in the recursive part of a WITH is")
	case direct != 1 || references(sel, def.Name) != 1:
		return sqlerr.New(sqlerr.CodeRecursiveTwice, sqlerr.NoPos,
			"In recursive query block of Recursive Common Table Expression '%s', the recursive table must be referenced only once, and not in any subquery", def.Name)
	case outer:
		return sqlerr.New(sqlerr.CodeRecursiveOuterJoin, sqlerr.NoPos,
			"In recursive query block of Recursive Common Table Expression '%s', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with join order hints", def.Name)
	}
	return nil
}

// ofFrom counts how often FROM itself names a table. outer: the table may lack a row, in an outer join.
func ofFrom(te dialect.TableExpr, name string, mayLack bool) (n int, outer bool) {
	switch te := te.(type) {
	case *dialect.TableName:
		if te.Database == "" && strings.EqualFold(te.Name, name) {
			return 1, mayLack
		}
	case *dialect.Join:
		left, lacksLeft := ofFrom(te.Left, name, mayLack || te.Kind == dialect.RightJoin)
		right, lacksRight := ofFrom(te.Right, name, mayLack || te.Kind == dialect.LeftJoin)
		return left + right, lacksLeft || lacksRight
	}
	return 0, false
}

// keepRead makes the joins of a step keep what they read whole and no round changes, so that it is read once:
//
//	hash join (rows of r, scan t)  →  hash join (rows of r, with t once (scan t))
//
// What is read by keys taken from the rows is read in each round, because the keys differ.
func keepRead(n Node) {
	keep := func(input *Node) {
		if hasRecursiveRows(*input) {
			keepRead(*input)
		} else if name := scanned(*input); name != "" {
			*input = &Shared{Input: *input, Name: name, Keep: true}
		}
	}
	switch n := n.(type) {
	case *HashJoin:
		keep(&n.Left)
		keep(&n.Right)
	case *LoopJoin:
		keep(&n.Left)
		keep(&n.Right)
	case *LookupJoin:
		keep(&n.Left)
	default:
		for _, kid := range Children(n) {
			keepRead(kid)
		}
	}
}

// scanned is the name of the first table that is read below n; "": there is none, or it is kept already.
func scanned(n Node) string {
	switch n := n.(type) {
	case *access.Scan:
		return n.Table.Name
	case *FamilyScan:
		return n.Child.Table.Name
	case *Shared:
		return ""
	}
	for _, kid := range Children(n) {
		if name := scanned(kid); name != "" {
			return name
		}
	}
	return ""
}

func hasRecursiveRows(n Node) bool {
	if _, is := n.(*RecursiveRows); is {
		return true
	}
	for _, kid := range Children(n) {
		if hasRecursiveRows(kid) {
			return true
		}
	}
	return false
}
