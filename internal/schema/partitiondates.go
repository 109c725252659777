package schema

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// DaysToYear1 is TO_DAYS('0001-01-01').
const DaysToYear1 = 366

// TicksAt gives the time at which a rising function of dates reaches n.
func TicksAt(function string, n int64) (ticks int64, ok bool) {
	if n > 1<<40 || n < -1<<40 {
		return 0, false
	}
	var at time.Time
	switch function {
	case "YEAR":
		at = time.Date(int(min(max(n, -1), 20000)), 1, 1, 0, 0, 0, 0, time.UTC)
	case "TO_DAYS":
		at = value.TimeFromTicks(0).AddDate(0, 0, int(min(max(n-DaysToYear1, -1), 4_000_000)))
	default:
		at = time.Unix(n, 0)
	}
	ticks, err := value.TicksFromTime(at)
	return ticks, err == nil
}

// DateOf makes a value of a DATE or DATETIME type.
func DateOf(t value.Type, ticks int64) value.Value {
	if t.Base == value.TypeDate {
		return value.FromDate(ticks - ticks%value.TicksPerDay)
	}
	return value.FromTicks(ticks)
}
