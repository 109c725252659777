package nearlyfree

import "github.com/nearlyfreedb/nearlyfree/internal/schema"

// defaultDatabase is what DATABASE() says of the database that has no name.
const defaultDatabase = "nearlyfree"

func databaseName(name string) string {
	if name == "" {
		return defaultDatabase
	}
	return name
}

// oneTable is a schema of one table, whatever its name.
type oneTable struct{ table *schema.Table }

func (s oneTable) Table(_, _ string) (*schema.Table, error) { return s.table, nil }
