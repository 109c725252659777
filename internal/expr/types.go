package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// The types that operators and functions yield.
var (
	textType     = value.Type{Base: value.TypeChar, Coercion: value.Computed}
	binaryType   = value.Type{Base: value.TypeBinary}
	intType      = value.Type{Base: value.TypeBigInt}
	unsignedType = value.Type{Base: value.TypeBigInt, Unsigned: true}
	doubleType   = value.Type{Base: value.TypeDouble}
	dateType     = value.Type{Base: value.TypeDate}
	dateTimeType = value.Type{Base: value.TypeDateTime, Precision: -1}
	jsonType     = value.Type{Base: value.TypeJSON}
)

// The widest DECIMAL.
const (
	maxDigits = 65
	maxScale  = 30
)

func decimalType(precision, scale int) value.Type {
	scale = max(0, min(scale, maxScale))
	return value.Type{Base: value.TypeDecimal, Precision: max(1, min(precision, maxDigits)), Scale: scale}
}

func isInteger(t value.Type) bool {
	return t.Base >= value.TypeBool && t.Base <= value.TypeBigInt || t.Base == value.TypeYear
}

func isTemporal(t value.Type) bool {
	return t.Base == value.TypeDate || t.Base == value.TypeDateTime || t.Base == value.TypeTime
}

// digits is the number of digits before and behind the point of an exact number of type t.
func digits(t value.Type) (whole, scale int) {
	switch t.Base {
	case value.TypeDecimal:
		return t.Precision - t.Scale, t.Scale
	case value.TypeDateTime, value.TypeTime:
		if t.Precision != 0 {
			return 14, max(t.Precision, 7)
		}
		return 14, 0
	}
	return 20, 0
}

// exact says whether t counts as an exact number in arithmetic, and whether as an integer. Columns of text are floats; a type not known until
// execution is neither.
func exact(t value.Type) (exact, integer bool) {
	switch {
	case isInteger(t), t.Base == value.TypeDate, t.HasMembers():
		return true, true
	case t.Base == value.TypeDecimal:
		return true, false
	case t.Base == value.TypeDateTime, t.Base == value.TypeTime:
		return true, t.Precision == 0
	}
	return false, false
}

// arithType is the type of l op r.
func arithType(op string, l, r value.Type) value.Type {
	switch op {
	case "&", "|", "^", "<<", ">>":
		return unsignedType
	case "div":
		return value.Type{Base: value.TypeBigInt, Unsigned: l.Unsigned || r.Unsigned}
	}
	if l.Base == value.TypeUnknown || r.Base == value.TypeUnknown {
		return value.Type{}
	}
	le, li := exact(l)
	re, ri := exact(r)
	if !le || !re {
		return doubleType
	}
	if li && ri && op != "/" {
		return value.Type{Base: value.TypeBigInt, Unsigned: l.Unsigned || r.Unsigned && op != "%"}
	}
	lw, ls := digits(l)
	rw, rs := digits(r)
	switch op {
	case "*":
		return decimalType(lw+ls+rw+rs, ls+rs)
	case "/":
		return decimalType(lw+ls+rs+4, ls+4)
	case "%":
		return decimalType(max(lw, rw)+max(ls, rs), max(ls, rs))
	}
	return decimalType(max(lw, rw)+1+max(ls, rs), max(ls, rs))
}

// negType is the type of -x.
func negType(t value.Type) value.Type {
	if e, i := exact(t); i {
		return intType
	} else if e {
		w, s := digits(t)
		return decimalType(w+s, s)
	}
	if t.Base == value.TypeUnknown {
		return t
	}
	return doubleType
}

// UnifyTypes is the type that holds the values of all these types, as CASE, COALESCE and UNION need it: NULL and arguments take the others'
// type, numbers widen, a date and a time give DATETIME, any other mix is text.
func UnifyTypes(types ...value.Type) value.Type {
	var u value.Type
	for _, t := range types {
		u = unify(u, t)
	}
	return shownType(u)
}

// shownType is the type of a result that passes on values of type t without computing with them: a text has no number.
func shownType(t value.Type) value.Type {
	if t.HasMembers() {
		return unifyTexts(t, t)
	}
	return t
}

func unify(a, b value.Type) value.Type {
	switch {
	case a.Base == value.TypeUnknown:
		return b
	case b.Base == value.TypeUnknown:
		return a
	case isInteger(a) && isInteger(b):
		return unifyIntegers(a, b)
	case a.IsText() && b.IsText():
		return unifyTexts(a, b)
	case a.Base == b.Base:
		return unifySame(a, b)
	case a.Base == value.TypeDate && b.Base == value.TypeDateTime:
		return b
	case a.Base == value.TypeDateTime && b.Base == value.TypeDate:
		return a
	case isTemporal(a) && isTemporal(b):
		return value.Type{Base: value.TypeDateTime, Precision: greatestDigits(a.Precision, b.Precision)}
	case a.IsOctets() || b.IsOctets(), a.Base == value.TypeBit && !isNumber(b), b.Base == value.TypeBit && !isNumber(a):
		return value.Type{Base: value.TypeBlob}
	}
	an, bn := isNumber(a), isNumber(b)
	if !an || !bn {
		return unifyTexts(a, b)
	}
	ae, _ := exact(a)
	be, _ := exact(b)
	switch {
	case a.Base == value.TypeFloat && isShort(b), b.Base == value.TypeFloat && isShort(a):
		return value.Type{Base: value.TypeFloat}
	case !ae || !be:
		return doubleType
	}
	aw, as := digits(a)
	bw, bs := digits(b)
	return decimalType(max(aw, bw)+max(as, bs), max(as, bs))
}

func isNumber(t value.Type) bool {
	return t.Base >= value.TypeBool && t.Base <= value.TypeDecimal || t.Base == value.TypeYear
}

// isShort says whether t has integers that a FLOAT holds exactly.
func isShort(t value.Type) bool {
	return t.Base == value.TypeBool || t.Base == value.TypeTinyInt || t.Base == value.TypeSmallInt || t.Base == value.TypeMediumInt ||
		t.Base == value.TypeYear
}

func unifyIntegers(a, b value.Type) value.Type {
	if a.Base == value.TypeBit && b.Base == value.TypeBit {
		a.Length = max(a.Length, b.Length)
		return a
	}
	a, b = bitsNumber(a), bitsNumber(b)
	if a.Base == b.Base && a.Unsigned == b.Unsigned {
		return value.Type{Base: a.Base, Unsigned: a.Unsigned}
	}
	if a.Unsigned != b.Unsigned {
		// Signed and unsigned together need one digit more than 64 bits if one is a BIGINT UNSIGNED.
		if a.Unsigned && a.Base == value.TypeBigInt || b.Unsigned && b.Base == value.TypeBigInt {
			return decimalType(20, 0)
		}
		return intType
	}
	if a.Base == value.TypeYear || b.Base == value.TypeYear {
		return intType
	}
	return value.Type{Base: max(a.Base, b.Base), Unsigned: a.Unsigned}
}

// bitsNumber is the type of the numbers of a BIT.
func bitsNumber(t value.Type) value.Type {
	if t.Base != value.TypeBit {
		return t
	}
	return value.Type{Base: value.TypeBigInt, Unsigned: t.Length == 64}
}

func unifyTexts(a, b value.Type) value.Type {
	t := textType
	if a.Base == value.TypeText || b.Base == value.TypeText || a.Base == value.TypeJSON || b.Base == value.TypeJSON {
		t.Base = value.TypeText
	}
	t = withMix(t, a, b)
	if a.Base == value.TypeChar && b.Base == value.TypeChar && a.Length > 0 && b.Length > 0 {
		t.Length = max(a.Length, b.Length)
	}
	return t
}

func unifySame(a, b value.Type) value.Type {
	switch a.Base {
	case value.TypeDecimal:
		aw, as := digits(a)
		bw, bs := digits(b)
		return decimalType(max(aw, bw)+max(as, bs), max(as, bs))
	case value.TypeDateTime, value.TypeTime:
		p := -1
		if a.Precision >= 0 && b.Precision >= 0 {
			p = max(a.Precision, b.Precision)
		}
		return value.Type{Base: a.Base, Precision: p}
	case value.TypeBinary, value.TypeBlob:
		l := 0
		if a.Length > 0 && b.Length > 0 {
			l = max(a.Length, b.Length)
		}
		return value.Type{Base: a.Base, Length: l}
	}
	return value.Type{Base: a.Base}
}

// coerce converts the result of one arm to the type of the whole if the two show differently: a number among texts becomes text, an exact number
// among floats a float, and among decimals it gets their scale; a date among times becomes a time; with octets among them, all become octets.
func coerce(v value.Value, t value.Type) value.Value {
	k := v.Kind()
	switch {
	case k == value.Null:
	case t.Base == value.TypeDouble:
		if k == value.Int || k == value.Uint || k == value.Bool || k == value.Decimal {
			return value.FromFloat(value.ToFloat(v))
		}
	case t.Base == value.TypeFloat:
		if k == value.Int || k == value.Uint || k == value.Bool {
			return t.Single(value.FromFloat(value.ToFloat(v)))
		}
	case t.Base == value.TypeDecimal:
		if k == value.Int || k == value.Uint || k == value.Bool {
			v, _ = value.ToDecimal(v) // cannot fail: an integer has few digits
		}
		return value.Padded(v, t.Scale)
	case k == value.Bool && t.Base != value.TypeBool && isInteger(t):
		return value.FromInt(int64(value.ToFloat(v)))
	case v.IsBits() && t.Base != value.TypeBit && isInteger(t) && !t.Unsigned:
		return value.FromInt(v.Int())
	case t.Base == value.TypeTime:
		return v.WithDigits(max(t.Precision, v.Digits()))
	case t.Base == value.TypeDateTime:
		if k == value.Date {
			v = value.FromTicks(v.Ticks())
		}
		return v.WithDigits(max(t.Precision, v.Digits()))
	case t.IsText():
		if k != value.String && k != value.Bytes {
			return value.FromString(value.Text(v))
		}
	case t.IsOctets():
		if k != value.Bytes {
			return value.FromBytes(value.Text(v))
		}
	}
	return Plain(v, t)
}

// constantArm is c as the result, of type t, of CASE and the like; not ok if it depends on the day of the statement.
func constantArm(c *Const, t value.Type) (n Node, ok bool) {
	if isDate(t) && c.V.Kind() == value.Duration {
		return nil, false
	}
	return &Const{V: coerce(c.V, t), T: t}, true
}

// Plain is v as a value of type t, which is not an ENUM or SET: a text loses its separate number, a BIT has octets only if t is a BIT, the year
// 0 four digits only if t is a YEAR, a number single precision only if t is FLOAT.
func Plain(v value.Value, t value.Type) value.Value {
	if t.Base == value.TypeFloat || t.Base == value.TypeYear || t.Base == value.TypeBit && !v.Counted() {
		return v
	}
	return value.Plain(v)
}

// MayCount says whether n may yield a value that counts as something else than it shows: a member of an ENUM or SET, a BIT, a hexadecimal
// literal, a text of a time.
func MayCount(n Node) bool {
	t := n.Type()
	switch n := n.(type) {
	case *Const:
		return n.V.Counted() || n.V.IsBits() || n.V.IsTimeText()
	case *Call:
		if isTimeText(n) {
			return true
		}
	}
	return t.HasMembers() || t.Base == value.TypeBit
}

// isTimeText says whether n may give a text that has the number of a time, and never gives an argument as it is.
func isTimeText(n *Call) bool { return n.Func.Family == "time" && n.T.IsText() }

// countedType is the type of n used as a number: for NULL a DOUBLE, as in MySQL.
func countedType(n Node) value.Type {
	if c, ok := n.(*Const); ok {
		switch {
		case c.V.Counted():
			return unsignedType
		case c.V.IsNull() && c.T.Base == value.TypeUnknown:
			return doubleType
		}
	}
	return n.Type()
}

// needsCoerce says whether values of type from may look different in type to.
func needsCoerce(from, to value.Type) bool {
	switch {
	case from.Base == value.TypeYear:
		return to.Base != value.TypeYear
	case to.Base == value.TypeDouble, to.Base == value.TypeFloat:
		return from.Base != to.Base
	case to.Base == value.TypeDateTime, to.Base == value.TypeTime:
		return from.Base != to.Base || from.Precision != to.Precision
	case to.Base == value.TypeDecimal:
		return from.Base != value.TypeDecimal || from.Scale != to.Scale
	case to.IsText():
		return !from.IsText()
	case to.IsOctets():
		return !from.IsOctets()
	case isInteger(to):
		return from.Base == value.TypeBool && to.Base != value.TypeBool
	}
	return false
}
