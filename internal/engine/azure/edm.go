package azure

import (
	"math"
	"strconv"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// The wire forms of the types:
// https://learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations

const (
	ticksPerSecond = 10_000_000
	// ticksAtEpoch is 1970-01-01 00:00:00 UTC in ticks since year 1.
	ticksAtEpoch = 621355968000000000
)

// negativeZero is how a Double of -0 is stored: as a Guid that begins with the bits of -0 and is otherwise arbitrary. The store would return the
// Double as 0 (measured on Azurite, in whatever form it is sent), but a value must be returned unchanged. A filter that 0 passes names this
// Guid, too.
const negativeZero = "80000000-0000-0000-6e66-2d302e300000"

func isNegativeZero(v *engine.Value) bool {
	return v.Type == engine.Double && v.N == 1<<63
}

// edmType gives the type with a name; Absent if there is none.
func edmType(name []byte) engine.Edm {
	switch string(name) {
	case "Edm.String":
		return engine.String
	case "Edm.Int32":
		return engine.Int32
	case "Edm.Int64":
		return engine.Int64
	case "Edm.Double":
		return engine.Double
	case "Edm.Boolean":
		return engine.Boolean
	case "Edm.DateTime":
		return engine.DateTime
	case "Edm.Guid":
		return engine.Guid
	case "Edm.Binary":
		return engine.Binary
	}
	return engine.Absent
}

// appendDateTime appends ticks as 2006-01-02T15:04:05.0000000Z.
func appendDateTime(dst []byte, ticks int64) []byte {
	return ticksTime(ticks).AppendFormat(dst, "2006-01-02T15:04:05.0000000Z")
}

func ticksTime(ticks int64) time.Time {
	since := ticks - ticksAtEpoch
	return time.Unix(since/ticksPerSecond, since%ticksPerSecond*100).UTC()
}

// parseDateTime reads 2006-01-02T15:04:05Z with up to nine digits of a second. It drops those finer than a tick, which the service never stores.
func parseDateTime(s []byte) (int64, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[len(s)-1] != 'Z' {
		return 0, false
	}
	year, ok1 := decimal(s[0:4])
	month, ok2 := decimal(s[5:7])
	day, ok3 := decimal(s[8:10])
	hour, ok4 := decimal(s[11:13])
	minute, ok5 := decimal(s[14:16])
	second, ok6 := decimal(s[17:19])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || hour > 23 || minute > 59 || second > 59 || year == 0 {
		return 0, false
	}
	var fraction int64
	if digits := s[19 : len(s)-1]; len(digits) > 0 {
		if digits[0] != '.' || len(digits) < 2 || len(digits) > 10 {
			return 0, false
		}
		scale := int64(ticksPerSecond)
		for _, c := range digits[1:] {
			if c < '0' || c > '9' {
				return 0, false
			}
			scale /= 10
			fraction += int64(c-'0') * scale
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if int(t.Month()) != month || t.Day() != day {
		return 0, false // 30 February
	}
	return t.Unix()*ticksPerSecond + ticksAtEpoch + fraction, true
}

func decimal(s []byte) (n int, ok bool) {
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// parseDouble reads a number, or the name of one that JSON cannot write. OData says INF, the service Infinity; both are read.
func parseDouble(s []byte) (float64, bool) {
	switch string(s) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "INF":
		return math.Inf(1), true
	case "-Infinity", "-INF":
		return math.Inf(-1), true
	}
	f, err := strconv.ParseFloat(string(s), 64)
	return f, err == nil
}

// appendDouble appends what parseDouble reads, as a JSON value.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
