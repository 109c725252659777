package planner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// about is what an operator, with all below it, is expected to yield and to cost.
type about struct {
	rows float64
	// begin is how many requests it takes however few rows are wanted; each is how many more it takes until all rows have come.
	begin, each float64
	// known: ANALYZE TABLE has looked at all tables, or their rows were counted.
	known bool
	// counted is how the rows were counted, if some were.
	counted string
}

// requests is how many it takes until all rows have come.
func (a about) requests() float64 { return a.begin + a.each }

// held is a if all of its rows come before the first is handed on.
func (a about) held() about {
	a.begin, a.each = a.requests(), 0
	return a
}

// upTo is a if only so many of its rows are wanted.
func (a about) upTo(rows float64) about {
	if rows >= a.rows {
		return a
	}
	share := rows / max(a.rows, 1)
	return about{rows: rows, begin: a.begin + max(min(a.each, 1), a.each*share), known: a.known, counted: a.counted}
}

// aboutPlan estimates a statement.
func (e *explainer) aboutPlan(p *Plan) about {
	if p.Write != nil {
		return e.aboutWrite(p)
	}
	return e.aboutNode(p.Root)
}

func (e *explainer) aboutNode(n Node) about {
	if a, done := e.abouts[n]; done {
		return a
	}
	a := e.aboutInputs(n)
	rows := a.rows
	if inputs := Children(n); len(inputs) > 0 {
		rows = e.aboutNode(inputs[0]).rows
	}
	e.aboutSubqueries(&a, rows, func(f func(expr.Node)) { expressions(n, f) })
	e.abouts[n] = a
	return a
}

// aboutSubqueries adds the subqueries of an operator's expressions, which are computed for so many rows.
func (e *explainer) aboutSubqueries(a *about, rows float64, visit func(func(expr.Node))) {
	visit(func(x expr.Node) {
		subqueries(x, func(s *expr.Subquery, p *Plan) {
			q := e.aboutPlan(p)
			times := 1.0
			if s.Correlated {
				times = max(1, rows)
			}
			a.begin, a.known = a.begin+q.requests()*times, a.known && q.known
		})
	})
}

// aboutInputs is aboutNode without the subqueries of its own expressions.
func (e *explainer) aboutInputs(n Node) about {
	switch n := n.(type) {
	case *access.Scan:
		return e.aboutScan(n)
	case *FamilyScan:
		return e.aboutScan(n.Child)
	case *JSONTable:
		return about{rows: jsonTableRows, known: true}
	case *Values:
		return about{rows: float64(len(n.Rows)), known: true}
	case *Filter:
		a := e.aboutNode(n.Input)
		if !n.Once {
			a.rows = max(1, a.rows*filterShare)
		}
		return a
	case *Sort:
		a := e.aboutNode(n.Input).held()
		if n.Limit != nil {
			a.rows = min(a.rows, e.wanted(n.Limit)+e.wanted(n.Offset))
		}
		return a
	case *Limit:
		a := e.aboutNode(n.Input)
		if n.Count == nil || n.CountAll {
			return a
		}
		skipped := e.wanted(n.Offset)
		a = a.upTo(skipped + e.wanted(n.Count))
		a.rows = max(0, a.rows-skipped)
		return a
	case *Aggregate:
		a := e.aboutNode(n.Input)
		if !n.Sorted {
			a = a.held()
		}
		a.rows = min(max(a.rows, 1), n.Rows)
		return a
	case *Window:
		a := e.aboutNode(n.Input)
		if !n.Sorted {
			a = a.held()
		}
		return a
	case *HashJoin:
		left, right := e.aboutNode(n.Left), e.aboutNode(n.Right).held()
		rows := n.Rows
		if left.counted != "" || right.counted != "" {
			rows = max(left.rows, right.rows) // as where each row of one side refers to one of the other
		}
		return joined(left, right, rows)
	case *LoopJoin:
		left, right := e.aboutNode(n.Left), e.aboutNode(n.Right).held()
		rows := n.Rows
		if left.counted != "" || right.counted != "" {
			rows = left.rows * right.rows
		}
		return joined(left, right, rows)
	case *LookupJoin:
		left, right := e.aboutNode(n.Left), e.aboutScan(n.Right)
		lookups, rows := e.lookups(n, left), n.Joined
		if left.counted != "" {
			rows = left.rows * right.rows
		}
		right.each, right.begin = right.requests()*lookups, 0
		if n.Whole != nil {
			whole := n.After + e.aboutNode(n.Whole.Right).requests()
			right.each = min(right.each, whole)
			if n.WholeFirst() {
				right.begin, right.each = whole, 0
			}
		}
		return joined(left, right, rows)
	case *Apply:
		left, right := e.aboutNode(n.Left), e.aboutNode(n.Right)
		rows := left.rows * right.rows
		if n.Kind == LeftJoin {
			rows = max(rows, left.rows)
		}
		right.each, right.begin = right.requests()*left.rows, 0
		return joined(left, right, rows)
	case *SetMatch:
		left := e.aboutNode(n.Left)
		return joined(left, e.aboutNode(n.Right).held(), left.rows)
	case *Concat:
		all := about{known: true}
		for _, input := range n.Inputs {
			a := e.aboutNode(input)
			all = joined(all, a, all.rows+a.rows)
		}
		return all
	}
	inputs := Children(n)
	if len(inputs) != 1 {
		return about{}
	}
	return e.aboutNode(inputs[0])
}

// lookups is how many keys a join reads, given what its left side is expected to yield.
func (e *explainer) lookups(n *LookupJoin, left about) float64 {
	if left.counted != "" {
		return left.rows
	}
	return n.Lookups
}

func joined(left, right about, rows float64) about {
	return about{rows: rows, begin: left.begin + right.begin, each: left.each + right.each, known: left.known && right.known, counted: cmp.Or(left.counted, right.counted)}
}

func (e *explainer) aboutScan(s *access.Scan) about {
	a := e.aboutStored(s)
	if s.Table.Temporary {
		a.begin, a.each = 0, 0
	}
	return a
}

func (e *explainer) aboutStored(s *access.Scan) about {
	if c := e.counts[s.Table]; c != nil {
		return e.aboutCounted(s, c)
	}
	a := about{rows: s.Rows, each: s.Requests, known: s.Table.Analyzed()}
	switch {
	case s.Access == access.VirtualScan:
		return about{rows: s.Rows, known: true}
	case s.Limit != nil || s.Access <= access.PointReads:
		return a.held()
	}
	return a
}

// wanted is how many rows a LIMIT or OFFSET says; none where there is none.
func (e *explainer) wanted(n expr.Node) float64 {
	if n == nil {
		return 0
	}
	v, err := expr.Compile(n)(&expr.Env{Args: e.args, Session: &expr.Session{}})
	if err != nil {
		return access.AssumedLimit
	}
	return value.ToFloat(v)
}

// aboutLine is what a line says about its operator; "" if a table was never analyzed. times is how often a scan runs in each run of the
// statement; 0: once.
func (e *explainer) aboutLine(n Node, times float64) string {
	if !e.analyzed {
		return ""
	}
	a := e.aboutNode(n)
	if _, isScan := n.(*access.Scan); !a.known || !isScan && a.counted != "" { // a count of rows does not tell how many match
		return ""
	}
	s := count(a.rows, "row")
	if scan, ok := n.(*access.Scan); ok && scan.Access != access.VirtualScan {
		s += ", " + count(a.requests(), "request")
	}
	if scan, ok := n.(*access.Scan); ok && e.counts[scan.Table] != nil && scan.Access > access.PointReads {
		s += ", " + a.counted
	}
	if times > 0 {
		s += " for each of " + count(times, "key")
	}
	return s
}

func count(n float64, what string) string {
	text := about3(n)
	if text != "1" {
		what += "s"
	}
	return text + " " + what
}

func countEntities(n float64) string {
	return strings.Replace(count(n, "entity"), "entitys", "entities", 1)
}

// about3 is n rounded to three digits.
func about3(n float64) string {
	if n < 1 && n > 0.05 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	n = math.Round(n)
	for unit := 1.0; ; unit *= 10 {
		if n < 1000*unit {
			return strconv.FormatFloat(math.Round(n/unit)*unit, 'f', 0, 64)
		}
	}
}

// unanalyzed names the tables of which nothing is known, if something is known of others.
func (p *Plan) unanalyzed() []string {
	var names []string
	known := false
	for _, s := range p.Scans() {
		switch t := s.Table; {
		case s.Access == access.VirtualScan || t.IsUndeclared():
		case t.Analyzed():
			known = true
		case !slices.Contains(names, t.Name):
			names = append(names, t.Name)
		}
	}
	if !known {
		return nil
	}
	return names
}

// total is the estimate of the whole statement, in requests; ok is false if it is not known.
func (e *explainer) total(p *Plan, least int) (requests float64, ok bool) {
	if in, ok := p.Write.(*Insert); !e.analyzed && !(ok && in.Source == nil) {
		return 0, false
	}
	a := e.aboutPlan(p)
	if !a.known {
		return 0, false
	}
	return max(float64(least), math.Ceil(a.requests()-0.01)), true
}

func isAnalyzed(s *access.Scan) bool { return s.Table.Analyzed() }

// wasteful says what would help each table of which much is read for few rows; see Plan.CheckScans.
func (p *Plan) wasteful() []string {
	var out []string
	for _, s := range p.Scans() {
		t := s.Table
		if !t.Analyzed() || s.Limit != nil || s.Residual == nil || s.Requests < wasteRequests || s.Rows*wasteFactor > s.Requests*access.PageEntities {
			continue
		}
		text := fmt.Sprintf("reads %s of %s for %s", countEntities(s.Requests*access.PageEntities), t.Name, count(s.Rows, "row"))
		switch columns := usefulIndex(s); {
		case len(columns) > 0 && !hasIndex(t, columns):
			text += fmt.Sprintf(": CREATE INDEX %s ON %s (%s) would help", strings.Join(columns, "_"), t.Name, strings.Join(columns, ", "))
		case s.Access == access.TableScan && t.Spread != nil && t.Spread.Kind == schema.SpreadByKey:
			var names []string
			for _, c := range t.Spread.Columns {
				names = append(names, t.Columns[c].Name+" = …")
			}
			text += ": name a partition by " + strings.Join(names, " AND ")
		default:
			text += ": no key serves " + expr.String(s.Residual)
		}
		out = append(out, text)
	}
	return out
}

// A scan is wasteful if it takes so many requests and reads so many entities for each row.
const (
	wasteRequests = 3
	wasteFactor   = 20
)

// hasIndex says whether a key of the table begins with the columns.
func hasIndex(t *schema.Table, columns []string) bool {
	begins := func(key []schema.KeyColumn) bool {
		if len(key) < len(columns) {
			return false
		}
		for i, name := range columns {
			if !strings.EqualFold(t.Columns[key[i].Column].Name, name) {
				return false
			}
		}
		return true
	}
	return begins(t.Key) || slices.ContainsFunc(t.Indexes, func(ix *schema.Index) bool { return begins(ix.Key) })
}
