package expr

import (
	"cmp"
	"errors"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// daysBeforeYear1 makes the days since year 1 MySQL's, which count from year 0.
const daysBeforeYear1 = 366

func dateFunctions() []*Function {
	return []*Function{
		datePart("YEAR", "The year.", func(t time.Time) int64 { return int64(t.Year()) }),
		datePart("QUARTER", "The quarter, 1 to 4.", func(t time.Time) int64 { return int64(t.Month()+2) / 3 }),
		datePart("MONTH", "The month, 1 to 12.", func(t time.Time) int64 { return int64(t.Month()) }),
		datePart("DAY", "The day of the month, 1 to 31.", func(t time.Time) int64 { return int64(t.Day()) }, "DAYOFMONTH"),
		datePart("DAYOFWEEK", "The day of the week, 1 (Sunday) to 7.", func(t time.Time) int64 { return int64(t.Weekday()) + 1 }),
		datePart("WEEKDAY", "The day of the week, 0 (Monday) to 6.", func(t time.Time) int64 { return int64(t.Weekday()+6) % 7 }),
		datePart("DAYOFYEAR", "The day of the year, 1 to 366.", func(t time.Time) int64 { return int64(t.YearDay()) }),
		datePart("WEEKOFYEAR", "The ISO week, 1 to 53.", func(t time.Time) int64 { _, w := t.ISOWeek(); return int64(w) }),
		datePart("TO_DAYS", "Days since year 0.", func(t time.Time) int64 { return dayNumber(t) }),
		datePart("TO_SECONDS", "Seconds since year 0.", func(t time.Time) int64 {
			return dayNumber(t)*86400 + int64(t.Hour())*3600 + int64(t.Minute())*60 + int64(t.Second())
		}),
		timePart("HOUR", "The hour; of a TIME perhaps more than 23.", 3600*value.TicksPerSecond, 0),
		timePart("MINUTE", "The minute, 0 to 59.", 60*value.TicksPerSecond, 60),
		timePart("SECOND", "The second, 0 to 59.", value.TicksPerSecond, 60),
		timePart("MICROSECOND", "The microseconds of the second.", 10, 1_000_000),
		timePart("TIME_TO_SEC", "The seconds of a TIME.", value.TicksPerSecond, 0),
		{Name: "WEEK", Signature: "WEEK(date[, mode])", Family: "time", Doc: "The week, counted as MySQL's mode 0 to 7 says.", Min: 1, Max: 2, strict: true, Type: toInt,
			Eval: weekFunction(func(_, week int64) int64 { return week }, 0)},
		{Name: "YEARWEEK", Signature: "YEARWEEK(date[, mode])", Family: "time", Doc: "The year and the week: 202401.", Min: 1, Max: 2, strict: true, Type: toInt,
			Eval: weekFunction(func(year, week int64) int64 { return year*100 + week }, weekOfItsYear)},
		nameOf("DAYNAME", "The English name of the weekday.", func(t time.Time) string { return t.Weekday().String() }),
		nameOf("MONTHNAME", "The English name of the month.", func(t time.Time) string { return t.Month().String() }),
		{Name: "DATE", Signature: "DATE(x)", Family: "time", Doc: "The date of a time.", Min: 1, Max: 1, strict: true, Type: fixed(dateType),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				t, ok := env.timeOf(args[0])
				return orNull(value.FromDate(t-t%value.TicksPerDay), ok), nil
			}},
		{Name: "TIME", Signature: "TIME(x)", Family: "time", Doc: "The time of day, or x as a TIME.", Min: 1, Max: 1, strict: true, Type: secondsType(value.TypeTime, secondDigits, 0),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				d, ok := value.ReadDuration(args[0])
				return orNull(d, ok), nil
			}},
		{Name: "TIMESTAMP", Signature: "TIMESTAMP(x[, time])", Family: "time", Doc: "x as a DATETIME, plus a TIME.", Min: 1, Max: 2, strict: true, Type: secondsType(value.TypeDateTime, secondDigits, 0),
			Eval: evalTimestamp},
		{Name: "LAST_DAY", Signature: "LAST_DAY(date)", Family: "time", Doc: "The last day of its month.", Min: 1, Max: 1, strict: true, Type: fixed(dateType),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				ticks, ok := env.timeOf(args[0])
				if !ok {
					return value.NullValue, nil
				}
				t := value.TimeFromTicks(ticks)
				return dateValue(time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC)), nil
			}},
		{Name: "FROM_DAYS", Signature: "FROM_DAYS(n)", Family: "time", Doc: "The date of TO_DAYS' number.", Min: 1, Max: 1, strict: true, Type: fixed(dateType),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				n, err := value.ToInt(args[0])
				if err != nil || n < daysBeforeYear1 || n-daysBeforeYear1 > value.MaxTicks/value.TicksPerDay {
					return value.NullValue, err
				}
				return value.FromDate((n - daysBeforeYear1) * value.TicksPerDay), nil
			}},
		{Name: "MAKEDATE", Signature: "MAKEDATE(year, day)", Family: "time", Doc: "The date of a day of the year, from 1.", Min: 2, Max: 2, strict: true, Type: fixed(dateType),
			Eval: evalMakeDate},
		{Name: "MAKETIME", Signature: "MAKETIME(hour, minute, second)", Family: "time", Min: 3, Max: 3, strict: true, Type: secondsType(value.TypeTime, fractionDigits, 2), Eval: evalMakeTime},
		{Name: "SEC_TO_TIME", Signature: "SEC_TO_TIME(seconds)", Family: "time", Doc: "Seconds as a TIME.", Min: 1, Max: 1, strict: true, Type: secondsType(value.TypeTime, fractionDigits, 0),
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				ticks, err := secondTicks(args[0])
				var tooLarge *value.RangeError
				if errors.As(err, &tooLarge) {
					ticks, err = value.MaxDuration+1, nil
					if value.ToFloat(args[0]) < 0 {
						ticks = -ticks
					}
				}
				if err != nil {
					return value.NullValue, err
				}
				if v := value.FromDuration(clampDuration(ticks)); v.Ticks() != ticks {
					return v, env.truncated("time", args[0])
				}
				return value.FromDuration(ticks), nil
			}},
	}
}

func orNull(v value.Value, ok bool) value.Value {
	if !ok {
		return value.NullValue
	}
	return v
}

func dayNumber(t time.Time) int64 {
	return (t.Unix()-time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix())/86400 + daysBeforeYear1
}

// dateValue is the DATE of t, NULL outside of the years 1 to 9999.
func dateValue(t time.Time) value.Value {
	ticks, err := value.TicksFromTime(t)
	return orNull(value.FromDate(ticks-ticks%value.TicksPerDay), err == nil)
}

func clampDuration(ticks int64) int64 {
	return max(-value.MaxDuration, min(ticks, value.MaxDuration))
}

// duration is the TIME of ticks, clamped to the greatest one with a warning.
func (e *Env) duration(ticks int64) (value.Value, error) {
	v := value.FromDuration(clampDuration(ticks))
	if v.Ticks() != ticks {
		return v, e.truncated("time", value.FromDuration(ticks))
	}
	return v, nil
}

func datePart(name, doc string, part func(time.Time) int64, aliases ...string) *Function {
	return &Function{Name: name, Signature: name + "(date)", Family: "time", Doc: doc, aliases: aliases, Min: 1, Max: 1, strict: true, Type: toInt,
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			ticks, ok := env.timeOf(args[0])
			if !ok {
				return value.NullValue, nil
			}
			return value.FromInt(part(value.TimeFromTicks(ticks))), nil
		}}
}

// timePart gives the units of a time of day, without those of the next larger unit if modulo is not 0.
func timePart(name, doc string, unit, modulo int64) *Function {
	return &Function{Name: name, Signature: name + "(time)", Family: "time", Doc: doc, Min: 1, Max: 1, strict: true, Type: toInt,
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			ticks, ok := durationOf(args[0])
			if !ok {
				return value.NullValue, nil
			}
			n := ticks / unit
			if name != "TIME_TO_SEC" {
				n = max(n, -n)
			}
			if modulo != 0 {
				n %= modulo
			}
			return value.FromInt(n), nil
		}}
}

func nameOf(name, doc string, get func(time.Time) string) *Function {
	return &Function{Name: name, Signature: name + "(date)", Family: "time", Doc: doc, Min: 1, Max: 1, strict: true, Type: toText,
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			ticks, ok := env.timeOf(args[0])
			return orNull(value.FromString(get(value.TimeFromTicks(ticks))), ok), nil
		}}
}

func evalTimestamp(env *Env, args []value.Value) (value.Value, error) {
	ticks, ok := env.timeOf(args[0])
	if ok && len(args) > 1 {
		var d int64
		d, ok = durationOf(args[1])
		ticks += d
	}
	return orNull(value.FromTicks(ticks), ok && ticks >= 0 && ticks <= value.MaxTicks), nil
}

func evalMakeDate(env *Env, args []value.Value) (value.Value, error) {
	year, err := value.ToInt(args[0])
	day, err2 := value.ToInt(args[1])
	var tooLarge *value.RangeError
	if errors.As(err, &tooLarge) || errors.As(err2, &tooLarge) {
		return value.NullValue, nil // no calendar goes that far
	}
	if err = cmp.Or(err, err2); err != nil || day < 1 || day > 4_000_000 || year < 0 || year > 9999 {
		return value.NullValue, err
	}
	return dateValue(time.Date(value.FullYear(int(year)), 1, int(day), 0, 0, 0, 0, time.UTC)), nil
}

func evalMakeTime(env *Env, args []value.Value) (value.Value, error) {
	hour, err := value.ToInt(args[0])
	if err != nil {
		return value.NullValue, err
	}
	minute, err := value.ToInt(args[1])
	if err != nil {
		return value.NullValue, err
	}
	ticks, err := secondTicks(args[2])
	if err != nil || minute < 0 || minute > 59 || ticks < 0 || ticks >= 60*value.TicksPerSecond {
		return value.NullValue, err
	}
	if hour < -838 || hour > 838 {
		return env.duration(max(-839, min(hour, 839)) * 3600 * value.TicksPerSecond)
	}
	ticks += minute * 60 * value.TicksPerSecond
	if hour < 0 {
		ticks = -ticks
	}
	return value.FromDuration(hour*3600*value.TicksPerSecond + ticks), nil
}

// secondTicks reads a number of seconds, at most as many as there are in 10,000 years.
func secondTicks(v value.Value) (int64, error) {
	const most = value.MaxTicks / value.TicksPerSecond
	d, err := value.ToDecimal(v)
	if err != nil {
		return 0, err
	}
	if f := value.ToFloat(d); f > most || f < -most {
		return 0, &value.RangeError{Type: "TIME", Expr: d.Text() + " seconds"}
	}
	if d, err = value.Mul(d, value.FromInt(value.TicksPerSecond)); err != nil {
		return 0, err
	}
	return value.ToInt(d)
}

// The bits of a WEEK mode.
const (
	weekMondayFirst = 1 << iota
	weekOfItsYear   // days before the first week belong to the last year's last one, not to week 0
	weekFirstDay    // the first week is the first with its first weekday; otherwise with 4 days in the year
)

func weekFunction(show func(year, week int64) int64, always int64) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		ticks, ok := env.timeOf(args[0])
		if !ok {
			return value.NullValue, nil
		}
		mode := int64(0)
		if len(args) > 1 {
			var err error
			if mode, err = value.ToInt(args[1]); err != nil {
				return value.NullValue, err
			}
		}
		year, week := weekOf(value.TimeFromTicks(ticks), mode|always)
		return value.FromInt(show(year, week)), nil
	}
}

// weekOf is the week of t by MySQL's mode, with the year that it belongs to.
func weekOf(t time.Time, mode int64) (year, week int64) {
	if mode&weekMondayFirst == 0 {
		mode ^= weekFirstDay // the manual's table has this bit the other way round for weeks from Sunday
	}
	monday, itsYear, firstDay := mode&weekMondayFirst != 0, mode&weekOfItsYear != 0, mode&weekFirstDay != 0
	// weekday is that of January 1st, 0 on the first day of the week.
	weekday := func(year int) int {
		d := int(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Weekday())
		if monday {
			d = (d + 6) % 7
		}
		return d
	}
	// start is the day of the year, 0-based and perhaps negative, on which week 1 begins.
	start := func(year int) int {
		d := weekday(year)
		if firstDay && d != 0 || !firstDay && d >= 4 {
			return 7 - d
		}
		return -d
	}
	y, day := t.Year(), t.YearDay()-1
	if day < start(y) {
		if !itsYear {
			return int64(y), 0
		}
		y--
		day += daysInYear(y)
	} else if itsYear && day >= daysInYear(y)+start(y+1) {
		return int64(y + 1), 1
	}
	return int64(y), int64((day-start(y))/7 + 1)
}

func daysInYear(year int) int {
	return time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
}
