package dml

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// noteAdjusted warns, with MySQL's numbers, that a column got another value in place of the one that err refuses.
func noteAdjusted(env *expr.Env, col *schema.Column, number int, why value.Reason, err error) {
	code, message := sqlerr.CodeTruncated, "Data truncated for column '%s' at row %d"
	switch {
	case why == value.OutOfRange:
		code, message = sqlerr.CodeOutOfRange, "Out of range value for column '%s' at row %d"
	case why == value.Incorrect:
		env.Session.Diagnostics.Note(expr.Warning, sqlerr.CodeWrongFieldValue, "%v for column '%s' at row %d", err, col.Name, number)
		return
	}
	env.Session.Diagnostics.Note(expr.Warning, code, message, col.Name, number)
}

// implicit gives a NOT NULL column its type's own empty value: 0, or the empty text. With note, err becomes a warning.
// If the statement adjusts nothing, and for dates, which have no such value here, it gives err.
func implicit(col *schema.Column, env *expr.Env, err *sqlerr.Error, note bool) (value.Value, error) {
	if env.Session == nil || !env.Session.Diagnostics.Adjust {
		return value.NullValue, err
	}
	v, ok := col.Type.Implicit()
	if !ok {
		return v, noEmptyValue(col, err)
	}
	if note {
		env.Session.Diagnostics.Note(expr.Warning, err.Code, "%s", err.Message)
	}
	return v, nil
}

// noEmptyValue is err if MySQL would store a value that the column's type does not have here.
func noEmptyValue(col *schema.Column, err *sqlerr.Error) *sqlerr.Error {
	more := *err
	if more.Message += "; its type " + col.Type.String() + " has no empty value"; col.Type.Base == value.TypeDate || col.Type.Base == value.TypeDateTime {
		more.Message += ", as there are no zero dates here: use NULL, in a column without NOT NULL"
	}
	return &more
}

// skipped warns that IGNORE leaves out a row because of err.
func skipped(env *expr.Env, err error) {
	var e *sqlerr.Error
	if env.Session != nil && errors.As(err, &e) {
		env.Session.Diagnostics.Note(expr.Warning, e.Code, "%s", e.Message)
	}
}
