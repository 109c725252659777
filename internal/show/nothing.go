package show

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// The following exist in MySQL but not here. Programs that ask for them get an empty list with the columns that they know.

// showsNothing has the columns of the lists that SHOW gives without rows.
var showsNothing = map[string][]string{
	"triggers": {"Trigger", "Event", "Table", "Statement", "Timing", "Created@", "sql_mode", "Definer", "character_set_client", "collation_connection",
		"Database Collation"},
	"events": {"Db", "Name", "Definer", "Time zone", "Type", "Execute at@", "Interval value", "Interval field", "Starts@", "Ends@", "Status", "Originator#",
		"character_set_client", "collation_connection", "Database Collation"},
	"procedure status": ofRoutine,
	"function status":  ofRoutine,
	"plugins":          {"Name", "Status", "Type", "Library", "License"},
	"open tables":      {"Database", "Table", "In_use#", "Name_locked#"},
}

var ofRoutine = []string{"Db", "Name", "Type", "Definer", "Modified@", "Created@", "Security_type", "Comment", "character_set_client", "collation_connection",
	"Database Collation"}

// isOfDatabase says whether SHOW lists such things of one database, which must be there.
func isOfDatabase(what string) bool { return what == "triggers" || what == "events" }

// nothing is SHOW of things that do not exist here, of a database if SHOW asks for one.
func (s Seen) nothing(ctx context.Context, what, database string) (*virtual, error) {
	v := newVirtual(what, showsNothing[what]...)
	if !isOfDatabase(what) {
		return v, nil
	}
	switch {
	case database == "":
		return nil, ErrNoDatabase()
	case IsVirtual(database):
		return v, nil
	}
	snapshot, err := s.Snapshot(ctx, database)
	if err != nil {
		return nil, err
	}
	return v, snapshot.Catalog().With(ctx, func(now *catalog.Snapshot) error { _, err := now.Tables(ctx); return err })
}

// The one user, and its host.
const (
	userName = "nearlyfree"
	userHost = "localhost"
)

// showGrants is SHOW GRANTS. There are no privileges: the user may do everything.
func showGrants(of string) (*virtual, error) {
	if name, host, said := strings.Cut(of, "@"); of != "" && (name != userName || said && host != userHost) {
		if !said {
			host = "%"
		}
		return nil, sqlerr.New(sqlerr.CodeNoSuchGrant, sqlerr.NoPos, "There is no such grant defined for user '%s' on host '%s'", name, host)
	}
	v := newVirtual("grants", "Grants for "+userName+"@"+userHost)
	v.add("GRANT ALL PRIVILEGES ON *.* TO `" + userName + "`@`" + userHost + "`")
	return v, nil
}
