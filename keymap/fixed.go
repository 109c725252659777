package keymap

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

const (
	signBit    = 1 << 63
	tickDigits = 19
	enumUnits  = 4 // an ENUM has at most 65535 members
)

// appendFixed encodes the types whose codes all have one size; not ok if v is of another type.
func (p Part) appendFixed(dst []byte, v value.Value) (out []byte, ok bool) {
	kind := v.Kind()
	switch p.Type.Base {
	case value.TypeBool:
		b := v.Uint()
		if p.Desc {
			b ^= 1
		}
		return append(dst, '0'+byte(b&1)), kind == value.Bool
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt:
		if p.Type.Unsigned {
			return p.appendHex(dst, v.Uint()), kind == value.Uint
		}
		return p.appendHex(dst, v.Uint()^signBit), kind == value.Int
	case value.TypeBit:
		return p.appendHex(dst, v.Uint()), kind == value.Uint
	case value.TypeSet:
		return p.appendHex(dst, v.Uint()), kind == value.String && v.Counted()
	case value.TypeEnum:
		return p.appendDigits(dst, v.Uint(), enumUnits), kind == value.String && v.Counted()
	case value.TypeYear:
		return p.appendHex(dst, v.Uint()^signBit), kind == value.Int
	case value.TypeTime:
		return p.appendHex(dst, v.Uint()^signBit), kind == value.Duration
	case value.TypeFloat, value.TypeDouble:
		return p.appendHex(dst, floatBits(v.Float())), kind == value.Float
	case value.TypeDate, value.TypeDateTime:
		ticks := v.Ticks()
		if kind != value.Date && kind != value.Time || ticks < 0 || ticks > value.MaxTicks {
			return dst, false
		}
		if p.Desc {
			ticks = value.MaxTicks - ticks
		}
		return appendTicks(dst, ticks), true
	case value.TypeDecimal:
		if kind != value.Decimal {
			return dst, false
		}
		return p.appendDecimal(dst, v.Text())
	case value.TypeUUID:
		if kind != value.UUID {
			return dst, false
		}
		return p.appendUUID(dst, v.Text())
	}
	return dst, false
}

// floatBits orders floats as unsigned integers, with -0 as 0.
func floatBits(f float64) uint64 {
	if f == 0 {
		return signBit
	}
	u := math.Float64bits(f)
	if u&signBit != 0 {
		return ^u
	}
	return u | signBit
}

const hexDigits = "0123456789abcdef"

func (p Part) appendHex(dst []byte, u uint64) []byte { return p.appendDigits(dst, u, 16) }

// appendDigits appends the last n hex digits of u.
func (p Part) appendDigits(dst []byte, u uint64, n int) []byte {
	if p.Desc {
		u = ^u
	}
	var buf [16]byte
	for i := n - 1; i >= 0; i-- {
		buf[i] = hexDigits[u&15]
		u >>= 4
	}
	return append(dst, buf[:n]...)
}

// hexDigit reads lower case only: there is one code for a value.
func hexDigit(c byte) (d byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

func appendTicks(dst []byte, ticks int64) []byte {
	var buf [tickDigits]byte
	for i := len(buf) - 1; i >= 0; i-- {
		buf[i] = '0' + byte(ticks%10)
		ticks /= 10
	}
	return append(dst, buf[:]...)
}

// appendUUID takes the canonical text.
func (p Part) appendUUID(dst []byte, s string) (out []byte, ok bool) {
	n := len(dst)
	for i := range len(s) {
		if s[i] == '-' {
			continue
		}
		d, ok := hexDigit(s[i])
		if !ok {
			return dst, false
		}
		if p.Desc {
			d = 15 - d
		}
		dst = append(dst, hexDigits[d])
	}
	return dst, len(dst)-n == 32
}
