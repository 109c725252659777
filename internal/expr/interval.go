package expr

import (
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// unit is a unit of INTERVAL, TIMESTAMPADD and EXTRACT. A compound unit has several parts, largest first.
type intervalUnit struct {
	months int64 // of one, where it is counted in months
	ticks  int64 // of one otherwise
	parts  []string
	days   bool // changes no time of day
}

const (
	ticksPerMinute = 60 * value.TicksPerSecond
	ticksPerHour   = 60 * ticksPerMinute
)

var intervalUnits = map[string]intervalUnit{
	"microsecond": {ticks: 10},
	"second":      {ticks: value.TicksPerSecond},
	"minute":      {ticks: ticksPerMinute},
	"hour":        {ticks: ticksPerHour},
	"day":         {ticks: value.TicksPerDay, days: true},
	"week":        {ticks: 7 * value.TicksPerDay, days: true},
	"month":       {months: 1, days: true},
	"quarter":     {months: 3, days: true},
	"year":        {months: 12, days: true},

	"second_microsecond": {parts: []string{"second", "microsecond"}},
	"minute_microsecond": {parts: []string{"minute", "second", "microsecond"}},
	"minute_second":      {parts: []string{"minute", "second"}},
	"hour_microsecond":   {parts: []string{"hour", "minute", "second", "microsecond"}},
	"hour_second":        {parts: []string{"hour", "minute", "second"}},
	"hour_minute":        {parts: []string{"hour", "minute"}},
	"day_microsecond":    {parts: []string{"day", "hour", "minute", "second", "microsecond"}},
	"day_second":         {parts: []string{"day", "hour", "minute", "second"}},
	"day_minute":         {parts: []string{"day", "hour", "minute"}},
	"day_hour":           {parts: []string{"day", "hour"}},
	"year_month":         {parts: []string{"year", "month"}, days: true},
}

// ofDays says whether a TIME plus such units is a point in time.
func (u intervalUnit) ofDays() bool { return u.days || u.parts != nil && u.parts[0] == "day" }

// digits is how many digits of a second so many units have.
func (u intervalUnit) digits(amount Node) int {
	switch {
	case u.ticks == intervalUnits["microsecond"].ticks, u.parts != nil && u.parts[len(u.parts)-1] == "microsecond":
		return microseconds
	case u.ticks == value.TicksPerSecond:
		return fractionDigits(amount)
	}
	return 0
}

// unitOf finds a unit by its name; MySQL also takes SQL_TSI_DAY for DAY.
func unitOf(name string) (intervalUnit, bool) {
	u, ok := intervalUnits[strings.TrimPrefix(strings.ToLower(name), "sql_tsi_")]
	return u, ok
}

// interval is a span of time: months and ticks do not convert into each other.
type interval struct{ months, ticks int64 }

// mostUnits keeps an amount of any unit within int64: it is more than 10,000 years of each.
const mostUnits = int64(1) << 50

// scale is n units; not ok: it is beyond every date.
func (u intervalUnit) scale(n int64) (interval, bool) {
	span := max(u.months*31*value.TicksPerDay, u.ticks)
	if n > value.MaxTicks/span+1 || n < -value.MaxTicks/span-1 {
		return interval{}, false
	}
	return interval{u.months * n, u.ticks * n}, true
}

// newInterval reads an amount of a unit; not ok: it is beyond every date.
func newInterval(amount value.Value, u intervalUnit) (iv interval, ok bool, err error) {
	switch {
	case u.parts != nil:
		iv, ok = compoundInterval(value.Text(amount), u)
		return iv, ok, nil
	case u.ticks == value.TicksPerSecond:
		ticks, err := secondTicks(amount) // only a second keeps its fraction
		if _, tooLarge := err.(*value.RangeError); tooLarge {
			return iv, false, nil
		}
		return interval{ticks: ticks}, err == nil, err
	}
	n, err := value.ToInt(amount)
	if _, tooLarge := err.(*value.RangeError); tooLarge {
		return iv, false, nil
	}
	if err != nil {
		return iv, false, err
	}
	iv, ok = u.scale(n)
	return iv, ok, nil
}

// compoundInterval reads '1 02:30:00.5' or '1:30': numbers with anything between them; if there are fewer than the unit has parts, they are the
// last parts.
func compoundInterval(s string, u intervalUnit) (interval, bool) {
	neg := strings.HasPrefix(strings.TrimSpace(s), "-")
	numbers := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) > len(u.parts) {
		return interval{}, false
	}
	parts := u.parts[len(u.parts)-len(numbers):]
	var sum interval
	for i, number := range numbers {
		if parts[i] == "microsecond" {
			number = (number + "000000")[:6] // the digits of a fraction
		}
		n, ok := int64(0), true
		for _, c := range number {
			if n = n*10 + int64(c-'0'); n > mostUnits {
				return interval{}, false
			}
		}
		var iv interval
		if iv, ok = intervalUnits[parts[i]].scale(n); !ok {
			return iv, false
		}
		sum.months += iv.months
		sum.ticks += iv.ticks
	}
	if neg {
		sum = interval{-sum.months, -sum.ticks}
	}
	return sum, true
}

// addTo is ticks plus the interval; not ok: outside of the years 1 to 9999. A month later than the 31st is the last day of a shorter month.
func (iv interval) addTo(ticks int64) (int64, bool) {
	if iv.months != 0 {
		t := value.TimeFromTicks(ticks)
		month := int64(t.Year())*12 + int64(t.Month()) - 1 + iv.months
		if month < 12 || month >= 10_000*12 {
			return 0, false
		}
		first := time.Date(int(month/12), time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		day, err := value.TicksFromTime(first.AddDate(0, 0, min(t.Day(), last)-1))
		if err != nil {
			return 0, false
		}
		ticks = day + ticks%value.TicksPerDay
	}
	ticks += iv.ticks
	return ticks, ticks >= 0 && ticks <= value.MaxTicks
}

// timeText is a computed time as text. It has six digits of a second unless all are zeros.
func timeText(v value.Value) value.Value {
	digits := 0
	if v.Ticks()%value.TicksPerSecond != 0 {
		digits = 6
	}
	return value.FromTimeText(v.WithDigits(digits))
}

// addInterval is base + iv in the kind that MySQL gives it: text stays text, a date becomes a time if the unit has one.
func (e *Env) addInterval(base value.Value, iv interval, days bool) value.Value {
	if base.Kind() == value.Duration {
		sum := base.Ticks() + iv.ticks
		return orNull(value.FromDuration(sum).WithDigits(base.Digits()), sum == clampDuration(sum))
	}
	from, ok := value.ReadTime(base)
	if !ok {
		return value.NullValue
	}
	ticks, ok := iv.addTo(from.Ticks())
	if !ok {
		return value.NullValue
	}
	v := value.FromTicks(ticks).WithDigits(from.Digits())
	if days && from.Kind() == value.Date {
		v = value.FromDate(ticks)
	}
	if k := base.Kind(); k != value.Time && k != value.Date {
		return timeText(v)
	}
	return v
}
