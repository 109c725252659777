package expr

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func zoneFunctions() []*Function {
	return []*Function{
		{Name: "CONVERT_TZ", Signature: "CONVERT_TZ(date, from, to)", Family: "time", Min: 3, Max: 3, strict: true, Type: fixed(dateTimeType),
			Doc:  "date converted from the time zone from to the time zone to: '+02:00', 'SYSTEM' (UTC), 'Europe/Berlin'; NULL if a zone is not known. Names need Go's time zone data.",
			Eval: evalConvertTZ},
	}
}

// The times that CONVERT_TZ converts; others stay as they are.
var (
	firstZoned = ticksOf(time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC))
	lastZoned  = ticksOf(time.Date(3001, 1, 18, 23, 59, 59, 999_999_900, time.UTC))
)

func ticksOf(t time.Time) int64 {
	ticks, err := value.TicksFromTime(t)
	if err != nil {
		panic(err)
	}
	return ticks
}

func evalConvertTZ(env *Env, args []value.Value) (value.Value, error) {
	ticks, ok := env.timeOf(args[0])
	from, okFrom := Zone(value.Text(args[1]))
	to, okTo := Zone(value.Text(args[2]))
	if !ok || !okFrom || !okTo {
		return value.NullValue, nil
	}
	utc, _ := instants(ticks, from)
	if utc < firstZoned || utc > lastZoned {
		return value.FromTicks(ticks), nil
	}
	return value.FromTicks(localTicks(utc, to)), nil
}
