package engine

import (
	"errors"
	"fmt"
	"slices"
)

// Code says what went wrong, in the terms of the contract.
type Code uint8

const (
	CodeOther       Code = iota
	CodeNotFound         // no such entity
	CodeExists           // entity or table is there already
	CodeStale            // the entity's ETag is another one (412)
	CodeNoTable          // no such table
	CodeDeleting         // the table is being deleted, its name not free yet
	CodeTooLarge         // over a limit of the service; nothing was sent
	CodeBadInput         // key, name or value that the store cannot hold; nothing was sent
	CodeThrottled        // the store asks to slow down, and retries are used up
	CodeAuth             // refused: credential, signature, permission
	CodeUnreachable      // no connection
	CodeReadOnly         // the engine was opened for reading only
	CodeClosed           // the engine is closed
	CodeLocked           // the file is in use by another process
	CodeCorrupt          // what is stored cannot be read
	CodeBusy             // another transaction has the entity, and the caller did not want to wait
	CodeLate             // another transaction has had the entity for too long
)

// Applied says whether a write that failed took effect.
type Applied uint8

const (
	NotApplied Applied = iota
	Unknown            // the answer was lost: the write may have been applied
)

// Error is an engine's error.
type Error struct {
	Code      Code
	Op        int          // index of the failed operation of a Commit, or -1
	Unmet     *Requirement // of a Transaction that does not hold; else nil
	Applied   Applied
	Final     bool   // of a transaction that cannot be committed any more: trying the statement again does not help
	Message   string // for people; never holds a secret
	RequestID string // the service's, when there was one
	Cause     error

	// Table and Entity say what a transaction could not write, or has read and found changed, if known: the keys, and the properties that were
	// to be written.
	Table  string
	Entity *Entity
}

// Is says whether err is an Error of one of the codes.
func Is(err error, codes ...Code) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

func (e *Error) Error() string {
	s := e.Message
	if e.RequestID != "" {
		s = fmt.Sprintf("%s (request %s)", s, e.RequestID)
	}
	if e.Cause != nil {
		s = fmt.Sprintf("%s: %v", s, e.Cause)
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// IsUnsure says whether err leaves open whether something was written.
func IsUnsure(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Applied == Unknown
}

// Errorf makes an Error that belongs to no single operation.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Op: -1, Message: fmt.Sprintf(format, args...)}
}
