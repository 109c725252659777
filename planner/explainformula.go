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
)

// formula is what the requests of a statement are made up of if their number is not known: a number, and how many each thing of some kind takes.
type formula struct {
	e      *explainer
	fixed  int
	terms  []string
	shared map[*Shared]bool
	// tells: it says more than that a long range takes several pages.
	tells bool
}

// formula is a plan's formula in words: "1 + 1 for each a.id"; "" if it tells nothing.
func (e *explainer) formula(p *Plan) string {
	f := &formula{e: e, shared: map[*Shared]bool{}}
	f.plan(p)
	if !f.tells {
		return ""
	}
	return f.text()
}

func (f *formula) text() string {
	terms := f.terms
	if f.fixed > 0 || len(terms) == 0 {
		terms = append([]string{strconv.Itoa(f.fixed)}, terms...)
	}
	return strings.Join(terms, " + ")
}

// each adds what is taken for each thing of a kind.
func (f *formula) each(n int, what string) {
	if term := fmt.Sprintf("%d for each %s", n, what); !slices.Contains(f.terms, term) {
		f.terms = append(f.terms, term)
	}
}

func (f *formula) plan(p *Plan) {
	if p.Write == nil {
		f.node(p.Root)
		return
	}
	_, byRows := f.e.tables(p)
	if byRows == nil {
		return
	}
	if n := writeSource(byRows.Write); n != nil {
		f.node(n)
	}
	f.subqueries(func(visit func(expr.Node)) { writeExpressions(byRows.Write, visit) })
	f.write(byRows)
}

func (f *formula) node(n Node) {
	switch n := n.(type) {
	case *access.Scan:
		f.scan(n)
	case *FamilyScan:
		f.scan(n.Child)
	case *LookupJoin:
		if n.WholeFirst() {
			f.node(n.Whole)
			return
		}
		f.node(n.Left)
		f.lookups(n)
	case *Shared:
		if !f.shared[n] {
			f.shared[n] = n.Keep
			f.node(n.Input)
		}
	default:
		for _, c := range Children(n) {
			f.node(c)
		}
	}
	f.subqueries(func(visit func(expr.Node)) { expressions(n, visit) })
}

func (f *formula) scan(s *access.Scan) {
	if s.Access == access.VirtualScan {
		return
	}
	r, err := f.e.reads(s)
	switch {
	case s.Access == access.PointRead, s.Limit != nil && len(expr.Conjuncts(s.Residual)) == 0:
		f.fixed++
	case s.Access == access.PointReads && err == nil && r != nil:
		f.fixed += len(r.Points)
	case s.Access == access.PointReads:
		f.each(1, "key of "+formulaName(s))
	default:
		f.each(1, strconv.Itoa(access.PageEntities)+" entities of "+formulaName(s))
	}
	if s.IndexJoin {
		f.tells = true
		f.each(1, "row of "+formulaName(s))
	}
}

// formulaName names what is read by the statement's own name for it.
func formulaName(s *access.Scan) string {
	name := cmp.Or(s.Alias, s.Table.Name)
	if s.Index != nil && s.Index.Child == "" {
		name += "." + s.Index.Name
	}
	return name
}

// lookups are the reads of a join by key.
func (f *formula) lookups(n *LookupJoin) {
	f.tells = true
	s := n.Right
	f.each(1, strings.Join(outerColumns(s), ", "))
	if s.IndexJoin {
		f.each(1, "row of "+formulaName(s))
	}
}

// outerColumns are the columns of other tables that the keys of s are made of.
func outerColumns(s *access.Scan) (names []string) {
	if s.Keys != nil && s.Keys.Conds != nil {
		expr.Walk(s.Keys.Conds, func(n expr.Node) bool {
			if c, ok := n.(*expr.Column); ok && (c.Level > 0 || c.Index < s.Offset || c.Index >= s.Offset+s.Table.RowWidth()) && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
			return true
		})
	}
	if len(names) == 0 {
		return []string{"row"}
	}
	return names
}

func (f *formula) subqueries(visit func(func(expr.Node))) {
	visit(func(x expr.Node) {
		subqueries(x, func(s *expr.Subquery, p *Plan) {
			if !s.Correlated {
				f.plan(p)
				return
			}
			f.tells = true
			inner := &formula{e: f.e, shared: f.shared}
			inner.plan(p)
			of := "row"
			if s.Repeatable && len(s.Refs) > 0 {
				names := make([]string, len(s.Refs))
				for i, c := range s.Refs {
					names[i] = c.Name
				}
				of = strings.Join(names, ", ")
			}
			if len(inner.terms) == 0 {
				f.each(inner.fixed, of)
			} else {
				f.terms = append(f.terms, "("+inner.text()+") for each "+of)
			}
		})
	})
}

// write adds what a write takes besides its source.
func (f *formula) write(p *Plan) {
	w := p.Write
	if in, ok := w.(*Insert); ok && in.Source == nil {
		f.fixed++
		return
	}
	f.tells = true
	point := false
	if s, ok := writeSource(w).(*access.Scan); ok {
		point = s.Access == access.PointRead
	}
	var related Related
	switch w := w.(type) {
	case *Insert:
		related = w.Related
		if w.Replace || w.Ignore || len(w.OnDup) > 0 {
			f.each(uniqueLooks(w), "row")
		}
	case *Update:
		related = w.Related
	case *Delete:
		related = w.Related
		for i := range w.Targets {
			for _, c := range w.Targets[i].Children {
				f.each(1, "row and "+fmt.Sprint(access.PageEntities)+" rows of "+c.Table.Name)
			}
		}
	}
	for _, t := range Written(w) {
		if point {
			f.fixed++
			continue
		}
		rows := max(1, int(math.Floor(transactionOps/float64(t.Copies()+1))))
		f.each(1, count(float64(rows), "row")+" of "+t.Name)
	}
	if related != nil {
		f.terms = append(f.terms, "the looks for rows that foreign keys tie to them")
	}
}
