package value

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strconv"
	"strings"
)

// The kinds of JSON values in MySQL's order, as a document's key begins.
const (
	rankEnd byte = iota // ends an array: a shorter one is first
	rankNull
	rankNumber
	rankString
	rankObject
	rankArray
	rankBool
	rankDate
	rankTime
	rankDateTime
	rankBytes
)

// appendDocumentKey writes octets that sort as documents do, and are equal exactly when the documents are: numbers by their exact value, where a
// double is the value of its shortest digits; strings by octets; arrays element by element; objects, for which MySQL promises no order, by the
// number of their members, then member by member.
func appendDocumentKey(dst []byte, d *Document) []byte {
	switch {
	case d.Array != nil:
		dst = append(dst, rankArray)
		for i := range d.Array.Items {
			dst = appendDocumentKey(dst, &d.Array.Items[i])
		}
		return append(dst, rankEnd)
	case d.Object != nil:
		dst = binary.BigEndian.AppendUint32(append(dst, rankObject), uint32(len(d.Object.Keys)))
		for i, key := range d.Object.Keys {
			dst = binary.BigEndian.AppendUint32(dst, uint32(len(key)))
			dst = appendDocumentKey(append(dst, key...), &d.Object.Items[i])
		}
		return dst
	}
	switch v := d.Scalar; v.kind {
	case Null:
		return append(dst, rankNull)
	case Bool:
		return append(dst, rankBool, byte(v.n))
	case Date:
		return binary.BigEndian.AppendUint64(append(dst, rankDate), v.n)
	case Time:
		return binary.BigEndian.AppendUint64(append(dst, rankDateTime), v.n)
	case Duration:
		return binary.BigEndian.AppendUint64(append(dst, rankTime), v.n^1<<63) // negative ones first
	case Bytes:
		return appendKeyText(append(dst, rankBytes), v.s)
	case String:
		return appendKeyText(append(dst, rankString), v.s)
	default:
		return appendKeyNumber(append(dst, rankNumber), v)
	}
}

// appendKeyText writes s so that no key of another text begins with its key.
func appendKeyText(dst []byte, s string) []byte {
	for {
		zero := strings.IndexByte(s, 0)
		if zero < 0 {
			return append(append(dst, s...), 0, 0)
		}
		dst = append(append(dst, s[:zero]...), 0, 0xff)
		s = s[zero+1:]
	}
}

// appendKeyNumber writes the sign, the power of ten and the digits; for a negative number, all inverted.
func appendKeyNumber(dst []byte, v Value) []byte {
	var own [40]byte
	text := own[:0]
	if v.kind == Float {
		text = strconv.AppendFloat(text, v.Float(), 'e', -1, 64)
	} else {
		text = AppendText(text, v)
	}
	neg, digits, exp, _ := scanDecimal(string(text))
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return append(dst, 0x80)
	}
	exp += len(digits)
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(append(dst, 0x81), uint32(int32(exp))^1<<31)
	dst = append(append(dst, strings.TrimRight(digits, "0")...), 0)
	if neg {
		for i := range dst[start:] {
			dst[start+i] = ^dst[start+i]
		}
	}
	return dst
}

// CompareDocuments orders documents by MySQL's precedence of their types, then as appendDocumentKey has it.
func CompareDocuments(a, b *Document) int {
	var x, y [64]byte
	return bytes.Compare(appendDocumentKey(x[:0], a), appendDocumentKey(y[:0], b))
}

// DocumentKey gives a text that two documents share exactly when they are equal.
func DocumentKey(d *Document) string { return string(appendDocumentKey(nil, d)) }

// appendJSONKey writes the key of a JSON value. Text that is not a document is treated as a string.
func appendJSONKey(dst []byte, v Value) []byte {
	if v.n == jsonKeyMark {
		return append(dst, v.s...)
	}
	d, err := DocumentOf(v)
	if err != nil {
		d = Document{Scalar: FromString(v.s)}
	}
	return appendDocumentKey(dst, &d)
}

// orderJSON is the total order of JSON values.
func orderJSON(a, b Value) int {
	if a.n == jsonKeyMark && b.n == jsonKeyMark {
		return strings.Compare(a.s, b.s)
	}
	var x, y [64]byte
	return bytes.Compare(appendJSONKey(x[:0], a), appendJSONKey(y[:0], b))
}

// SortKey gives a value that Order sorts like v, but faster if v is a document: it is then read once, not at each comparison.
func SortKey(v Value) Value {
	if v.kind != JSON {
		return v
	}
	return Value{kind: JSON, s: string(appendJSONKey(nil, v)), n: jsonKeyMark}
}

// compareJSON compares a JSON value with any other one, which is made JSON first. So 'a' is a string, which equals no number, and 1 is not a
// boolean. A string compared with a time is a time if it reads as one: documents are stored as texts, and have no times. Octets count as text
// here, because Go programs pass text that way.
func compareJSON(a, b Value) (int, error) {
	if a.kind != JSON {
		r, err := compareJSON(b, a)
		return -r, err
	}
	x, err := DocumentOf(a)
	if err != nil {
		return 0, err
	}
	if isTemporal(b.kind) && x.IsScalar() {
		switch k := x.Scalar.kind; {
		case k == String:
			return -compareTemporalText(b, x.Scalar), nil
		case k == Time && b.kind == Date, k == Date && b.kind == Time:
			return cmp.Compare(x.Scalar.Ticks(), b.Ticks()), nil
		}
	}
	if b.kind == Bytes {
		b = FromString(b.s)
	}
	y, err := DocumentOf(b)
	if err != nil {
		return 0, err
	}
	return CompareDocuments(&x, &y), nil
}
