package access

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// place says where an argument lies among the values that a column can hold, in the order of value.Compare.
type place uint8

const (
	placeAt      place = iota // it is one of them: lo
	placeAbove                // it lies between lo and the next one
	placeAmong                // it may equal any of lo … hi: a float compared with decimals
	placeBelow                // it is below all of them
	placeTop                  // it is above all of them
	placeNowhere              // it is compared in another order than the column's: a number against a text
	placeAlone                // as placeNowhere, but it equals lo alone: a text against an ENUM
	placeNone                 // as placeNowhere, but it equals none of them
)

// locate finds the place of v, which is not NULL, in a column of type t. So an argument of any type can be a bound: 7.5 against INT
// lies above 7, so that "= 7.5" reads nothing, and "> 7.5" begins after 7.
func locate(t *value.Type, v value.Value) (lo, hi value.Value, at place) {
	if v.Kind() == value.JSON {
		return v, v, placeNowhere // compares by rules of its own
	}
	if v.Counted() && t.Class() == value.ClassNumber {
		v = value.NumberBeside(v, value.Int)
	}
	switch t.Base {
	case value.TypeBool, value.TypeBit, value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt,
		value.TypeBigInt, value.TypeYear:
		lo, at = locateInt(t, v)
	case value.TypeFloat, value.TypeDouble:
		lo, at = locateFloat(v)
	case value.TypeDecimal:
		return locateDecimal(t, v)
	case value.TypeChar, value.TypeText:
		lo, at = locateText(t, v)
	case value.TypeEnum, value.TypeSet:
		lo, at = locateMember(t, v)
	case value.TypeBinary, value.TypeBlob:
		lo, at = locateBytes(v)
	case value.TypeDateTime, value.TypeDate:
		lo, at = locateTime(t, v)
	case value.TypeTime:
		lo, at = locateDuration(t, v)
	case value.TypeUUID:
		lo, at = locateUUID(v)
	default:
		at = placeNowhere
	}
	return lo, lo, at
}

// locateInt finds the place of a number, or of the number that a text begins with, among integers.
func locateInt(t *value.Type, v value.Value) (value.Value, place) {
	if v.Kind() == value.Int && !t.Unsigned && t.Base != value.TypeBool {
		return v, placeAt
	}
	floor, at := floorInt(v)
	if at > placeAbove {
		return floor, at
	}
	negative := floor.Kind() == value.Int
	switch {
	case t.Base == value.TypeBool:
		switch {
		case negative:
			return floor, placeBelow
		case floor.Uint() > 1 || floor.Uint() == 1 && at == placeAbove:
			return floor, placeTop
		}
		return value.FromBool(floor.Uint() == 1), at
	case t.Unsigned:
		if negative {
			return floor, placeBelow
		}
		return floor, at
	case negative:
		return floor, at
	case floor.Uint() > math.MaxInt64:
		return floor, placeTop
	}
	return value.FromInt(int64(floor.Uint())), at
}

// floorInt gives the largest integer that is not above v: an Int if it is negative, else a Uint.
func floorInt(v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.Bool, value.Uint:
		return value.FromUint(v.Uint()), placeAt
	case value.Int:
		if v.Int() < 0 {
			return v, placeAt
		}
		return value.FromUint(v.Uint()), placeAt
	case value.Decimal:
		return floorDecimalInt(v.Text())
	case value.String, value.Bytes, value.UUID:
		return floorInt(value.NumberBeside(v, value.Int))
	case value.Float:
		f := v.Float()
		const exact = 1 << 53 // beyond, several integers equal one float
		if math.Abs(f) >= exact && math.Abs(f) <= 1<<64 {
			return v, placeNowhere
		}
		whole := math.Floor(f)
		at := placeAt
		if whole < f {
			at = placeAbove
		}
		switch {
		case math.IsNaN(f) || whole < -1<<63:
			return v, placeBelow
		case whole >= 1<<64:
			return v, placeTop
		case whole < 0:
			return value.FromInt(int64(whole)), at
		}
		return value.FromUint(uint64(whole)), at
	}
	return v, placeNowhere
}

func floorDecimalInt(s string) (value.Value, place) {
	whole, fraction, _ := strings.Cut(s, ".")
	at := placeAt
	if strings.Trim(fraction, "0") != "" {
		at = placeAbove
	}
	if !strings.HasPrefix(whole, "-") {
		u, err := strconv.ParseUint(whole, 10, 64)
		if err != nil {
			return value.Value{}, placeTop
		}
		return value.FromUint(u), at
	}
	i, err := strconv.ParseInt(whole, 10, 64)
	if at == placeAbove && err == nil {
		if i == math.MinInt64 {
			return value.Value{}, placeBelow
		}
		i--
	}
	if err != nil {
		return value.Value{}, placeBelow
	}
	if i == 0 {
		return value.FromUint(0), at
	}
	return value.FromInt(i), at
}

func locateFloat(v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.Time, value.Date, value.Duration:
		return v, placeNowhere
	case value.Float:
		if math.IsNaN(v.Float()) {
			return v, placeBelow
		}
		return v, placeAt
	}
	f := value.FromFloat(value.ToFloat(v))
	c, err := value.Compare(f, v, value.Binary)
	switch {
	case err != nil:
		return f, placeNowhere
	case c == 0:
		return f, placeAt
	case c > 0: // it was rounded up: the float below it is the largest that is not above v
		f = value.FromFloat(math.Nextafter(f.Float(), math.Inf(-1)))
	}
	return f, placeAbove
}

// locateDecimal finds a place among decimals. Exact numbers are cut at the column's scale. Floats and texts are compared with
// decimals as floats, so several neighbouring decimals may equal one of them.
func locateDecimal(t *value.Type, v value.Value) (lo, hi value.Value, at place) {
	switch v.Kind() {
	case value.Int, value.Uint, value.Bool, value.Decimal:
		lo, at = floorDecimal(t, v)
		return lo, lo, at
	case value.Float, value.String, value.Bytes, value.UUID:
	default:
		return v, v, placeNowhere
	}
	f := value.ToFloat(v)
	if math.IsNaN(f) {
		return v, v, placeBelow
	}
	lo, loAt := floorFloat(t, math.Nextafter(f, math.Inf(-1)))
	hi, hiAt := floorFloat(t, math.Nextafter(f, math.Inf(1)))
	if loAt > placeAbove || hiAt > placeAbove {
		return lo, hi, placeNowhere
	}
	step, ok := decimalStep(t)
	if !ok {
		return lo, hi, placeNowhere
	}
	if loAt == placeAbove {
		next, err := value.Add(lo, step)
		if err != nil {
			return lo, hi, placeNowhere
		}
		lo = next
	}
	order, err := value.Compare(lo, hi, value.Binary)
	switch {
	case err != nil:
		return lo, hi, placeNowhere
	case order > 0:
		return hi, hi, placeAbove
	case order < 0:
		return lo, hi, placeAmong
	}
	// One candidate is left: it equals v, or is next to it.
	order, err = value.Compare(lo, v, value.Binary)
	switch {
	case err != nil:
		return lo, hi, placeNowhere
	case order == 0:
		return lo, lo, placeAt
	case order > 0:
		if lo, err = value.Sub(lo, step); err != nil {
			return lo, lo, placeNowhere
		}
	}
	return lo, lo, placeAbove
}

func floorFloat(t *value.Type, f float64) (value.Value, place) {
	d, err := value.ToDecimal(value.FromFloat(f))
	if err != nil {
		return value.Value{}, placeNowhere
	}
	return floorDecimal(t, d)
}

// decimalStep is the distance between two neighbouring values of the column.
func decimalStep(t *value.Type) (value.Value, bool) {
	if t.Scale == 0 {
		return value.FromDecimalText("1"), true
	}
	d, err := value.ParseDecimal("0." + strings.Repeat("0", t.Scale-1) + "1")
	return d, err == nil
}

// floorDecimal gives the largest value of a DECIMAL(p,s) that is not above the exact number v, with
// exactly s digits behind the point.
func floorDecimal(t *value.Type, v value.Value) (value.Value, place) {
	d, err := value.ToDecimal(v)
	if err != nil {
		return v, placeNowhere
	}
	whole, fraction, _ := strings.Cut(d.Text(), ".")
	negative := strings.HasPrefix(whole, "-")
	at := placeAt
	if len(fraction) > t.Scale {
		if strings.Trim(fraction[t.Scale:], "0") != "" {
			at = placeAbove
		}
		fraction = fraction[:t.Scale]
	}
	if n := len(strings.TrimLeft(whole, "-0")); n > t.Precision-t.Scale {
		if negative {
			return v, placeBelow
		}
		return v, placeTop
	}
	text := whole
	if t.Scale > 0 {
		text += "." + fraction + strings.Repeat("0", t.Scale-len(fraction))
	}
	if negative && strings.Trim(text, "-0.") == "" {
		text = text[1:] // no negative zero
	}
	floor := value.FromDecimalText(text)
	if negative && at == placeAbove {
		step, ok := decimalStep(t)
		if !ok {
			return v, placeNowhere
		}
		if floor, err = value.Sub(floor, step); err != nil {
			return v, placeNowhere
		}
		if len(strings.TrimLeft(strings.SplitN(floor.Text(), ".", 2)[0], "-0")) > t.Precision-t.Scale {
			return v, placeBelow
		}
	}
	return floor, at
}

// locateText finds a place among texts. A number is compared with texts as a number, and keys of texts are not in that order.
func locateText(t *value.Type, v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.String:
	case value.Bytes: // compares by octets
		if t.Collation != value.Binary {
			return v, placeNowhere
		}
	default: // a UUID compares with text by what the text spells, too
		return v, placeNowhere
	}
	if !utf8.ValidString(v.Text()) {
		return v, placeNowhere
	}
	return value.FromString(v.Text()), placeAt
}

// locateMember finds a place among members. Their keys are in the order of the members' numbers, not of their texts.
func locateMember(t *value.Type, v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.String, value.Bytes:
		return memberOf(t, v)
	case value.UUID:
		return v, placeNowhere
	}
	floor, at := floorInt(v)
	switch {
	case at > placeAbove:
		return floor, at
	case floor.Kind() == value.Int:
		return floor, placeBelow
	}
	lo, ok := t.Numbered(floor.Uint())
	if !ok {
		return floor, placeTop
	}
	return lo, at
}

// memberOf finds the one value of an ENUM or SET that equals a text or octets.
func memberOf(t *value.Type, v value.Value) (value.Value, place) {
	if t.Collation == value.Binary {
		m, ok := t.Stored(v.Text())
		if !ok || m.Text() != v.Text() {
			return v, placeNone
		}
		return m, placeAlone
	}
	if t.Base == value.TypeSet || v.Kind() == value.Bytes {
		return v, placeNowhere
	}
	at, found := placeNone, v
	for n := range uint64(len(t.Names)) + 1 {
		m, _ := t.Numbered(n)
		c, err := value.Compare(m, v, t.Collation)
		switch {
		case err != nil, c == 0 && at == placeAlone:
			return v, placeNowhere
		case c == 0:
			at, found = placeAlone, m
		}
	}
	return found, at
}

func locateBytes(v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.String, value.Bytes:
		return value.FromBytes(v.Text()), placeAt
	}
	return v, placeNowhere
}

// locateTime finds the place of a time or a text among times. Digits beyond the column's precision are cut.
func locateTime(t *value.Type, v value.Value) (value.Value, place) {
	var ticks int64
	switch v.Kind() {
	case value.Time, value.Date:
		ticks = v.Ticks()
	case value.String, value.Bytes:
		at, ok := value.ReadTime(v)
		if !ok {
			return v, placeBelow
		}
		ticks = at.Ticks()
	default:
		return v, placeNowhere
	}
	unit := secondFraction(t.Precision)
	if t.Base == value.TypeDate {
		unit = value.TicksPerDay
	}
	at := placeAt
	if rest := ticks % unit; rest != 0 {
		ticks, at = ticks-rest, placeAbove
	}
	if t.Base == value.TypeDate {
		return value.FromDate(ticks), at
	}
	return value.FromTicks(ticks), at
}

// secondFraction is how many ticks the last digit stands for, if a time has so many digits of a second; -1 is all digits.
func secondFraction(digits int) int64 {
	unit := int64(1)
	if digits >= 0 {
		for range max(0, 7-digits) {
			unit *= 10
		}
	}
	return unit
}

func locateDuration(t *value.Type, v value.Value) (value.Value, place) {
	var ticks int64
	switch v.Kind() {
	case value.Duration:
		ticks = v.Ticks()
	case value.String, value.Bytes:
		d, _ := value.ReadDuration(v)
		ticks = d.Ticks()
	default:
		return v, placeNowhere
	}
	unit := secondFraction(t.Precision)
	rest := ticks % unit
	if rest == 0 {
		return value.FromDuration(ticks), placeAt
	}
	if rest < 0 {
		rest += unit
	}
	return value.FromDuration(ticks - rest), placeAbove
}

func locateUUID(v value.Value) (value.Value, place) {
	switch v.Kind() {
	case value.UUID:
		return v, placeAt
	case value.String:
		if u, err := value.ParseUUID(v.Text()); err == nil {
			return u, placeAt
		}
	}
	return v, placeNowhere
}
