package show

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// The databases that are made of definitions.
const (
	InformationSchema = "information_schema"
	PerformanceSchema = "performance_schema"
)

// IsVirtual says whether a database is made of definitions: it has no tables of its own.
func IsVirtual(database string) bool {
	return strings.EqualFold(database, InformationSchema) || strings.EqualFold(database, PerformanceSchema)
}

// Source gives the definitions that a statement goes by.
type Source interface {
	// Snapshot gives the definitions of a database. The error is a *schema.NoDatabaseError if there is none of that name.
	Snapshot(ctx context.Context, database string) (*catalog.Snapshot, error)
	// Temporary gives the definitions of the session's own tables in a database, if one of them has the name; nil: none has.
	Temporary(ctx context.Context, database, name string) (*catalog.Snapshot, error)
	// Name is what SQL calls the database of a snapshot.
	Name(of *catalog.Snapshot) string
	// Databases lists the databases whose names pass lets through, sorted by name.
	Databases(ctx context.Context, pass func(name string) (bool, error)) ([]Database, error)
	// Now gives the definitions of this moment, for an execution of a plan that others execute, too.
	Now() Source
	// Forget makes the next Snapshot read again the definitions that were changed meanwhile.
	Forget()
}

// Database is a database of the store.
type Database struct {
	Name      string
	Collation value.Collation // of new tables
}

// Seen is what a statement sees of the store.
type Seen struct {
	Source
	Database string          // the current one, for names that say none; "": there is none
	Standard value.Collation // of new tables, if the database has none
	Live     Live            // what is told of sessions
}

// Visible gives the tables that a statement can name, as the planner asks for them.
func Visible(ctx context.Context, s Seen) schema.Tables { return visible{ctx: ctx, Seen: s} }

type visible struct {
	ctx context.Context
	Seen
	stored bool // without the session's own
}

// Stored gives the tables without the session's own; see schema.Stored.
func (v visible) Stored() schema.Tables {
	v.stored = true
	return v
}

func (v visible) found(s *catalog.Snapshot, err error, name string) (*schema.Table, error) {
	if err != nil {
		return nil, err
	}
	return s.Find(v.ctx, name)
}

func (v visible) Table(database, name string) (*schema.Table, error) {
	if database == "" {
		database = v.Database
	}
	switch {
	case database == "":
		return nil, ErrNoDatabase()
	case isLive(database, name):
		return v.Live.table(database, name)
	case strings.EqualFold(database, InformationSchema):
		return v.informationSchemaTable(name)
	case IsVirtual(database):
		return nil, &schema.NoTableError{Database: database, Name: name}
	}
	if !v.stored {
		if own, err := v.Temporary(v.ctx, database, name); own != nil || err != nil {
			return v.found(own, err, name)
		}
	}
	s, err := v.Snapshot(v.ctx, database)
	return v.found(s, err, name)
}

// ErrNoDatabase says that a name needs a current database, but there is none.
func ErrNoDatabase() error {
	return sqlerr.New(sqlerr.CodeNoDatabase, sqlerr.NoPos, "No database selected")
}
