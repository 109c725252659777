package nearlyfree

import (
	"errors"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// The targets of errors.Is. Each stands for a class of errors; the error itself is an *Error.
var (
	ErrSyntax          = errors.New("nearlyfree: syntax error")
	ErrNotSupported    = errors.New("nearlyfree: not supported")
	ErrNoTable         = errors.New("nearlyfree: no such table")
	ErrTableExists     = errors.New("nearlyfree: table exists")
	ErrUnknownColumn   = errors.New("nearlyfree: unknown column")
	ErrDuplicateKey    = errors.New("nearlyfree: duplicate key")
	ErrForeignKey      = errors.New("nearlyfree: foreign key fails")
	ErrNotNull         = errors.New("nearlyfree: column cannot be null")
	ErrBadValue        = errors.New("nearlyfree: value does not fit")
	ErrConflict        = errors.New("nearlyfree: conflict with another writer")
	ErrTooLarge        = errors.New("nearlyfree: over a limit of the store")
	ErrTooManyEntities = errors.New("nearlyfree: statement reads too many entities")
	ErrTooManyRequests = errors.New("nearlyfree: statement needs too many requests")
	ErrMemory          = errors.New("nearlyfree: statement needs too much memory")
	ErrScanRefused     = errors.New("nearlyfree: scan refused")
	ErrThrottled       = errors.New("nearlyfree: throttled")
	ErrUnreachable     = errors.New("nearlyfree: store cannot be reached")
	ErrAuth            = errors.New("nearlyfree: access denied")
	ErrReadOnly        = errors.New("nearlyfree: read only")
	ErrLocked          = errors.New("nearlyfree: file in use by another process")
	ErrCorrupt         = errors.New("nearlyfree: stored data cannot be read")
	ErrNewer           = errors.New("nearlyfree: written by a newer version")
	ErrClosed          = errors.New("nearlyfree: closed")
	ErrConfig          = errors.New("nearlyfree: wrong data source name or configuration")
	ErrSchemaChanged   = errors.New("nearlyfree: table definitions changed meanwhile")
	ErrTransaction     = errors.New("nearlyfree: transaction cannot do that")
)

// Applied says whether a write that failed took effect.
type Applied uint8

const (
	// AppliedNo: the statement wrote nothing.
	AppliedNo Applied = iota
	// AppliedPartly: some of the statement's rows were written; the message says which. Or some steps of a change of
	// definitions are done: SHOW CREATE TABLE shows them, and CREATE INDEX, sent again, continues.
	AppliedPartly
	// AppliedUnknown: the store's answer was lost, and the driver could not find out what became of the write; it may have been applied. Read
	// before you write again. The package's comment says when this happens.
	AppliedUnknown
)

// Error is every error of this driver except the context's own. A context that ends a write after some rows were, or may have
// been, written gives an Error, too; errors.Is finds the context's error in it.
type Error struct {
	// Number and State are MySQL's error number and SQLSTATE; 0 and "" if MySQL has no such error. The constants CodeDuplicateEntry and so on
	// name the numbers.
	Number uint16
	State  string
	// Message is for people. It holds no secret; it may hold values of the statement (a duplicate key).
	Message string
	// Line and Column are the place in the statement's text, from 1; 0 if there is none.
	Line, Column int
	// Applied says whether a write that failed took effect.
	Applied Applied
	// Retryable says that the same statement, or the whole transaction, may succeed when it is sent again,
	// and does no harm.
	Retryable bool
	// RequestID is Azure's id of the request that failed; "" for other stores.
	RequestID string

	caret string
	class error // one of the targets above
	cause error
}

// Error is "Error NUMBER (STATE): message", as MySQL's Go driver prints it, or "nearlyfree: message". If the place in the statement is known, it
// follows, with the Caret below it.
func (e *Error) Error() string {
	var s string
	switch {
	case e.Number != 0 && e.State != "":
		s = fmt.Sprintf("Error %d (%s): %s", e.Number, e.State, e.Message)
	case e.Number != 0:
		s = fmt.Sprintf("Error %d: %s", e.Number, e.Message)
	default:
		s = "nearlyfree: " + e.Message
	}
	if e.RequestID != "" {
		s += " (request " + e.RequestID + ")"
	}
	if e.caret == "" {
		return s
	}
	if syntax := (*dialect.Error)(nil); !errors.As(e.cause, &syntax) { // whose message contains the place
		s += fmt.Sprintf(", at line %d, column %d", e.Line, e.Column)
	}
	return s + "\n" + e.caret
}

// Caret is the line of the statement where the error is, and below it a ^ at the place; "" if there is none.
func (e *Error) Caret() string { return e.caret }

// Is makes errors.Is(err, ErrDuplicateKey) and the like true. An Error that a program makes itself, as a mock in its tests does, is classified
// by its Number: &Error{Number: CodeDuplicateEntry} is ErrDuplicateKey.
func (e *Error) Is(target error) bool {
	class := e.class
	if class == nil {
		class = classes[e.Number]
	}
	return class != nil && class == target
}

// Unwrap gives the error below, such as the Azure SDK's *azcore.ResponseError.
func (e *Error) Unwrap() error { return e.cause }

func configError(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), class: ErrConfig}
}

func errDatabaseClosed() *Error { return &Error{Message: "the database is closed", class: ErrClosed} }

func notSupported(format string, args ...any) *Error {
	return numbered(CodeNotSupported, fmt.Sprintf(format, sqlerr.Briefly(args)...), nil)
}
