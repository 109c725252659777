package value

// convertTime is Convert for DATE and DATETIME.
func (t Type) convertTime(v Value) (Value, error) {
	var ticks int64
	switch v.kind {
	case Time, Date:
		ticks = v.Ticks()
	case Int, Uint, String, Bytes:
		var finer, ok bool
		if ticks, finer, ok = parseTime(Text(v)); !ok {
			return t.fail(Incorrect, v)
		}
		if finer {
			return t.fail(NotExact, v)
		}
	default:
		return t.fail(Incorrect, v)
	}
	switch {
	case ticks < 0 || ticks > MaxTicks:
		return t.fail(OutOfRange, v)
	case ticks%t.tick() != 0:
		return t.fail(NotExact, v)
	case t.Base == TypeDate:
		return FromDate(ticks), nil
	}
	return FromTicks(ticks), nil
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

func (t Type) convertDuration(v Value) (Value, error) {
	var ticks int64
	switch v.kind {
	case Duration:
		ticks = v.Ticks()
	case Int, Uint, String, Bytes:
		var finer, ok bool
		if ticks, finer, ok = parseDuration(Text(v)); !ok {
			return t.fail(Incorrect, v)
		}
		if finer {
			return t.fail(NotExact, v)
		}
	default: // a point in time as well: its date would be cut
		return t.fail(Incorrect, v)
	}
	switch {
	case ticks < -MaxDuration || ticks > MaxDuration:
		return t.fail(OutOfRange, v)
	case ticks%t.tick() != 0:
		return t.fail(NotExact, v)
	}
	return FromDuration(ticks), nil
}
