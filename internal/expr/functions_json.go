package expr

import (
	"encoding/json"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func jsonFunctions() []*Function {
	return []*Function{
		{Name: "JSON_EXTRACT", Signature: "JSON_EXTRACT(doc, path, …)", Family: "JSON", Doc: "What the path leads to, an array for several; also doc -> path.", Min: 2, Max: -1,
			strict: true, Type: fixed(jsonType), Eval: evalJSONExtract},
		{Name: "JSON_UNQUOTE", Signature: "JSON_UNQUOTE(x)", Family: "JSON", Doc: "A JSON string as text, other documents as they print; doc ->> path does both.", Min: 1, Max: 1,
			strict: true, null: anyNull, Type: toText, Eval: evalJSONUnquote},
		{Name: "JSON_VALUE", Signature: "JSON_VALUE(doc, path)", Family: "JSON", Doc: "The scalar that the path leads to, as text; NULL without one.", Min: 2, Max: 2, strict: true, Type: toText,
			Eval: evalJSONValue},
		{Name: "JSON_QUOTE", Signature: "JSON_QUOTE(text)", Family: "JSON", Doc: "The text as a JSON string.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(string(appendJSONString(nil, value.Text(args[0])))), nil
			}},
		{Name: "JSON_VALID", Signature: "JSON_VALID(x)", Family: "JSON", Doc: "1 where x is a document, else 0.", Min: 1, Max: 1, strict: true, condition: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				k := args[0].Kind()
				return truthValues[truthOf((k == value.String || k == value.JSON) && json.Valid([]byte(args[0].Text())))], nil
			}},
		{Name: "JSON_TYPE", Signature: "JSON_TYPE(doc)", Family: "JSON", Doc: "OBJECT, ARRAY, STRING, INTEGER, DOUBLE, BOOLEAN or NULL.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: evalJSONType},
		{Name: "JSON_LENGTH", Signature: "JSON_LENGTH(doc[, path])", Family: "JSON", Doc: "Elements of an array, members of an object, 1 of others.", Min: 1, Max: 2, strict: true, Type: toInt,
			Eval: evalJSONLength},
		{Name: "JSON_DEPTH", Signature: "JSON_DEPTH(doc)", Family: "JSON", Doc: "The greatest depth, 1 of a scalar.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				doc, err := documentOf("JSON_DEPTH", args, 0)
				return value.FromInt(jsonDepth(doc)), err
			}},
		{Name: "JSON_KEYS", Signature: "JSON_KEYS(doc[, path])", Family: "JSON", Doc: "The keys of an object as an array; NULL of others.", Min: 1, Max: 2, strict: true, Type: fixed(jsonType),
			Eval: evalJSONKeys},
		{Name: "JSON_CONTAINS", Signature: "JSON_CONTAINS(doc, part[, path])", Family: "JSON", Doc: "1 where part is contained in doc, or in what the path leads to.", Min: 2, Max: 3,
			strict: true, condition: true, Type: toInt, Eval: evalJSONContains},
		{Name: "JSON_CONTAINS_PATH", Signature: "JSON_CONTAINS_PATH(doc, 'one' | 'all', path, …)", Family: "JSON", Doc: "1 where one, or all, of the paths lead to something.", Min: 3, Max: -1,
			strict: true, condition: true, null: anyNull, Type: toInt, Eval: evalJSONContainsPath},
		{Name: "JSON_OBJECT", Signature: "JSON_OBJECT(key, x, …)", Family: "JSON", Doc: "An object of keys and values.", Max: -1, null: neverNull, Type: fixed(jsonType), check: checkPairs,
			Eval: evalJSONObject},
		{Name: "JSON_ARRAY", Signature: "JSON_ARRAY(x, …)", Family: "JSON", Doc: "An array of values.", Max: -1, null: neverNull, Type: fixed(jsonType), Eval: evalJSONArray},
	}
}

// lookupPath reads the document args[0] and what the path args[i] leads to, the document without a path.
func lookupPath(function string, args []value.Value, i int) (any, bool, error) {
	doc, err := documentOf(function, args, 0)
	if err != nil || i >= len(args) {
		return doc, err == nil, err
	}
	p, err := pathOf(function, args, i, true)
	if err != nil {
		return nil, false, err
	}
	found := p.lookup(doc, nil)
	if len(found) == 0 {
		return nil, false, nil
	}
	return found[0], true, nil
}

func evalJSONExtract(_ *Env, args []value.Value) (value.Value, error) {
	doc, err := documentOf("JSON_EXTRACT", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	var found []any
	many := len(args) > 2
	for i := 1; i < len(args); i++ {
		p, err := pathOf("JSON_EXTRACT", args, i, false)
		if err != nil {
			return value.NullValue, err
		}
		many = many || p.wild()
		found = p.lookup(doc, found)
	}
	switch {
	case len(found) == 0:
		return value.NullValue, nil
	case many:
		return documentValue(found), nil
	}
	return documentValue(found[0]), nil
}

func evalJSONUnquote(_ *Env, args []value.Value) (value.Value, error) {
	s := value.Text(args[0])
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return value.FromString(s), nil
	}
	doc, err := documentOf("JSON_UNQUOTE", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	if text, ok := doc.(string); ok {
		s = text
	}
	return value.FromString(s), nil
}

func evalJSONValue(_ *Env, args []value.Value) (value.Value, error) {
	doc, ok, err := lookupPath("JSON_VALUE", args, 1)
	if err != nil || !ok || doc == nil {
		return value.NullValue, err
	}
	switch d := doc.(type) {
	case string:
		return value.FromString(d), nil
	case []any, map[string]any:
		return value.NullValue, nil
	}
	return value.FromString(string(appendJSON(nil, doc))), nil
}

func evalJSONType(_ *Env, args []value.Value) (value.Value, error) {
	doc, err := documentOf("JSON_TYPE", args, 0)
	name := "NULL"
	switch d := doc.(type) {
	case map[string]any:
		name = "OBJECT"
	case []any:
		name = "ARRAY"
	case string:
		name = "STRING"
	case bool:
		name = "BOOLEAN"
	case json.Number:
		switch numberOf(d).Kind() {
		case value.Int:
			name = "INTEGER"
		case value.Uint:
			name = "UNSIGNED INTEGER"
		default:
			name = "DOUBLE"
		}
	}
	return value.FromString(name), err
}

func evalJSONLength(_ *Env, args []value.Value) (value.Value, error) {
	doc, ok, err := lookupPath("JSON_LENGTH", args, 1)
	if err != nil || !ok {
		return value.NullValue, err
	}
	switch d := doc.(type) {
	case map[string]any:
		return value.FromInt(int64(len(d))), nil
	case []any:
		return value.FromInt(int64(len(d))), nil
	}
	return value.FromInt(1), nil
}

func jsonDepth(doc any) int64 {
	deepest := int64(0)
	switch d := doc.(type) {
	case map[string]any:
		for _, e := range d {
			deepest = max(deepest, jsonDepth(e))
		}
	case []any:
		for _, e := range d {
			deepest = max(deepest, jsonDepth(e))
		}
	}
	return deepest + 1
}

func evalJSONKeys(_ *Env, args []value.Value) (value.Value, error) {
	doc, _, err := lookupPath("JSON_KEYS", args, 1)
	object, ok := doc.(map[string]any)
	if err != nil || !ok {
		return value.NullValue, err
	}
	keys := make([]any, 0, len(object))
	for _, k := range sortedKeys(object) {
		keys = append(keys, k)
	}
	return documentValue(keys), nil
}

func evalJSONContains(_ *Env, args []value.Value) (value.Value, error) {
	doc, ok, err := lookupPath("JSON_CONTAINS", args, 2)
	if err != nil || !ok {
		return value.NullValue, err
	}
	part, err := documentOf("JSON_CONTAINS", args, 1)
	if err != nil {
		return value.NullValue, err
	}
	return truthValues[truthOf(jsonContains(doc, part))], nil
}

// jsonContains says whether part is in doc: scalars when equal, an array when each of its elements is in one of doc's, an
// object when each of its members is in doc's of that key.
func jsonContains(doc, part any) bool {
	switch d := doc.(type) {
	case []any:
		elements, ok := part.([]any)
		if !ok {
			elements = []any{part}
		}
		for _, e := range elements {
			found := false
			for _, own := range d {
				found = found || jsonContains(own, e)
			}
			if !found {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := part.(map[string]any)
		if !ok {
			return false
		}
		for k, e := range object {
			own, ok := d[k]
			if !ok || !jsonContains(own, e) {
				return false
			}
		}
		return true
	}
	return compareDocuments(doc, part) == 0
}

func evalJSONContainsPath(_ *Env, args []value.Value) (value.Value, error) {
	doc, err := documentOf("JSON_CONTAINS_PATH", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	all := strings.EqualFold(value.Text(args[1]), "all")
	if !all && !strings.EqualFold(value.Text(args[1]), "one") {
		return value.NullValue, &ArgumentError{"JSON_CONTAINS_PATH", "the second one is 'one' or 'all'"}
	}
	for i := 2; i < len(args); i++ {
		p, err := pathOf("JSON_CONTAINS_PATH", args, i, false)
		if err != nil {
			return value.NullValue, err
		}
		if found := len(p.lookup(doc, nil)) > 0; found != all {
			return truthValues[truthOf(found)], nil
		}
	}
	return truthValues[truthOf(all)], nil
}

func checkPairs(args []Node) error {
	if len(args)%2 != 0 {
		return &ArityError{"JSON_OBJECT"}
	}
	return nil
}

func evalJSONObject(_ *Env, args []value.Value) (value.Value, error) {
	object := make(map[string]any, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		if args[i].IsNull() {
			return value.NullValue, &ArgumentError{"JSON_OBJECT", "JSON documents may not contain NULL member names"}
		}
		e, err := jsonOf(args[i+1])
		if err != nil {
			return value.NullValue, err
		}
		object[value.Text(args[i])] = e
	}
	return documentValue(object), nil
}

func evalJSONArray(_ *Env, args []value.Value) (value.Value, error) {
	array := make([]any, len(args))
	for i, a := range args {
		var err error
		if array[i], err = jsonOf(a); err != nil {
			return value.NullValue, err
		}
	}
	return documentValue(array), nil
}
