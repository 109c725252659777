package value

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"time"
)

// CheckGo gives v as one of the types that FromGo knows: all that database/sql takes by default, and unsigned integers of 64 bits.
func CheckGo(v any) (any, error) {
	switch v := v.(type) {
	case nil, int64, float64, bool, []byte, string, time.Time, uint64:
		return v, nil
	case uint:
		return uint64(v), nil
	case driver.Valuer:
		inner, err := driver.DefaultParameterConverter.ConvertValue(v)
		if err == nil {
			return inner, nil
		}
		// A Valuer may give a uint64, which the default converter refuses when it is large.
		if got, valueErr := v.Value(); valueErr == nil {
			if u, ok := got.(uint64); ok {
				return u, nil
			}
		}
		return nil, err
	}
	got, err := driver.DefaultParameterConverter.ConvertValue(v)
	if err == nil {
		return got, nil
	}
	// The default converter refuses every uint64 with the high bit set.
	if u := reflect.Indirect(reflect.ValueOf(v)); u.CanUint() {
		return u.Uint(), nil
	}
	return nil, err
}

// FromGo turns what CheckGo gives into a value. A time.Time is taken in UTC and cut to 100 ns, because clocks give nanoseconds, which a DATETIME
// cannot hold.
func FromGo(v any) (Value, error) {
	switch v := v.(type) {
	case nil:
		return NullValue, nil
	case int64:
		return FromInt(v), nil
	case string:
		return FromString(v), nil
	case float64:
		return FromFloat(v), nil
	case bool:
		return FromBool(v), nil
	case []byte:
		if v == nil {
			return NullValue, nil
		}
		return FromBytes(string(v)), nil
	case time.Time:
		ticks, err := TicksFromTime(v.UTC().Truncate(Tick))
		if err != nil {
			return NullValue, err
		}
		return FromTicks(ticks), nil
	case uint64:
		return FromUint(v), nil
	}
	return NullValue, fmt.Errorf("a %T cannot be an argument", v)
}

// ToGo is what a column hands to database/sql: int64, uint64 (above int64 only), float64, bool, string (text, DECIMAL, TIME, JSON,
// UUID), []byte (octets, BIT), time.Time (DATE, DATETIME; UTC), or nil.
func ToGo(v Value) any {
	switch v.Kind() {
	case Null:
		return nil
	case Bool:
		return v.Bool()
	case Int:
		return v.Int()
	case Uint:
		if v.IsBits() {
			return []byte(Text(v))
		}
		if u := v.Uint(); u > 1<<63-1 {
			return u
		}
		return v.Int()
	case Float:
		return Shortest(v)
	case Bytes:
		return []byte(v.Text())
	case Time, Date:
		return TimeFromTicks(v.Ticks())
	case Duration:
		return Text(v)
	default:
		return v.Text()
	}
}
