package show

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// tableColumns are those of information_schema.TABLES behind the table's name and type, and of SHOW TABLE STATUS behind the name: they
// have one order.
var tableColumns = []string{"ENGINE", "VERSION#", "ROW_FORMAT", "TABLE_ROWS#", "AVG_ROW_LENGTH#", "DATA_LENGTH#", "MAX_DATA_LENGTH#", "INDEX_LENGTH#", "DATA_FREE#",
	"AUTO_INCREMENT#", "CREATE_TIME@", "UPDATE_TIME@", "CHECK_TIME@", "TABLE_COLLATION", "CHECKSUM#", "CREATE_OPTIONS", "TABLE_COMMENT"}

// statusOf gives what tableColumns say of a table.
func statusOf(t *schema.Table) []any {
	switch {
	case t.IsView():
		return []any{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, "VIEW"}
	case t.Virtual != nil:
		return []any{nil, 10, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, t.Collation.String(), nil, "", ""}
	}
	rows, length, data := sizes(t)
	return []any{engineName, tableVersion(t), "Dynamic", rows, length, data, nil, nil, nil, nil, nil, nil, nil, t.Collation.String(), nil, "", t.Comment}
}

// infoTables is TABLES.
func infoTables(database string, tables []*schema.Table) *virtual {
	v := newVirtual("TABLES", append([]string{"TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE"}, tableColumns...)...)
	for _, t := range tables {
		v.add(append([]any{"def", database, t.Name, tableType(t)}, statusOf(t)...)...)
	}
	return v
}

// showTableStatus is SHOW TABLE STATUS: what TABLES says, and how far a change of a table is.
func showTableStatus(ctx context.Context, s *catalog.Snapshot) (*virtual, error) {
	tables, err := s.Everything(ctx)
	if err != nil {
		return nil, err
	}
	progress, err := s.AllProgress(ctx)
	if err != nil {
		return nil, err
	}
	v := newStatus()
	for _, t := range tables {
		cells := statusOf(t)
		if rows, ok := progress(t); ok {
			comment := t.Comment
			if comment != "" {
				comment += "; "
			}
			cells[len(cells)-1] = comment + "being changed, " + sqlerr.Count(int(rows), "row") + " written anew so far"
		}
		v.add(append([]any{t.Name}, cells...)...)
	}
	return v, nil
}

// newStatus is SHOW TABLE STATUS without its rows.
func newStatus() *virtual {
	return newVirtual("table status", "Name", "Engine", "Version#", "Row_format", "Rows#", "Avg_row_length#", "Data_length#", "Max_data_length#", "Index_length#",
		"Data_free#", "Auto_increment#", "Create_time@", "Update_time@", "Check_time@", "Collation", "Checksum#", "Create_options", "Comment")
}

// sizes are what ANALYZE TABLE has found out: rows, and octets of one and of all; NULL before.
func sizes(t *schema.Table) (rows, length, data any) {
	s := t.Statistics
	if s == nil {
		return nil, nil, nil
	}
	return s.Rows, s.RowBytes, s.Rows * s.RowBytes
}

// tableVersion is that of the definition, NULL for a table that has none.
func tableVersion(t *schema.Table) any {
	if t.IsUndeclared() {
		return nil
	}
	return t.Version
}
