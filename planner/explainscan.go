package planner

import (
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

var accessNames = [...]string{
	access.PointRead: "point read", access.PointReads: "point reads", access.RangeScan: "row-key range",
	access.PartitionScan: "partition scan", access.TableScan: "table scan", access.VirtualScan: "virtual table",
}

// mostShown bounds the keys and spans that a line shows.
const mostShown = 3

// scan prints a Scan: how and what is read, what is sent along, what is checked here.
func (e *explainer) scan(s *access.Scan, depth int) {
	parts := []string{accessNames[s.Access] + " " + scanName(s)}
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	exact, copies := true, false
	var reads access.Reads
	if s.Access != access.VirtualScan {
		switch r, err := e.reads(s); {
		case err != nil:
			add("error %v", err)
		case r != nil:
			reads, exact, copies = *r, r.Exact, r.Copies
			parts = append(parts, readsText(s, r)...)
		default:
			parts = append(parts, e.symbolic(s)...)
			copies = s.PassesCopies()
		}
	}
	if copies {
		add("past copies of %s", s.Table.Interleaved.Parent)
	}
	if s.IndexJoin {
		add("then rows by key")
	}
	if s.Predicate != nil {
		add("filter %s", e.filter(s.Table, s.Predicate, false))
	}
	var check []expr.Node
	if !exact {
		check = expr.Conjuncts(s.Recheck)
	}
	check = append(check[:len(check):len(check)], expr.Conjuncts(s.Residual)...)
	if len(check) > 0 {
		texts := make([]string, len(check))
		for i, n := range check {
			texts[i] = e.operand(n, len(check) > 1)
		}
		add("check %s", strings.Join(texts, " AND "))
	}
	if s.Ordered {
		add("in order")
	}
	if s.Limit != nil && exact {
		add("limit %s", e.text(s.Limit))
	}
	add("columns %s", scanColumns(s))
	switch s.Hold {
	case access.HoldOrFail:
		add("nowait")
	case access.HoldOrSkip:
		add("skip locked")
	}
	if s.Table.Temporary {
		add("in the session's memory")
	}
	add("requests ≥ %d", e.scanRequests(s, true))
	e.line(depth, parts...)
	e.lines[len(e.lines)-1].Reads = reads
}

// operand is the text of a part of an AND or OR, in parentheses where it needs them.
func (e *explainer) operand(n expr.Node, joined bool) string {
	if l, ok := n.(*expr.Logic); ok && joined && l.Op != expr.And {
		return "(" + e.text(n) + ")"
	}
	return e.text(n)
}

func scanName(s *access.Scan) string {
	name := s.Table.Name
	if s.Index != nil && s.Index.Child == "" {
		name += "." + s.Index.Name
	}
	if s.Alias != "" && !strings.EqualFold(s.Alias, s.Table.Name) {
		name += " as " + s.Alias
	}
	return name
}

func scanColumns(s *access.Scan) string {
	if len(s.Columns) == 0 {
		return "none"
	}
	out := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		if out[i] = "ETag"; c < len(s.Table.Columns) {
			out[i] = s.Table.Columns[c].Name
		}
		if out[i] == "" {
			out[i] = "the whole entity"
		}
	}
	return strings.Join(out, ", ")
}

// computable says whether the keys can be computed now: their conditions have no missing argument, no column of another row and no subquery.
func (e *explainer) computable(s *access.Scan) bool {
	if s.Keys == nil || s.Keys.Conds == nil {
		return true
	}
	can := true
	expr.Walk(s.Keys.Conds, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Param:
			can = can && n.Index < len(e.args)
		case *expr.Column:
			can = can && n.Level == 0 && n.Index >= s.Offset && n.Index < s.Offset+s.Table.RowWidth()
		case *expr.Subquery:
			can = false
		}
		return can
	})
	return can
}

// readsText is what is read at one execution.
func readsText(s *access.Scan, r *access.Reads) []string {
	var out []string
	several := s.Table.Spread != nil || s.Table.IsExternal()
	if s.Table.IsDivided() {
		out = append(out, partitionsText(partitionsRead(r)))
	}
	if len(r.Points) > 0 {
		keys := make([]string, 0, mostShown)
		for i, k := range r.Points {
			if i == mostShown {
				break
			}
			keys = append(keys, inPartition(several, k.PartitionKey, k.RowKey))
		}
		return append(out, plural("key", keys, len(r.Points)))
	}
	if len(r.Spans) == 0 {
		return append(out, "nothing")
	}
	partitions := map[string]bool{}
	ranges := map[string]bool{}
	var texts, names []string
	for _, sp := range r.Spans {
		name := sp.PartitionKey
		if sp.All {
			name = "all"
			if keys := sp.PartitionKeys; keys.From != "" || keys.To != "" {
				name = fmt.Sprintf("[%s, %s)", keys.From, keys.To)
			}
		}
		if !partitions[name] {
			partitions[name] = true
			names = append(names, name)
		}
		text := fmt.Sprintf("[%s, %s)", sp.From, sp.To)
		if !ranges[text] && (sp.From != "" || sp.To != "") {
			ranges[text] = true
			texts = append(texts, text)
		}
	}
	if s.Keys != nil && len(s.Keys.Columns) > 0 && len(texts) > 0 && (s.Access == access.RangeScan || s.Access <= access.PointReads) {
		out = append(out, plural("span", texts[:min(mostShown, len(texts))], len(texts)))
	}
	switch {
	case !several:
	case len(names) == 1:
		out = append(out, "partition "+names[0])
	case s.Table.IsExternal():
		out = append(out, plural("partition", names[:min(mostShown, len(names))], len(names)))
	default:
		out = append(out, fmt.Sprintf("partitions %d", len(names)))
	}
	return out
}

func inPartition(several bool, partition, row string) string {
	if several {
		return partition + "/" + row
	}
	return row
}

func plural(what string, shown []string, n int) string {
	if n > 1 {
		what += "s"
	}
	s := what + " " + strings.Join(shown, ", ")
	if n > len(shown) {
		s += fmt.Sprintf(", … %d in all", n)
	}
	return s
}

// symbolic is what is read, as conditions.
func (e *explainer) symbolic(s *access.Scan) []string {
	var out []string
	what := "span"
	if s.Access <= access.PointReads {
		what = "key"
	}
	if s.Access == access.PartitionScan {
		what = "partition"
	}
	out = append(out, what+" "+e.text(s.Keys.Conds))
	if s.Table.Spread != nil && s.Access == access.RangeScan {
		if n, named := s.Keys.Spread(); !named {
			out = append(out, "partition all")
		} else if n > 1 {
			out = append(out, fmt.Sprintf("partitions %.0f", n))
		}
	}
	return out
}

// leastRequestsOf is how many requests a scan with unknown arguments takes at least. Values in a list may turn out to be equal, so only
// partitions that are read in any case count.
func leastRequestsOf(s *access.Scan) int {
	buckets := s.Table.LayoutOf(s.Index).Buckets
	if buckets == 0 || s.Access <= access.PointReads {
		return 1
	}
	for i := range s.Keys.Branches {
		if _, open := s.Keys.Branches[i].Spread(s.Keys); open {
			return buckets
		}
	}
	return 1
}

var filterSigns = [...]string{access.PredicateEq: "=", access.PredicateGt: ">", access.PredicateGe: ">=", access.PredicateLt: "<", access.PredicateLe: "<="}

// filter is the text of what is sent to the store.
func (e *explainer) filter(t *schema.Table, f *access.Predicate, inner bool) string {
	word := " AND "
	switch f.Op {
	case access.PredicateOr:
		word = " OR "
	case access.PredicateAnd:
	default:
		return fmt.Sprintf("%s %s %s", t.Columns[f.Column].Name, filterSigns[f.Op], e.text(f.Value))
	}
	texts := make([]string, len(f.Kids))
	for i, k := range f.Kids {
		texts[i] = e.filter(t, k, true)
	}
	s := strings.Join(texts, word)
	if inner {
		s = "(" + s + ")"
	}
	return s
}
