package show

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Visible gives the tables that a statement can name, as the planner asks for them. database is the name that the session knows
// its database by, standard the collation of new tables, live what is told of sessions.
func Visible(ctx context.Context, s *catalog.Snapshot, database string, standard value.Collation, live Live) schema.Tables {
	return visible{ctx, database, s, standard, live}
}

type visible struct {
	ctx      context.Context
	database string
	snapshot *catalog.Snapshot
	standard value.Collation
	live     Live
}

func (v visible) Table(database, name string) (*schema.Table, error) {
	switch {
	case isLive(database, name):
		return v.live.table(database, name)
	case strings.EqualFold(database, "information_schema"):
		return informationSchemaTable(v.ctx, v.snapshot, v.database, v.standard, name)
	case database != "" && !strings.EqualFold(database, v.database):
		return nil, &schema.NoTableError{Database: database, Name: name}
	}
	return v.snapshot.Find(v.ctx, name)
}
