package otelnearlyfree

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree"
)

// classes are the classes of errors without a number.
var classes = []struct {
	target error
	name   string
}{
	{context.Canceled, "canceled"}, {context.DeadlineExceeded, "timeout"}, {nearlyfree.ErrThrottled, "throttled"}, {nearlyfree.ErrUnreachable, "unreachable"},
	{nearlyfree.ErrAuth, "access_denied"}, {nearlyfree.ErrLocked, "locked"}, {nearlyfree.ErrClosed, "closed"}, {nearlyfree.ErrReadOnly, "read_only"},
	{nearlyfree.ErrScanRefused, "scan_refused"}, {nearlyfree.ErrTooManyEntities, "too_many_entities"}, {nearlyfree.ErrTooManyRequests, "too_many_requests"},
	{nearlyfree.ErrMemory, "memory"}, {nearlyfree.ErrTooLarge, "too_large"}, {nearlyfree.ErrConflict, "conflict"}, {nearlyfree.ErrSchemaChanged, "schema_changed"},
	{nearlyfree.ErrTransaction, "transaction"}, {nearlyfree.ErrCorrupt, "corrupt"}, {nearlyfree.ErrNewer, "newer"}, {nearlyfree.ErrConfig, "config"},
	{nearlyfree.ErrNotSupported, "not_supported"},
}

// other is error.type if nothing is known of the error.
const other = "_OTHER"

// typeOf gives error.type, and MySQL's number of the error if it has one.
func typeOf(err error) (kind, code string) {
	var e *nearlyfree.Error
	if errors.As(err, &e) && e.Number != 0 {
		code = strconv.Itoa(int(e.Number))
		return code, code
	}
	for _, c := range classes {
		if errors.Is(err, c.target) {
			return c.name, ""
		}
	}
	return other, ""
}

// describe gives the parts of an error that hold no values, and the id of the failed request.
func describe(err error) (text, request string) {
	kind, code := typeOf(err)
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		request = e.RequestID
	}
	if code != "" {
		return fmt.Sprintf("Error %s (%s)", code, e.State), request
	}
	return kind, request
}
