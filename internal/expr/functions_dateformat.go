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
		{Name: "STR_TO_DATE", Signature: "STR_TO_DATE(text, format)", Family: "time", Doc: "The DATE, TIME or DATETIME that the format finds in text; NULL if it finds none.",
			Min: 2, Max: 2, strict: true, Type: strToDateType, Eval: evalStrToDate},
		{Name: "UNIX_TIMESTAMP", Signature: "UNIX_TIMESTAMP([date])", Family: "time", Volatility: Stable, Doc: "Seconds since 1970, of the statement without a date.", Max: 1,
			strict: true, Type: unixType, Eval: evalUnixTimestamp, compile: compileUnixNow},
		{Name: "FROM_UNIXTIME", Signature: "FROM_UNIXTIME(seconds[, format])", Family: "time", Doc: "The time so many seconds after 1970 began in UTC, in the session's time zone; a text if a format is given.", Min: 1, Max: 2,
			strict: true, Type: unixtimeType, Eval: evalFromUnixtime},
		{Name: "GET_FORMAT", Signature: "GET_FORMAT(DATE | TIME | DATETIME, name)", Family: "time", Min: 2, Max: 2, strict: true, Type: toText,
			Doc: "The format that DATE_FORMAT and STR_TO_DATE know by that name: 'EUR', 'USA', 'JIS', 'ISO', 'INTERNAL'.", Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				format, ok := dateFormats[strings.ToUpper(value.Text(args[0]))][strings.ToUpper(value.Text(args[1]))]
				return orNull(value.FromString(format), ok), nil
			}},
	}
}

// unixEpoch is 1970 in ticks.
const unixEpoch = 62_135_596_800 * value.TicksPerSecond

func evalDateFormat(env *Env, args []value.Value) (value.Value, error) {
	ticks, ok := env.timeOf(args[0])
	if !ok {
		return value.NullValue, nil
	}
	return value.FromString(formatTime(ticks, value.Text(args[1]))), nil
}

// evalTimeFormat shows a TIME as a time of the first day: hours beyond 23 show in full.
func evalTimeFormat(env *Env, args []value.Value) (value.Value, error) {
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

func unixType(args []Node) value.Type {
	if len(args) == 0 {
		return intType
	}
	switch digits := secondDigits(args[0]); {
	case digits < 0:
		return value.Type{}
	case digits > 0:
		return decimalType(11+digits, digits)
	}
	return intType
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

// evalUnixTimestamp gives a Decimal with the digits of the time, 0 before 1970.
func evalUnixTimestamp(env *Env, args []value.Value) (value.Value, error) {
	at, ok := value.ReadTime(env.today(args[0], value.Time))
	ticks, _ := instants(at.Ticks(), env.zone())
	switch {
	case !ok || ticks < unixEpoch:
		return value.FromInt(0), nil
	case ticks%value.TicksPerSecond == 0 && at.Digits() == 0:
		return value.FromInt((ticks - unixEpoch) / value.TicksPerSecond), nil
	}
	ticks -= unixEpoch
	text := fmt.Sprintf("%d.%07d", ticks/value.TicksPerSecond, ticks%value.TicksPerSecond)
	d, err := value.ParseDecimal(strings.TrimRight(text, "0"))
	return value.Padded(d, at.Digits()), err
}

func evalFromUnixtime(env *Env, args []value.Value) (value.Value, error) {
	ticks, err := secondTicks(args[0])
	if _, tooLarge := err.(*value.RangeError); tooLarge || err == nil && (ticks < 0 || ticks > value.MaxTicks-unixEpoch) {
		return value.NullValue, nil
	}
	if err != nil {
		return value.NullValue, err
	}
	if len(args) > 1 {
		return value.FromString(formatTime(env.local(ticks+unixEpoch), value.Text(args[1]))), nil
	}
	return value.FromTicks(env.local(ticks + unixEpoch)), nil
}

// twoDigits writes n with a leading zero.
func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func unixtimeType(args []Node) value.Type {
	if len(args) > 1 {
		return textType
	}
	return secondsType(value.TypeDateTime, fractionDigits, 0)(args)
}

// dateFormats are the formats that GET_FORMAT names.
var dateFormats = map[string]map[string]string{
	"DATE":      {"USA": "%m.%d.%Y", "JIS": "%Y-%m-%d", "ISO": "%Y-%m-%d", "EUR": "%d.%m.%Y", "INTERNAL": "%Y%m%d"},
	"DATETIME":  {"USA": "%Y-%m-%d %H.%i.%s", "JIS": "%Y-%m-%d %H:%i:%s", "ISO": "%Y-%m-%d %H:%i:%s", "EUR": "%Y-%m-%d %H.%i.%s", "INTERNAL": "%Y%m%d%H%i%s"},
	"TIMESTAMP": {"USA": "%Y-%m-%d %H.%i.%s", "JIS": "%Y-%m-%d %H:%i:%s", "ISO": "%Y-%m-%d %H:%i:%s", "EUR": "%Y-%m-%d %H.%i.%s", "INTERNAL": "%Y%m%d%H%i%s"},
	"TIME":      {"USA": "%h:%i:%s %p", "JIS": "%H:%i:%s", "ISO": "%H:%i:%s", "EUR": "%H.%i.%s", "INTERNAL": "%H%i%s"},
}
