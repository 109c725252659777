package show

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// tableColumns are the columns of information_schema.TABLES after the table's name and type, and of SHOW TABLE STATUS after the name: both have
// the same order.
var tableColumns = []string{"ENGINE", "VERSION#", "ROW_FORMAT", "TABLE_ROWS#", "AVG_ROW_LENGTH#", "DATA_LENGTH#", "MAX_DATA_LENGTH#", "INDEX_LENGTH#", "DATA_FREE#",
	"AUTO_INCREMENT#", "CREATE_TIME@", "UPDATE_TIME@", "CHECK_TIME@", "TABLE_COLLATION", "CHECKSUM#", "CREATE_OPTIONS", "TABLE_COMMENT"}

// statusOf gives the values of tableColumns for a table; next is its next AUTO_INCREMENT value, if that is known.
func statusOf(t *schema.Table, next any) []any {
	switch {
	case t.IsView():
		return []any{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, created(t), nil, nil, nil, nil, nil, "VIEW"}
	case t.Virtual != nil:
		return []any{nil, 10, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, t.Collation.String(), nil, "", ""}
	}
	options := ""
	if method, _ := t.PartitionMethod(); method != "" {
		options = "partitioned"
	}
	rows, length, data, index := sizes(t)
	return []any{engineName, tableVersion(t), "Dynamic", rows, length, data, 0, index, 0, next, created(t), nil, nil, t.Collation.String(), nil, options, t.Comment}
}

// infoTables is TABLES for tables without AUTO_INCREMENT values.
func infoTables(database string, tables []*schema.Table) *virtual {
	return infoTablesWith(database, tables, make([]any, len(tables)))
}

// infoTablesOf is TABLES of a database.
func infoTablesOf(ctx context.Context, s *catalog.Snapshot, database string, tables []*schema.Table) (*virtual, error) {
	next, err := upcoming(ctx, s.Catalog(), tables)
	if err != nil {
		return nil, err
	}
	return infoTablesWith(database, tables, next), nil
}

// infoTablesWith is TABLES; next are the next AUTO_INCREMENT values of the tables.
func infoTablesWith(database string, tables []*schema.Table, next []any) *virtual {
	v := newVirtual("TABLES", append([]string{"TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE"}, tableColumns...)...)
	for i, t := range tables {
		v.add(append([]any{"def", database, t.Name, tableType(t)}, statusOf(t, next[i])...)...)
	}
	return v
}

// upcoming gives the next AUTO_INCREMENT value of each table that has one, as far as that is known without a request.
func upcoming(ctx context.Context, c *catalog.Catalog, tables []*schema.Table) ([]any, error) {
	next := make([]any, len(tables))
	for i, t := range tables {
		if !slices.ContainsFunc(t.Columns, func(c *schema.Column) bool { return c.AutoIncrement && c.Listed() }) {
			continue
		}
		n, known, err := c.Upcoming(ctx, t)
		if err != nil {
			return nil, err
		}
		if known {
			next[i] = n
		}
	}
	return next, nil
}

// showTableStatus is SHOW TABLE STATUS: the columns of TABLES, and the progress of changes of tables.
func showTableStatus(ctx context.Context, s *catalog.Snapshot) (*virtual, error) {
	tables, err := s.Everything(ctx)
	if err != nil {
		return nil, err
	}
	progress, err := s.AllProgress(ctx)
	if err != nil {
		return nil, err
	}
	next, err := upcoming(ctx, s.Catalog(), tables)
	if err != nil {
		return nil, err
	}
	v := newStatus()
	for i, t := range tables {
		cells := statusOf(t, next[i])
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

// sizes are what ANALYZE TABLE has found: rows, octets of one row and of all, and of the indexes that hold whole rows, which take as much as the
// rows; NULL before ANALYZE TABLE. It does not know the size of other indexes' entries.
func sizes(t *schema.Table) (rows, length, data, index any) {
	s := t.Statistics
	if s == nil {
		return nil, nil, nil, nil
	}
	copies := int64(0)
	for _, ix := range t.Indexes {
		if ix.State == schema.Public && ix.Copy == schema.CopyRow && ix.Child == "" {
			copies++
		}
	}
	return s.Rows, s.RowBytes, s.Rows * s.RowBytes, s.Rows * s.RowBytes * copies
}

// created is when a table was made; NULL if that is not known, as for tables of other programs or of earlier versions.
func created(t *schema.Table) any {
	if t.Created == 0 {
		return nil
	}
	return value.FromTicks(t.Created)
}

// tableVersion is that of the definition, NULL for a table that has none.
func tableVersion(t *schema.Table) any {
	if t.IsUndeclared() {
		return nil
	}
	return t.Version
}
