package nearlyfree

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// maxStatements bounds those that PREPARE keeps in a session: MySQL's max_prepared_stmt_count, which is of a server.
const maxStatements = 16382

// prepareText is PREPARE. The text that a variable holds is read now, as in MySQL; a statement of that name that was there
// is gone even if the text is wrong.
func (c *conn) prepareText(ctx context.Context, s *dialect.Prepare) error {
	name, text := strings.ToLower(s.Name), s.Text
	delete(c.statements, name)
	if s.Variable != "" {
		v := c.session.Vars.Get(s.Variable)
		if v.IsNull() {
			return statementError(CodeSyntax, "PREPARE %s FROM @%s: the variable is NULL; SET it to the text of a statement", s.Name, s.Variable)
		}
		text = value.Text(v)
	}
	p, err := c.parse(text)
	if err != nil {
		return err
	}
	switch p.parsed.Statement.(type) {
	case *dialect.Prepare, *dialect.Execute, *dialect.Deallocate:
		return statementError(CodeNotPreparable, "This command is not supported in the prepared statement protocol yet: write PREPARE, EXECUTE and DEALLOCATE as statements of their own")
	}
	if p.parsed.Names != nil && !p.parsed.Variables {
		return notSupported("PREPARE of a statement with :name is not supported: write ?")
	}
	if isPlanned(p.parsed.Statement) {
		if _, err := c.plan(ctx, p); err != nil {
			return err
		}
	}
	if len(c.statements) >= maxStatements {
		return statementError(CodeTooManyPrepared, "Can't create more than max_prepared_stmt_count statements (current value: %d)", maxStatements)
	}
	if c.statements == nil {
		c.statements = map[string]*prepared{}
	}
	c.statements[name] = p
	return nil
}

// execute is EXECUTE.
func (c *conn) execute(ctx context.Context, s *dialect.Execute) (outcome, error) {
	p := c.statements[strings.ToLower(s.Name)]
	if p == nil {
		return outcome{}, unknownStatement(s.Name, "EXECUTE")
	}
	want := p.parsed.Placeholders
	if p.parsed.Variables {
		want = 0
	}
	if len(s.Using) != want {
		return outcome{}, statementError(CodeWrongArguments, "Incorrect arguments to EXECUTE: the statement has %d placeholders, USING names %d variables", want, len(s.Using))
	}
	names := s.Using
	if p.parsed.Variables {
		names = p.parsed.Names
	}
	args := make([]value.Value, len(names))
	for i, name := range names {
		args[i] = c.session.Vars.Get(name)
	}
	out, err := c.run(ctx, p, args)
	return out, translate(err, p.parsed.Text) // places are places in its own text
}

// deallocate is DEALLOCATE PREPARE.
func (c *conn) deallocate(s *dialect.Deallocate) error {
	name := strings.ToLower(s.Name)
	if c.statements[name] == nil {
		return unknownStatement(s.Name, "DEALLOCATE PREPARE")
	}
	delete(c.statements, name)
	return nil
}

func unknownStatement(name, verb string) error {
	return statementError(CodeUnknownPrepared, "Unknown prepared statement handler (%s) given to %s", name, verb)
}

// do is DO: its expressions are computed and dropped.
func (c *conn) do(ctx context.Context, p *prepared, s *dialect.Do, args []value.Value) error {
	out, err := c.runInner(ctx, p, s.Query, args)
	if err != nil {
		return err
	}
	return out.rows.drain()
}

// runInner runs a query that is part of the statement p.
func (c *conn) runInner(ctx context.Context, p *prepared, q dialect.Query, args []value.Value) (outcome, error) {
	inner := *p.parsed
	inner.Statement = q
	planned, err := c.planAnew(ctx, &inner)
	if err != nil {
		return outcome{}, err
	}
	return c.runPlan(ctx, &prepared{parsed: &inner}, planned, args)
}

// selectInto is SELECT … INTO @a, @b: of one row. Without one the variables keep what they have.
func (c *conn) selectInto(ctx context.Context, p *prepared, s *dialect.SelectInto, args []value.Value) error {
	out, err := c.runInner(ctx, p, s.Query, args)
	if err != nil {
		return err
	}
	defer out.rows.Close()
	if len(out.rows.Columns()) != len(s.Into) {
		return statementError(CodeUnionColumns, "The used SELECT statements have a different number of columns: %d, and %d variables", len(out.rows.Columns()), len(s.Into))
	}
	row, err := out.rows.row()
	if errors.Is(err, io.EOF) {
		c.session.Diagnostics.Note(expr.Warning, CodeNoData, "No data - zero rows fetched, selected, or processed")
		return nil
	}
	if err != nil {
		return err
	}
	values := append([]value.Value(nil), row...)
	switch _, err := out.rows.row(); {
	case err == nil:
		return statementError(CodeTooManyRows, "Result consisted of more than one row")
	case !errors.Is(err, io.EOF):
		return err
	}
	for i, name := range s.Into {
		if err := c.session.Vars.Set(name, values[i]); err != nil {
			return err
		}
	}
	return nil
}
