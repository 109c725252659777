package planner

import (
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

var accessNames = [...]string{
	PointRead: "point read", PointReads: "point reads", RangeScan: "row-key range",
	PartitionScan: "partition scan", TableScan: "table scan", VirtualScan: "virtual table",
}

// mostShown bounds the keys and spans that a line shows.
const mostShown = 3

// scan prints a Scan: how and what is read, what is sent along, what is checked here.
func (e *explainer) scan(s *Scan, depth int) {
	parts := []string{accessNames[s.Access] + " " + s.name()}
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	exact, copies := true, false
	if s.Access != VirtualScan {
		switch r, err := e.reads(s); {
		case err != nil:
			add("error %v", err)
		case r != nil:
			exact, copies = r.Exact, r.Copies
			parts = append(parts, s.readsText(r)...)
		default:
			parts = append(parts, e.symbolic(s)...)
			copies = s.passesCopies()
		}
	}
	if copies {
		add("past copies of %s", s.Table.Inside.Parent)
	}
	if s.Fetch {
		add("then rows by key")
	}
	if s.Filter != nil {
		add("filter %s", e.filter(s.Table, s.Filter, false))
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
	add("columns %s", s.columnNames())
	add("requests ≥ %d", e.scanRequests(s, true))
	e.line(depth, "%s", strings.Join(parts, "  "))
}

// operand is the text of a part of an AND or OR, in parentheses where it needs them.
func (e *explainer) operand(n expr.Node, joined bool) string {
	if l, ok := n.(*expr.Logic); ok && joined && l.Op != expr.And {
		return "(" + e.text(n) + ")"
	}
	return e.text(n)
}

func (s *Scan) name() string {
	name := s.Table.Name
	if s.Index != nil && s.Index.Beside == "" {
		name += "." + s.Index.Name
	}
	if s.Alias != "" && !strings.EqualFold(s.Alias, s.Table.Name) {
		name += " as " + s.Alias
	}
	return name
}

func (s *Scan) columnNames() string {
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

// computable says whether the keys can be computed now: their conditions hold no argument that is not
// given, no column of another row and no subquery.
func (e *explainer) computable(s *Scan) bool {
	if s.Keys == nil || s.Keys.conds == nil {
		return true
	}
	can := true
	expr.Walk(s.Keys.conds, func(n expr.Node) bool {
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
func (s *Scan) readsText(r *Reads) []string {
	var out []string
	several := s.Table.Partition != nil || s.Table.Foreign != nil
	if s.Table.Parts != nil {
		out = append(out, partsText(r.parts()))
	}
	if len(r.Points) > 0 {
		keys := make([]string, 0, mostShown)
		for i, k := range r.Points {
			if i == mostShown {
				break
			}
			keys = append(keys, inPartition(several, k.Partition, k.Row))
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
		name := sp.Partition
		if sp.All {
			name = "all"
			if sp.FromPartition != "" || sp.ToPartition != "" {
				name = fmt.Sprintf("[%s, %s)", sp.FromPartition, sp.ToPartition)
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
	if s.Keys != nil && len(s.Keys.parts) > 0 && len(texts) > 0 && (s.Access == RangeScan || s.Access <= PointReads) {
		out = append(out, plural("span", texts[:min(mostShown, len(texts))], len(texts)))
	}
	switch {
	case !several:
	case len(names) == 1:
		out = append(out, "partition "+names[0])
	case s.Table.Foreign != nil:
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
func (e *explainer) symbolic(s *Scan) []string {
	var out []string
	what := "span"
	if s.Access <= PointReads {
		what = "key"
	}
	if s.Access == PartitionScan {
		what = "partition"
	}
	out = append(out, what+" "+e.text(s.Keys.conds))
	if s.Table.Partition != nil && s.Access == RangeScan {
		if n, named := s.Keys.spread(); !named {
			out = append(out, "partition all")
		} else if n > 1 {
			out = append(out, fmt.Sprintf("partitions %.0f", n))
		}
	}
	return out
}

// leastRequests is how many requests a scan takes at least whose arguments are not known: values in a
// list may turn out to be the same, so that only partitions that are walked for certain count.
func (s *Scan) leastRequests() int {
	p := s.Table.Partition
	if p == nil || p.Kind != PartitionByHash || s.Access <= PointReads {
		return 1
	}
	for i := range s.Keys.branches {
		if _, open := s.Keys.branches[i].spread(s.Keys); open {
			return p.Count
		}
	}
	return 1
}

var filterSigns = [...]string{FilterEq: "=", FilterGt: ">", FilterGe: ">=", FilterLt: "<", FilterLe: "<="}

// filter is the text of what is sent to the store.
func (e *explainer) filter(t *Table, f *Filter, inner bool) string {
	word := " AND "
	switch f.Op {
	case FilterOr:
		word = " OR "
	case FilterAnd:
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
