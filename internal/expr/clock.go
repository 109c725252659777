package expr

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// timeOf reads v as a time; not ok: it is not one, for which MySQL's functions return NULL.
func (e *Env) timeOf(v value.Value) (ticks int64, ok bool) {
	at, ok := value.ReadTime(e.today(v, value.Time))
	return at.Ticks(), ok
}

// durationOf reads v as a TIME; a point in time gives its time of day. A number is rounded to microseconds, as in MySQL.
func durationOf(v value.Value) (ticks int64, ok bool) {
	d, ok := value.ReadDuration(v)
	if k := v.Kind(); k == value.Float || k == value.Decimal {
		d = value.Microseconds(d)
	}
	return d.Ticks(), ok
}

// localNow is now in the session's time zone.
func (e *Env) localNow() int64 { return e.local(e.now()) }

// local is what the session's clock shows at ticks, which are UTC.
func (e *Env) local(ticks int64) int64 { return localTicks(ticks, e.zone()) }

// now is the time that the statement sees, in UTC.
func (e *Env) now() int64 {
	if n := e.session().Now; n != 0 {
		return n
	}
	return clock()
}

// today turns a TIME that is compared with a point in time (a value of kind beside) into one on the day at which the statement began, and a text
// with an offset into the time that the session's clock shows then. Other values stay as they are.
func (e *Env) today(v value.Value, beside value.Kind) value.Value {
	switch {
	case beside != value.Time && beside != value.Date:
	case v.Kind() == value.Duration:
		now := e.localNow()
		return value.FromTicks(now - now%value.TicksPerDay + v.Ticks())
	case e.zone() != nil && value.HasOffset(v):
		at, _ := value.ReadTime(v)
		return value.FromTicks(e.local(at.Ticks())).WithDigits(at.Digits())
	}
	return v
}

// Cast gives v as a value of type t, like value.Type.Cast, but a TIME cast to a date or a point in time is on the day at which the statement
// began.
func (e *Env) Cast(t value.Type, v value.Value) (value.Value, error) {
	if isDate(t) {
		v = e.today(v, value.Time)
	}
	if t.Base == value.TypeJSON {
		return castJSON(v)
	}
	out, err := t.Cast(v)
	switch {
	case err == nil:
		err = e.castLoss(t, v, out)
	case (v.Kind() == value.Bytes || v.IsBits()) && (t.Base == value.TypeChar || t.Base == value.TypeText): // octets that are no UTF-8
		return value.NullValue, e.Warn(sqlerr.CodeInvalidCharacters, "Invalid utf8mb4 character string: '%X'", value.Text(v))
	}
	return out, err
}

// Store gives v as a column of type t stores it, like value.Type.Store, or Convert if the session is exact. A TIME stored as a date, a point in
// time or a YEAR is on the day at which the statement began. noted: MySQL notes the loss.
func (e *Env) Store(t value.Type, v value.Value) (out value.Value, noted bool, err error) {
	switch {
	case t.Base == value.TypeYear && v.Kind() == value.Duration,
		isDate(t) && !(t.Declared == "TIMESTAMP" && value.HasOffset(v)): // which is kept in UTC, as such a text reads
		v = e.today(v, value.Time)
	}
	if e.session().Exact {
		out, err = t.Convert(v)
		return out, false, err
	}
	return t.Store(v)
}

// isDate says whether t has dates.
func isDate(t value.Type) bool { return t.Base == value.TypeDate || t.Base == value.TypeDateTime }

// clock is the time of the machine, in ticks.
func clock() int64 {
	ticks, err := value.TicksFromTime(time.Now().Truncate(100 * time.Nanosecond))
	if err != nil {
		return value.MaxTicks // a machine whose clock is beyond the year 9999
	}
	return ticks
}

// cutSecond drops the digits of a second behind the first n.
func cutSecond(ticks, n int64) int64 {
	unit := int64(value.TicksPerSecond)
	for ; n > 0 && unit > 1; n-- {
		unit /= 10
	}
	return ticks - ticks%unit
}

// precision reads the optional argument of NOW(fsp).
func precision(function string, args []value.Value) (int64, error) {
	if len(args) == 0 || args[0].IsNull() {
		return 0, nil
	}
	n, err := value.ToInt(args[0])
	if err == nil && (n < 0 || n > 7) {
		err = &ArgumentError{function, "a second has 0 to 7 digits"}
	}
	return n, err
}

func precisionType(base value.Base) func([]Node) value.Type {
	return func(args []Node) value.Type {
		t := value.Type{Base: base}
		if len(args) > 0 {
			t.Precision = -1
			if c, ok := args[0].(*Const); ok {
				if n, err := value.ToInt(c.V); err == nil && n >= 0 && n <= 7 {
					t.Precision = int(n)
				}
			}
		}
		return t
	}
}

func clockFunctions() []*Function {
	at := func(name, doc string, v Volatility, read func(*Env) int64, aliases ...string) *Function {
		return &Function{Name: name, Signature: name + "([digits])", Family: "time", Doc: doc, aliases: aliases, Volatility: v, Max: 1, null: neverNull,
			Type: precisionType(value.TypeDateTime), Eval: func(env *Env, args []value.Value) (value.Value, error) {
				n, err := precision(name, args)
				return value.FromTicks(cutSecond(read(env), n)), err
			}}
	}
	timeOfDay := func(name, zone string, read func(*Env) int64, aliases ...string) *Function {
		return &Function{Name: name, Signature: name + "([digits])", Family: "time", Doc: "The time of day in " + zone + " at which the statement began.", aliases: aliases,
			Volatility: Stable, Max: 1, null: neverNull, Type: precisionType(value.TypeTime), Eval: func(env *Env, args []value.Value) (value.Value, error) {
				n, err := precision(name, args)
				return value.FromDuration(cutSecond(read(env)%value.TicksPerDay, n)), err
			}}
	}
	today := func(name, zone string, read func(*Env) int64, aliases ...string) *Function {
		return &Function{Name: name, Signature: name + "()", Family: "time", Doc: "The date in " + zone + " at which the statement began.", aliases: aliases,
			Volatility: Stable, null: neverNull, Type: fixed(dateType), Eval: func(env *Env, _ []value.Value) (value.Value, error) {
				now := read(env)
				return value.FromDate(now - now%value.TicksPerDay), nil
			}}
	}
	const session = "the session's time zone"
	return []*Function{
		at("NOW", "The time in the session's time zone at which the statement began, with 0 to 7 digits of a second.", Stable, (*Env).localNow, "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"),
		at("UTC_TIMESTAMP", "NOW() in UTC.", Stable, (*Env).now),
		at("SYSDATE", "The time in the session's time zone at which it is computed.", Volatile, func(env *Env) int64 { return env.local(clock()) }),
		timeOfDay("CURTIME", session, (*Env).localNow, "CURRENT_TIME"),
		timeOfDay("UTC_TIME", "UTC", (*Env).now),
		today("CURDATE", session, (*Env).localNow, "CURRENT_DATE"),
		today("UTC_DATE", "UTC", (*Env).now),
	}
}
