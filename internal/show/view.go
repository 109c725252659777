package show

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// withColumns gives a view with the columns that it has by the tables' current definitions, and any other table as it is.
func withColumns(t *schema.Table, tables schema.Tables) (*schema.Table, error) {
	if !t.IsView() {
		return t, nil
	}
	columns, err := planner.ViewColumns(t, tables, planner.Options{Database: schema.DatabaseName(t.Database)})
	if err != nil {
		return nil, err
	}
	shown := t.Clone()
	shown.Columns = append(shown.Columns, columns...)
	return shown, nil
}

// allWithColumns is withColumns for several tables. A view that needs something that does not exist has no columns.
func allWithColumns(tables []*schema.Table, by schema.Tables) ([]*schema.Table, error) {
	tables = slices.Clone(tables)
	for i, t := range tables {
		shown, err := withColumns(t, by)
		switch {
		case err == nil:
			tables[i] = shown
		case planner.InvalidView(err) == nil:
			return nil, err
		}
	}
	return tables, nil
}

func infoViews(database string, tables []*schema.Table) *virtual {
	v := newVirtual("VIEWS", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "VIEW_DEFINITION", "CHECK_OPTION", "IS_UPDATABLE", "DEFINER",
		"SECURITY_TYPE", "CHARACTER_SET_CLIENT", "COLLATION_CONNECTION")
	for _, t := range tables {
		if !t.IsView() {
			continue
		}
		security := "DEFINER"
		if t.View.Invoker {
			security = "INVOKER"
		}
		v.add("def", database, t.Name, t.View.Query, t.View.Check.String(), t.View.Updatable, schema.ViewDefiner, security, "utf8mb4", t.Collation.String())
	}
	return v
}
