package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// maxStatements limits the statements that PREPARE keeps in a session. It is MySQL's max_prepared_stmt_count, which is for a
// whole server.
const maxStatements = 16382

// prepareText is PREPARE. A text in a variable is read now, as in MySQL. An earlier statement of that name is gone even if
// the text is wrong.
func (s *Session) prepareText(ctx context.Context, stmt *dialect.Prepare) error {
	name, text := strings.ToLower(stmt.Name), stmt.Text
	delete(s.statements, name)
	if stmt.Variable != "" {
		v := s.state.Vars.Get(stmt.Variable)
		if v.IsNull() {
			return statementError(sqlerr.CodeSyntax, "PREPARE %s FROM @%s: the variable is NULL; SET it to the text of a statement", stmt.Name, stmt.Variable)
		}
		text = value.Text(v)
	}
	p, err := s.parse(text)
	if err != nil {
		return err
	}
	switch p.Parsed.Statement.(type) {
	case *dialect.Prepare, *dialect.Execute, *dialect.Deallocate:
		return statementError(sqlerr.CodeNotPreparable, "This command is not supported in the prepared statement protocol yet: write PREPARE, EXECUTE and DEALLOCATE as statements of their own")
	}
	if p.Parsed.Names != nil && !p.Parsed.Variables {
		return notSupported("PREPARE of a statement with :name is not supported: write ?")
	}
	if err := s.Plan(ctx, p); err != nil {
		return err
	}
	if len(s.statements) >= maxStatements {
		return statementError(sqlerr.CodeTooManyPrepared, "Can't create more than max_prepared_stmt_count statements (current value: %d)", maxStatements)
	}
	if s.statements == nil {
		s.statements = map[string]*Prepared{}
	}
	s.statements[name] = p
	return nil
}

// execute is EXECUTE.
func (s *Session) execute(ctx context.Context, stmt *dialect.Execute) (Outcome, error) {
	p := s.statements[strings.ToLower(stmt.Name)]
	if p == nil {
		return Outcome{}, unknownStatement(stmt.Name, "EXECUTE")
	}
	want := p.Parsed.Placeholders
	if p.Parsed.Variables {
		want = 0
	}
	if len(stmt.Using) != want {
		return Outcome{}, statementError(sqlerr.CodeWrongArguments, "Incorrect arguments to EXECUTE: the statement has %s, USING names %s", sqlerr.Count(want, "placeholder"), sqlerr.Count(len(stmt.Using), "variable"))
	}
	names := stmt.Using
	if p.Parsed.Variables {
		names = p.Parsed.Names
	}
	args := make([]value.Value, len(names))
	for i, name := range names {
		args[i] = s.state.Vars.Get(name)
	}
	out, err := s.Run(ctx, p, args)
	return out, p.inText(err) // positions refer to its own text
}

// deallocate is DEALLOCATE PREPARE.
func (s *Session) deallocate(stmt *dialect.Deallocate) error {
	name := strings.ToLower(stmt.Name)
	if s.statements[name] == nil {
		return unknownStatement(stmt.Name, "DEALLOCATE PREPARE")
	}
	delete(s.statements, name)
	return nil
}

func unknownStatement(name, verb string) error {
	return statementError(sqlerr.CodeUnknownPrepared, "Unknown prepared statement handler (%s) given to %s", name, verb)
}

// do is DO: its expressions are evaluated and discarded.
func (s *Session) do(ctx context.Context, p *Prepared, stmt *dialect.Do, args []value.Value) error {
	out, err := s.runInner(ctx, p, stmt.Query, args, false)
	if err != nil {
		return err
	}
	return out.Drain()
}

// runInner runs a query that is part of the statement p. limited: the time limit of a SELECT applies.
func (s *Session) runInner(ctx context.Context, p *Prepared, q dialect.Query, args []value.Value, limited bool) (Outcome, error) {
	if err := s.beginManually(ctx); err != nil {
		return Outcome{}, err
	}
	inner := *p.Parsed
	inner.Statement = q
	query := &Prepared{Parsed: &inner, in: p.in}
	reading := epochs{own: p.in.Catalog.BeginRead()}
	planned, err := s.planAnew(ctx, query)
	for err == nil && reading.join(planned, (*catalog.Catalog).BeginRead) {
		planned, err = s.planAnew(ctx, query)
	}
	if err != nil {
		reading.End()
		return Outcome{}, err
	}
	var limit time.Duration
	if limited {
		limit = s.limitOf(planned.plan)
	}
	return s.read(ctx, query, planned, args, reading, limit)
}

// selectInto is SELECT … INTO @a, @b for at most one row. Without a row the variables keep their values.
func (s *Session) selectInto(ctx context.Context, p *Prepared, stmt *dialect.SelectInto, args []value.Value) error {
	out, err := s.runInner(ctx, p, stmt.Query, args, true)
	if err != nil {
		return err
	}
	defer out.Close()
	if len(out.Header.Columns) != len(stmt.Into) {
		return statementError(sqlerr.CodeUnionColumns, "The used SELECT statements have a different number of columns: %d, and %s", len(out.Header.Columns), sqlerr.Count(len(stmt.Into), "variable"))
	}
	row, err := out.Next()
	if errors.Is(err, io.EOF) {
		s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeNoData, "No data - zero rows fetched, selected, or processed")
		return nil
	}
	if err != nil {
		return err
	}
	values := append([]value.Value(nil), row...)
	switch _, err := out.Next(); {
	case err == nil:
		return statementError(sqlerr.CodeTooManyRows, "Result consisted of more than one row")
	case !errors.Is(err, io.EOF):
		return err
	}
	for i, name := range stmt.Into {
		if err := s.state.Vars.Set(name, values[i]); err != nil {
			return err
		}
	}
	return nil
}
