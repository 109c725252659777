package expr

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func dateFormatFunctions() []*Function {
	return []*Function{
		{Name: "DATE_FORMAT", Signature: "DATE_FORMAT(date, format)", Family: "time", Doc: "The date as text by MySQL's format: '%Y-%m-%d %H:%i:%s'.", Min: 2, Max: 2,
			strict: true, Type: toText, Eval: evalDateFormat},
		{Name: "TIME_FORMAT", Signature: "TIME_FORMAT(time, format)", Family: "time", Doc: "The time of day as text by MySQL's format.", Min: 2, Max: 2,
			strict: true, Type: toText, Eval: evalTimeFormat},
		{Name: "STR_TO_DATE", Signature: "STR_TO_DATE(text, format)", Family: "time", Doc: "The DATE, TIME or DATETIME that the format finds in text; NULL where it does not.",
			Min: 2, Max: 2, strict: true, Type: strToDateType, Eval: evalStrToDate},
		{Name: "UNIX_TIMESTAMP", Signature: "UNIX_TIMESTAMP([date])", Family: "time", Volatility: Stable, Doc: "Seconds since 1970, of the statement without a date.", Max: 1,
			strict: true, Type: unixType, Eval: evalUnixTimestamp, compile: compileUnixNow},
		{Name: "FROM_UNIXTIME", Signature: "FROM_UNIXTIME(seconds[, format])", Family: "time", Doc: "The time in UTC of seconds since 1970, as text with a format.", Min: 1, Max: 2,
			strict: true, Type: func(args []Node) value.Type {
				if len(args) > 1 {
					return textType
				}
				return dateTimeType
			}, Eval: evalFromUnixtime},
	}
}

// unixEpoch is 1970 in ticks.
const unixEpoch = 62_135_596_800 * value.TicksPerSecond

func evalDateFormat(_ *Env, args []value.Value) (value.Value, error) {
	ticks, ok := timeOf(args[0])
	if !ok {
		return value.NullValue, nil
	}
	return value.FromString(formatTime(ticks, value.Text(args[1]))), nil
}

// evalTimeFormat shows a TIME as a time of the first day: hours beyond 23 show in full.
func evalTimeFormat(_ *Env, args []value.Value) (value.Value, error) {
	d, ok := durationOf(args[0])
	if !ok {
		return value.NullValue, nil
	}
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	format := value.Text(args[1])
	if hours := d / ticksPerHour; hours > 23 {
		format = strings.NewReplacer("%H", strconv.FormatInt(hours, 10), "%k", strconv.FormatInt(hours, 10)).Replace(format)
	}
	return value.FromString(sign + formatTime(d%value.TicksPerDay, format)), nil
}

// formatTime writes a time by MySQL's format; a letter that means nothing stands for itself.
func formatTime(ticks int64, format string) string {
	t := value.TimeFromTicks(ticks)
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		b.WriteString(formatPart(t, ticks, format[i]))
	}
	return b.String()
}

func formatPart(t time.Time, ticks int64, letter byte) string {
	week := func(mode int64) (string, string) {
		y, w := weekOf(t, mode)
		return fmt.Sprintf("%04d", y), twoDigits(int(w))
	}
	switch letter {
	case 'Y':
		return t.Format("2006")
	case 'y':
		return t.Format("06")
	case 'm':
		return t.Format("01")
	case 'c':
		return t.Format("1")
	case 'M':
		return t.Month().String()
	case 'b':
		return t.Format("Jan")
	case 'd':
		return t.Format("02")
	case 'e':
		return t.Format("2")
	case 'D':
		return strconv.Itoa(t.Day()) + ordinalSuffix(t.Day())
	case 'j':
		return t.Format("002")
	case 'a':
		return t.Format("Mon")
	case 'W':
		return t.Weekday().String()
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'H':
		return t.Format("15")
	case 'k':
		return strconv.Itoa(t.Hour())
	case 'h', 'I':
		return t.Format("03")
	case 'l':
		return t.Format("3")
	case 'i':
		return t.Format("04")
	case 's', 'S':
		return t.Format("05")
	case 'f':
		return fmt.Sprintf("%06d", ticks%value.TicksPerSecond/10)
	case 'p':
		return t.Format("PM")
	case 'r':
		return t.Format("03:04:05 PM")
	case 'T':
		return t.Format("15:04:05")
	case 'U':
		_, w := week(0)
		return w
	case 'u':
		_, w := week(weekMondayFirst)
		return w
	case 'V':
		_, w := week(weekOfItsYear)
		return w
	case 'v':
		_, w := week(weekMondayFirst | weekOfItsYear)
		return w
	case 'X':
		y, _ := week(weekOfItsYear)
		return y
	case 'x':
		y, _ := week(weekMondayFirst | weekOfItsYear)
		return y
	}
	return string(letter)
}

func ordinalSuffix(day int) string {
	if day/10 != 1 {
		switch day % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// formatHas says whether a format has a date's parts, and whether it has a clock's.
func formatHas(format string) (date, clock bool) {
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' {
			i++
			date = date || strings.IndexByte("YymcMbdeDjaW", format[i]) >= 0
			clock = clock || strings.IndexByte("HkhIlisSfprT", format[i]) >= 0
		}
	}
	return date, clock
}

func strToDateType(args []Node) value.Type {
	format, known := constText(args[1])
	date, clock := formatHas(format)
	switch {
	case !known:
		return value.Type{}
	case date && !clock:
		return dateType
	case clock && !date:
		return timeType
	}
	return dateTimeType
}

func evalStrToDate(_ *Env, args []value.Value) (value.Value, error) {
	format := value.Text(args[1])
	p := dateParser{s: strings.TrimLeft(value.Text(args[0]), " "), month: 1, day: 1}
	if !p.parse(format) {
		return value.NullValue, nil
	}
	date, clock := formatHas(format)
	ticks, ok := p.clock()
	if !ok {
		return value.NullValue, nil
	}
	if clock && !date {
		return value.FromDuration(ticks), nil
	}
	day := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	if p.yearDay > 0 {
		day = time.Date(p.year, 1, p.yearDay, 0, 0, 0, 0, time.UTC)
	} else if day.Day() != p.day || p.month < 1 || p.month > 12 {
		return value.NullValue, nil
	}
	from, err := value.TicksFromTime(day)
	switch {
	case err != nil || day.Year() != p.year:
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

// parse reads all that the format asks for; a blank matches any number of them, and what follows in the text is
// ignored, as MySQL does.
func (p *dateParser) parse(format string) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == ' ':
			p.s = strings.TrimLeft(p.s, " ")
			continue
		case c != '%' || i+1 == len(format):
			if !strings.HasPrefix(p.s, string(c)) {
				return false
			}
			p.s = p.s[1:]
			continue
		}
		i++
		p.s = strings.TrimLeft(p.s, " ")
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
		if p.year < 70 {
			p.year += 2000
		} else {
			p.year += 1900
		}
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
		var ignored int
		return p.name(&ignored, letter == 'a', 7, func(i int) string { return time.Weekday(i % 7).String() })
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

func unixType(args []Node) value.Type {
	if len(args) == 0 || args[0].Type().Base == value.TypeDate {
		return intType
	}
	if t := args[0].Type(); t.Base == value.TypeDateTime && t.Precision == 0 {
		return intType
	}
	return decimalType(20, 7)
}

// compileUnixNow is UNIX_TIMESTAMP() alone.
func compileUnixNow(n *Call) Func {
	if len(n.Args) > 0 {
		return nil
	}
	return func(env *Env) (value.Value, error) {
		return value.FromInt((env.now() - unixEpoch) / value.TicksPerSecond), nil
	}
}

// evalUnixTimestamp gives a Decimal where the time has a fraction, 0 before 1970.
func evalUnixTimestamp(_ *Env, args []value.Value) (value.Value, error) {
	ticks, ok := timeOf(args[0])
	switch {
	case !ok || ticks < unixEpoch:
		return value.FromInt(0), nil
	case ticks%value.TicksPerSecond == 0:
		return value.FromInt((ticks - unixEpoch) / value.TicksPerSecond), nil
	}
	ticks -= unixEpoch
	text := fmt.Sprintf("%d.%07d", ticks/value.TicksPerSecond, ticks%value.TicksPerSecond)
	return value.ParseDecimal(strings.TrimRight(text, "0"))
}

func evalFromUnixtime(_ *Env, args []value.Value) (value.Value, error) {
	ticks, err := secondTicks(args[0])
	if _, tooLarge := err.(*value.RangeError); tooLarge || err == nil && (ticks < 0 || ticks > value.MaxTicks-unixEpoch) {
		return value.NullValue, nil
	}
	if err != nil {
		return value.NullValue, err
	}
	if len(args) > 1 {
		return value.FromString(formatTime(ticks+unixEpoch, value.Text(args[1]))), nil
	}
	return value.FromTicks(ticks + unixEpoch), nil
}

// twoDigits writes n with a leading zero.
func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
