package catalog

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Visible gives the tables that a statement can name, as the planner asks for them. database is the name that the session knows
// its database by, standard the collation of new tables.
func (s *Snapshot) Visible(ctx context.Context, database string, standard value.Collation) schema.Tables {
	return visible{ctx, database, s, standard}
}

type visible struct {
	ctx      context.Context
	database string
	snapshot *Snapshot
	standard value.Collation
}

func (v visible) Table(database, name string) (*schema.Table, error) {
	switch {
	case strings.EqualFold(database, "information_schema"):
		return v.snapshot.InformationSchema(v.ctx, v.database, v.standard, name)
	case database != "" && !strings.EqualFold(database, v.database):
		return nil, &schema.NoTableError{Database: database, Name: name}
	}
	return v.snapshot.Find(v.ctx, name)
}
