package value

import (
	"bytes"
	"math"
	"strconv"
)

// Text is v as MySQL prints it; see AppendText.
func Text(v Value) string {
	switch v.kind {
	case String, Bytes, JSON, UUID:
		return v.s
	case Decimal:
		return Shown(v).s
	case Int, Uint:
		if v.s != "" {
			return v.s
		}
	}
	var buf [40]byte
	return string(AppendText(buf[:0], v))
}

// AppendText appends v as MySQL prints it: NULL as NULL, booleans as 1 and 0, a BIT as its octets, times as
// 'YYYY-MM-DD HH:MM:SS[.f]' and durations as '[-]HH:MM:SS[.f]', see WithDigits. A Float has
// the fewest digits that read back as the same number, one of single precision six at most; outside of
// 1e-15 to 1e15 it has an exponent ("1e20", "1.5e-16").
func AppendText(dst []byte, v Value) []byte {
	switch v.kind {
	case Null:
		return append(dst, "NULL"...)
	case Bool:
		return append(dst, '0'+byte(v.n))
	case Int:
		if v.s != "" {
			return append(dst, v.s...)
		}
		return strconv.AppendInt(dst, int64(v.n), 10)
	case Uint:
		if v.s != "" {
			return append(dst, v.s...)
		}
		return strconv.AppendUint(dst, v.n, 10)
	case Float:
		if n := v.fraction(); n >= 0 {
			return appendFixed(dst, v.shownFloat(), n)
		}
		return appendFloat(dst, v.shownFloat())
	case Time:
		return appendTime(dst, v.Ticks(), v.Digits())
	case Date:
		return TimeFromTicks(v.Ticks()).AppendFormat(dst, "2006-01-02")
	case Duration:
		return appendDuration(dst, v.Ticks(), v.Digits())
	}
	return append(dst, Shown(v).s...)
}

// appendFixed shows a float with n digits after the point: those that distinguish it and zeros, or fewer.
func appendFixed(dst []byte, f float64, n int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, f+0, 'f', -1, 64)
	point := bytes.IndexByte(dst[start:], '.')
	have := 0
	if point >= 0 {
		have = len(dst) - start - point - 1
	}
	switch {
	case have > n:
		return strconv.AppendFloat(dst[:start], f+0, 'f', n, 64)
	case have == 0 && n > 0:
		dst = append(dst, '.')
	}
	return append(dst, zeros[:n-have]...)
}

const zeros = "000000000000000000000000000000" // MaxScale of them

// shownFloat is the number that a Float is shown as.
func (v Value) shownFloat() float64 {
	if v.digits == singleDigits {
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'e', singleDigits-1, 32), 64)
		return f
	}
	return Shortest(v)
}

// Shortest gives the number of a Float; for one of single precision, the number with the fewest digits that distinguish it there: 0.1, not
// 0.10000000149011612.
func Shortest(v Value) float64 {
	if !v.IsSingle() {
		return v.Float()
	}
	f, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
	return f
}

func appendFloat(dst []byte, f float64) []byte {
	if f == 0 { // -0 as well
		return append(dst, '0')
	}
	abs := math.Abs(f)
	if abs >= 1e-15 && (abs < 1e15 || abs != math.Trunc(abs)) || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes the exponent with its sign and at least two digits, MySQL without leading zeros or a plus.
	e := start + bytes.IndexByte(dst[start:], 'e') + 1
	digits := e + 1
	for digits < len(dst)-1 && dst[digits] == '0' {
		digits++
	}
	if dst[e] == '-' {
		e++
	}
	return append(dst[:e], dst[digits:]...)
}

func appendTime(dst []byte, ticks int64, digits int) []byte {
	dst = TimeFromTicks(ticks).AppendFormat(dst, "2006-01-02 15:04:05")
	return appendFraction(dst, ticks%TicksPerSecond, digits)
}

func appendDuration(dst []byte, ticks int64, digits int) []byte {
	if ticks < 0 {
		dst, ticks = append(dst, '-'), -ticks
	}
	seconds := ticks / TicksPerSecond
	if hours := seconds / 3600; hours < 100 {
		dst = appendTwo(dst, hours)
	} else {
		dst = strconv.AppendInt(dst, hours, 10)
	}
	dst = appendTwo(append(dst, ':'), seconds/60%60)
	dst = appendTwo(append(dst, ':'), seconds%60)
	return appendFraction(dst, ticks%TicksPerSecond, digits)
}

func appendTwo(dst []byte, n int64) []byte {
	return append(dst, '0'+byte(n/10), '0'+byte(n%10))
}

// appendFraction writes the ticks of a second: so many digits, and further ones up to the last that is not a zero.
func appendFraction(dst []byte, ticks int64, digits int) []byte {
	if ticks == 0 && digits == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(TicksPerSecond / 10); ticks > 0 || digits > 0; unit /= 10 {
		dst = append(dst, '0'+byte(ticks/unit))
		ticks %= unit
		digits--
	}
	return dst
}
