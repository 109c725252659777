package expr

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// documentOf reads argument i (0-based) of a function as a document: a JSON value, or a text that is one.
func documentOf(function string, args []value.Value, i int) (value.Document, error) {
	var d value.Document
	var err error
	switch v := args[i]; v.Kind() {
	case value.JSON:
		d, err = value.DocumentOf(v)
	case value.String:
		d, err = value.ParseJSON(v.Text())
	case value.Bytes:
		return d, errBinaryJSON
	default:
		return d, sqlerr.New(sqlerr.CodeJSONType, sqlerr.NoPos, "Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required.",
			i+1, strings.ToLower(function))
	}
	return d, textError(function, i, err)
}

// textError is MySQL's error for an argument that is not a document.
func textError(function string, i int, err error) error {
	bad, ok := err.(*value.JSONError)
	switch {
	case err == nil:
		return nil
	case ok && bad.Deep:
		return errDeepJSON
	}
	return sqlerr.New(sqlerr.CodeJSONText, sqlerr.NoPos, "Invalid JSON text in argument %d to function %s: %v.", i+1, strings.ToLower(function), err)
}

// castJSON is CAST(v AS JSON).
func castJSON(v value.Value) (value.Value, error) {
	const function = "cast_as_json" // MySQL's name for it
	var d value.Document
	var err error
	switch v.Kind() {
	case value.Null, value.JSON:
		return v, nil
	case value.String, value.Bytes:
		d, err = documentOf(function, []value.Value{v}, 0)
	default:
		d, err = value.DocumentOf(v)
	}
	if err != nil {
		return value.NullValue, err
	}
	return documentValue(function, &d)
}

// element is what a SQL value is inside of a document: text becomes a string, a document stays one.
func element(function string, args []value.Value, i int) (value.Document, error) {
	d, err := value.DocumentOf(args[i])
	return d, textError(function, i, err)
}

// documentValue is the document that a function makes, as a value.
func documentValue(function string, d *value.Document) (value.Value, error) {
	v, ok := d.JSON(MaxText)
	switch {
	case !ok:
		return value.NullValue, &TooLongError{function}
	case !d.IsScalar() && jsonDepth(d, 0) > value.MaxJSONDepth:
		return value.NullValue, errDeepJSON
	}
	return v, nil
}

// jsonDepth is how deep arrays and objects are nested; a scalar in the innermost counts one more.
func jsonDepth(d *value.Document, scalar int) int {
	if d.IsScalar() {
		return scalar
	}
	deepest := 0
	items := d.Items()
	for i := range items {
		deepest = max(deepest, jsonDepth(&items[i], scalar))
	}
	return deepest + 1
}

// compileElement makes the function of an operand that becomes JSON, or is compared with it.
func compileElement(n Node) Func {
	f := CompileOperand(n)
	if _, param := n.(*Param); !param && !yieldsTruth(n) {
		return f
	}
	return func(env *Env) (value.Value, error) {
		v, err := f(env)
		return jsonOperand(n, v), err
	}
}

// jsonOperand is what JSON makes of n's value v: true and false for a condition's 1 and 0, and text for an argument's octets, because Go
// programs pass documents as []byte.
func jsonOperand(n Node, v value.Value) value.Value {
	switch k := v.Kind(); {
	case k == value.Int && yieldsTruth(n):
		return value.FromBool(v.Int() != 0)
	case k == value.Bytes && utf8.ValidString(v.Text()):
		if _, param := n.(*Param); param {
			return value.FromString(v.Text())
		}
	}
	return v
}

// yieldsTruth says whether n is a condition, or was one before it was computed: 1 = 1, but not the number 1.
func yieldsTruth(n Node) bool {
	if c, ok := n.(*Const); ok {
		return c.T.Truth
	}
	return isCondition(n)
}

func compileElements(nodes []Node) []Func { return compileEach(nodes, compileElement) }

// storedSize is how many octets a document takes in MySQL's binary form. parent says that it is inside another one: then a small scalar takes
// none, because it is in its parent's table.
func storedSize(d *value.Document, parent bool) int {
	if !d.IsScalar() {
		small := storedList(d, 2)
		if small <= math.MaxUint16 {
			return small
		}
		return storedList(d, 4)
	}
	text := 0
	switch v := d.Scalar; v.Kind() {
	case value.Null, value.Bool:
		if parent {
			return 0
		}
		return 1
	case value.Int, value.Uint:
		switch n := v.Int(); {
		case v.Kind() == value.Int && n >= math.MinInt16 && n <= math.MaxInt16:
			if parent {
				return 0
			}
			return 2
		case v.Kind() == value.Int && n >= math.MinInt32 && n <= math.MaxInt32:
			return 4
		}
		return 8
	case value.Float:
		return 8
	case value.Time, value.Date, value.Duration:
		return 1 + 1 + 8 // as its type, length and a packed number
	case value.Decimal:
		return 1 + 1 + 2 + (len(v.Text())*4+8)/9 // about: nine digits in four octets
	case value.Bytes:
		text = 1 + len(v.Text())
	default:
		text = len(v.Text())
	}
	size := 1
	for n := text; n >= 0x80; n >>= 7 {
		size++
	}
	return size + text
}

// storedList is the size of an array or object with offsets of so many octets.
func storedList(d *value.Document, offset int) int {
	items := d.Items()
	size := 2*offset + len(items)*(1+offset)
	if d.Object != nil {
		for _, key := range d.Object.Keys {
			size += offset + 2 + len(key)
		}
	}
	for i := range items {
		size += storedSize(&items[i], true)
	}
	return size
}
