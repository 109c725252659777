package value

import (
	"time"
)

// Ticks are .NET's: units of 100 ns since 0001-01-01 00:00:00 UTC, as Azure's Edm.DateTime counts.
const (
	TicksPerSecond = 10_000_000
	TicksPerDay    = 86_400 * TicksPerSecond

	// MaxTicks is 9999-12-31 23:59:59.9999999, the greatest time there is; 0 is the least.
	MaxTicks = 3_155_378_975_999_999_999

	// MaxDuration is MySQL's greatest TIME, 838:59:59, in ticks; the least is its negative.
	MaxDuration = (838*3600 + 59*60 + 59) * TicksPerSecond

	unixSeconds = 62_135_596_800 // of 1970-01-01 since year 1
)

// Tick is the resolution of DATETIME, and of the store.
const Tick = 100 * time.Nanosecond

// TicksFromTime gives the ticks of t. It is an error if t is finer than 100 ns or outside the years 1 to 9999 in UTC.
func TicksFromTime(t time.Time) (int64, error) {
	nanos := t.Nanosecond()
	if nanos%100 != 0 {
		return 0, fineError("DATETIME", t.UTC().Format("2006-01-02 15:04:05.999999999"))
	}
	sec := t.Unix()
	if sec < -unixSeconds || sec > MaxTicks/TicksPerSecond-unixSeconds {
		return 0, parseError("DATETIME", t.UTC().Format("2006-01-02 15:04:05.999999999"))
	}
	return (sec+unixSeconds)*TicksPerSecond + int64(nanos/100), nil
}

// TimeFromTicks gives the time of ticks, in UTC.
func TimeFromTicks(ticks int64) time.Time {
	sec := ticks / TicksPerSecond
	return time.Unix(sec-unixSeconds, (ticks-sec*TicksPerSecond)*100).UTC()
}

// FullYear is the year that a year of two digits means, 1970 to 2069. Other years stay as they are.
func FullYear(year int) int {
	switch {
	case year < 70:
		return year + 2000
	case year < 100:
		return year + 1900
	}
	return year
}

var daysInMonth = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func daysIn(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return daysInMonth[month]
}

// daysBefore counts the days from 0001-01-01 to a date of the Gregorian calendar.
func daysBefore(year, month, day int) int64 {
	days := day - 1
	for m := 1; m < month; m++ {
		days += daysIn(year, m)
	}
	y := year - 1
	return int64(y*365 + y/4 - y/100 + y/400 + days)
}

// Microseconds is a time rounded to six digits of a second, the finest that MySQL knows.
func Microseconds(v Value) Value {
	if v.kind == Time || v.kind == Duration {
		if ticks := roundTicks(v.Ticks(), 10); ticks <= MaxTicks {
			v.n = uint64(ticks)
		}
	}
	return v
}

// roundTicks rounds half away from zero.
func roundTicks(ticks, unit int64) int64 {
	rest := ticks % unit
	ticks -= rest
	switch {
	case 2*rest >= unit && rest > 0:
		return ticks + unit
	case -2*rest >= unit && rest < 0:
		return ticks - unit
	}
	return ticks
}
