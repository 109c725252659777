package define

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// View makes the table that a CREATE VIEW describes. The names in its query are fully qualified, so that it keeps its meaning when
// the tables get further columns.
//
// s.View has the database of the view as SQL names it, database is its name in the store.
func View(s *dialect.CreateView, database string, tables schema.Tables, opt planner.Options) (*schema.Table, error) {
	if s.Variable {
		return nil, sqlerr.New(sqlerr.CodeViewVariable, sqlerr.NoPos, "View's SELECT contains a variable or parameter")
	}
	if err := checkNames(s.View.Pos, append([]string{s.View.Name}, s.Columns...)...); err != nil {
		return nil, err
	}
	query, err := planner.BindView(s.Query, s.View, tables, opt)
	if err != nil {
		return nil, err
	}
	names, err := viewColumns(s, query.Columns)
	if err != nil {
		return nil, err
	}
	t := &schema.Table{Database: database, Name: s.View.Name, Collation: opt.Collation, View: &schema.View{
		Query: edited(s, query.Edits), Columns: names, Invoker: s.Invoker, ANSIQuotes: s.ANSIQuotes,
		Merge: s.Algorithm == "MERGE", TempTable: s.Algorithm == "TEMPTABLE", Check: checkOptions[s.Check],
	}}
	if err := t.Init(); err != nil {
		return nil, err
	}
	if t.View.Updatable, err = planner.IsUpdatable(t, tables, opt); err != nil {
		return nil, fmt.Errorf("view %s: its text %s is not what was written: %w", t.Name, t.View.Query, err)
	}
	if t.View.Check != schema.Unchecked && !t.View.Updatable {
		return nil, sqlerr.New(sqlerr.CodeViewNoCheck, s.View.Pos, "CHECK OPTION on non-updatable view '%s.%s'", s.View.Database, t.Name)
	}
	return t, nil
}

var checkOptions = map[string]schema.CheckOption{"LOCAL": schema.LocalCheck, "CASCADED": schema.CascadedCheck}

// viewColumns are the names of the view's columns.
func viewColumns(s *dialect.CreateView, columns []planner.ResultColumn) ([]string, error) {
	names := slices.Clone(s.Columns)
	if names == nil {
		for i, c := range columns {
			if utf8.RuneCountInString(c.Name) > maxNameLength {
				c.Name = fmt.Sprintf("Name_exp_%d", i+1)
			}
			names = append(names, c.Name)
		}
	}
	if len(names) != len(columns) {
		return nil, sqlerr.New(sqlerr.CodeViewFieldList, sqlerr.NoPos,
			"In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	for i, name := range names {
		if slices.ContainsFunc(names[:i], func(other string) bool { return strings.EqualFold(other, name) }) {
			return nil, sqlerr.New(sqlerr.CodeDuplicateColumn, sqlerr.NoPos, "Duplicate column name '%s'", name)
		}
	}
	return names, nil
}

// edited is the text of the query with the edits, which are in order.
func edited(s *dialect.CreateView, edits []dialect.Edit) string {
	var b strings.Builder
	done := 0
	for _, e := range edits {
		b.WriteString(s.Text[done : e.Start-s.Start])
		b.WriteString(e.Text)
		done = e.End - s.Start
	}
	b.WriteString(s.Text[done:])
	return b.String()
}
