package nearlyfree

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// defaultDatabase is what DATABASE() says of the database that has no name.
const defaultDatabase = "nearlyfree"

func databaseName(name string) string {
	if name == "" {
		return defaultDatabase
	}
	return name
}

// visibleTables is how the planner finds the tables that a statement names.
type visibleTables struct {
	ctx      context.Context
	database string
	snapshot *catalog.Snapshot
	standard value.Collation // of new tables
}

func (k *Connector) schema(ctx context.Context, s *catalog.Snapshot) visibleTables {
	return visibleTables{ctx, k.database, s, k.collation}
}

func (s visibleTables) Table(database, name string) (*schema.Table, error) {
	switch {
	case strings.EqualFold(database, "information_schema"):
		return s.snapshot.InformationSchema(s.ctx, s.database, s.standard, name)
	case database != "" && !strings.EqualFold(database, s.database):
		return nil, &schema.NoTableError{Database: database, Name: name}
	}
	return s.snapshot.Find(s.ctx, name)
}

// oneTable is a schema of one table, whatever its name.
type oneTable struct{ table *schema.Table }

func (s oneTable) Table(_, _ string) (*schema.Table, error) { return s.table, nil }
