package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// define runs a statement that makes or changes definitions. As in MySQL it commits a transaction first.
func (s *Session) define(ctx context.Context, stmt dialect.Statement) (Outcome, error) {
	if s.db.ReadOnly {
		return Outcome{}, engine.Errorf(engine.CodeReadOnly, "the database was opened with readonly: no definition is changed")
	}
	if err := s.writable(s.usual); err != nil {
		return Outcome{}, err
	}
	if err := s.leaveOut(stmt); err != nil {
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
	r, err := s.definer().Run(retry.Statement(ctx), stmt, &s.state, m)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Result: Result{Affected: r.Affected, LastInsertID: r.LastInsertID}}
	if len(r.Columns) > 0 {
		out.Rows = listed(newHeader(r.Columns), r.Rows)
	}
	return out, nil
}

func (s *Session) definer() *ddl.Definer {
	return &ddl.Definer{Runtime: s.db.Runtime, Catalog: s.db.Catalog, Shared: s.db.SharedTable, Collation: s.db.Collation, Live: s.db.live(), AnalyzeRequests: s.analyzeRequests}
}
