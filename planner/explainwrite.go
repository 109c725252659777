package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// transactionOps is how many entities one entity group transaction writes at most.
const transactionOps = 100

// write prints a write: its entities are the rows and their index entries. A statement that writes the rows of a source takes
// one transaction at least, if there are any.
func (e *explainer) write(w Write, depth int) {
	var parts []string
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	next := func() { // what follows is about another table
		e.line(depth, parts...)
		parts = nil
	}
	requests := 1
	var returning []expr.Node
	switch w := w.(type) {
	case *Insert:
		add("%s %s", insertName(w), w.Table.Name)
		each := w.Table.Copies() + 1
		if w.Source == nil {
			add("rows %d", len(w.Rows))
			add("entities %s", entities(len(w.Rows)*each, len(w.Rows)))
			requests = w.leastRequests()
		} else {
			add("entities a row %s", entities(each, 1))
		}
		if len(w.Rows) != 1 {
			parts = append(parts, atOnce(nil, w.Table)...)
		}
		if in := w.Table.Interleaved; in != nil {
			add("inside a row of %s, which must be there", in.Parent)
		}
		parts = append(parts, w.Related.refers(w.Table, nil)...)
		if w.Replace {
			parts = append(parts, w.Related.referred(w.Table, nil)...)
		}
		if len(w.OnDup) > 0 {
			parts = append(parts, w.Related.referred(w.Table, sets(w.OnDup))...)
			add("on duplicate %s", e.assigns(w.Table, w.OnDup))
		}
		if w.OnDupCond != nil {
			add("where %s", e.text(w.OnDupCond))
		}
		if w.Target != nil {
			add("target %s", w.Target.name())
		}
		returning = w.Returning
	case *Update:
		for i := range w.Targets {
			if i > 0 {
				next()
			}
			t := &w.Targets[i]
			add("%s %s", ignoring("update", w.Ignore), nameOf(w.Targets, i))
			add("set %s", e.assigns(t.Table, t.Set))
			add("entities a row %s", entities(t.Table.Copies()+1, 1))
			parts = append(append(parts, w.Related.refers(t.Table, sets(t.Set))...), w.Related.referred(t.Table, sets(t.Set))...)
		}
		parts = append(parts, atOnce(w.Source, tablesOf(w.Targets)...)...)
		returning = w.Returning
	case *Delete:
		for i := range w.Targets {
			if i > 0 {
				next()
			}
			t := &w.Targets[i]
			add("%s %s", ignoring("delete", w.Ignore), nameOf(w.Targets, i))
			add("entities a row %s", entities(t.Table.Copies()+1, 1))
			for _, child := range t.Children {
				if child.Table.Interleaved.Cascade {
					add("with its rows of %s", child.Table.Name)
				} else {
					add("unless it has rows of %s", child.Table.Name)
				}
				requests++ // a look for them
			}
			parts = append(parts, w.Related.referred(t.Table, nil)...)
		}
		parts = append(parts, atOnce(w.Source, tablesOf(w.Targets)...)...)
		returning = w.Returning
	}
	if len(returning) > 0 {
		add("returning %s", e.list(returning))
	}
	if !slices.ContainsFunc(Written(w), func(t *schema.Table) bool { return !t.Temporary }) {
		add("in the session's memory")
		requests = 0
	}
	add("requests ≥ %d", requests)
	e.line(depth, parts...)
}

// atOnce says what it costs on Azure to write the rows of n > 1 partitions at once: each is written twice, but for the one that decides;
// over several physical tables a record of its own decides. Rows that tables are interleaved in, and those of other programs, are not
// written at once.
func atOnce(source Node, tables ...*schema.Table) []string {
	if s, ok := source.(*access.Scan); ok && s.Access == access.PointRead {
		return nil
	}
	tables = slices.DeleteFunc(slices.Clone(tables), func(t *schema.Table) bool { return t.Temporary })
	if len(tables) == 0 {
		return nil
	}
	several := false
	for _, t := range tables {
		if t.IsExternal() || len(t.Children) > 0 {
			return nil
		}
		several = several || t.Physical != tables[0].Physical || t.IsDivided()
	}
	switch {
	case several:
		return []string{"to n > 1 partitions: 2n + 1 requests"}
	case tables[0].Spread != nil:
		return []string{"to n > 1 partitions: 2n - 1 requests"}
	}
	return nil
}

func ignoring(verb string, ignore bool) string {
	if ignore {
		return verb + " ignore"
	}
	return verb
}

// nameOf names a table that is written: with its alias where there are several.
func nameOf(targets []Target, i int) string {
	t := &targets[i]
	if len(targets) > 1 && !strings.EqualFold(t.Alias, t.Table.Name) {
		return t.Table.Name + " as " + t.Alias
	}
	return t.Table.Name
}

// sets says whether assignments set a column.
func sets(list []Assign) func(column int) bool {
	return func(column int) bool {
		return slices.ContainsFunc(list, func(a Assign) bool { return a.Column == column })
	}
}

func insertName(w *Insert) string {
	switch {
	case w.Replace:
		return "replace"
	case w.Ignore && len(w.OnDup) > 0:
		return "insert ignore or update"
	case w.Ignore:
		return "insert ignore"
	case len(w.OnDup) > 0:
		return "insert or update"
	}
	return "insert"
}

func (e *explainer) assigns(t *schema.Table, list []Assign) string {
	out := make([]string, len(list))
	for i, a := range list {
		text := "default"
		if a.Value != nil {
			text = e.text(a.Value)
		}
		out[i] = t.Columns[a.Column].Name + " = " + text
	}
	return strings.Join(out, ", ")
}

func (c *Conflict) name() string {
	if c.Primary {
		return "primary key"
	}
	return c.Index.Name
}

func entities(n, rows int) string {
	row := "row"
	if rows != 1 {
		row = fmt.Sprintf("%d rows", rows)
	}
	switch m := n - rows; m {
	case 0:
		return fmt.Sprintf("%d (%s)", n, row)
	case 1:
		return fmt.Sprintf("%d (%s + 1 index entry)", n, row)
	default:
		return fmt.Sprintf("%d (%s + %d index entries)", n, row, m)
	}
}
