package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// family prints a FamilyScan: its two tables, the spans of both, what is checked here.
func (e *explainer) family(n *FamilyScan, depth int) {
	s := n.Child
	left := ""
	if n.Kind == LeftJoin {
		left = "left "
	}
	parts := []string{"family scan " + scanName(n.Parent) + ", " + left + scanName(s)}
	exact := true
	var reads access.Reads
	switch r, err := e.reads(s); {
	case err != nil:
		parts = append(parts, "error "+err.Error())
	case r != nil:
		reads, exact = *r, r.Exact
		ranged := *s
		ranged.Access = access.RangeScan
		parts = append(parts, readsText(&ranged, r)...)
	default:
		parts = append(parts, e.symbolic(s)...)
	}
	var check []expr.Node
	if !exact {
		check = append(expr.Conjuncts(n.Parent.Recheck), expr.Conjuncts(s.Recheck)...)
	}
	check = slices.Concat(check, expr.Conjuncts(n.Parent.Residual), expr.Conjuncts(s.Residual), expr.Conjuncts(n.On))
	if len(check) > 0 {
		texts := make([]string, len(check))
		for i, c := range check {
			texts[i] = e.operand(c, len(check) > 1)
		}
		parts = append(parts, "check "+strings.Join(texts, " AND "))
	}
	if s.Ordered {
		parts = append(parts, "in order")
	}
	if s.Limit != nil && exact {
		parts = append(parts, "limit "+e.text(s.Limit))
	}
	parts = append(parts, "columns "+scanColumns(n.Parent)+" and "+scanColumns(s))
	e.line(depth, append(parts, fmt.Sprintf("requests ≥ %d", e.scanRequests(s, true)))...)
	e.lines[len(e.lines)-1].Reads = reads
}
