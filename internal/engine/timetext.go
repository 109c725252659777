package engine

// Times as texts: the form that rows use for a DATETIME and a DATE, and that a file stores in fewer octets. Years are those of the proleptic
// Gregorian calendar, 1 to 9999.
const (
	ticksPerSecond = 10_000_000
	TicksPerDay    = 86_400 * ticksPerSecond

	TimeLen = len("2006-01-02T15:04:05.0000000Z")
	DateLen = len("2006-01-02")
)

// Calendar days counted from 0000-03-01, so that the leap day is the last of a year; see Howard
// Hinnant, "chrono-compatible low-level date algorithms".
const (
	marchOffset = 306 // days from 0000-03-01 to 0001-01-01
	daysPerEra  = 146_097
)

// AppendTime appends the text of ticks since year 1.
func AppendTime(dst []byte, ticks int64) []byte {
	dst = append(AppendDate(dst, ticks), 'T')
	rest := ticks % TicksPerDay
	second := rest / ticksPerSecond
	dst = append(appendDigits(dst, second/3600, 2), ':')
	dst = append(appendDigits(dst, second/60%60, 2), ':')
	dst = append(appendDigits(dst, second%60, 2), '.')
	return append(appendDigits(dst, rest%ticksPerSecond, 7), 'Z')
}

// AppendDate appends the text of the day that ticks fall on.
func AppendDate(dst []byte, ticks int64) []byte {
	z := ticks/TicksPerDay + marchOffset
	era := z / daysPerEra
	doe := z % daysPerEra
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month := yoe+era*400, mp+3
	if month > 12 {
		year, month = year+1, month-12
	}
	dst = append(appendDigits(dst, year, 4), '-')
	dst = append(appendDigits(dst, month, 2), '-')
	return appendDigits(dst, doy-(153*mp+2)/5+1, 2)
}

// appendDigits appends the last width digits of n ≥ 0.
func appendDigits(dst []byte, n int64, width int) []byte {
	at := len(dst)
	for range width {
		dst = append(dst, '0')
	}
	for i := width - 1; i >= 0; i-- {
		dst[at+i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// ParseTime reads what AppendTime writes, and accepts nothing else.
func ParseTime(s string) (ticks int64, ok bool) {
	if len(s) != TimeLen || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != '.' || s[27] != 'Z' {
		return 0, false
	}
	day, ok0 := ParseDate(s[:DateLen])
	hour, ok1 := digits(s[11:13])
	minute, ok2 := digits(s[14:16])
	second, ok3 := digits(s[17:19])
	fraction, ok4 := digits(s[20:27])
	ok = ok0 && ok1 && ok2 && ok3 && ok4 && hour < 24 && minute < 60 && second < 60
	return day + ((hour*60+minute)*60+second)*ticksPerSecond + fraction, ok
}

// ParseDate reads what AppendDate writes, and accepts nothing else.
func ParseDate(s string) (ticks int64, ok bool) {
	if len(s) != DateLen || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	year, ok0 := digits(s[:4])
	month, ok1 := digits(s[5:7])
	day, ok2 := digits(s[8:])
	if !ok0 || !ok1 || !ok2 || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	era, yoe := year/400, year%400
	doe := yoe*365 + yoe/4 - yoe/100 + (153*month+2)/5 + day - 1
	return (era*daysPerEra + doe - marchOffset) * TicksPerDay, true
}

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func digits(s string) (n int64, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}
