package nearlyfree

import (
	"database/sql/driver"
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// rows returns the rows of a statement as database/sql expects them.
type rows struct {
	session.Rows
	conn *conn
}

func (r *rows) Columns() []string { return r.Header.Names }

func (r *rows) Next(dest []driver.Value) error {
	row, err := r.Rows.Next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return r.conn.failed(err, r.Text())
	}
	for i := range dest {
		dest[i] = r.value(row[i], &r.Header.Columns[i].Type)
	}
	return nil
}

func (r *rows) Close() error { return translate(r.Rows.Close(), r.Text()) }

// value is what a column of type t returns: one Go type in all rows. Times are the moments at which a clock in the session's time zone shows
// them.
func (r *rows) value(v value.Value, t *value.Type) driver.Value {
	switch k := v.Kind(); {
	case r.Zone != nil && (k == value.Time || k == value.Date):
		return expr.InZone(v.Ticks(), r.Zone)
	case t.Base == value.TypeJSON && k != value.Null: // octets, so that json.RawMessage accepts them
		return []byte(value.Text(v))
	case t.Base == value.TypeBigInt && t.Unsigned && k == value.Uint:
		return v.Uint()
	}
	return value.ToGo(v)
}
