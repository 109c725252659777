package value

import "strings"

// timeText is a text read as a point in time or as a TIME.
type timeText struct {
	ticks    int64
	fields   int  // of year, month, … second that it has; of a TIME 0
	digits   int  // behind the second
	finer    bool // digits that a tick cannot hold were cut
	half     bool // they are half a tick or more
	negative bool // a TIME below zero
	cut      bool // the text goes on after it
	beyond   bool // a TIME beyond MaxDuration, clamped
	offset   bool // an offset, or Z, says that the time is a moment
}

// name is what MySQL calls it in warnings.
func (t timeText) name() string {
	switch {
	case t.fields == 0:
		return "time"
	case t.fields <= dateFields:
		return "date"
	}
	return "datetime"
}

// exact says whether nothing of the text was dropped.
func (t timeText) exact() bool { return !t.cut && !t.beyond }

// ParseTime reads a point in time in any of the forms that MySQL reads, in full: 'YYYY-MM-DD', 'YYYY-MM-DD HH:MM[:SS[.f]]'
// with any punctuation between the parts, or a T before the clock; years of two digits, which are those of 1970 to 2069;
// 'YYYYMMDD', 'YYMMDD', 'YYYYMMDDHHMMSS[.f]', 'YYMMDDHHMMSS[.f]'. Behind the clock may stand 'Z' or an offset like '+01:00'; without
// one it is UTC. Digits finer than 100 ns are an error unless they are zeros.
func ParseTime(s string) (ticks int64, err error) {
	t, ok := scanTime(s)
	switch {
	case !ok || t.cut:
		return 0, parseError("DATETIME", s)
	case t.finer:
		return 0, fineError("DATETIME", s)
	}
	return t.ticks, nil
}

// ParseDuration reads a TIME in any of the forms that MySQL reads, in full: '[-][D ]HHH:MM[:SS[.f]]', 'D HH', and digits alone as
// '[[HH]MM]SS[.f]'; of a point in time its clock. Beyond MaxDuration or finer than 100 ns is an error.
func ParseDuration(s string) (ticks int64, err error) {
	t, ok := scanDuration(s)
	switch {
	case !ok || !t.exact():
		return 0, parseError("TIME", s)
	case t.finer:
		return 0, fineError("TIME", s)
	}
	return t.ticks, nil
}

const dateFields, clockFields = 3, 6

// DateLiteral, TimestampLiteral and TimeLiteral are DATE'…', TIMESTAMP'…' and TIME'…'; none accepts the form of another.
func DateLiteral(s string) (Value, error) {
	t, ok := scanTime(s)
	if !ok || t.cut || t.fields > dateFields {
		return Value{}, parseError("DATE", s)
	}
	return FromDate(t.ticks), nil
}

// TimestampLiteral reads the text of TIMESTAMP '…', all of which must be a date and a time.
func TimestampLiteral(s string) (Value, error) {
	t, ok := scanTime(s)
	if !ok || t.cut || t.fields <= dateFields {
		return Value{}, parseError("DATETIME", s)
	}
	return FromTicks(t.ticks).WithDigits(t.digits), nil
}

// TimeLiteral reads the text of TIME '…', all of which must be a time.
func TimeLiteral(s string) (Value, error) {
	t, ok := scanDuration(s)
	if !ok || !t.exact() || t.fields > 0 {
		return Value{}, parseError("TIME", s)
	}
	return FromDuration(t.ticks).WithDigits(t.digits), nil
}

// scanTime reads as much of s as forms a point in time, as MySQL does. If it is not one, fields still says how many fields there were.
func scanTime(s string) (t timeText, ok bool) {
	s = strings.TrimLeft(s, blanks)
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n]|' ' == 't') {
		n++
	}
	// Digits alone have parts of fixed width, a year of four digits only where there are as many as it needs.
	packed := n == len(s) || s[n] == '.' || isOffset(s[n:])
	year := 2
	if n == 4 || n == 8 || n >= 14 {
		year = 4
	}
	var part [clockFields]int
	yearDigits := 0
	rest := s // behind the last field and the punctuation that follows it
	for t.fields < clockFields && s != "" && isDigit(s[0]) {
		n := countDigits(s)
		switch {
		case packed && t.fields == 0:
			n = min(n, year)
		case packed:
			n = min(n, 2)
		case n > 6:
			return t, false
		}
		if t.fields == 0 {
			yearDigits = n
		}
		part[t.fields] = smallNumber(s[:n])
		t.fields++
		s = s[n:]
		rest = s
		switch {
		case s == "":
		case t.fields == dateFields && s[0]|' ' == 't':
			s = s[1:]
			continue
		case t.fields == clockFields || t.fields == clockFields-1 && isOffset(s):
		default:
			n := 0
			for n < len(s) && (isPunctuation(s[n]) || isBlank(s[n])) {
				if isBlank(s[n]) && t.fields != dateFields {
					return t, false
				}
				n++
			}
			s = s[n:]
			rest = s
			continue
		}
		break
	}
	if yearDigits == 2 {
		part[0] = FullYear(part[0])
	}
	if t.fields < dateFields || part[0] < 1 || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > daysIn(part[0], part[1]) ||
		part[3] > 23 || part[4] > 59 || part[5] > 59 {
		return t, false
	}
	t.ticks = daysBefore(part[0], part[1], part[2])*TicksPerDay + int64(part[3]*3600+part[4]*60+part[5])*TicksPerSecond
	if t.fields == clockFields {
		rest = t.fraction(rest)
	}
	if t.fields >= clockFields-1 && isOffset(rest) {
		t.ticks -= offsetTicks(rest)
		t.offset = true
		rest = ""
	}
	t.cut = strings.TrimLeft(rest, blanks) != ""
	return t, t.ticks >= 0 && t.ticks <= MaxTicks
}

// HasOffset says whether v is a text of a time with 'Z' or an offset behind its clock: a moment, whatever a session's time zone is.
func HasOffset(v Value) bool {
	if v.kind != String && v.kind != Bytes || len(v.s) < 2 {
		return false
	}
	if end := v.s[len(v.s)-1]; end|' ' != 'z' && (len(v.s) < 6 || v.s[len(v.s)-3] != ':') {
		return false
	}
	t, ok := scanTime(v.s)
	return ok && t.offset
}

// fraction reads '.123', the digits of a second, and gives what follows.
func (t *timeText) fraction(s string) (rest string) {
	if s == "" || s[0] != '.' {
		return s
	}
	n := countDigits(s[1:])
	var ticks int64
	ticks, t.finer = parseFraction(s[1 : 1+n])
	t.ticks += ticks
	t.half = n > MaxFraction && s[1+MaxFraction] >= '5'
	t.digits = min(n, MaxFraction)
	return s[1+n:]
}

// MaxFraction is the most digits that a second has behind the point.
const MaxFraction = 7

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

// isOffset says whether s is 'Z' or '±HH:MM', at most 14 hours.
func isOffset(s string) bool {
	if s == "Z" || s == "z" {
		return true
	}
	return len(s) == 6 && (s[0] == '+' || s[0] == '-') && countDigits(s[1:]) == 2 && s[3] == ':' && countDigits(s[4:]) == 2 && s[4] < '6' &&
		s[1:] <= "14:00"
}

func offsetTicks(s string) int64 {
	if len(s) == 1 {
		return 0
	}
	ticks := int64(smallNumber(s[1:3])*60+smallNumber(s[4:])) * 60 * TicksPerSecond
	if s[0] == '-' {
		return -ticks
	}
	return ticks
}

// scanDuration reads as much of s as forms a TIME, as MySQL does.
func scanDuration(s string) (t timeText, ok bool) {
	s = strings.TrimLeft(s, blanks)
	neg := strings.HasPrefix(s, "-")
	if neg {
		s = s[1:]
	}
	if s == "" || !isDigit(s[0]) && (s[0] != '.' || len(s) == 1 || !isDigit(s[1])) {
		return t, false
	}
	if at, is, ok := clockOfTime(s); is {
		return at, ok
	}
	value, rest := longNumber(s)
	days, hours, minutes, seconds := int64(0), value, int64(0), int64(0)
	behind := strings.TrimLeft(rest, blanks)
	switch {
	case len(behind) > 1 && len(behind) < len(rest) && isDigit(behind[0]):
		days = value
		hours, rest = longNumber(behind)
		if minutes, rest, ok = sixtieth(rest); ok {
			seconds, rest, _ = sixtieth(rest)
		}
	case len(behind) > 1 && behind[0] == ':' && isDigit(behind[1]):
		minutes, rest, _ = sixtieth(behind)
		seconds, rest, _ = sixtieth(rest)
	default:
		hours, minutes, seconds = value/10000, value/100%100, value%100
	}
	if minutes > 59 || seconds > 59 {
		return t, false
	}
	const beyond = MaxDuration/TicksPerSecond + 1
	t.ticks = min(((days*24+hours)*60+minutes)*60+seconds, beyond) * TicksPerSecond
	rest = t.fraction(rest)
	if hasExponent(rest) {
		return t, false
	}
	t.cut = strings.TrimLeft(rest, blanks) != ""
	t.clamp()
	if neg {
		t.ticks, t.negative = -t.ticks, true
	}
	return t, true
}

// hasExponent says whether s begins with the exponent of a number. It is then not a TIME: read as one it would be far off.
func hasExponent(s string) bool {
	if len(s) < 2 || s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// clamp limits a TIME that is not negative to MaxDuration.
func (t *timeText) clamp() {
	if t.ticks > MaxDuration {
		t.ticks, t.beyond = MaxDuration, true
	}
}

// clockOfTime reads the time of day of a point in time; not is: s reads as a TIME. If its date has punctuation, a blank or a T precedes the time
// of day: '10:11:12.345678' has neither.
func clockOfTime(s string) (t timeText, is, ok bool) {
	if len(s) < 12 {
		return t, false, false
	}
	t, ok = scanTime(s)
	if n := countDigits(s); t.fields < dateFields || n < 12 && !strings.ContainsAny(s[min(n, len(s)):], "Tt \t") {
		return t, false, false
	}
	t.ticks %= TicksPerDay
	return t, true, ok
}

// sixtieth reads ':MM'.
func sixtieth(s string) (n int64, rest string, ok bool) {
	if len(s) < 2 || s[0] != ':' || !isDigit(s[1]) {
		return 0, s, false
	}
	n, rest = longNumber(s[1:])
	return n, rest, true
}

// longNumber reads digits; a number beyond every TIME stays beyond.
func longNumber(s string) (n int64, rest string) {
	end := countDigits(s)
	for _, c := range []byte(s[:end]) {
		n = min(n*10+int64(c-'0'), 1e10)
	}
	return n, s[end:]
}

// smallNumber is the value of few digits.
func smallNumber(digits string) int {
	n, _ := longNumber(digits)
	return int(n)
}

const blanks = " \t\n\v\f\r"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isPunctuation is the C library's ispunct.
func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
