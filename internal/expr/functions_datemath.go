package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func dateMathFunctions() []*Function {
	return []*Function{
		{Name: "DATE_ADD", Signature: "DATE_ADD(date, INTERVAL n unit)", Family: "time", Doc: "date + INTERVAL n unit; NULL beyond the years 1 to 9999.",
			Min: 3, Max: 3, strict: true, check: unitAt(2), Type: intervalType(0, 2), Eval: dateAdd(1)},
		{Name: "DATE_SUB", Signature: "DATE_SUB(date, INTERVAL n unit)", Family: "time", Doc: "date - INTERVAL n unit; NULL beyond the years 1 to 9999.",
			Min: 3, Max: 3, strict: true, check: unitAt(2), Type: intervalType(0, 2), Eval: dateAdd(-1)},
		{Name: "ADDDATE", Signature: "ADDDATE(date, days | INTERVAL n unit)", Family: "time", Doc: "date some days, or an interval, later.",
			Min: 2, Max: 3, strict: true, check: unitAt(2), Type: intervalType(0, 2), Eval: dateAdd(1)},
		{Name: "SUBDATE", Signature: "SUBDATE(date, days | INTERVAL n unit)", Family: "time", Doc: "date some days, or an interval, earlier.",
			Min: 2, Max: 3, strict: true, check: unitAt(2), Type: intervalType(0, 2), Eval: dateAdd(-1)},
		{Name: "TIMESTAMPADD", Signature: "TIMESTAMPADD(unit, n, date)", Family: "time", Doc: "date + INTERVAL n unit.",
			Min: 3, Max: 3, strict: true, check: unitAt(0), Type: intervalType(2, 0),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				return dateAdd(1)(env, []value.Value{args[2], args[1], args[0]})
			}},
		{Name: "TIMESTAMPDIFF", Signature: "TIMESTAMPDIFF(unit, from, to)", Family: "time", Doc: "Whole units from one time to the other.",
			Min: 3, Max: 3, strict: true, check: unitAt(0), Type: toInt, Eval: evalTimestampDiff},
		{Name: "DATEDIFF", Signature: "DATEDIFF(x, y)", Family: "time", Doc: "Days from y to x, by their dates.", Min: 2, Max: 2, strict: true, Type: toInt,
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				x, xok := env.timeOf(args[0])
				y, yok := env.timeOf(args[1])
				return orNull(value.FromInt(x/value.TicksPerDay-y/value.TicksPerDay), xok && yok), nil
			}},
		{Name: "TIMEDIFF", Signature: "TIMEDIFF(x, y)", Family: "time", Doc: "x - y as a TIME; NULL if only one is a TIME.", Min: 2, Max: 2, strict: true,
			Type: secondsType(value.TypeTime, secondDigits, 0), Eval: evalTimeDiff},
		{Name: "ADDTIME", Signature: "ADDTIME(x, time)", Family: "time", Doc: "x + time.", Min: 2, Max: 2, strict: true, Type: intervalType(0, -1), Eval: addTime(1)},
		{Name: "SUBTIME", Signature: "SUBTIME(x, time)", Family: "time", Doc: "x - time.", Min: 2, Max: 2, strict: true, Type: intervalType(0, -1), Eval: addTime(-1)},
		{Name: "EXTRACT", Signature: "EXTRACT(unit FROM date)", Family: "time", Doc: "The part of a time; of compound units their digits side by side.", Min: 2, Max: 2,
			strict: true, check: unitAt(0), Type: toInt, Eval: evalExtract},
	}
}

// unitAt checks that the argument there, if any, is the name of a unit.
func unitAt(i int) func([]Node) error {
	return func(args []Node) error {
		if i >= len(args) {
			return nil
		}
		name, _ := constText(args[i])
		if _, ok := unitOf(name); !ok {
			return &ArgumentError{"INTERVAL", "no unit '" + name + "'"}
		}
		return nil
	}
}

// intervalType is the type of a date plus an interval; unit -1 is a TIME, a missing unit is days.
func intervalType(base, unit int) func([]Node) value.Type {
	return func(args []Node) value.Type {
		u, digits := intervalUnit{}, 0
		switch {
		case unit < 0:
			digits = secondDigits(args[1])
		case unit < len(args):
			name, _ := constText(args[unit])
			u, _ = unitOf(name)
			digits = u.digits(args[1])
		default:
			u = intervalUnits["day"]
		}
		t := args[base].Type()
		switch t.Base {
		case value.TypeDate:
			if !u.days {
				return value.Type{Base: value.TypeDateTime, Precision: digits}
			}
			return t
		case value.TypeDateTime, value.TypeTime:
			if t.Base == value.TypeTime && u.ofDays() {
				t.Base = value.TypeDateTime
			}
			return value.Type{Base: t.Base, Precision: greatestDigits(t.Precision, digits)}
		case value.TypeUnknown:
			return t
		}
		return textType
	}
}

// dateAdd adds args[1] units of args[2], days without one, or takes them off.
func dateAdd(sign int64) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		u := intervalUnits["day"]
		if len(args) > 2 {
			u, _ = unitOf(args[2].Text())
		}
		iv, ok, err := newInterval(args[1], u)
		if err != nil || !ok {
			return value.NullValue, err
		}
		base := args[0]
		if u.ofDays() {
			base = env.today(base, value.Time)
		}
		return env.addInterval(base, interval{iv.months * sign, iv.ticks * sign}, u.days), nil
	}
}

// addTime adds a TIME to a TIME, clamped to the greatest one, or to a point in time. Text stays text.
func addTime(sign int64) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		base, ok := value.ReadClock(args[0])
		span, timed := value.ReadClock(args[1])
		if args[1].Kind() == value.Time || args[1].Kind() == value.Date {
			span, timed = value.ReadDuration(args[1])
		}
		if !ok || !timed || span.Kind() != value.Duration {
			return value.NullValue, nil
		}
		v := value.NullValue
		if base.Kind() == value.Duration {
			var err error
			if v, err = env.duration(base.Ticks() + sign*span.Ticks()); err != nil {
				return v, err
			}
		} else if ticks := base.Ticks() + sign*span.Ticks(); ticks >= 0 && ticks <= value.MaxTicks {
			v = value.FromTicks(ticks)
		}
		switch args[0].Kind() {
		case value.Time, value.Date, value.Duration:
			return v.WithDigits(max(base.Digits(), span.Digits())), nil
		}
		return timeText(v), nil
	}
}

func evalTimestampDiff(env *Env, args []value.Value) (value.Value, error) {
	u, _ := unitOf(args[0].Text())
	from, ok := env.timeOf(args[1])
	if !ok {
		return value.NullValue, nil
	}
	to, ok := env.timeOf(args[2])
	switch {
	case !ok || u.parts != nil:
		return value.NullValue, nil
	case u.months == 0:
		return value.FromInt((to - from) / u.ticks), nil
	}
	return value.FromInt(wholeMonths(from, to) / u.months), nil
}

// wholeMonths is the number of months that have passed from one time to the other.
func wholeMonths(from, to int64) int64 {
	if from > to {
		return -wholeMonths(to, from)
	}
	f, t := value.TimeFromTicks(from), value.TimeFromTicks(to)
	n := int64(t.Year()-f.Year())*12 + int64(t.Month()-f.Month())
	if t.Day() < f.Day() || t.Day() == f.Day() && to%value.TicksPerDay < from%value.TicksPerDay {
		n--
	}
	return n
}

// evalTimeDiff gives NULL if only one of both is a TIME, or only one has a time of day.
func evalTimeDiff(env *Env, args []value.Value) (value.Value, error) {
	x, xok := value.ReadClock(args[0])
	y, yok := value.ReadClock(args[1])
	if !xok || !yok || x.Kind() != y.Kind() {
		return value.NullValue, nil
	}
	v, err := env.duration(x.Ticks() - y.Ticks())
	return v.WithDigits(max(x.Digits(), y.Digits())), err
}

func evalExtract(env *Env, args []value.Value) (value.Value, error) {
	name := strings.TrimPrefix(strings.ToLower(args[0].Text()), "sql_tsi_")
	parts := []string{name}
	u, _ := unitOf(name)
	if u.parts != nil {
		parts = u.parts
	}
	at, ok := value.ReadClock(args[1])
	if u.days {
		at, ok = value.ReadTime(env.today(args[1], value.Time))
	}
	if args[1].Kind() == value.Float || args[1].Kind() == value.Decimal {
		at = value.Microseconds(at)
	}
	if !ok {
		return value.NullValue, nil
	}
	total := int64(0)
	for i, part := range parts {
		n := int64(0) // a TIME has no days
		if at.Kind() != value.Duration || part != "day" {
			v, err := registry[strings.ToUpper(part)].Eval(env, []value.Value{at})
			if err != nil || v.IsNull() {
				return value.NullValue, err
			}
			n = v.Int()
		}
		if i > 0 {
			total *= 100
			if part == "microsecond" {
				total *= 10_000
			}
		}
		total += n
	}
	if at.Kind() == value.Duration && at.Ticks() < 0 {
		total = -total
	}
	return value.FromInt(total), nil
}
