package value

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
)

// Document is a parsed JSON document: an array, an object, or else a scalar.
type Document struct {
	Scalar Value // Null, Bool, Int, Uint, Float, Decimal, String; if made from SQL values also Time, Date, Duration and Bytes
	Array  *JSONArray
	Object *JSONObject
}

// JSONArray is the elements of an array.
type JSONArray struct{ Items []Document }

// JSONObject is the members of an object: its keys by length, then by octets, as MySQL keeps them, each once, and the corresponding values.
type JSONObject struct {
	Keys  []string
	Items []Document
}

// NewArray makes an array of these elements.
func NewArray(items ...Document) Document { return Document{Array: &JSONArray{Items: items}} }

// NewObject makes an object without members.
func NewObject() Document { return Document{Object: &JSONObject{}} }

// IsScalar says whether d is neither an array nor an object.
func (d *Document) IsScalar() bool { return d.Array == nil && d.Object == nil }

// Items are the elements of an array, the values of an object, and none of a scalar.
func (d *Document) Items() []Document {
	switch {
	case d.Array != nil:
		return d.Array.Items
	case d.Object != nil:
		return d.Object.Items
	}
	return nil
}

// Get gives the value of a key; nil if there is none.
func (o *JSONObject) Get(key string) *Document {
	if i, ok := o.Find(key); ok {
		return &o.Items[i]
	}
	return nil
}

// Set gives a key a value, whether or not it had one.
func (o *JSONObject) Set(key string, d Document) {
	i, ok := o.Find(key)
	if ok {
		o.Items[i] = d
		return
	}
	o.Keys = slices.Insert(o.Keys, i, key)
	o.Items = slices.Insert(o.Items, i, d)
}

// Delete removes a key and its value.
func (o *JSONObject) Delete(key string) {
	if i, ok := o.Find(key); ok {
		o.Keys = slices.Delete(o.Keys, i, i+1)
		o.Items = slices.Delete(o.Items, i, i+1)
	}
}

// Find gives the place of a key, and whether it is there.
func (o *JSONObject) Find(key string) (int, bool) {
	return slices.BinarySearchFunc(o.Keys, key, compareKeys)
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Add appends a member. When all are added, Arrange sorts them.
func (o *JSONObject) Add(key string, d Document) {
	o.Keys = append(o.Keys, key)
	o.Items = append(o.Items, d)
}

// Arrange sorts added members; of several with one key the last stays.
func (o *JSONObject) Arrange() {
	sorted := true
	for i := 1; i < len(o.Keys) && sorted; i++ {
		sorted = compareKeys(o.Keys[i-1], o.Keys[i]) < 0
	}
	if sorted {
		return
	}
	order := make([]int, len(o.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareKeys(o.Keys[a], o.Keys[b]) })
	keys, items := make([]string, 0, len(order)), make([]Document, 0, len(order))
	for n, i := range order {
		if n+1 == len(order) || o.Keys[order[n+1]] != o.Keys[i] {
			keys, items = append(keys, o.Keys[i]), append(items, o.Items[i])
		}
	}
	o.Keys, o.Items = keys, items
}

// A JSON value keeps in n which kind its scalar was made from, if its text alone does not say so. A stored document is its text and nothing
// else, so a date in it is a string.
func marksJSON(k Kind) bool {
	return k == Time || k == Date || k == Duration || k == Bytes || k == Decimal
}

// jsonKeyMark marks a JSON value that is not a document but its key; see SortKey.
const jsonKeyMark = ^uint64(0)

// JSON gives the document as a value; not ok if its text is longer than limit octets.
func (d *Document) JSON(limit int) (v Value, ok bool) {
	text, ok := d.Print(limit, false)
	v = FromJSON(text)
	if k := d.Scalar.kind; d.IsScalar() && marksJSON(k) {
		v.n = uint64(k)
	}
	return v, ok
}

// DocumentOf parses v: a JSON value as it is, any other value as the scalar that it is in JSON.
func DocumentOf(v Value) (Document, error) {
	switch v.kind {
	case JSON:
		if k := Kind(v.n); marksJSON(k) {
			if d, ok := markedScalar(v.s, k); ok {
				return Document{Scalar: d}, nil
			}
		}
		p := jsonParser{s: v.s, kept: true}
		return p.document()
	case String, UUID:
		return Document{Scalar: FromString(v.s)}, nil
	case Decimal:
		return Document{Scalar: Shown(v)}, nil
	}
	return Document{Scalar: Plain(v)}, nil
}

// markedScalar reads the text of a scalar that was made from kind k.
func markedScalar(text string, k Kind) (Value, bool) {
	if k == Decimal {
		return FromDecimalText(text), true
	}
	text = strings.Trim(text, `"`)
	switch k {
	case Duration:
		ticks, err := ParseDuration(text)
		return FromDuration(ticks), err == nil
	case Bytes:
		octets, err := base64.StdEncoding.DecodeString(text[strings.LastIndexByte(text, ':')+1:])
		return FromBytes(string(octets)), err == nil
	}
	ticks, err := ParseTime(text)
	return Value{kind: k, n: uint64(ticks)}, err == nil
}

// jsonScalar is what a JSON value counts as if a number or a time is wanted: its scalar, and 0 for null, arrays, objects and unreadable text.
func jsonScalar(v Value) Value {
	d, err := DocumentOf(v)
	if err != nil || !d.IsScalar() || d.Scalar.kind == Null {
		return FromInt(0)
	}
	return d.Scalar
}

// jsonTemporal is what a JSON value counts as if a time is wanted: a string or a time, else NULL.
func jsonTemporal(v Value) Value {
	if s := jsonScalar(v); s.kind == String || isTemporal(s.kind) {
		return s
	}
	return NullValue
}

// convertJSON reads texts as documents, and keeps the text that MySQL prints for them. A column keeps only a document's text: a time in it is a
// string from then on.
func convertJSON(v Value) (Value, Reason) {
	var d Document
	var err error
	switch v.kind {
	case JSON:
		return FromJSON(v.s), fits
	case Float:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return v, OutOfRange
		}
		d = Document{Scalar: v}
	case String, Bytes:
		if d, err = ParseJSON(v.s); err != nil {
			return v, Incorrect
		}
	default:
		d, _ = DocumentOf(v)
	}
	j, _ := d.JSON(math.MaxInt)
	return FromJSON(j.s), fits
}
