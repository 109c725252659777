package planner

import (
	"errors"
	"iter"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// exprError gives an error of package expr its place and the number that MySQL has for it; other errors stay as they are.
func exprError(err error, pos dialect.Pos) error {
	var (
		function *expr.UnknownFunctionError
		arity    *expr.ArityError
		operand  *expr.OperandError
		mix      *expr.CollationError
	)
	switch {
	case errors.As(err, &function):
		return sqlerr.New(sqlerr.CodeNoSuchFunction, pos, "%s", err)
	case errors.As(err, &arity):
		return sqlerr.New(sqlerr.CodeWrongParameters, pos, "%s", err)
	case errors.As(err, &operand):
		return sqlerr.New(sqlerr.CodeOperandColumns, pos, "%s", err)
	case errors.As(err, &mix):
		code := sqlerr.CodeCollationMixes
		switch len(mix.Types) {
		case 2:
			code = sqlerr.CodeCollationMix
		case 3:
			code = sqlerr.CodeCollationMix3
		}
		return sqlerr.New(code, pos, "%s", err)
	}
	return err
}

// unknownColumnError is about a name that no table has.
type unknownColumnError struct {
	sql    *sqlerr.Error
	column *dialect.Column
}

func (e *unknownColumnError) Error() string { return e.sql.Message }

// Unwrap gives the error with its number.
func (e *unknownColumnError) Unwrap() error { return e.sql }

func unknownColumn(c *dialect.Column, clause string) *unknownColumnError {
	return &unknownColumnError{sqlerr.New(sqlerr.CodeUnknownColumn, c.Pos, "Unknown column '%s' in '%s'", columnText(c), clause), c}
}

// orNear adds those of the names that may have been meant.
func (e *unknownColumnError) orNear(names iter.Seq[string]) *unknownColumnError {
	if c := e.column; len(c.Name) > 2 {
		if near := expr.Near(c.Name, names); len(near) > 0 {
			e.sql.Message += " (did you mean " + strings.Join(near, ", ") + "?)"
		}
	}
	return e
}

func columnText(c *dialect.Column) string {
	var parts []string
	for _, s := range [...]string{c.Database, c.Table, c.Name} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ".")
}
