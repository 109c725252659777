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

// checkArgument makes nv.Value one of the types that argument knows. It accepts all that database/sql accepts by default, and uint64 values with
// the high bit set.
func checkArgument(nv *driver.NamedValue) error {
	got, err := value.CheckGo(nv.Value)
	if err != nil {
		return badArgument(nv, err)
	}
	nv.Value = got
	return nil
}

func badArgument(nv *driver.NamedValue, err error) error {
	name := fmt.Sprintf("argument %d", nv.Ordinal)
	if nv.Name != "" {
		name = "argument " + nv.Name
	}
	if _, own := nv.Value.(driver.Valuer); !own && nv.Value != nil && reflect.TypeOf(nv.Value).Kind() == reflect.Slice {
		err = fmt.Errorf("%w: IN takes a placeholder for each value, a JSON column the text of json.Marshal", err)
	}
	return &Error{Message: fmt.Sprintf("%s: %v", name, err), class: ErrBadValue, cause: err}
}

// bind gives the arguments of a statement. If no argument is given for @name, it is the session's variable. If that was never set, it is NULL
// without any argument, but next to arguments an error, because it may be misspelt.
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

// zoned makes a time.Time argument the time that a clock in the session's time zone then shows.
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
		return nil, argumentError("the statement has %s, and the call %s", sqlerr.Count(p.Placeholders, "placeholder"), sqlerr.Count(len(named), "argument"))
	}
	if len(named) == 0 {
		return nil, nil
	}
	args := make([]value.Value, len(named))
	for i := range named {
		if name := named[i].Name; name != "" {
			return nil, argumentError("argument %q has a name, but the statement has no :%s or @%s", name, name, name)
		}
		v, err := value.FromGo(named[i].Value)
		if err != nil {
			return nil, badArgument(&named[i], err)
		}
		args[i] = v
	}
	return args, nil
}

// bindNames puts arguments with names, and arguments without one by place, in the order of names. variable, unless nil, knows the names without
// an argument.
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
			return nil, argumentError("the statement has %s, and the call %s", sqlerr.Count(len(names), "placeholder"), sqlerr.Count(len(named), "argument"))
		}
		if given[at] {
			return nil, argumentError("two arguments for %s", names[at])
		}
		v, err := value.FromGo(named[i].Value)
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

// ConvertArgument gives what the driver makes of an argument: one of the types that database/sql knows, with a time.Time in UTC and cut to 100
// ns; or the error that a statement with it would give. nearlyfreetest.ValueConverter does the same.
func ConvertArgument(v any) (driver.Value, error) {
	nv := driver.NamedValue{Ordinal: 1, Value: v}
	if err := checkArgument(&nv); err != nil {
		return nil, err
	}
	x, err := value.FromGo(nv.Value)
	if err != nil {
		return nil, badArgument(&nv, err)
	}
	return value.ToGo(x), nil
}
