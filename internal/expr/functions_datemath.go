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
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				x, xok := timeOf(args[0])
				y, yok := timeOf(args[1])
				return orNull(value.FromInt(x/value.TicksPerDay-y/value.TicksPerDay), xok && yok), nil
			}},
		{Name: "TIMEDIFF", Signature: "TIMEDIFF(x, y)", Family: "time", Doc: "x - y as a TIME; NULL where only one is a TIME.", Min: 2, Max: 2, strict: true,
			Type: fixed(timeType), Eval: evalTimeDiff},
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
		t := args[base].Type()
		switch t.Base {
		case value.TypeDate:
			u := intervalUnits["day"]
			if unit >= 0 && unit < len(args) {
				name, _ := constText(args[unit])
				u, _ = unitOf(name)
			}
			if unit < 0 || !u.days {
				return dateTimeType
			}
			return t
		case value.TypeDateTime, value.TypeTime:
			t.Precision = -1
			return t
		case value.TypeUnknown:
			return t
		}
		return textType
	}
}

// dateAdd adds args[1] units of args[2], days without one, or takes them off.
func dateAdd(sign int64) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		u := intervalUnits["day"]
		if len(args) > 2 {
			u, _ = unitOf(args[2].Text())
		}
		iv, ok, err := newInterval(args[1], u)
		if err != nil || !ok {
			return value.NullValue, err
		}
		return addInterval(args[0], interval{iv.months * sign, iv.ticks * sign}, u.days), nil
	}
}

func addTime(sign int64) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		d, ok := durationOf(args[1])
		if !ok {
			return value.NullValue, nil
		}
		base, text := args[0], args[0].Kind() == value.String
		if text && strings.LastIndexByte(base.Text(), '-') <= 0 {
			from, ok := durationOf(base)
			if !ok {
				return value.NullValue, nil
			}
			return value.FromString(value.Text(value.FromDuration(clampDuration(from + sign*d)))), nil
		}
		return addInterval(base, interval{ticks: sign * d}, false), nil
	}
}

func evalTimestampDiff(_ *Env, args []value.Value) (value.Value, error) {
	u, _ := unitOf(args[0].Text())
	from, ok := timeOf(args[1])
	if !ok {
		return value.NullValue, nil
	}
	to, ok := timeOf(args[2])
	switch {
	case !ok || u.parts != nil:
		return value.NullValue, nil
	case u.months == 0:
		return value.FromInt((to - from) / u.ticks), nil
	}
	return value.FromInt(wholeMonths(from, to) / u.months), nil
}

// wholeMonths is the number of months that have gone by from one time to the other.
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

// isDuration says whether v reads as a TIME rather than as a date.
func isDuration(v value.Value) bool {
	switch v.Kind() {
	case value.Duration:
		return true
	case value.String:
		return strings.LastIndexByte(v.Text(), '-') <= 0 && strings.Contains(v.Text(), ":")
	}
	return false
}

func evalTimeDiff(_ *Env, args []value.Value) (value.Value, error) {
	read := timeOf
	if isDuration(args[0]) {
		read = durationOf
	}
	if isDuration(args[0]) != isDuration(args[1]) {
		return value.NullValue, nil
	}
	x, xok := read(args[0])
	y, yok := read(args[1])
	return orNull(value.FromDuration(clampDuration(x-y)), xok && yok), nil
}

func evalExtract(env *Env, args []value.Value) (value.Value, error) {
	name := strings.TrimPrefix(strings.ToLower(args[0].Text()), "sql_tsi_")
	parts := []string{name}
	if u, _ := unitOf(name); u.parts != nil {
		parts = u.parts
	}
	total := int64(0)
	negative := isDuration(args[1])
	for i, part := range parts {
		f := registry[strings.ToUpper(part)]
		v, err := f.Eval(env, args[1:2])
		if err != nil || v.IsNull() {
			return value.NullValue, err
		}
		if i > 0 {
			total *= 100
			if part == "microsecond" {
				total *= 10_000
			}
		}
		total += v.Int()
	}
	if d, ok := durationOf(args[1]); negative && ok && d < 0 {
		total = -total
	}
	return value.FromInt(total), nil
}
