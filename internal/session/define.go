package session

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// define runs a statement that makes or changes definitions. As in MySQL it commits a transaction first.
func (s *Session) define(ctx context.Context, stmt dialect.Statement) (Outcome, error) {
	if s.db.ReadOnly {
		return Outcome{}, engine.Errorf(engine.CodeReadOnly, "the database was opened with readonly: no definition is changed")
	}
	if err := s.writable(s.usual); err != nil {
		return Outcome{}, err
	}
	stmt, err := s.leaveOut(stmt)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.Commit(ctx); err != nil {
		return Outcome{}, err
	}
	zone := s.state.Zone
	s.state.Zone = nil // rows that are written anew are read as they are kept
	defer func() { s.state.Zone = zone }()
	m := &engine.Meter{}
	s.costs(m)
	defer s.count(m, s.watched)
	ctx = retry.Statement(ctx)
	if is, affected, err := s.defineDatabase(ctx, stmt, m); is {
		return Outcome{Result: Result{Affected: int64(affected)}}, err
	}
	parts, err := s.byDatabase(ctx, stmt)
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	var columns []planner.ResultColumn
	var rows [][]value.Value
	for i := range parts {
		part := &parts[i]
		var r *ddl.Outcome
		in, err := s.db.schema(ctx, part.database)
		if err == nil {
			r, err = s.definer(in).Run(ctx, part.stmt, &s.state, m)
		}
		var none *schema.NoDatabaseError
		if errors.As(err, &none) && part.ifExists() {
			continue
		}
		if err != nil {
			return Outcome{}, at(part.pos, err)
		}
		out.Affected, out.LastInsertID = out.Affected+r.Affected, r.LastInsertID
		columns, rows = r.Columns, append(rows, r.Rows...)
	}
	if len(columns) > 0 {
		out.Rows = listed(newHeader(columns), rows)
	}
	return out, nil
}

// definer changes the definitions of a database.
func (s *Session) definer(in *Schema) *ddl.Definer {
	return &ddl.Definer{Runtime: s.db.Runtime, Catalog: in.Catalog, Database: in.Name, Implicit: in.Catalog == s.db.Catalog, Seen: s.seen(&source{db: s.db, in: s.in}),
		Shared: s.db.SharedTable, AnalyzeRequests: s.analyzeRequests}
}

// definerOf changes the definitions of the database that a table is in.
func (s *Session) definerOf(t *schema.Table) *ddl.Definer {
	return s.definer(&Schema{schema.DatabaseName(t.Database), s.db.catalogOf(t)})
}
