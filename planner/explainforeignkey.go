package planner

import (
	"maps"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// refers says which rows of other tables must exist, each of them a look, if a write sets these columns; nil: all.
func (r Related) refers(t *schema.Table, sets func(column int) bool) (out []string) {
	if r == nil {
		return nil
	}
	for i := range t.ForeignKeys {
		if k := &t.ForeignKeys[i]; !k.NotEnforced && (sets == nil || slices.ContainsFunc(k.Columns, sets)) {
			out = append(out, columnNames(t, k.Columns)+" refers to a row of "+relativeName(k.To()))
		}
	}
	return out
}

// referred says what happens to the rows that refer to those of t, a look for each key, if a write deletes these or, with sets, sets such
// columns.
func (r Related) referred(t *schema.Table, sets func(column int) bool) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		child := r[name].Table
		for i := range child.ForeignKeys {
			k := &child.ForeignKeys[i]
			if !k.RefersTo(t.As(child)) || sets != nil && !slices.ContainsFunc(k.RefColumns, func(c string) bool { return sets(t.Ordinal(c)) }) {
				continue
			}
			action, does := k.OnDelete, "with rows of "+child.Name+" that refer to it"
			if sets != nil {
				action, does = k.OnUpdate, "rows of "+child.Name+" that refer to it follow"
			}
			switch action {
			case schema.Cascade:
			case schema.SetNull:
				does = "rows of " + child.Name + " that refer to it lose " + columnNames(child, k.Columns)
			default:
				does = "unless rows of " + child.Name + " refer to it"
			}
			out = append(out, does)
		}
	}
	return out
}

func relativeName(r schema.Relative) string {
	if r.IsOwn() {
		return r.Name
	}
	return r.Database + "." + r.Name
}

func columnNames(t *schema.Table, columns []int) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = t.Columns[c].Name
	}
	return strings.Join(names, ", ")
}
