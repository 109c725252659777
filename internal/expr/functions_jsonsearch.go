package expr

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func jsonSearchFunctions() []*Function {
	return []*Function{
		{Name: "JSON_EXTRACT", Signature: "JSON_EXTRACT(doc, path, …)", Family: "JSON", Doc: "What the path leads to, an array for several; also doc -> path.", Min: 2, Max: -1,
			strict: true, Type: fixed(jsonType), Eval: evalJSONExtract},
		{Name: "JSON_UNQUOTE", Signature: "JSON_UNQUOTE(x)", Family: "JSON", Doc: "A JSON string as text, other documents as they print; doc ->> path does both.", Min: 1, Max: 1,
			strict: true, null: anyNull, Type: toText, Eval: evalJSONUnquote},
		{Name: "JSON_VALUE", Signature: "JSON_VALUE(doc, path [RETURNING type] [(NULL | ERROR | DEFAULT x) ON EMPTY] [(NULL | ERROR | DEFAULT x) ON ERROR])", Family: "JSON",
			Doc: "The scalar that the path leads to, as text or of the type; NULL if there is none, or the type does not hold it.", Min: 2, Max: 7, Type: jsonValueType, compile: compileJSONValue},
		{Name: "JSON_CONTAINS", Signature: "JSON_CONTAINS(doc, part[, path])", Family: "JSON", Doc: "1 if doc, or the element at the path, contains part.", Min: 2, Max: 3,
			strict: true, condition: true, Type: toInt, Eval: evalJSONContains},
		{Name: "JSON_CONTAINS_PATH", Signature: "JSON_CONTAINS_PATH(doc, 'one' | 'all', path, …)", Family: "JSON", Doc: "1 if one, or all, of the paths lead to something.", Min: 3, Max: -1,
			strict: true, condition: true, null: anyNull, Type: toInt, Eval: evalJSONContainsPath},
		{Name: "JSON_OVERLAPS", Signature: "JSON_OVERLAPS(doc, doc)", Family: "JSON", Doc: "1 if both have an element, or a member, in common, or are equal scalars.", Min: 2, Max: 2,
			strict: true, condition: true, null: anyNull, Type: toInt, Eval: evalJSONOverlaps},
		{Name: "JSON_SEARCH", Signature: "JSON_SEARCH(doc, 'one' | 'all', pattern[, escape[, path, …]])", Family: "JSON", Min: 3, Max: -1, Type: fixed(jsonType), Eval: evalJSONSearch,
			Doc: "The path to a string that is LIKE pattern, an array of several; NULL without one."},
	}
}

func evalJSONExtract(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_EXTRACT", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	var found []*place
	many := len(args) > 2
	for i := 1; i < len(args); i++ {
		p, err := pathOf(args, i, false)
		if err != nil {
			return value.NullValue, err
		}
		many = many || p.wild()
		if found = append(found, p.lookup(&d)...); len(found) > MaxText/3 { // each takes three octets, at least
			return value.NullValue, &TooLongError{"JSON_EXTRACT"}
		}
	}
	switch {
	case len(found) == 0:
		return value.NullValue, nil
	case !many:
		return documentValue("JSON_EXTRACT", found[0].d)
	}
	array := value.NewArray(make([]value.Document, len(found))...)
	for i, p := range found {
		array.Array.Items[i] = *p.d
	}
	return documentValue("JSON_EXTRACT", &array)
}

func evalJSONUnquote(_ *Env, args []value.Value) (value.Value, error) {
	s := value.Text(args[0])
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return value.FromString(s), nil
	}
	if args[0].Kind() == value.JSON {
		args = []value.Value{value.FromJSON(s)} // a time is what it prints as
	}
	d, err := documentOf("JSON_UNQUOTE", args, 0)
	return value.FromString(d.Scalar.Text()), err
}

func evalJSONContains(_ *Env, args []value.Value) (value.Value, error) {
	d, err := lookupPath("JSON_CONTAINS", args, 2)
	if err != nil {
		return value.NullValue, err
	}
	part, err := documentOf("JSON_CONTAINS", args, 1)
	if err != nil || d == nil {
		return value.NullValue, err
	}
	return truthValues[truthOf(jsonContains(d, &part))], nil
}

// jsonContains says whether part is in d: scalars if they are equal; in an array whatever is in one of its elements, or an array whose elements
// all are; an object if d has each of its members under the same key.
func jsonContains(d, part *value.Document) bool {
	switch {
	case d.Array != nil:
		elements := []value.Document{*part}
		if part.Array != nil {
			elements = part.Array.Items
		}
		return containsAll(d.Array.Items, elements)
	case d.Object != nil && part.Object != nil:
		for i, key := range part.Object.Keys {
			own := d.Object.Get(key)
			if own == nil || !jsonContains(own, &part.Object.Items[i]) {
				return false
			}
		}
		return true
	}
	return d.IsScalar() && part.IsScalar() && value.CompareDocuments(d, part) == 0
}

func containsAll(items, elements []value.Document) bool {
	keys := keySet(items)
	known := map[string]struct{}{} // elements that were found
	for i := range elements {
		e := &elements[i]
		key := value.DocumentKey(e)
		if _, ok := keys[key]; ok {
			continue
		}
		if _, ok := known[key]; ok {
			continue
		}
		found := false
		for j := 0; j < len(items) && !found; j++ {
			found = !items[j].IsScalar() && jsonContains(&items[j], e)
		}
		if !found {
			return false
		}
		known[key] = struct{}{}
	}
	return true
}

func keySet(items []value.Document) map[string]struct{} {
	keys := make(map[string]struct{}, len(items))
	for i := range items {
		keys[value.DocumentKey(&items[i])] = struct{}{}
	}
	return keys
}

// oneOrAll reads the argument that says whether one match or all are wanted.
func oneOrAll(function string, v value.Value) (all bool, err error) {
	switch text := value.Text(v); {
	case strings.EqualFold(text, "all"):
		return true, nil
	case strings.EqualFold(text, "one"):
		return false, nil
	}
	return false, sqlerr.New(sqlerr.CodeJSONOneOrAll, sqlerr.NoPos, "The oneOrAll argument to %s may take these values: 'one' or 'all'.", strings.ToLower(function))
}

func evalJSONContainsPath(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_CONTAINS_PATH", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	all, err := oneOrAll("JSON_CONTAINS_PATH", args[1])
	if err != nil {
		return value.NullValue, err
	}
	for i := 2; i < len(args); i++ {
		p, err := pathOf(args, i, false)
		if err != nil {
			return value.NullValue, err
		}
		if found := len(p.lookup(&d)) > 0; found != all {
			return truthValues[truthOf(found)], nil
		}
	}
	return truthValues[truthOf(all)], nil
}

func evalJSONOverlaps(_ *Env, args []value.Value) (value.Value, error) {
	a, err := documentOf("JSON_OVERLAPS", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	b, err := documentOf("JSON_OVERLAPS", args, 1)
	if err != nil {
		return value.NullValue, err
	}
	return truthValues[truthOf(overlap(&a, &b))], nil
}

func overlap(a, b *value.Document) bool {
	switch {
	case a.Object != nil && b.Object != nil:
		for i, key := range a.Object.Keys {
			if other := b.Object.Get(key); other != nil && value.CompareDocuments(&a.Object.Items[i], other) == 0 {
				return true
			}
		}
		return false
	case a.Array == nil && b.Array == nil:
		return value.CompareDocuments(a, b) == 0
	}
	keys, others := keySet(elementsOf(a)), elementsOf(b)
	for i := range others {
		if _, ok := keys[value.DocumentKey(&others[i])]; ok {
			return true
		}
	}
	return false
}

// elementsOf gives the elements of an array. A scalar or an object counts as an array with one element.
func elementsOf(d *value.Document) []value.Document {
	if d.Array != nil {
		return d.Array.Items
	}
	return []value.Document{*d}
}

func evalJSONSearch(env *Env, args []value.Value) (value.Value, error) {
	for i, a := range args {
		if a.IsNull() && i != 3 { // NULL as the escape character is the default one
			return value.NullValue, nil
		}
	}
	d, err := documentOf("JSON_SEARCH", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	s := search{ctx: env.context(), known: map[string]struct{}{}, found: value.NewArray()}
	if s.all, err = oneOrAll("JSON_SEARCH", args[1]); err != nil {
		return value.NullValue, err
	}
	escape := '\\'
	if len(args) > 3 && value.Text(args[3]) != "" && !args[3].IsNull() {
		text := value.Text(args[3])
		if utf8.RuneCountInString(text) > 1 {
			return value.NullValue, &ArgumentError{"ESCAPE", "one character is wanted"}
		}
		escape, _ = utf8.DecodeRuneInString(text)
	}
	s.pattern = newLikePattern(value.Text(args[2]), escape, value.Binary)
	from := []*place{{d: &d}}
	if len(args) > 4 {
		from = nil
	}
	for i := 4; i < len(args); i++ {
		p, err := pathOf(args, i, false)
		if err != nil {
			return value.NullValue, err
		}
		from = append(from, p.lookup(&d)...)
	}
	for _, at := range from {
		s.look(at)
	}
	switch found := s.found.Array.Items; {
	case s.err != nil:
		return value.NullValue, s.err
	case s.size > MaxText:
		return value.NullValue, &TooLongError{"JSON_SEARCH"}
	case len(found) == 0:
		return value.NullValue, nil
	case len(found) == 1:
		return documentValue("JSON_SEARCH", &found[0])
	}
	return documentValue("JSON_SEARCH", &s.found)
}

// search gathers the paths to strings that match.
type search struct {
	ctx     context.Context
	err     error
	pattern *likePattern
	all     bool
	found   value.Document
	known   map[string]struct{}
	size    int
}

func (s *search) look(at *place) {
	if s.err != nil || s.size > MaxText || !s.all && len(s.found.Array.Items) > 0 {
		return
	}
	items := at.d.Items()
	for i := range items {
		s.look(&place{&items[i], at, i})
	}
	if at.d.Scalar.Kind() != value.String {
		return
	}
	var ok bool
	if ok, s.err = s.pattern.match(s.ctx, at.d.Scalar.Text(), false); !ok {
		return
	}
	path := string(at.text(nil))
	if _, known := s.known[path]; known {
		return
	}
	s.known[path] = struct{}{}
	s.size += len(path) + 3
	s.found.Array.Items = append(s.found.Array.Items, value.Document{Scalar: value.FromString(path)})
}

// memberOf is x MEMBER OF (array): whether x, made JSON, is an element of the array, or equals a document that is not an array.
var memberOf = &Function{
	Name: "MEMBER OF", Min: 2, Max: 2, strict: true, condition: true, null: anyNull, Type: toInt, Family: "JSON",
	Eval: func(_ *Env, args []value.Value) (value.Value, error) {
		x, err := element("MEMBER OF", args, 0)
		if err != nil {
			return value.NullValue, err
		}
		d, err := documentOf("MEMBER OF", args, 1)
		if err != nil {
			return value.NullValue, err
		}
		only := value.NewArray(x)
		return truthValues[truthOf(overlap(&only, &d))], nil
	},
}
