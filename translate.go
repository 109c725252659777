package nearlyfree

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// classes are the errors.Is targets of MySQL's error numbers, unless an error has one of its own.
var classes = map[uint16]error{
	CodeColumnNull: ErrNotNull, CodeInvalidNull: ErrNotNull, CodeNoDefault: ErrNotNull,
	CodeTableExists:  ErrTableExists,
	CodeUnknownTable: ErrNoTable, CodeNoSuchTable: ErrNoTable,
	CodeUnknownColumn:  ErrUnknownColumn,
	CodeDuplicateEntry: ErrDuplicateKey,
	CodeSyntax:         ErrSyntax,
	CodeNotSupported:   ErrNotSupported, CodeNotPreparable: ErrNotSupported, CodeNoSuchFunction: ErrNotSupported,
	CodeUnknownDatabase: ErrNotSupported, CodeUnknownVariable: ErrNotSupported, CodeReadOnlyVariable: ErrNotSupported,
	CodeWrongArguments: ErrBadValue, CodeWrongVariableValue: ErrBadValue, CodeOutOfRange: ErrBadValue, CodeTruncated: ErrBadValue,
	CodeWrongValue: ErrBadValue, CodeUnknownTimeZone: ErrBadValue, CodeDivisionByZero: ErrBadValue, CodeWrongFieldValue: ErrBadValue,
	CodeTooLong: ErrBadValue, CodeWrongLiteral: ErrBadValue, CodeNumberOutOfRange: ErrBadValue, CodeInvalidJSON: ErrBadValue,
	CodeJSONText: ErrBadValue, CodeJSONPath: ErrBadValue, CodeJSONBinary: ErrBadValue, CodeJSONType: ErrBadValue, CodeJSONWildPath: ErrBadValue,
	CodeJSONWholePath: ErrBadValue, CodeJSONOneOrAll: ErrBadValue, CodeJSONCast: ErrBadValue, CodeJSONDepth: ErrBadValue,
	CodeJSONNullKey: ErrBadValue, CodeJSONNoCell: ErrBadValue, CodeJSONNoValue: ErrBadValue, CodeCheckViolated: ErrBadValue,
	CodeParentRow: ErrForeignKey, CodeNoParentRow: ErrForeignKey, CodeCascadeDepth: ErrForeignKey,
	CodeDeadlock: ErrConflict, CodeLockWaitTimeout: ErrConflict,
	CodeTableChanged:        ErrSchemaChanged,
	CodeReadOnlyTransaction: ErrReadOnly,
	CodeRowTooLarge:         ErrTooLarge,
	CodeArgumentTooLong:     ErrTooLarge, CodePatternTooLarge: ErrTooLarge,
}

// translate makes an *Error of any error from the packages below; text is the statement's, for the place in it. It leaves as they are nil, the
// context's errors if nothing was written, and errors that are already translated.
func translate(err error, text string) error {
	if err == nil {
		return nil
	}
	err = translated(err, text)
	if e, ok := err.(*Error); ok {
		e.Message = briefMessage(e.Message)
	}
	return err
}

// briefMessage bounds a message, which may hold the words of a store or a file system, or many names. It keeps the beginning, which
// says what is wrong, and the end, which says what to do.
func briefMessage(s string) string {
	const most, end = 1000, 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-end], "") + "…" + strings.ToValidUTF8(s[len(s)-end:], "")
}

func translated(err error, text string) error {
	if s, ok := err.(*session.StatementError); ok {
		return translated(s.Err, s.Text)
	}
	var (
		done    *Error
		halfway *ddl.HalfwayError
		partial *dml.PartialError
	)
	switch {
	case errors.As(err, &halfway):
		return halfDone(halfway, text)
	case errors.As(err, &partial):
		return partlyDone(partial, text)
	case errors.As(err, &done) || errors.Is(err, driver.ErrBadConn) || isPlainEnd(err):
		return err
	}
	var (
		syntax      *dialect.Error
		transaction *session.TransactionError
		known       *sqlerr.Error
		noTable     *schema.NoTableError
		noDatabase  *schema.NoDatabaseError
		database    *catalog.DatabaseExistsError
		refused     *planner.ScanRefusedError
		conflict    *retry.ConflictError
		changed     *dml.SchemaChangedError
		entities    *exec.TooManyEntitiesError
		budget      *engine.BudgetError
		memory      *exec.MemoryError
		variables   *expr.TooManyVariablesError
		stored      *engine.Error
		newer       *feature.Error
		exists      *catalog.ExistsError
		convert     *value.ConvertError
		overflow    *value.RangeError
		unread      *value.ParseError
		noPart      *schema.NoPartitionError
		literal     *expr.LiteralError
		variable    *expr.UnknownVariableError
		argument    *expr.ArgumentError
		arguments   *expr.TooLongError
		pattern     *expr.PatternSizeError
		texts       *schema.TextsError
		size        *dml.RowSizeError
		json        *value.JSONError
	)
	switch {
	case errors.As(err, &syntax):
		return syntaxError(syntax)
	case errors.As(err, &known):
		e := numbered(known.Code, known.Message, err)
		e.Retryable = known.Retryable
		if 0 <= known.Pos && known.Pos <= len(text) && text != "" {
			e.Line, e.Column = dialect.Place(text, known.Pos)
			e.caret = dialect.Caret(text, known.Pos)
		}
		return e
	case errors.As(err, &noPart) && noPart.Table.IsInterleaved():
		return translated(dml.NoParentError(noPart.Table), text)
	case errors.As(err, &noPart):
		return numbered(CodeNoPartition, noPart.Error(), err)
	case errors.As(err, &noTable):
		return numbered(CodeNoSuchTable, fmt.Sprintf("Table '%s.%s' doesn't exist", sqlerr.Brief(schema.DatabaseName(noTable.Database)), sqlerr.Brief(noTable.Name)), err)
	case errors.As(err, &noDatabase):
		return numbered(CodeUnknownDatabase, fmt.Sprintf("Unknown database '%s'", sqlerr.Brief(noDatabase.Name)), err)
	case errors.As(err, &database):
		return numbered(CodeDatabaseExists, database.Error(), err)
	case errors.As(err, &texts):
		return &Error{Message: texts.Error(), class: ErrCorrupt, cause: err}
	case errors.As(err, &size):
		e := numbered(size.Code, size.Message, err)
		e.class = ErrTooLarge
		return e
	case errors.As(err, &transaction):
		e := &Error{Message: transaction.Message, class: ErrTransaction, cause: err}
		if transaction.Code != 0 {
			e.Number, e.State = uint16(transaction.Code), sqlerr.State(transaction.Code)
		}
		return e
	case errors.As(err, &refused):
		return &Error{Message: refused.Error(), class: ErrScanRefused, cause: err}
	case errors.As(err, &conflict), errors.Is(err, catalog.ErrConflict):
		return retryable(CodeDeadlock, err)
	case errors.As(err, &changed):
		return retryable(CodeTableChanged, err)
	case errors.As(err, &entities):
		return &Error{Message: entities.Error(), class: ErrTooManyEntities, cause: err}
	case errors.As(err, &budget):
		return &Error{Message: budget.Error(), class: ErrTooManyRequests, cause: err}
	case errors.As(err, &memory):
		return &Error{Message: memory.Error(), class: ErrMemory, cause: err}
	case errors.As(err, &variables):
		return &Error{Message: variables.Error(), class: ErrMemory, cause: err}
	case errors.As(err, &newer):
		return &Error{Message: err.Error(), class: ErrNewer, cause: err}
	case errors.As(err, &exists):
		return numbered(CodeTableExists, exists.Error(), err)
	case errors.As(err, &convert), errors.As(err, &unread):
		return numbered(CodeWrongValue, err.Error(), err)
	case errors.As(err, &json):
		return numbered(CodeInvalidJSON, "Invalid JSON text: "+json.Error(), err)
	case errors.As(err, &overflow):
		return numbered(CodeNumberOutOfRange, overflow.Error(), err)
	case errors.As(err, &literal):
		return numbered(CodeWrongLiteral, literal.Error(), err)
	case errors.As(err, &variable):
		return numbered(CodeUnknownVariable, variable.Error(), err)
	case errors.As(err, &argument):
		return numbered(CodeWrongArguments, argument.Error(), err)
	case errors.As(err, &arguments):
		return numbered(CodeArgumentTooLong, arguments.Error(), err)
	case errors.As(err, &pattern):
		return numbered(CodePatternTooLarge, pattern.Error(), err)
	case errors.As(err, &stored):
		return storeError(stored, err)
	}
	return &Error{Message: err.Error(), cause: err}
}

// isPlainEnd says whether err is the context's and nothing was written. A write that ended half-way gives an *Error, in which errors.Is also
// finds the context's error.
func isPlainEnd(err error) bool {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var partial *dml.PartialError
	var halfway *ddl.HalfwayError
	var stored *engine.Error
	return !errors.As(err, &halfway) && !errors.As(err, &partial) && !(errors.As(err, &stored) && stored.Applied == engine.Unknown)
}

// numbered makes an error with a number, and with the state and class of the number.
func numbered(number int, message string, cause error) *Error {
	return &Error{Number: uint16(number), State: sqlerr.State(number), Message: message, cause: cause}
}

func retryable(number int, err error) *Error {
	e := numbered(number, err.Error(), err)
	e.Retryable = true
	return e
}

func syntaxError(e *dialect.Error) *Error {
	number := CodeSyntax
	if e.Unsupported != "" {
		number = CodeNotSupported
	}
	out := numbered(number, e.Error(), e)
	out.Line, out.Column, out.caret = e.Line, e.Column, e.Caret()
	return out
}

// partlyDone keeps the class of the error that stopped a statement after some of its rows were written.
func partlyDone(p *dml.PartialError, text string) *Error {
	e := &Error{Message: p.Error(), cause: p}
	var cause *Error
	if errors.As(translate(p.Cause, text), &cause) {
		if _, planning := p.Cause.(*session.StatementError); planning {
			e.Message = p.Stands() + ": " + cause.Message
		}
		e.Number, e.State, e.RequestID, e.Applied, e.class = cause.Number, cause.State, cause.RequestID, cause.Applied, cause.class
	}
	if (p.Done > 0 || len(p.Partitions) > 0) && e.Applied == AppliedNo {
		e.Applied = AppliedPartly
	}
	return e
}

// halfDone keeps all that is known about the error that stopped a change of definitions after some of its steps.
func halfDone(h *ddl.HalfwayError, text string) *Error {
	e := &Error{}
	var cause *Error
	if errors.As(translate(h.Cause, text), &cause) {
		*e = *cause
	}
	e.Message, e.cause = h.Error(), h
	if e.Applied == AppliedNo {
		e.Applied = AppliedPartly
	}
	return e
}

// storeClasses are the errors.Is targets of an engine's codes.
var storeClasses = map[engine.Code]error{
	engine.CodeExists: ErrDuplicateKey, engine.CodeStale: ErrConflict, engine.CodeNotFound: ErrConflict,
	engine.CodeNoTable: ErrNoTable, engine.CodeDeleting: ErrNoTable,
	engine.CodeTooLarge: ErrTooLarge, engine.CodeBadInput: ErrBadValue, engine.CodeThrottled: ErrThrottled,
	engine.CodeAuth: ErrAuth, engine.CodeUnreachable: ErrUnreachable, engine.CodeReadOnly: ErrReadOnly,
	engine.CodeClosed: ErrClosed, engine.CodeLocked: ErrLocked, engine.CodeCorrupt: ErrCorrupt,
}

func storeError(e *engine.Error, err error) *Error {
	out := &Error{Message: e.Message, RequestID: e.RequestID, class: storeClasses[e.Code], cause: err}
	if e.Cause != nil {
		out.Message += ": " + e.Cause.Error()
	}
	switch e.Code {
	case engine.CodeExists:
		out.Number, out.State = CodeDuplicateEntry, sqlerr.State(CodeDuplicateEntry)
	case engine.CodeStale, engine.CodeNotFound:
		out.Number, out.State, out.Retryable = CodeDeadlock, sqlerr.State(CodeDeadlock), true
	case engine.CodeThrottled, engine.CodeUnreachable:
		out.Retryable = e.Applied == engine.NotApplied
	}
	if e.Applied == engine.Unknown {
		out.Applied = AppliedUnknown
	}
	return out
}
