package nearlyfree

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// checkArgument makes nv.Value one of the types that argument knows. It takes all that database/sql takes by
// default, and uint64 values with the high bit set.
func checkArgument(nv *driver.NamedValue) error {
	switch v := nv.Value.(type) {
	case nil, int64, float64, bool, []byte, string, time.Time, uint64:
		return nil
	case driver.Valuer:
		inner, err := driver.DefaultParameterConverter.ConvertValue(v)
		if err == nil {
			nv.Value = inner
			return nil
		}
		// A Valuer may give a uint64, which the default converter refuses when it is large.
		if got, valueErr := v.Value(); valueErr == nil {
			if u, ok := got.(uint64); ok {
				nv.Value = u
				return nil
			}
		}
		return badArgument(nv, err)
	case uint:
		nv.Value = uint64(v)
		return nil
	}
	got, err := driver.DefaultParameterConverter.ConvertValue(nv.Value)
	if err == nil {
		nv.Value = got
		return nil
	}
	// The default converter refuses whatever is a uint64 with the high bit set.
	if u := reflect.Indirect(reflect.ValueOf(nv.Value)); u.CanUint() {
		nv.Value = u.Uint()
		return nil
	}
	return badArgument(nv, err)
}

func badArgument(nv *driver.NamedValue, err error) error {
	name := fmt.Sprintf("argument %d", nv.Ordinal)
	if nv.Name != "" {
		name = "argument " + nv.Name
	}
	return &Error{Message: fmt.Sprintf("%s: %v", name, err), class: ErrBadValue, cause: err}
}

// argument turns what checkArgument let through into a value. A time.Time is taken in UTC and cut to 100 ns:
// clocks give nanoseconds, which no DATETIME holds.
func argument(v driver.Value) (value.Value, error) {
	switch v := v.(type) {
	case nil:
		return value.NullValue, nil
	case int64:
		return value.FromInt(v), nil
	case string:
		return value.FromString(v), nil
	case float64:
		return value.FromFloat(v), nil
	case bool:
		return value.FromBool(v), nil
	case []byte:
		if v == nil {
			return value.NullValue, nil
		}
		return value.FromBytes(string(v)), nil
	case time.Time:
		ticks, err := value.TicksFromTime(v.UTC().Truncate(value.Tick))
		if err != nil {
			return value.NullValue, err
		}
		return value.FromTicks(ticks), nil
	case uint64:
		return value.FromUint(v), nil
	}
	return value.NullValue, fmt.Errorf("a %T cannot be an argument", v)
}

// bind gives the arguments of a statement. @name is the session's variable where no argument is given for it: without
// any argument NULL where it was never set, beside others an error, as it may be a misspelt one.
func (c *conn) bind(p *dialect.Parsed, named []driver.NamedValue) ([]value.Value, error) {
	named = zoned(named, c.session.Zone())
	variables := c.session.Variables()
	switch {
	case !p.Variables:
		return bind(p, named)
	case len(named) > 0:
		return bindNames(p.Names, named, variables.Lookup)
	}
	args := make([]value.Value, len(p.Names))
	for i, name := range p.Names {
		args[i] = variables.Get(name)
	}
	return args, nil
}

// zoned makes a time.Time argument the time that the clock of a time zone, that of the session, shows at it.
func zoned(named []driver.NamedValue, zone *time.Location) []driver.NamedValue {
	if zone == nil || len(named) == 0 {
		return named
	}
	out := make([]driver.NamedValue, len(named))
	for i, n := range named {
		if t, ok := n.Value.(time.Time); ok {
			t = t.In(zone)
			n.Value = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		}
		out[i] = n
	}
	return out
}

// bind puts the arguments in the order of the statement's placeholders.
func bind(p *dialect.Parsed, named []driver.NamedValue) ([]value.Value, error) {
	if p.Names != nil {
		return bindNames(p.Names, named, nil)
	}
	if len(named) != p.Placeholders {
		return nil, argumentError("the statement has %d placeholders, but there are %d arguments", p.Placeholders, len(named))
	}
	if len(named) == 0 {
		return nil, nil
	}
	args := make([]value.Value, len(named))
	for i := range named {
		if name := named[i].Name; name != "" {
			return nil, argumentError("argument %q has a name, but the statement has no :%s or @%s", name, name, name)
		}
		v, err := argument(named[i].Value)
		if err != nil {
			return nil, badArgument(&named[i], err)
		}
		args[i] = v
	}
	return args, nil
}

// bindNames puts arguments by name, and those without one by place, in the order of names. variable, unless nil, knows
// those that no argument is given for.
func bindNames(names []string, named []driver.NamedValue, variable func(name string) (value.Value, bool)) ([]value.Value, error) {
	args, given := make([]value.Value, len(names)), make([]bool, len(names))
	for i := range named {
		at := i
		if name := named[i].Name; name != "" {
			if at = slices.Index(names, name); at < 0 {
				return nil, argumentError("argument %q: the statement has no :%s or @%s", name, name, name)
			}
		}
		if at >= len(names) {
			return nil, argumentError("the statement has %d placeholders, but there are %d arguments", len(names), len(named))
		}
		if given[at] {
			return nil, argumentError("two arguments for %s", names[at])
		}
		v, err := argument(named[i].Value)
		if err != nil {
			return nil, badArgument(&named[i], err)
		}
		args[at], given[at] = v, true
	}
	for at, name := range names {
		if given[at] {
			continue
		}
		if variable != nil {
			if args[at], given[at] = variable(name); given[at] {
				continue
			}
		}
		return nil, argumentError("no argument for %s: give sql.Named(%q, …), or SET @%s before, in the same sql.Conn", name, name, name)
	}
	return args, nil
}

func argumentError(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, sqlerr.Briefly(args)...), class: ErrBadValue}
}

// driverValue is what a column hands to database/sql: int64, uint64 (above int64 only), float64, bool, string
// (text, DECIMAL, TIME, JSON, UUID), []byte (octets, BIT), time.Time (DATE, DATETIME; UTC), or nil.
func driverValue(v value.Value) driver.Value {
	switch v.Kind() {
	case value.Null:
		return nil
	case value.Bool:
		return v.Bool()
	case value.Int:
		return v.Int()
	case value.Uint:
		if v.IsBits() {
			return []byte(value.Text(v))
		}
		if u := v.Uint(); u > 1<<63-1 {
			return u
		}
		return v.Int()
	case value.Float:
		return value.Shortest(v)
	case value.Bytes:
		return []byte(v.Text())
	case value.Time, value.Date:
		return value.TimeFromTicks(v.Ticks())
	case value.Duration:
		return value.Text(v)
	default:
		return v.Text()
	}
}

// ConvertArgument gives what the driver makes of an argument: one of the types that database/sql knows, with a
// time.Time in UTC and cut to 100 ns; or the error that a statement with it would give. It is what
// nearlyfreetest.ValueConverter does.
func ConvertArgument(v any) (driver.Value, error) {
	nv := driver.NamedValue{Ordinal: 1, Value: v}
	if err := checkArgument(&nv); err != nil {
		return nil, err
	}
	x, err := argument(nv.Value)
	if err != nil {
		return nil, badArgument(&nv, err)
	}
	return driverValue(x), nil
}
