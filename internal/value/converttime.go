package value

import "strings"

// convertTime is convert for DATE and DATETIME.
func (t Type) convertTime(v Value) (Value, Reason) {
	var ticks int64
	reason := fits
	switch v.kind {
	case Time, Date:
		if ticks = v.Ticks(); ticks < 0 || ticks > MaxTicks {
			return v, OutOfRange
		}
	case Bool, Int, Uint, Decimal, Float, String, Bytes:
		text, ok := timeText(v)
		if !ok {
			return v, Incorrect
		}
		finer := false
		if ticks, finer, ok = parseTime(text); !ok {
			return v, Incorrect
		}
		if finer {
			ticks, reason = ticks+t.lostTick(text), rounded
		}
	default:
		return v, Incorrect
	}
	if t.Base == TypeDate {
		// The time of day is rounded to seconds before it is dropped, as the manual says.
		day := roundTicks(ticks, TicksPerSecond)
		if day > MaxTicks {
			return v, Incorrect
		}
		if day -= day % TicksPerDay; day != ticks {
			reason = cut
		}
		return FromDate(day), reason
	}
	kept := roundTicks(ticks, t.tick())
	if kept != ticks {
		reason = rounded
	}
	if kept > MaxTicks || t.Declared == "TIMESTAMP" && (kept < minTimestamp || kept > maxTimestamp) {
		return v, Incorrect
	}
	return FromTicks(kept), reason
}

// The range of a TIMESTAMP: 1970-01-01 00:00:01 to 2038-01-19 03:14:07.9999999.
const (
	minTimestamp = (unixSeconds + 1) * TicksPerSecond
	maxTimestamp = (unixSeconds+1<<31)*TicksPerSecond - 1
)

// timeText is the text in which a number, or a text, may spell a time.
func timeText(v Value) (text string, ok bool) {
	switch v.kind {
	case String, Bytes:
		return strings.Trim(v.s, blanks), true
	case Float, Decimal:
		d, err := ToDecimal(v)
		if err != nil {
			return "", false
		}
		return d.s, true
	}
	return Text(v), true
}

// lostTick is 1 where the type holds ticks, and the digits of a second that are finer make up half of one or more.
func (t Type) lostTick(text string) int64 {
	point := strings.LastIndexByte(text, '.')
	if t.tick() > 1 {
		return 0
	}
	if at := point + 1 + tickDigits; point >= 0 && at < len(text) && '5' <= text[at] && text[at] <= '9' {
		return 1
	}
	return 0
}

// tickDigits is the number of digits of a second that a tick has.
const tickDigits = 7

// tick is the least time that the type tells apart, in ticks.
func (t Type) tick() int64 {
	if t.Base == TypeDate {
		return TicksPerDay
	}
	if t.Precision < 0 || t.Precision >= 7 {
		return 1
	}
	unit := int64(TicksPerSecond)
	for range t.Precision {
		unit /= 10
	}
	return unit
}

func (t Type) convertDuration(v Value) (Value, Reason) {
	var ticks int64
	reason := fits
	switch v.kind {
	case Duration:
		ticks = v.Ticks()
	case Time, Date:
		ticks, reason = v.Ticks()%TicksPerDay, cut
	case Bool, Int, Uint, Decimal, Float, String, Bytes:
		text, ok := timeText(v)
		if !ok {
			return v, Incorrect
		}
		finer := false
		if ticks, finer, ok = parseDuration(text); !ok && len(text) > len("2006-01-02") {
			ticks, finer, ok = parseTime(text)
			ticks, reason = ticks%TicksPerDay, cut
		}
		if !ok {
			return v, Incorrect
		}
		if finer {
			lost := t.lostTick(text)
			if text[0] == '-' {
				lost = -lost
			}
			if ticks += lost; reason == fits {
				reason = rounded
			}
		}
	default:
		return v, Incorrect
	}
	kept := roundTicks(ticks, t.tick())
	if kept < -MaxDuration || kept > MaxDuration {
		return v, OutOfRange
	}
	if kept != ticks && reason == fits {
		reason = rounded
	}
	return FromDuration(kept), reason
}
