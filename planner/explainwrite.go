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

// write prints a write, with a line for each table: its entities are the rows and their index entries. A statement that writes the rows of a
// source takes at least one transaction, if there are any rows.
func (e *explainer) write(w Write, depth int) {
	var lines [][]string
	requests := 1
	var returning []expr.Node
	switch w := w.(type) {
	case *Insert:
		lines, returning = [][]string{e.insert(w)}, w.Returning
		if w.Source == nil {
			requests = w.leastRequests()
		}
	case *Update:
		lines, returning = e.update(w), w.Returning
	case *Delete:
		lines, returning = e.delete(w), w.Returning
		for i := range w.Targets {
			requests += len(w.Targets[i].Children) // a look for rows of each
		}
	}
	last := &lines[len(lines)-1]
	if len(returning) > 0 {
		*last = append(*last, "returning "+e.list(returning))
	}
	if !slices.ContainsFunc(Written(w), func(t *schema.Table) bool { return !t.Temporary }) {
		*last = append(*last, "in the session's memory")
		requests = 0
	}
	*last = append(*last, fmt.Sprintf("requests ≥ %d", requests))
	for _, parts := range lines {
		e.line(depth, parts...)
	}
}

func (e *explainer) insert(w *Insert) []string {
	var parts []string
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	add("%s %s", insertName(w), w.Table.Name)
	if each := w.Table.Copies() + 1; w.Source == nil {
		add("rows %d", len(w.Rows))
		add("entities %s", entities(len(w.Rows)*each, len(w.Rows)))
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
	return parts
}

func (e *explainer) update(w *Update) [][]string {
	return ofTargets(w.Targets, w.Source, func(i int, t *Target) []string {
		parts := []string{
			ignoring("update", w.Ignore) + " " + nameOf(w.Targets, i),
			"set " + e.assigns(t.Table, t.Set),
			"entities a row " + entities(t.Table.Copies()+1, 1),
		}
		parts = append(parts, w.Related.refers(t.Table, sets(t.Set))...)
		return append(parts, w.Related.referred(t.Table, sets(t.Set))...)
	})
}

func (*explainer) delete(w *Delete) [][]string {
	return ofTargets(w.Targets, w.Source, func(i int, t *Target) []string {
		parts := []string{
			ignoring("delete", w.Ignore) + " " + nameOf(w.Targets, i),
			"entities a row " + entities(t.Table.Copies()+1, 1),
		}
		for _, child := range t.Children {
			if child.Table.Interleaved.Cascade {
				parts = append(parts, "with its rows of "+child.Table.Name)
			} else {
				parts = append(parts, "unless it has rows of "+child.Table.Name)
			}
		}
		return append(parts, w.Related.referred(t.Table, nil)...)
	})
}

// ofTargets is a line for each table that is written; the last line says what writing all of them at once costs.
func ofTargets(targets []Target, source Node, line func(i int, t *Target) []string) [][]string {
	var lines [][]string
	for i := range targets {
		lines = append(lines, line(i, &targets[i]))
	}
	last := &lines[len(lines)-1]
	*last = append(*last, atOnce(source, tablesOf(targets)...)...)
	return lines
}

// atOnce says what it costs on Azure to write the rows of n > 1 partitions at once: each is written twice, except the one that decides; over
// several physical tables a separate record decides. Rows that tables are interleaved in, and rows of other programs, are not written at once.
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
