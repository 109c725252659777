package value

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// What a hash key begins with.
const (
	hashNull = iota
	hashInt
	hashNumber
	hashText
	hashTime
	hashDuration
	hashJSON
)

// AppendHashKey appends octets that are equal if and only if the values are equal, as GROUP BY,
// DISTINCT and a hash join see it: NULL equals NULL, 1 equals 1.0 and TRUE, a date equals its
// midnight, text is what stands for it under c, JSON counts by what it says, not by its text. The octets
// say where they end, so keys of several values can follow each other.
//
// It looks at one value alone and so cannot know what Compare would convert the other one to: text
// never equals a number or a time, and a Decimal of more than 15 digits need not equal the nearest
// Float. Whoever joins columns of such different types brings them to one type first.
func AppendHashKey(dst []byte, v Value, c Collation) []byte {
	switch v.kind {
	case Null:
		return append(dst, hashNull)
	case Bool, Int:
		return appendHashInt(dst, v.n)
	case Uint:
		return appendHashUint(dst, v.n)
	case Float:
		return appendHashFloat(dst, v.Float())
	case Decimal:
		return appendHashDecimal(dst, v.s)
	case Time, Date:
		return binary.BigEndian.AppendUint64(append(dst, hashTime), v.n)
	case Duration:
		return binary.BigEndian.AppendUint64(append(dst, hashDuration), v.n)
	case JSON:
		return appendHashString(append(dst, hashJSON), string(appendJSONKey(nil, v)))
	}
	s := v.s
	if c != Binary && v.kind != Bytes {
		s = c.Fold(s)
	}
	return appendHashString(append(dst, hashText), s)
}

func appendHashString(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendHashInt(dst []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, hashInt), n)
}

func appendHashUint(dst []byte, n uint64) []byte {
	if n <= math.MaxInt64 {
		return appendHashInt(dst, n)
	}
	var buf [24]byte
	return appendHashNumber(dst, false, string(strconv.AppendUint(buf[:0], n, 10)), 0)
}

func appendHashFloat(dst []byte, f float64) []byte {
	switch {
	case f == math.Trunc(f) && f >= -1<<63 && f < 1<<63:
		return appendHashInt(dst, uint64(int64(f)))
	case f == math.Trunc(f) && f >= 1<<63 && f < 1<<64:
		return appendHashUint(dst, uint64(f))
	case math.IsNaN(f) || math.IsInf(f, 0):
		return appendHashNumber(dst, f < 0, strconv.FormatFloat(math.Abs(f), 'f', -1, 64), 0)
	}
	neg, digits, exp, _ := scanDecimal(strconv.FormatFloat(f, 'e', -1, 64))
	return appendHashNumber(dst, neg, digits, exp)
}

func appendHashDecimal(dst []byte, s string) []byte {
	whole, frac, _ := strings.Cut(s, ".")
	if strings.TrimRight(frac, "0") == "" {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			return appendHashInt(dst, uint64(n))
		}
	}
	neg, digits, exp, _ := scanDecimal(s)
	return appendHashNumber(dst, neg, digits, exp)
}

// appendHashNumber writes what is no int64: sign, exponent, and the digits without outer zeros.
func appendHashNumber(dst []byte, neg bool, digits string, exp int) []byte {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	exp += len(digits) - len(short)
	dst = append(dst, hashNumber)
	if neg {
		dst[len(dst)-1] |= 0x80
	}
	dst = binary.AppendVarint(dst, int64(exp))
	return appendHashString(dst, short)
}

// AppendIdentity appends octets that are equal only if the values are the same in all that can be seen of them, of 1 and 1.0 not.
func AppendIdentity(dst []byte, v Value) []byte {
	counted := byte(0)
	if v.counted {
		counted = 1
	}
	dst = binary.BigEndian.AppendUint64(append(dst, byte(v.kind), v.digits, counted), v.n)
	return appendHashString(dst, v.s)
}
