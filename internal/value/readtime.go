package value

import (
	"math"
	"strconv"
	"strings"
)

// ReadTime gives the DATE or DATETIME that MySQL's comparisons, functions and casts read in v; a text or a number without a time of day gives a
// DATE. Text after a time does not count. Not ok: v is neither, nor is a TIME, whose date only expr knows.
func ReadTime(v Value) (Value, bool) {
	if v.kind == JSON {
		v = jsonTemporal(v)
	}
	if v.kind == Time || v.kind == Date {
		return v, true
	}
	t, ok := readTime(v)
	switch {
	case !ok:
		return NullValue, false
	case t.fields <= dateFields:
		return FromDate(t.ticks), true
	}
	return FromTicks(t.ticks).WithDigits(t.digits), true
}

// readTime reads a text or a number as a point in time.
func readTime(v Value) (timeText, bool) {
	t, ok := readTemporal(v, scanTime, timeOfNumber)
	return t, ok && !t.negative
}

// readDuration reads a text or a number as a TIME.
func readDuration(v Value) (timeText, bool) {
	return readTemporal(v, scanDuration, durationOfNumber)
}

func readTemporal(v Value, ofText func(string) (timeText, bool), ofNumber func(uint64) (timeText, bool)) (t timeText, ok bool) {
	switch v.kind {
	case String, Bytes:
		return ofText(v.s)
	case Int, Uint, Decimal, Float:
		whole, fraction, negative := numberParts(v)
		if t, ok = ofNumber(whole); t.fields != dateFields { // a date has no second
			t.fraction(fraction)
		}
		if negative {
			t.ticks, t.negative = -t.ticks, true
		}
	}
	return t, ok
}

// CutTime says whether a text goes on after what ReadTime reads of it, and MySQL's name for what was read.
func CutTime(v Value) (what string, cut bool) {
	if v.kind != String && v.kind != Bytes {
		return "", false
	}
	t, ok := scanTime(v.s)
	return t.name(), ok && t.cut
}

// CutDuration is CutTime for what ReadDuration reads; what exceeds MaxDuration is also cut.
func CutDuration(v Value) (what string, cut bool) {
	if v = ofClock(v); v.kind != String && v.kind != Bytes {
		return "", false
	}
	t, ok := scanDuration(v.s)
	return t.name(), ok && !t.exact()
}

// ReadDuration gives the TIME that MySQL's comparisons, functions and casts read in v, clamped to MaxDuration; for a point in time, its time of
// day. Not ok: there is none.
func ReadDuration(v Value) (Value, bool) {
	if v.kind == JSON {
		v = jsonTemporal(v)
	}
	v = ofClock(v)
	switch v.kind {
	case Duration:
		return v, true
	case Time, Date:
		return FromDuration(v.Ticks() % TicksPerDay).WithDigits(v.Digits()), true
	}
	t, ok := readDuration(v)
	if !ok {
		return NullValue, false
	}
	return FromDuration(t.ticks).WithDigits(t.digits), true
}

// ReadClock is ReadDuration, except that a point in time stays one, with its date.
func ReadClock(v Value) (Value, bool) {
	if t, _ := readDuration(v); t.fields > 0 || ofClock(v) != v || v.kind == Time || v.kind == Date {
		return ReadTime(v)
	}
	return ReadDuration(v)
}

// numberParts splits a number: the digits before the point, at most what a uint64 holds, and '.123'.
func numberParts(v Value) (whole uint64, fraction string, negative bool) {
	var text string
	switch v.kind {
	case Int, Uint:
		i := integerOf(v)
		return i.mag, "", i.neg
	case Float:
		text = strconv.FormatFloat(v.Float(), 'f', -1, 64)
	default:
		text = Shown(v).s
	}
	text, negative = strings.CutPrefix(text, "-")
	n := countDigits(text)
	whole, err := strconv.ParseUint(text[:n], 10, 64)
	if err != nil {
		whole = math.MaxUint64
	}
	return whole, text[n:], negative
}

// timeOfNumber reads YYYYMMDD, YYMMDD, YYYYMMDDHHMMSS and YYMMDDHHMMSS; leading zeros may be missing.
func timeOfNumber(n uint64) (t timeText, ok bool) {
	const clock = 1_000_000 // the factor of a date in a date with a time of day
	t.fields = clockFields
	switch {
	case n < 101, 691231 < n && n < 700101, 991231 < n && n < 10000101, 99991231 < n && n < 101*clock,
		691231235959 < n && n < 700101*clock:
		return t, false
	case n <= 691231:
		n += 20000000
	case n <= 991231:
		n += 19000000
	case n <= 99991231:
	case n <= 691231235959:
		n += 20000000 * clock
	case n <= 991231235959:
		n += 19000000 * clock
	}
	if n <= 99991231 {
		n, t.fields = n*clock, dateFields
	}
	if n > 99991231235959 {
		return t, false
	}
	date, at := int(n/clock), int(n%clock)
	year, month, day := date/10000, date/100%100, date%100
	if year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || at/10000 > 23 || at/100%100 > 59 || at%100 > 59 {
		return t, false
	}
	t.ticks = daysBefore(year, month, day)*TicksPerDay + clockTicks(at)
	return t, true
}

// clockTicks is HHMMSS in ticks.
func clockTicks(n int) int64 {
	return int64(n/10000*3600+n/100%100*60+n%100) * TicksPerSecond
}

// durationOfNumber reads HHHMMSS, and the time of day of YYYYMMDDHHMMSS.
func durationOfNumber(n uint64) (t timeText, ok bool) {
	const most, times = 8385959, 10_000_000_000
	switch {
	case n >= times:
		t, ok = timeOfNumber(n)
		t.ticks %= TicksPerDay
		return t, ok
	case n > most:
		return t, false
	case n/100%100 > 59 || n%100 > 59:
		return t, false
	}
	t.ticks = clockTicks(int(n))
	return t, true
}
