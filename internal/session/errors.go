package session

import (
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// StatementError is an error of a statement run by EXECUTE: positions in Err are positions in that statement's text.
type StatementError struct {
	Text string
	Err  error
}

func (e *StatementError) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e *StatementError) Unwrap() error { return e.Err }

// inText makes positions in err refer to the text of p.
func (p *Prepared) inText(err error) error {
	if err == nil {
		return nil
	}
	return &StatementError{Text: p.Parsed.Text, Err: err}
}

// TransactionError says that the transaction, or its absence, does not allow the statement.
type TransactionError struct {
	Code    int // MySQL's number; 0 if it has none
	Message string
}

func (e *TransactionError) Error() string { return e.Message }

// statementError makes an error without a position in the statement.
func statementError(code int, format string, args ...any) error {
	return sqlerr.New(code, sqlerr.NoPos, format, args...)
}

func notSupported(format string, args ...any) error {
	return statementError(sqlerr.CodeNotSupported, format, args...)
}

func errClosed() error { return engine.Errorf(engine.CodeClosed, "the database is closed") }

// isOutdated says whether err comes from a definition that changed after it was read, and nothing was written.
func isOutdated(err error) bool {
	if err == nil || err == io.EOF {
		return false
	}
	var (
		partial *dml.PartialError
		changed *dml.SchemaChangedError
		stored  *engine.Error
	)
	switch {
	case errors.As(err, &partial):
		return false
	case errors.As(err, &changed):
		return true
	case errors.As(err, &stored):
		return (stored.Code == engine.CodeNoTable || stored.Code == engine.CodeDeleting) && stored.Applied == engine.NotApplied
	}
	return false
}
