package value

// convertTime is convert for DATE and DATETIME.
func (t Type) convertTime(v Value) (Value, Reason) {
	ticks, reason := v.Ticks(), fits
	if v.kind == Time || v.kind == Date {
		if ticks < 0 || ticks > MaxTicks {
			return v, OutOfRange
		}
	} else {
		read, ok := readTime(integerOfBool(v))
		if !ok || read.cut {
			return v, Incorrect
		}
		ticks, reason = read.nearest(t)
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
	return t.withDigits(FromTicks(kept), v), reason
}

// The range of a TIMESTAMP: 1970-01-01 00:00:01 to 2038-01-19 03:14:07.9999999.
const (
	minTimestamp = (unixSeconds + 1) * TicksPerSecond
	maxTimestamp = (unixSeconds+1<<31)*TicksPerSecond - 1
)

func integerOfBool(v Value) Value {
	if v.kind == Bool {
		v.kind = Int
	}
	return v
}

// nearest gives the ticks that a text comes to in a column of type to. Digits finer than a tick count only where the column
// holds ticks: elsewhere they would round twice.
func (t timeText) nearest(to Type) (ticks int64, reason Reason) {
	switch {
	case !t.finer:
		return t.ticks, fits
	case !t.half || to.tick() > 1:
		return t.ticks, rounded
	case t.negative:
		return t.ticks - 1, rounded
	}
	return t.ticks + 1, rounded
}

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
	ticks, reason := v.Ticks(), fits
	switch v.kind {
	case Duration:
	case Time, Date:
		ticks, reason = ticks%TicksPerDay, cut
	default:
		read, ok := readDuration(integerOfBool(v))
		if !ok || !read.exact() {
			return v, Incorrect
		}
		if ticks, reason = read.nearest(t); read.fields > 0 {
			reason = cut // it is a point in time
		}
	}
	kept := roundTicks(ticks, t.tick())
	if kept < -MaxDuration || kept > MaxDuration {
		return v, OutOfRange
	}
	if kept != ticks && reason == fits {
		reason = rounded
	}
	return t.withDigits(FromDuration(kept), v), reason
}
