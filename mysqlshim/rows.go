package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"math"
	"reflect"
	"strconv"
	"time"
)

type innerRows interface {
	driver.Rows
	driver.RowsColumnTypeScanType
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
}

// rows returns values of the Go types that MySQL's driver gives.
type rows struct {
	innerRows
	conn *conn
	text bool // as from the text protocol

	ctx  context.Context
	rest []part // the statements of the text behind this one

	first    []driver.Value // row that was read, but not returned yet
	firstErr error          // in its place

	types []kind // of the columns, found at the first row
}

var (
	_ innerRows                = (*rows)(nil)
	_ driver.RowsNextResultSet = (*rows)(nil)
)

// queryAll runs statements up to the first with rows; NextResultSet runs the others as it reaches them, and Close the rest.
func (c *conn) queryAll(ctx context.Context, parts []part, text bool) (driver.Rows, error) {
	out := &rows{conn: c, text: text, ctx: ctx, rest: parts}
	if err := out.advance(); err != nil && err != io.EOF {
		return nil, err
	}
	return out, nil
}

// advance runs the next statement that has rows; io.EOF: there is none.
func (r *rows) advance() error {
	for len(r.rest) > 0 {
		next := r.rest[0]
		r.rest = r.rest[1:]
		got, err := r.conn.session.QueryContext(r.ctx, next.text, next.args)
		if err != nil {
			r.rest = nil
			return r.conn.failed(r.ctx, err)
		}
		if r.innerRows != nil {
			_ = r.innerRows.Close()
		}
		if err := r.take(got.(innerRows)); err != nil {
			r.rest = nil
			return err
		}
		if len(got.Columns()) > 0 {
			return nil
		}
	}
	return io.EOF
}

// take begins to return got, and reads the first row: a server answers a query when it has that row, so the query fails if its context ends
// before.
func (r *rows) take(got innerRows) error {
	r.innerRows, r.types, r.first = got, nil, nil
	if len(got.Columns()) == 0 {
		return nil
	}
	r.first = make([]driver.Value, len(got.Columns()))
	if r.firstErr = got.Next(r.first); r.firstErr != nil && r.firstErr != io.EOF && r.ctx.Err() != nil {
		_ = got.Close()
		return r.conn.failed(r.ctx, r.firstErr)
	}
	return nil
}

// read reads the next row.
func (r *rows) read(dest []driver.Value) error {
	if r.first == nil {
		return r.innerRows.Next(dest)
	}
	copy(dest, r.first)
	r.first = nil
	return r.firstErr
}

func (r *rows) HasNextResultSet() bool { return len(r.rest) > 0 }
func (r *rows) NextResultSet() error   { return r.advance() }

// Close runs the remaining statements, as the server does.
func (r *rows) Close() error {
	for {
		switch err := r.advance(); err {
		case nil:
		case io.EOF:
			return translate(r.innerRows.Close())
		default:
			_ = r.innerRows.Close()
			return err
		}
	}
}

func (r *rows) Next(dest []driver.Value) error {
	if err := r.read(dest); err != nil {
		if err == io.EOF {
			return io.EOF
		}
		return r.conn.failed(r.ctx, err)
	}
	if r.types == nil {
		r.types = r.kinds()
	}
	for i, v := range dest {
		if v != nil {
			dest[i] = r.value(v, &r.types[i])
		}
	}
	return nil
}

// kind is what determines a column's Go type.
type kind struct {
	name   string
	layout string // of a DATE or DATETIME
}

func (r *rows) kinds() []kind {
	out := make([]kind, len(r.Columns()))
	for i := range out {
		k := kind{name: r.innerRows.ColumnTypeDatabaseTypeName(i)}
		switch k.name {
		case "DATE":
			k.layout = dateLayout
		case "DATETIME", "TIMESTAMP":
			k.layout = dateTimeLayout
			if digits, _, _ := r.innerRows.ColumnTypePrecisionScale(i); digits > 0 {
				k.layout += "." + "0000000"[:min(digits, 7)]
			}
		}
		out[i] = k
	}
	return out
}

// value makes v what MySQL's driver gives for the column.
func (r *rows) value(v driver.Value, k *kind) driver.Value {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case uint64:
		switch {
		case r.text:
			return v
		case v > math.MaxInt64:
			return strconv.AppendUint(nil, v, 10)
		}
		return int64(v)
	case float64:
		if k.name == "FLOAT" {
			return float32(v)
		}
		return v
	case string:
		return []byte(v)
	case time.Time:
		if !r.conn.config.ParseTime {
			return v.AppendFormat(nil, k.layoutOr(dateTimeLayout))
		}
		return time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), v.Second(), v.Nanosecond(), r.conn.config.Loc)
	}
	return v
}

func (k *kind) layoutOr(other string) string {
	if k.layout == "" {
		return other
	}
	return k.layout
}

// ColumnTypeDatabaseTypeName has MySQL's names: a BOOL is a TINYINT, a UUID a CHAR.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	switch name := r.innerRows.ColumnTypeDatabaseTypeName(i); name {
	case "BOOL":
		return "TINYINT"
	case "UUID":
		return "CHAR"
	default:
		return name
	}
}

// ColumnTypeScanType is a time that may be NULL for each DATE and DATETIME, which with parseTime=false cannot be scanned.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	switch r.innerRows.ColumnTypeDatabaseTypeName(i) {
	case "DATE", "DATETIME", "TIMESTAMP":
		return reflect.TypeFor[sql.NullTime]()
	case "BOOL":
		if nullable, _ := r.ColumnTypeNullable(i); nullable {
			return reflect.TypeFor[sql.NullInt64]()
		}
		return reflect.TypeFor[int8]()
	case "NULL":
		return reflect.TypeFor[*any]()
	}
	return r.innerRows.ColumnTypeScanType(i)
}

// ColumnTypePrecisionScale is that of a DECIMAL, the digits of a second, and no bound for floats.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	switch r.innerRows.ColumnTypeDatabaseTypeName(i) {
	case "FLOAT", "DOUBLE":
		return math.MaxInt64, math.MaxInt64, true
	}
	return r.innerRows.ColumnTypePrecisionScale(i)
}
