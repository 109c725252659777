package nearlyfree

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// errorUnknown is MySQL's number of an error that has none of its own.
const errorUnknown = 1105

// failed translates an error, and notes it among the conditions of the statement that it ends.
func (c *conn) failed(err error, text string) error {
	err = translate(err, text)
	var e *Error
	if errors.As(err, &e) {
		number := int(e.Number)
		if number == 0 {
			number = errorUnknown
		}
		c.session.Diagnostics.Note(expr.Failure, number, "%s", e.Message)
	}
	return err
}

// given is what the session gives to a SHOW: variables, or conditions of the last statement.
func (c *conn) given(s *dialect.Show) [][]value.Value {
	all, failures := c.session.Diagnostics.Counts()
	switch s.What {
	case "variables":
		return c.showVariables()
	case "count warnings":
		return [][]value.Value{{value.FromInt(int64(all))}}
	case "count errors":
		return [][]value.Value{{value.FromInt(int64(failures))}}
	case "warnings", "errors":
		var rows [][]value.Value
		for _, k := range c.session.Diagnostics.Conditions() {
			if s.What == "warnings" || k.Level == expr.Failure {
				rows = append(rows, []value.Value{value.FromString(string(k.Level)), value.FromInt(int64(k.Code)), value.FromString(k.Message)})
			}
		}
		return rows
	}
	return nil
}
