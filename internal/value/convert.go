package value

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Convert makes v a value that a column of type t stores, or gives a *ConvertError: nothing is
// rounded, cut or guessed. NULL stays NULL. The kinds that columns hold are: Bool; Int, or Uint
// where unsigned; Float; Decimal with exactly the type's scale; String; Bytes; Date, Time,
// Duration; Int for YEAR; String for ENUM and SET, spelled as declared; JSON; UUID.
//
// CHAR and BINARY are not padded and keep trailing blanks. The caller adds the column's name to an
// error.
func (t Type) Convert(v Value) (Value, error) {
	if v.kind == Null {
		return v, nil
	}
	if v.kind == JSON && TypeBool <= t.Base && t.Base <= TypeDecimal {
		v = jsonNumber(v)
	}
	switch t.Base {
	case TypeBool:
		return t.convertBool(v)
	case TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt, TypeYear:
		return t.convertInt(v)
	case TypeFloat, TypeDouble:
		return t.convertFloat(v)
	case TypeDecimal:
		return t.convertDecimal(v)
	case TypeChar, TypeText:
		return t.convertText(v)
	case TypeEnum:
		return t.convertEnum(v)
	case TypeSet:
		return t.convertSet(v)
	case TypeBinary, TypeBlob:
		s := Text(v)
		if t.Length > 0 && len(s) > t.Length {
			return t.fail(TooLong, v)
		}
		return FromBytes(s), nil
	case TypeDate, TypeDateTime:
		return t.convertTime(v)
	case TypeTime:
		return t.convertDuration(v)
	case TypeJSON:
		return t.convertJSON(v)
	case TypeUUID:
		return t.convertUUID(v)
	}
	return v, nil
}

func (t Type) fail(r Reason, v Value) (Value, error) {
	return Value{}, convertError(r, t, v)
}

// jsonNumber gives what a JSON number, true or false stands for in a column of numbers, and all else as it is.
func jsonNumber(v Value) Value {
	switch {
	case v.s == "true" || v.s == "false":
		return FromBool(v.s == "true")
	case v.s != "" && (v.s[0] == '-' || '0' <= v.s[0] && v.s[0] <= '9'):
		return FromString(v.s)
	}
	return v
}

func (t Type) convertBool(v Value) (Value, error) {
	switch v.kind {
	case Bool:
		return v, nil
	case String, Bytes:
		switch v.s {
		case "1":
			return FromBool(true), nil
		case "0":
			return FromBool(false), nil
		}
		if strings.EqualFold(v.s, "true") {
			return FromBool(true), nil
		}
		if strings.EqualFold(v.s, "false") {
			return FromBool(false), nil
		}
		return t.fail(Incorrect, v)
	case Int, Uint, Float, Decimal:
		for _, b := range [...]Value{FromBool(false), FromBool(true)} {
			if compareNumbers(v, b) == 0 {
				return b, nil
			}
		}
		return t.fail(OutOfRange, v)
	}
	return t.fail(Incorrect, v)
}

// integerRange gives the least and greatest value of an integer type.
func (t Type) integerRange() (least int64, greatest uint64) {
	width := 0
	switch t.Base {
	case TypeTinyInt:
		width = 8
	case TypeSmallInt:
		width = 16
	case TypeMediumInt:
		width = 24
	case TypeInt:
		width = 32
	case TypeYear:
		return 1901, 2155
	default:
		width = 64
	}
	if t.Unsigned {
		return 0, 1<<width - 1
	}
	return -1 << (width - 1), 1<<(width-1) - 1
}

func (t Type) convertInt(v Value) (Value, error) {
	i, reason := exactInteger(v)
	if reason != fits {
		return t.fail(reason, v)
	}
	r, ok := t.integer(i)
	if !ok {
		return t.fail(OutOfRange, v)
	}
	return r, nil
}

// integer gives i as the type holds it; not ok beyond its range.
func (t Type) integer(i integer) (Value, bool) {
	r, ok := i.value(t.Unsigned)
	least, greatest := t.integerRange()
	if t.Unsigned {
		return r, ok && r.n <= greatest
	}
	return r, ok && r.Int() >= least && r.Int() <= int64(greatest)
}

// fits is no reason to fail.
const fits Reason = 255

// exactInteger gives the integer that v is, when it is one.
func exactInteger(v Value) (integer, Reason) {
	switch v.kind {
	case Int, Uint, Bool:
		return integerOf(v), fits
	case Float:
		f := v.Float()
		abs := math.Abs(f)
		switch {
		case !(abs < 1<<64): // NaN too
			return integer{}, OutOfRange
		case abs != math.Trunc(abs):
			return integer{}, NotExact
		}
		return integer{neg: f < 0, mag: uint64(abs)}, fits
	case Decimal:
		var d decimal
		d.load(v.s)
		if !d.rescale(0) {
			return integer{}, NotExact
		}
		return integerOfDecimal(&d)
	case String, Bytes:
		neg, digits := false, v.s
		if digits != "" && (digits[0] == '-' || digits[0] == '+') {
			neg, digits = digits[0] == '-', digits[1:]
		}
		if digits == "" || countDigits(digits) != len(digits) {
			return integer{}, Incorrect
		}
		mag, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return integer{}, OutOfRange
		}
		return integer{neg: neg && mag != 0, mag: mag}, fits
	case Time, Date, Duration:
		return exactInteger(temporalNumber(v))
	}
	return integer{}, Incorrect
}

// integerOfDecimal takes a decimal without digits behind the point.
func integerOfDecimal(d *decimal) (integer, Reason) {
	neg := d.coef.Sign() < 0
	d.coef.Abs(&d.coef)
	if !d.coef.IsUint64() {
		return integer{}, OutOfRange
	}
	return integer{neg: neg, mag: d.coef.Uint64()}, fits
}

func (t Type) convertFloat(v Value) (Value, error) {
	var f float64
	switch v.kind {
	case Float:
		f = v.Float()
	case String, Bytes:
		if s := numericPrefix(v.s); s == "" || s != v.s {
			return t.fail(Incorrect, v)
		}
		f, _ = strconv.ParseFloat(v.s, 64)
	case Bool, Int, Uint, Decimal, Time, Date, Duration:
		f = ToFloat(v)
	default:
		return t.fail(Incorrect, v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) || t.Unsigned && f < 0 {
		return t.fail(OutOfRange, v)
	}
	return FromFloat(f), nil
}

func (t Type) convertDecimal(v Value) (Value, error) {
	var d decimal
	switch v.kind {
	case Decimal:
		if t.holdsDecimal(v.s) {
			return FromDecimalText(v.s), nil
		}
		d.load(v.s)
	case Bool, Int, Uint, Float, Time, Date, Duration:
		dec, err := ToDecimal(v)
		if err != nil {
			return t.fail(OutOfRange, v)
		}
		d.load(dec.s)
	case String, Bytes:
		neg, digits, exp, ok := scanDecimal(v.s)
		if !ok {
			return t.fail(Incorrect, v)
		}
		text, ok := plainDecimal(neg, digits, exp)
		if !ok && exp < 0 && len(strings.TrimLeft(digits, "0"))+exp <= t.Precision-t.Scale {
			return t.fail(NotExact, v)
		}
		if !ok {
			return t.fail(OutOfRange, v)
		}
		d.load(text)
	default:
		return t.fail(Incorrect, v)
	}
	r, reason := t.decimal(&d)
	if reason != fits {
		return t.fail(reason, v)
	}
	return r, nil
}

// holdsDecimal says whether canonical text has the type's scale already, and no more digits.
func (t Type) holdsDecimal(s string) bool {
	if strings.HasPrefix(s, "-") {
		if t.Unsigned {
			return false
		}
		s = s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "0" {
		whole = ""
	}
	return len(frac) == t.Scale && len(whole)+len(frac) <= t.Precision
}

// decimal gives d the type's scale; the value is right, rounded, when the reason is NotExact.
func (t Type) decimal(d *decimal) (Value, Reason) {
	exact := d.rescale(t.Scale)
	switch {
	case t.Unsigned && d.coef.Sign() < 0, d.digits() > t.Precision:
		return Value{}, OutOfRange
	case !exact:
		return d.value(), NotExact
	}
	return d.value(), fits
}

func (t Type) convertText(v Value) (Value, error) {
	s := Text(v)
	if v.kind == String || v.kind == Bytes {
		if !utf8.ValidString(s) {
			return t.fail(Incorrect, v)
		}
	}
	if t.Length > 0 && len(s) > t.Length && utf8.RuneCountInString(s) > t.Length {
		return t.fail(TooLong, v)
	}
	if v.kind == String {
		return v, nil
	}
	return FromString(s), nil
}

// member finds a name of ENUM or SET: as it is written, else without regard to case.
func (t Type) member(s string) (int, bool) {
	for i, n := range t.Names {
		if n == s {
			return i, true
		}
	}
	for i, n := range t.Names {
		if compareFold(n, s) == 0 {
			return i, true
		}
	}
	return 0, false
}

func (t Type) convertEnum(v Value) (Value, error) {
	if v.kind == String || v.kind == Bytes {
		if i, ok := t.member(v.s); ok {
			return FromString(t.Names[i]), nil
		}
	}
	return t.fail(Incorrect, v)
}

// convertSet puts the members into the order of the declaration, each once.
func (t Type) convertSet(v Value) (Value, error) {
	if v.kind != String && v.kind != Bytes {
		return t.fail(Incorrect, v)
	}
	if v.s == "" {
		return FromString(""), nil
	}
	present := make([]bool, len(t.Names))
	for name := range strings.SplitSeq(v.s, ",") {
		i, ok := t.member(name)
		if !ok {
			return t.fail(Incorrect, v)
		}
		present[i] = true
	}
	names := make([]string, 0, len(t.Names))
	for i, p := range present {
		if p {
			names = append(names, t.Names[i])
		}
	}
	return FromString(strings.Join(names, ",")), nil
}

func (t Type) convertJSON(v Value) (Value, error) {
	switch v.kind {
	case JSON:
		return v, nil
	case Bool:
		return FromJSON(strconv.FormatBool(v.Bool())), nil
	case Int, Uint, Decimal:
		return FromJSON(Text(v)), nil
	case Float:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return t.fail(OutOfRange, v)
		}
		return FromJSON(Text(v)), nil
	case String, Bytes:
		if !utf8.ValidString(v.s) || !json.Valid([]byte(v.s)) {
			return t.fail(Incorrect, v)
		}
		return FromJSON(v.s), nil
	}
	return FromJSON(`"` + Text(v) + `"`), nil // times and UUIDs: nothing in them needs an escape
}

func (t Type) convertUUID(v Value) (Value, error) {
	switch {
	case v.kind == UUID:
		return v, nil
	case v.kind == Bytes && len(v.s) == 16:
		return ParseUUID(hexText(v.s))
	case v.kind == String || v.kind == Bytes:
		if text, ok := canonicalUUID(v.s); ok {
			return FromUUID(text), nil
		}
	}
	return t.fail(Incorrect, v)
}

func hexText(b string) string {
	const digits = "0123456789abcdef"
	dst := make([]byte, 0, 2*len(b))
	for i := range len(b) {
		dst = append(dst, digits[b[i]>>4], digits[b[i]&15])
	}
	return string(dst)
}
