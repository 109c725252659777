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

// define runs a statement that makes or changes definitions. As in MySQL it first commits a transaction, unless it says TEMPORARY.
func (s *Session) define(ctx context.Context, stmt dialect.Statement) (Outcome, error) {
	if saysTemporary(stmt) {
		return s.defineTemporary(ctx, stmt)
	}
	if err := s.definable(stmt); err != nil {
		return Outcome{}, err
	}
	stmt, err := s.leaveOut(stmt)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.Commit(ctx); err != nil {
		return Outcome{}, err
	}
	return s.defineParts(ctx, stmt)
}

// definable refuses to change definitions if only reading is allowed. CHECK TABLE only reads.
func (s *Session) definable(stmt dialect.Statement) error {
	m, maintains := stmt.(*dialect.MaintainTable)
	if maintains && m.Verb == "CHECK" {
		return nil
	}
	if s.db.ReadOnly {
		what := "no definition is changed"
		if maintains {
			what = m.Verb + " TABLE writes"
		}
		return engine.Errorf(engine.CodeReadOnly, "the database was opened with readonly: %s", what)
	}
	return s.writable(s.usual)
}

// defineTemporary is CREATE and DROP TEMPORARY TABLE, which are part of a transaction.
func (s *Session) defineTemporary(ctx context.Context, stmt dialect.Statement) (Outcome, error) {
	if c := s.next.over(s.usual); s.readsOnly() || s.tx == nil && c.access == reads {
		return Outcome{}, errReadOnlyTransaction()
	}
	if err := s.beginManually(ctx); err != nil {
		return Outcome{}, err
	}
	return s.defineParts(ctx, stmt)
}

// defineParts runs a statement database by database.
func (s *Session) defineParts(ctx context.Context, stmt dialect.Statement) (Outcome, error) {
	zone := s.state.Zone
	s.state.Zone = nil // rewritten rows are read as they are stored
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
			definer := s.definerFor(in, part)
			definer.Dropping = dropping(parts)
			r, err = definer.Run(ctx, part.stmt, &s.state, m)
		}
		if s.temporary != nil && part.temporary {
			clear(s.temporary.plans)
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

// definer gives the Definer for a database.
func (s *Session) definer(in *Schema) *ddl.Definer {
	return &ddl.Definer{Runtime: s.db.Runtime, Catalog: in.Catalog, Database: in.Name, Implicit: in.Catalog == s.db.Catalog, Seen: s.seen(s.source(s.in, nil)),
		Shared: s.db.SharedTable, AnalyzeRequests: s.analyzeRequests}
}

// definerFor is definer for tables of the database, or for the session's own ones there.
func (s *Session) definerFor(in *Schema, p *part) *ddl.Definer {
	d := s.definer(in)
	if _, creates := p.stmt.(*dialect.CreateTable); creates || p.temporary {
		d.Runtime = s.runtime() // a query may read the session's own tables
	}
	if !p.temporary {
		return d
	}
	d.Catalog, d.Implicit, d.Shared = s.temporary.catalog(in.Catalog.Database()), true, false
	if s.tx != nil {
		d.Within = s.within
	}
	return d
}

// definerOf gives the Definer for the database of a table.
func (s *Session) definerOf(t *schema.Table) *ddl.Definer {
	return s.definer(&Schema{schema.DatabaseName(t.Database), s.db.catalogOf(t)})
}

// dropping gives the stored tables that a statement drops, each with its database.
func dropping(parts []part) (all []dialect.TableName) {
	for i := range parts {
		drop, ok := parts[i].stmt.(*dialect.DropTable)
		if !ok || parts[i].temporary {
			continue
		}
		for _, name := range drop.Tables {
			name.Database = parts[i].database
			all = append(all, name)
		}
	}
	return all
}
