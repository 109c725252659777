package mysql

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree"
)

// The errors of MySQL's driver. Those of the protocol are there for programs that compare with them, and never happen.
var (
	ErrInvalidConn       = errors.New("invalid connection")
	ErrMalformPkt        = errors.New("malformed packet")
	ErrNoTLS             = errors.New("TLS requested but server does not support TLS")
	ErrCleartextPassword = errors.New("this user requires clear text authentication")
	ErrNativePassword    = errors.New("this user requires mysql native password authentication")
	ErrOldPassword       = errors.New("this user requires old password authentication")
	ErrUnknownPlugin     = errors.New("this authentication plugin is not supported")
	ErrOldProtocol       = errors.New("MySQL server does not support required protocol 41+")
	ErrPktSync           = errors.New("commands out of sync")
	ErrPktSyncMul        = errors.New("commands out of sync: several statements were run at once")
	ErrPktTooLarge       = errors.New("packet for query is too large")
	ErrBusyBuffer        = errors.New("busy buffer")
)

// MySQLError is the error of a failed statement.
type MySQLError struct {
	Number   uint16
	SQLState [5]byte
	Message  string

	cause error // the *nearlyfree.Error
}

// Error is "Error NUMBER (STATE): message".
func (e *MySQLError) Error() string {
	if e.SQLState == ([5]byte{}) {
		return fmt.Sprintf("Error %d: %s", e.Number, e.Message)
	}
	return fmt.Sprintf("Error %d (%s): %s", e.Number, e.SQLState[:], e.Message)
}

// Is says whether the target is a MySQLError of the same number.
func (e *MySQLError) Is(target error) bool {
	other, ok := target.(*MySQLError)
	return ok && other.Number == e.Number
}

// Unwrap gives the *nearlyfree.Error, which knows more: the place in the statement, and whether a retry is safe.
func (e *MySQLError) Unwrap() error { return e.cause }

// unnumbered are MySQL's numbers for errors that have none in nearlyfree, and 1105 (HY000) for the rest.
var unnumbered = []struct {
	target error
	number uint16
	state  string
}{
	{nearlyfree.ErrReadOnly, 1290, "HY000"}, // ER_OPTION_PREVENTS_STATEMENT
	{nearlyfree.ErrAuth, 1045, "28000"},     // ER_ACCESS_DENIED_ERROR
	{nearlyfree.ErrMemory, 1038, "HY001"},   // ER_OUT_OF_SORTMEMORY
	{nil, 1105, "HY000"},                    // ER_UNKNOWN_ERROR
}

// translate makes a *MySQLError of an error of nearlyfree. A context's error stays as it is.
func translate(err error) error {
	if err == nil || errors.Is(err, driver.ErrBadConn) {
		return err
	}
	if errors.Is(err, nearlyfree.ErrClosed) {
		return ErrInvalidConn
	}
	var e *nearlyfree.Error
	if !errors.As(err, &e) {
		return err
	}
	out := &MySQLError{Number: e.Number, Message: e.Message, cause: err}
	copy(out.SQLState[:], e.State)
	if e.Number != 0 {
		return out
	}
	for _, u := range unnumbered {
		if u.target == nil || errors.Is(err, u.target) {
			out.Number = u.number
			copy(out.SQLState[:], u.state)
			break
		}
	}
	return out
}
