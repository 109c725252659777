package value

import (
	"strings"
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

// TicksFromTime gives the ticks of t. It is an error when t is finer than 100 ns or outside the
// years 1 to 9999 in UTC.
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

// ParseTime reads 'YYYY-MM-DD', alone or followed by a blank or 'T' and 'HH:MM', 'HH:MM:SS' or
// 'HH:MM:SS.f', that by nothing, 'Z' or an offset like '+01:00'; also 'YYYYMMDD' and
// 'YYYYMMDDHHMMSS'. Without an offset it is UTC. Digits finer than 100 ns are an error unless they
// are zeros.
func ParseTime(s string) (ticks int64, err error) {
	ticks, finer, ok := parseTime(s)
	switch {
	case !ok:
		return 0, parseError("DATETIME", s)
	case finer:
		return 0, fineError("DATETIME", s)
	}
	return ticks, nil
}

// ParseDate reads what ParseTime does; a time of day other than midnight is an error.
func ParseDate(s string) (ticks int64, err error) {
	ticks, finer, ok := parseTime(s)
	switch {
	case !ok:
		return 0, parseError("DATE", s)
	case finer || ticks%TicksPerDay != 0:
		return 0, fineError("DATE", s)
	}
	return ticks, nil
}

// parseTime is ParseTime that cuts what is finer than a tick and says so.
func parseTime(s string) (ticks int64, finer, ok bool) {
	if n := countDigits(s); n == len(s) && (n == 8 || n == 14) {
		s = spread(s)
	}
	year, s, ok := number(s, 4, 4)
	if !ok || s == "" || s[0] != '-' {
		return 0, false, false
	}
	month, s, ok := number(s[1:], 1, 2)
	if !ok || s == "" || s[0] != '-' {
		return 0, false, false
	}
	day, s, ok := number(s[1:], 1, 2)
	if !ok || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false, false
	}
	ticks = daysBefore(year, month, day) * TicksPerDay
	if s == "" {
		return ticks, false, true
	}
	if s[0] != ' ' && s[0] != 'T' && s[0] != 't' {
		return 0, false, false
	}
	clock, finer, s, ok := parseClock(s[1:])
	if !ok || clock >= TicksPerDay {
		return 0, false, false
	}
	offset, ok := parseOffset(s)
	if !ok {
		return 0, false, false
	}
	ticks += clock - offset
	return ticks, finer, ticks >= 0 && ticks <= MaxTicks
}

// spread puts the signs into 'YYYYMMDD[HHMMSS]'.
func spread(s string) string {
	date := s[:4] + "-" + s[4:6] + "-" + s[6:8]
	if len(s) == 8 {
		return date
	}
	return date + " " + s[8:10] + ":" + s[10:12] + ":" + s[12:]
}

// parseClock reads 'H:MM[:SS[.f]]' with any number of hours that MaxDuration allows.
func parseClock(s string) (ticks int64, finer bool, rest string, ok bool) {
	hours, s, ok := number(s, 1, 3)
	if !ok || s == "" || s[0] != ':' {
		return 0, false, s, false
	}
	minutes, s, ok := number(s[1:], 1, 2)
	if !ok || minutes > 59 {
		return 0, false, s, false
	}
	ticks = (int64(hours)*60 + int64(minutes)) * 60 * TicksPerSecond
	if s == "" || s[0] != ':' {
		return ticks, false, s, true
	}
	seconds, s, ok := number(s[1:], 1, 2)
	if !ok || seconds > 59 {
		return 0, false, s, false
	}
	ticks += int64(seconds) * TicksPerSecond
	if s == "" || s[0] != '.' {
		return ticks, false, s, true
	}
	n := countDigits(s[1:])
	if n == 0 {
		return 0, false, s, false
	}
	fraction, finer := parseFraction(s[1 : 1+n])
	return ticks + fraction, finer, s[1+n:], true
}

// parseFraction turns the digits of a second into ticks.
func parseFraction(digits string) (ticks int64, finer bool) {
	unit := int64(TicksPerSecond)
	for _, c := range []byte(digits) {
		unit /= 10
		ticks += int64(c-'0') * unit
		finer = finer || unit == 0 && c != '0'
	}
	return ticks, finer
}

// parseOffset reads ”, 'Z' or '±HH:MM', at most 14 hours.
func parseOffset(s string) (ticks int64, ok bool) {
	if s == "" || s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	ticks, _, rest, ok := parseClock(s[1:])
	if !ok || rest != "" || ticks > 14*3600*TicksPerSecond {
		return 0, false
	}
	if s[0] == '-' {
		ticks = -ticks
	}
	return ticks, true
}

// number reads from least to most digits.
func number(s string, least, most int) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < most && '0' <= s[i] && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i >= least
}

// ParseDuration reads '[-]HHH:MM', '[-]HHH:MM:SS' or '[-]HHH:MM:SS.f', and the digits alone as
// '[HH[MM]]SS'. Beyond MaxDuration or finer than 100 ns is an error.
func ParseDuration(s string) (ticks int64, err error) {
	ticks, finer, ok := parseDuration(s)
	switch {
	case !ok:
		return 0, parseError("TIME", s)
	case finer:
		return 0, fineError("TIME", s)
	}
	return ticks, nil
}

func parseDuration(s string) (ticks int64, finer, ok bool) {
	neg := strings.HasPrefix(s, "-")
	if neg {
		s = s[1:]
	}
	if n := countDigits(s); n > 0 && n <= 7 && (n == len(s) || s[n] == '.') {
		digits := "000000"[min(n, 6):] + s[:n]
		at := len(digits)
		s = digits[:at-4] + ":" + digits[at-4:at-2] + ":" + digits[at-2:] + s[n:]
	}
	ticks, finer, rest, ok := parseClock(s)
	if !ok || rest != "" || ticks > MaxDuration {
		return 0, false, false
	}
	if neg {
		ticks = -ticks
	}
	return ticks, finer, true
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
