package session

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Commit sends what the transaction wrote, if the definitions that it used still hold. The transaction is over in any case.
func (s *Session) Commit(ctx context.Context) error {
	if s.tx == nil {
		s.next = characteristics{}
		return nil // a statement such as CREATE TABLE has committed it
	}
	b, held, wrote, saw, reached := s.tx, s.held, s.wrote, s.saw, s.reached
	s.tx = nil
	s.endTx()
	defer held.End()
	defer b.Release()
	if len(wrote) == 0 && !b.IsUnconfirmed() {
		return nil
	}
	if err := s.commitBuffer(ctx, b, wrote); err != nil {
		return dml.ExplainCommit(err, with(saw, wrote))
	}
	s.makeAhead(ctx, reached)
	return nil
}

func (s *Session) commitBuffer(ctx context.Context, b *buffer.Buffer, wrote []*schema.Table) error {
	var writing epochs
	defer writing.End()
	wrote = stored(wrote) // no other session changes definitions of temporary tables
	for _, c := range s.db.catalogsOf(wrote) {
		writing.others = append(writing.others, epochOf{c, c.BeginWrite()})
	}
	if s.turns == nil && s.db.Runtime.Lines.AreBusy() {
		defer s.endTurns()
		if err := s.takeTurns(ctx, wrote, false); err != nil {
			return err
		}
	}
	b.Current = func(ctx context.Context) error { return s.checkCurrent(ctx, wrote) }
	if err := b.Current(ctx); err != nil {
		return err
	}
	m := &engine.Meter{}
	defer s.count(m, s.watched)
	err := b.Commit(ctx, m)
	if isOutdated(err) && len(wrote) > 0 {
		// Its table, or part of one, was deleted since.
		for _, other := range writing.others {
			other.of.Forget()
		}
		return &dml.SchemaChangedError{Table: wrote[0].Name}
	}
	return err
}

// takeTurns waits for the writers that are in line for the tables, in the order of the tables' names, so that writers never wait
// for each other in a cycle. With alone it joins the line even if that is empty, and no other writer gets to the tables before endTurns.
func (s *Session) takeTurns(ctx context.Context, to []*schema.Table, alone bool) error {
	lines := s.db.Runtime.Lines
	var tables []string
	for _, t := range to {
		if !t.IsView() && !t.Temporary {
			tables = append(tables, t.Physical)
		}
	}
	slices.Sort(tables)
	tables = slices.Compact(tables)
	s.turns = make([]exec.Turn, len(tables))
	wait := lines.Join
	if alone {
		wait = lines.Alone
	}
	for i, table := range tables {
		if err := wait(ctx, table, &s.turns[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) endTurns() {
	for i := range s.turns {
		s.turns[i].End()
	}
	s.turns = nil
}

// checkCurrent makes sure that the definitions by which a transaction has written still hold.
func (s *Session) checkCurrent(ctx context.Context, wrote []*schema.Table) error {
	for _, t := range wrote {
		if t.IsUndeclared() || t.Virtual != nil || t.Temporary {
			continue // it has no definition, or one that no other session changes
		}
		ok, err := s.db.catalogOf(t).Current(ctx, t)
		if err == nil && !ok {
			err = &dml.SchemaChangedError{Table: t.Name}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// catalogsOf are the catalogs of the databases that tables are in, each once.
func (d *Database) catalogsOf(tables []*schema.Table) (out []*catalog.Catalog) {
	for _, t := range tables {
		if t.Virtual != nil {
			continue
		}
		if c := d.catalogOf(t); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// with adds to tables those of more that it lacks.
func with(tables, more []*schema.Table) []*schema.Table {
	for _, t := range more {
		if !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// Rollback discards what the transaction wrote.
func (s *Session) Rollback() { s.endTx() }

func (s *Session) endTx() {
	if s.tx != nil {
		s.tx.Release()
		s.held.End()
	}
	s.held, s.definitions = nil, nil
	s.tx, s.current, s.savepoints, s.wrote, s.saw, s.reached = nil, characteristics{}, nil, nil, nil, nil
}

// savepoint is a place in a transaction to go back to.
type savepoint struct {
	name string
	mark int
}

// transaction runs BEGIN, COMMIT, SAVEPOINT and their like, written as SQL.
func (s *Session) transaction(ctx context.Context, stmt *dialect.Transaction) error {
	switch stmt.Kind {
	case dialect.Begin:
		if s.tx != nil && s.tx.IsLost() {
			s.Rollback() // MySQL has already done so
		}
		if s.tx != nil {
			if err := s.Commit(ctx); err != nil { // as MySQL does
				return err
			}
		}
		return s.Begin(ctx, TxOptions{ReadOnly: stmt.ReadOnly, ReadWrite: stmt.ReadWrite, Snapshot: stmt.Snapshot})
	case dialect.Commit, dialect.Rollback:
		if begun := s.lost; s.tx == nil && begun != "" {
			s.lost = ""
			return &TransactionError{Message: "the transaction that " + begun + " began was rolled back when its connection went back to the pool of the sql.DB, but what " +
				"was written since then was kept: use BeginTx, or run " + begun + " and the statements after it on one sql.Conn"}
		}
		was := s.current
		if s.tx == nil {
			was = s.next
		}
		if stmt.Kind == dialect.Rollback {
			s.Rollback()
			s.next = characteristics{}
		} else if err := s.Commit(ctx); err != nil {
			return err
		}
		if stmt.Chain {
			s.next = was
			return s.Begin(ctx, TxOptions{})
		}
		return nil
	case dialect.Savepoint:
		if s.tx == nil {
			return nil // outside a transaction each statement is a transaction of its own
		}
		s.dropSavepoint(stmt.Name)
		s.savepoints = append(s.savepoints, savepoint{strings.ToLower(stmt.Name), s.tx.Mark()})
		return nil
	}
	i := s.findSavepoint(stmt.Name)
	if i < 0 {
		return &TransactionError{sqlerr.CodeNoSuchFunction, "SAVEPOINT " + sqlerr.Brief(stmt.Name) + " does not exist"}
	}
	if stmt.Kind == dialect.ReleaseSavepoint {
		s.savepoints = s.savepoints[:i]
		return nil
	}
	s.tx.RollbackTo(s.savepoints[i].mark)
	s.savepoints = s.savepoints[:i+1]
	return nil
}

func (s *Session) findSavepoint(name string) int {
	for i := len(s.savepoints) - 1; i >= 0; i-- {
		if s.savepoints[i].name == strings.ToLower(name) {
			return i
		}
	}
	return -1
}

func (s *Session) dropSavepoint(name string) {
	if i := s.findSavepoint(name); i >= 0 {
		s.savepoints = append(s.savepoints[:i], s.savepoints[i+1:]...)
	}
}
