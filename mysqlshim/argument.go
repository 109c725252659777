package mysql

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"
)

// argument converts an argument to what MySQL's driver sends: a number, a text, octets, or NULL. A time is sent as its text. Octets that form a
// text are a text for the server, too: it accepts them for any column.
func (c *Config) argument(v any) (driver.Value, error) {
	switch v := v.(type) {
	case nil, int64, uint64, float64:
		return v, nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case string:
		if !utf8.ValidString(v) {
			return []byte(v), nil
		}
		return v, nil
	case json.RawMessage:
		return octets(v), nil
	case []byte:
		return octets(v), nil
	case time.Time:
		return c.timeText(v), nil
	case driver.Valuer:
		return c.valuer(v)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return nil, nil
		}
		return c.argument(r.Elem().Interface())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return r.Uint(), nil
	case reflect.Float32, reflect.Float64:
		return r.Float(), nil
	case reflect.Bool:
		return c.argument(r.Bool())
	case reflect.String:
		return c.argument(r.String())
	case reflect.Slice:
		if r.Type().Elem().Kind() == reflect.Uint8 {
			return octets(r.Bytes()), nil
		}
		return nil, fmt.Errorf("unsupported type %T, a slice of %s", v, r.Type().Elem().Kind())
	default:
		return nil, fmt.Errorf("unsupported type %T, a %s", v, r.Kind())
	}
}

// valuer calls a driver.Valuer; a nil pointer whose method has a value receiver is NULL, as in database/sql.
func (c *Config) valuer(v driver.Valuer) (driver.Value, error) {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() && r.Type().Elem().Implements(reflect.TypeFor[driver.Valuer]()) {
		return nil, nil
	}
	got, err := v.Value()
	if err != nil {
		return nil, err
	}
	if _, isUint := got.(uint64); !isUint && !driver.IsValue(got) {
		return nil, fmt.Errorf("non-Value type %T returned from Value", got)
	}
	return c.argument(got)
}

func octets(v []byte) driver.Value {
	switch {
	case v == nil:
		return nil
	case utf8.Valid(v):
		return string(v)
	}
	return v
}

// timeText is a time as MySQL's driver writes it, with as many digits as it needs.
func (c *Config) timeText(t time.Time) string {
	if t.IsZero() {
		return "0000-00-00"
	}
	t = t.In(c.Loc)
	if c.timeTruncate > 0 {
		t = t.Truncate(c.timeTruncate)
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}
