package expr

import (
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// formatHas says whether a format has parts of a date, and whether it has parts of a time of day.
func formatHas(format string) (date, clock bool) {
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' {
			i++
			date = date || strings.IndexByte("YymcMbdeDjaWwUuVvXx", format[i]) >= 0
			clock = clock || strings.IndexByte("HkhIlisSfprT", format[i]) >= 0
		}
	}
	return date, clock
}

// formatName is MySQL's name for a time in a format with these parts.
func formatName(date, clock bool) string {
	switch {
	case date && !clock:
		return "date"
	case clock && !date:
		return "time"
	}
	return "datetime"
}

func strToDateType(args []Node) value.Type {
	format, known := constText(args[1])
	date, clock := formatHas(format)
	precision := 0
	if strings.Contains(format, "%f") {
		precision = microseconds
	}
	switch {
	case !known:
		return value.Type{}
	case date && !clock:
		return dateType
	case clock && !date:
		return value.Type{Base: value.TypeTime, Precision: precision}
	}
	return value.Type{Base: value.TypeDateTime, Precision: precision}
}

func evalStrToDate(env *Env, args []value.Value) (value.Value, error) {
	format := value.Text(args[1])
	p := dateParser{s: strings.TrimLeft(value.Text(args[0]), " "), week: -1, weekday: -1}
	if !p.parse(format) {
		return value.NullValue, nil
	}
	date, clock := formatHas(format)
	ticks, ok := p.clock()
	if !ok {
		return value.NullValue, nil
	}
	if strings.Trim(p.s, " ") != "" && p.month <= 12 && p.day <= 31 { // else it is no time
		if err := env.truncated(formatName(date, clock), args[0]); err != nil {
			return value.NullValue, err
		}
	}
	if clock && !date {
		return value.FromDuration(ticks), nil
	}
	day, ok := p.date()
	from, err := value.TicksFromTime(day)
	switch {
	case err != nil || !ok:
		return value.NullValue, nil
	case !clock:
		return value.FromDate(from), nil
	}
	return value.FromTicks(from + ticks), nil
}

// dateParser reads a text by a format.
type dateParser struct {
	s                            string
	year, month, day, yearDay    int
	hour, minute, second, micros int
	twelve, afternoon, half      bool

	week, weekday  int // -1: none; weekday 0 is Sunday
	weekYear       int // %X, %x
	monday, strict bool
}

// date is the day that was read: by its number in the year, by its week and weekday, or by month and day. Both of a pair must be there, because
// there are no zero dates.
func (p *dateParser) date() (day time.Time, ok bool) {
	switch {
	case p.yearDay > 0:
		return time.Date(p.year, 1, p.yearDay, 0, 0, 0, 0, time.UTC), true
	case p.week >= 0 && p.weekday >= 0:
		return p.dayOfWeek()
	}
	day = time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	return day, day.Day() == p.day && p.month >= 1 && p.month <= 12 && day.Year() == p.year
}

// dayOfWeek counts weeks as MySQL does: from the first Sunday of the year, or from the Monday of the first week with four days in it.
func (p *dateParser) dayOfWeek() (day time.Time, ok bool) {
	year := p.year
	if p.strict {
		year = p.weekYear
	}
	if p.week > 53 || p.strict && (p.week == 0 || p.weekYear == 0) || !p.strict && p.weekYear != 0 {
		return day, false
	}
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	days := 7*(p.week-1) + p.weekday
	at := int(first.Weekday())
	if p.monday {
		at, days = (at+6)%7, 7*(p.week-1)+(p.weekday+6)%7
		days -= at
		if at > 3 {
			days += 7
		}
		return first.AddDate(0, 0, days), true
	}
	if days -= at; at != 0 {
		days += 7
	}
	return first.AddDate(0, 0, days), true
}

func (p *dateParser) clock() (int64, bool) {
	if p.twelve || p.half {
		if p.hour < 1 || p.hour > 12 {
			return 0, false
		}
		p.hour %= 12
		if p.afternoon {
			p.hour += 12
		}
	}
	if p.hour > 23 || p.minute > 59 || p.second > 59 {
		return 0, false
	}
	return int64(p.hour)*ticksPerHour + int64(p.minute)*ticksPerMinute + int64(p.second)*value.TicksPerSecond + int64(p.micros)*10, true
}

// parse reads all that the format asks for; a blank matches any number of them, and what follows in the text stays
// in p.s.
func (p *dateParser) parse(format string) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == ' ':
			p.s = strings.TrimLeft(p.s, " ")
			continue
		case c != '%' || i+1 == len(format):
			if p.s == "" {
				return true
			}
			if p.s[0] != c {
				return false
			}
			p.s = p.s[1:]
			continue
		}
		i++
		if p.s = strings.TrimLeft(p.s, " "); p.s == "" {
			return true // missing parts are zeros
		}
		if !p.part(format[i]) {
			return false
		}
	}
	return true
}

func (p *dateParser) part(letter byte) bool {
	switch letter {
	case 'Y':
		return p.number(&p.year, 4)
	case 'y':
		ok := p.number(&p.year, 2)
		p.year = value.FullYear(p.year)
		return ok
	case 'm', 'c':
		return p.number(&p.month, 2)
	case 'd', 'e':
		return p.number(&p.day, 2)
	case 'D':
		ok := p.number(&p.day, 2) && len(p.s) >= 2
		if ok {
			p.s = p.s[2:]
		}
		return ok
	case 'j':
		return p.number(&p.yearDay, 3) && p.yearDay >= 1 && p.yearDay <= 366
	case 'M', 'b':
		return p.name(&p.month, letter == 'b', 12, func(i int) string { return time.Month(i).String() })
	case 'W', 'a':
		ok := p.name(&p.weekday, letter == 'a', 7, func(i int) string { return time.Weekday(i % 7).String() })
		p.weekday %= 7
		return ok
	case 'w':
		return p.number(&p.weekday, 1) && p.weekday < 7
	case 'U', 'u', 'V', 'v':
		p.monday, p.strict = letter == 'u' || letter == 'v', letter == 'V' || letter == 'v'
		return p.number(&p.week, 2)
	case 'X', 'x':
		return p.number(&p.weekYear, 4)
	case 'H', 'k':
		return p.number(&p.hour, 2)
	case 'h', 'I', 'l':
		p.half = true
		return p.number(&p.hour, 2)
	case 'i':
		return p.number(&p.minute, 2)
	case 's', 'S':
		return p.number(&p.second, 2)
	case 'f':
		before := len(p.s)
		if !p.number(&p.micros, 6) {
			return false
		}
		for n := before - len(p.s); n < 6; n++ {
			p.micros *= 10
		}
		return true
	case 'p':
		return p.noon()
	case 'r':
		p.half = true
		return p.parse("%I:%i:%S %p")
	case 'T':
		return p.parse("%H:%i:%S")
	}
	return strings.HasPrefix(p.s, string(letter)) && p.skip(1)
}

func (p *dateParser) skip(n int) bool {
	p.s = p.s[n:]
	return true
}

func (p *dateParser) number(to *int, most int) bool {
	n := 0
	for n < len(p.s) && n < most && p.s[n] >= '0' && p.s[n] <= '9' {
		n++
	}
	if n == 0 {
		return false
	}
	*to, _ = strconv.Atoi(p.s[:n])
	return p.skip(n)
}

func (p *dateParser) name(to *int, short bool, count int, name func(int) string) bool {
	for i := 1; i <= count; i++ {
		text := name(i)
		if short {
			text = text[:3]
		}
		if len(p.s) >= len(text) && strings.EqualFold(p.s[:len(text)], text) {
			*to = i
			return p.skip(len(text))
		}
	}
	return false
}

func (p *dateParser) noon() bool {
	if len(p.s) < 2 || !strings.EqualFold(p.s[1:2], "M") {
		return false
	}
	p.twelve = true
	switch p.s[0] {
	case 'A', 'a':
	case 'P', 'p':
		p.afternoon = true
	default:
		return false
	}
	return p.skip(2)
}
