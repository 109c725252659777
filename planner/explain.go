package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Explain prints the plan, one operator a line, each below the one that it feeds, two blanks deeper:
//
//	limit 10
//	  project name
//	    row-key range customer.surname  span [surname!Sm, surname!Sn)  columns name, surname  limit 10  requests ≥ 1
//	requests ≥ 1
//
// With args it shows the spans of this execution; without, the conditions that make spans from arguments.
func (p *Plan) Explain(args []value.Value) []string { return p.Explanation(args, nil).Text() }

// Explanation is what Explain prints, line by line. counted tells how many rows a table without statistics had when they were last counted, if
// ever; it may be nil.
func (p *Plan) Explanation(args []value.Value, counted func(*schema.Table) *Counted) *Explanation {
	e := newExplainer(p, args)
	if counted != nil {
		e.count(p, counted)
	}
	e.plan(p, 0)
	x := &Explanation{Lines: e.lines, Least: e.least(p, true), Unanalyzed: p.unanalyzed(), Warnings: p.wasteful()}
	if x.About, x.IsAbout = e.total(p, x.Least); !x.IsAbout {
		x.Formula = e.formula(p)
	}
	return x
}

// LeastRequests is the number of the last line of Explain.
func (p *Plan) LeastRequests(args []value.Value) int {
	e := newExplainer(p, args)
	return e.least(p, true)
}

type explainer struct {
	args    []value.Value
	lines   []ExplainedLine
	seen    map[*Plan]bool
	shared  map[*Shared]bool // printed
	counted map[*Plan]bool   // see certain
	kept    map[*Shared]bool // counted
	// points are the keys counted so far; nil in a write, which reads each time.
	points map[*schema.Table]*pointsSeen
	// analyzed: ANALYZE TABLE has looked at some table of the statement.
	analyzed bool
	abouts   map[Node]about
	writings map[*Plan]aboutWriting
	counts   map[*schema.Table]*Counted
}

func newExplainer(p *Plan, args []value.Value) explainer {
	e := explainer{args: args, seen: map[*Plan]bool{p: true}, shared: map[*Shared]bool{}, counted: map[*Plan]bool{}, kept: map[*Shared]bool{},
		analyzed: slices.ContainsFunc(p.Scans(), isAnalyzed), abouts: map[Node]about{}, writings: map[*Plan]aboutWriting{}}
	if p.Write == nil {
		e.points = map[*schema.Table]*pointsSeen{}
	}
	return e
}

func (e *explainer) line(depth int, parts ...string) {
	e.lines = append(e.lines, ExplainedLine{Depth: depth, Parts: parts})
}

func (e *explainer) text(n expr.Node) string { return expr.StringArgs(n, e.args) }

func (e *explainer) list(nodes []expr.Node) string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = e.text(n)
	}
	return strings.Join(out, ", ")
}

func (e *explainer) plan(p *Plan, depth int) {
	if p.Write == nil {
		e.node(p.Root, depth)
		return
	}
	whole, byRows := e.tables(p)
	if len(whole) > 0 {
		t := p.Write.(*Delete).Targets[0].Table
		e.line(depth, "delete "+t.Name, "tables of "+partitionsText(whole), fmt.Sprintf("requests ≥ %d", t.DeleteRequests(whole)))
	}
	if byRows == nil {
		return
	}
	at := len(e.lines)
	e.write(byRows.Write, depth)
	e.lines[at].About, e.lines[at].Estimate = e.aboutWriteLine(p)
	p = byRows
	e.subqueriesOf(depth+1, func(f func(expr.Node)) { writeExpressions(p.Write, f) })
	if n := writeSource(p.Write); n != nil {
		e.node(n, depth+1)
	}
}

func (e *explainer) node(n Node, depth int) { e.nodeFor(n, depth, 0) }

// nodeFor is node for an operator that runs for that many keys; 0: once.
func (e *explainer) nodeFor(n Node, depth int, times float64) {
	at := len(e.lines)
	switch n := n.(type) {
	case *access.Scan:
		e.scan(n, depth)
	case *FamilyScan:
		e.family(n, depth)
	default:
		e.line(depth, e.operator(n)...)
	}
	e.lines[at].Of, e.lines[at].About, e.lines[at].Estimate = n, e.aboutLine(n, times), e.estimate(n, times)
	e.subqueriesOf(depth+1, func(f func(expr.Node)) { expressions(n, f) })
	if s, ok := n.(*Shared); ok {
		if e.shared[s] {
			return
		}
		e.shared[s] = true
	}
	for _, c := range Children(n) {
		times := 0.0
		if l, ok := n.(*LookupJoin); ok && c == Node(l.Right) {
			times = e.lookups(l, e.aboutNode(l.Left))
		}
		e.nodeFor(c, depth+1, times)
	}
}

// operator is the line of an operator other than a scan, in parts.
func (e *explainer) operator(n Node) []string {
	switch n := n.(type) {
	case *Values:
		return []string{"values " + rows(len(n.Rows))}
	case *Filter:
		if n.Once {
			return []string{"filter once " + e.text(n.Cond)}
		}
		return []string{"filter " + e.text(n.Cond)}
	case *Project:
		return []string{"project " + e.projected(n)}
	case *Sort:
		parts := []string{"sort by " + e.order(n.Keys)}
		if n.Limit != nil {
			keep := "keep " + e.text(n.Limit)
			if n.Offset != nil {
				keep += " + " + e.text(n.Offset)
			}
			parts = append(parts, keep)
		}
		return parts
	case *Limit:
		return e.limit(n)
	case *Distinct:
		return []string{"distinct"}
	case *Aggregate:
		return e.aggregate(n)
	case *Window:
		return e.window(n)
	case *HashJoin:
		return e.join("hash", n.Kind, e.hashKeys(n), n.On)
	case *LookupJoin:
		return e.lookupJoin(n)
	case *LoopJoin:
		return e.join("loop", n.Kind, "", n.On)
	case *JSONTable:
		return []string{"json_table " + n.Of.String()}
	case *Apply:
		return e.join("lateral", n.Kind, "", n.On)
	case *Derived:
		return []string{"derived " + n.Name}
	case *Shared:
		switch {
		case !n.Keep:
			return []string{"with " + n.Name}
		case e.shared[n]:
			return []string{"with " + n.Name, "as above"}
		}
		return []string{"with " + n.Name, "once"}
	case *Recursive:
		return n.operator()
	case *RecursiveRows:
		return []string{"rows of " + n.Of.Name, "of the round before"}
	case *Concat:
		return []string{"union all"}
	case *SetMatch:
		s := "except"
		if n.Intersect {
			s = "intersect"
		}
		if n.All {
			s += " all"
		}
		return []string{s}
	}
	return []string{fmt.Sprintf("%T", n)}
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

func (e *explainer) projected(n *Project) string {
	out := make([]string, len(n.Exprs))
	for i, x := range n.Exprs {
		out[i] = e.text(x)
		if i < len(n.Names) && !speaksForItself(x, out[i], n.Names[i]) {
			out[i] += " as " + n.Names[i]
		}
	}
	return strings.Join(out, ", ")
}

// speaksForItself says whether the name of a result's column is that of the column that it shows, with or without the table, or the text of its
// expression as written.
func speaksForItself(x expr.Node, text, name string) bool {
	if c, ok := x.(*expr.Column); ok && name != "" {
		return c.Name == name || strings.HasSuffix(c.Name, "."+name)
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	return name == "" || name[0] == '(' || plain(name) == plain(text)
}

func (e *explainer) order(keys []access.SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = e.text(k.Expr)
		if k.Desc {
			out[i] += " desc"
		}
	}
	return strings.Join(out, ", ")
}

func (e *explainer) limit(n *Limit) []string {
	s := "limit all"
	if n.Count != nil {
		s = "limit " + e.text(n.Count)
	}
	if n.Offset != nil {
		s += " offset " + e.text(n.Offset)
	}
	if n.CountAll {
		return []string{s, "counting all"}
	}
	return []string{s}
}

func (e *explainer) aggregate(n *Aggregate) []string {
	aggs := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		aggs[i] = a.String()
	}
	s := "aggregate"
	if len(aggs) > 0 {
		s += " " + strings.Join(aggs, ", ")
	}
	parts := []string{s}
	if len(n.Group) > 0 {
		parts = append(parts, "by "+e.list(n.Group))
	}
	if n.Rollup {
		parts = append(parts, "with rollup")
	}
	if n.Sorted {
		parts = append(parts, "in order")
	}
	return parts
}

var joinNames = [...]string{InnerJoin: "join", LeftJoin: "left join", SemiJoin: "semi join", AntiJoin: "anti join"}

func (e *explainer) join(how string, kind JoinKind, keys string, on expr.Node) []string {
	parts := []string{how + " " + joinNames[kind]}
	if keys != "" {
		parts = append(parts, "on "+keys)
	}
	if on != nil {
		parts = append(parts, "check "+e.text(on))
	}
	return parts
}

func (e *explainer) lookupJoin(n *LookupJoin) []string {
	if n.WholeFirst() {
		return append(e.operator(n.Whole), "or by key while that costs less")
	}
	parts := e.join("lookup", n.Kind, "", n.On)
	if n.Whole != nil {
		parts = append(parts, fmt.Sprintf("or scan from %.0f requests on", n.After))
	}
	return parts
}

func (e *explainer) hashKeys(n *HashJoin) string {
	out := make([]string, len(n.LeftKeys))
	for i := range n.LeftKeys {
		op := "="
		if i < len(n.NullSafe) && n.NullSafe[i] {
			op = "<=>"
		}
		out[i] = fmt.Sprintf("%s %s %s", e.text(n.LeftKeys[i]), op, e.text(n.RightKeys[i]))
	}
	return strings.Join(out, " and ")
}

// subqueriesOf prints the subqueries of an operator's expressions below it, each once in the statement.
func (e *explainer) subqueriesOf(depth int, visit func(func(expr.Node))) {
	visit(func(n expr.Node) {
		subqueries(n, func(s *expr.Subquery, p *Plan) {
			if e.seen[p] {
				return
			}
			e.seen[p] = true
			e.line(depth, fmt.Sprint("subquery ", s.Slot), e.when(s))
			e.plan(p, depth+1)
			if s.Whole != nil {
				e.line(depth, fmt.Sprint("subquery ", s.Slot), "for all at once")
				e.plan(s.Whole.Plan.(*Plan), depth+1)
			}
		})
	})
}

// when says how often a subquery runs.
func (e *explainer) when(s *expr.Subquery) string {
	switch {
	case !s.Correlated:
		return "once"
	case !s.Repeatable:
		return "for each row"
	}
	names := make([]string, len(s.Refs))
	for i, c := range s.Refs {
		names[i] = c.Name
	}
	if s.X != nil {
		names = append(names, e.text(s.X))
	}
	when := "once for each " + strings.Join(names, ", ")
	if s.Whole != nil {
		when += ", or for all at once where they are many"
	}
	return when
}
