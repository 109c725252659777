package sqlerr

import (
	"errors"
	"fmt"
	"slices"
)

// Error is an error of SQL itself. Code and the wording are MySQL's.
type Error struct {
	Code    int // MySQL's error number, such as 1054; State gives its SQLSTATE
	Message string
	Pos     int // offset in bytes into the statement's text; NoPos where it is not known
	// Retryable: nothing was written, and the transaction may succeed when it is run again.
	Retryable bool
}

// NoPos is the Pos of an error whose place in the statement is not known.
const NoPos = -1

// Error gives the message alone; code that shows it to a user adds the numbers.
func (e *Error) Error() string { return e.Message }

// New makes an error with a number. It shortens arguments that are texts, unless they are Whole.
func New[P ~int](code int, pos P, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, Briefly(args)...), Pos: int(pos)}
}

// NotSupported refuses a feature whose name begins the sentence: "window functions are".
func NotSupported[P ~int](pos P, format string, args ...any) *Error {
	return New(CodeNotSupported, pos, format+" not supported", args...)
}

// TooLongName refuses a name with more characters than MySQL allows for its kind.
func TooLongName[P ~int](pos P, name string) *Error {
	return New(CodeTooLongIdent, pos, "Identifier name '%s' is too long", name)
}

// Is says whether err is an Error with one of the numbers.
func Is(err error, codes ...int) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}
