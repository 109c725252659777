package show

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// SortDatabases sorts them by name.
func SortDatabases(all []Database) {
	slices.SortFunc(all, func(a, b Database) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
}

func anyName(string) (bool, error) { return true, nil }

// allDatabases is SHOW DATABASES.
func (s Seen) allDatabases(ctx context.Context, pass func(name string) (bool, error)) (*virtual, error) {
	v := newVirtual("databases", "Database")
	all, err := s.databases(ctx, schema.Wanted{Pass: pass})
	for _, d := range all {
		v.add(d.Name)
	}
	return v, err
}

// showDatabases is SHOW DATABASES LIKE, whose column has the pattern in its name.
func (s Seen) showDatabases(ctx context.Context, pattern string) (*schema.Table, error) {
	match, err := matching(pattern)
	if err != nil {
		return nil, err
	}
	v, err := s.allDatabases(ctx, func(name string) (bool, error) { return match(value.FromString(name)) })
	if err != nil {
		return nil, err
	}
	v.table.Columns[0].Name = "Database (" + pattern + ")"
	return v.done()
}

// showCreateDatabase is SHOW CREATE DATABASE.
func (s Seen) showCreateDatabase(ctx context.Context, name string) (*virtual, error) {
	all, err := s.databases(ctx, schema.Wanted{Names: []string{name}, Pass: anyName})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &schema.NoDatabaseError{Name: name}
	}
	v := newVirtual("create database", "Database", "Create Database")
	v.add(all[0].Name, "CREATE DATABASE "+schema.QuoteName(all[0].Name)+" /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE "+all[0].Collation.String()+" */")
	return v, nil
}

// ofVirtual gives what SHOW tells about a database that is made of definitions.
func (s Seen) ofVirtual(ctx context.Context, show *dialect.Show, database string) (*virtual, error) {
	switch show.What {
	case "tables":
		columns := []string{"Tables_in_" + strings.ToLower(database)}
		if show.Full {
			columns = append(columns, "Table_type")
		}
		v := newVirtual("tables", columns...)
		for _, name := range virtualTables(database) {
			if v.add(name); show.Full {
				v.rows[len(v.rows)-1] = append(v.rows[len(v.rows)-1], value.FromString("SYSTEM VIEW"))
			}
		}
		return v, nil
	case "table status":
		v := newStatus()
		for _, name := range virtualTables(database) {
			t, err := Visible(ctx, s).Table(database, name)
			if err != nil {
				return nil, err
			}
			v.add(append([]any{name}, statusOf(t, nil)...)...)
		}
		return v, nil
	case "columns":
		t, err := Visible(ctx, s).Table(database, show.Table.Name)
		if err != nil {
			return nil, err
		}
		return columnsOf(t, show.Full)
	}
	return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "SHOW %s of %s is not supported", strings.ToUpper(show.What), database)
}

// virtualTables are the names of the tables of a database that is made of definitions.
func virtualTables(database string) []string {
	if strings.EqualFold(database, PerformanceSchema) {
		return []string{"global_status"}
	}
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(informationSchema)), "SCHEMATA", "COLLATIONS", "PROCESSLIST")))
}
