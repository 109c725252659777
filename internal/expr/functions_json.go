package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func jsonFunctions() []*Function {
	return []*Function{
		{Name: "JSON_OBJECT", Signature: "JSON_OBJECT(key, x, …)", Family: "JSON", Doc: "An object of keys and values.", Max: -1, null: neverNull, Type: fixed(jsonType), check: checkPairs,
			Eval: evalJSONObject},
		{Name: "JSON_ARRAY", Signature: "JSON_ARRAY(x, …)", Family: "JSON", Doc: "An array of values. A condition is true or false, a time a string.", Max: -1, null: neverNull,
			Type: fixed(jsonType), Eval: evalJSONArray},
		{Name: "JSON_QUOTE", Signature: "JSON_QUOTE(text)", Family: "JSON", Doc: "The text as a JSON string.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				quoted := value.AppendJSONString(nil, value.Text(args[0]))
				if len(quoted) > MaxText {
					return value.NullValue, &TooLongError{"JSON_QUOTE"}
				}
				return value.FromString(string(quoted)), nil
			}},
		{Name: "JSON_VALID", Signature: "JSON_VALID(x)", Family: "JSON", Doc: "1 if x is a document, else 0.", Min: 1, Max: 1, strict: true, condition: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				_, err := documentOf("JSON_VALID", args, 0)
				return truthValues[truthOf(err == nil)], nil
			}},
		{Name: "JSON_TYPE", Signature: "JSON_TYPE(doc)", Family: "JSON", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText, Eval: evalJSONType,
			Doc: "OBJECT, ARRAY, STRING, INTEGER, UNSIGNED INTEGER, DOUBLE, BOOLEAN or NULL; DECIMAL, DATETIME, DATE, TIME or BLOB if CAST made the document from such a value."},
		{Name: "JSON_LENGTH", Signature: "JSON_LENGTH(doc[, path])", Family: "JSON", Doc: "Elements of an array, members of an object, 1 of others.", Min: 1, Max: 2, strict: true, Type: toInt,
			Eval: evalJSONLength},
		{Name: "JSON_DEPTH", Signature: "JSON_DEPTH(doc)", Family: "JSON", Doc: "The greatest depth, 1 of a scalar.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				d, err := documentOf("JSON_DEPTH", args, 0)
				return value.FromInt(int64(jsonDepth(&d, 1))), err
			}},
		{Name: "JSON_KEYS", Signature: "JSON_KEYS(doc[, path])", Family: "JSON", Doc: "The keys of an object as an array; NULL of others.", Min: 1, Max: 2, strict: true, Type: fixed(jsonType),
			Eval: evalJSONKeys},
		{Name: "JSON_PRETTY", Signature: "JSON_PRETTY(doc)", Family: "JSON", Doc: "The document with each value on a line of its own.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: evalJSONPretty},
		{Name: "JSON_STORAGE_SIZE", Signature: "JSON_STORAGE_SIZE(doc)", Family: "JSON", Doc: "The octets that MySQL would store for the document; here its text is stored.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				d, err := documentOf("JSON_STORAGE_SIZE", args, 0)
				return value.FromInt(int64(1 + storedSize(&d, false))), err
			}},
		{Name: "JSON_STORAGE_FREE", Signature: "JSON_STORAGE_FREE(doc)", Family: "JSON", Doc: "0: a change writes the document anew.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				_, err := documentOf("JSON_STORAGE_FREE", args, 0)
				return value.FromInt(0), err
			}},
	}
}

func checkPairs(args []Node) error {
	if len(args)%2 != 0 {
		return &ArityError{"JSON_OBJECT"}
	}
	return nil
}

func evalJSONObject(_ *Env, args []value.Value) (value.Value, error) {
	object := value.NewObject()
	for i := 0; i < len(args); i += 2 {
		if args[i].IsNull() {
			return value.NullValue, errNullKey
		}
		e, err := element("JSON_OBJECT", args, i+1)
		if err != nil {
			return value.NullValue, err
		}
		object.Object.Add(value.Text(args[i]), e)
	}
	object.Object.Arrange()
	return documentValue("JSON_OBJECT", &object)
}

func evalJSONArray(_ *Env, args []value.Value) (value.Value, error) {
	items := make([]value.Document, len(args))
	for i := range args {
		var err error
		if items[i], err = element("JSON_ARRAY", args, i); err != nil {
			return value.NullValue, err
		}
	}
	array := value.NewArray(items...)
	return documentValue("JSON_ARRAY", &array)
}

func evalJSONType(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_TYPE", args, 0)
	return value.FromString(typeName(&d)), err
}

func typeName(d *value.Document) string {
	switch {
	case d.Array != nil:
		return "ARRAY"
	case d.Object != nil:
		return "OBJECT"
	}
	switch k := d.Scalar.Kind(); k {
	case value.Bool:
		return "BOOLEAN"
	case value.Int:
		return "INTEGER"
	case value.Uint:
		return "UNSIGNED INTEGER"
	case value.String:
		return "STRING"
	default:
		return k.String() // NULL, DOUBLE, DECIMAL, DATETIME, DATE, TIME, BLOB
	}
}

// lookupPath reads the document args[0] and gives what the path args[i] leads to; the document if there is no args[i], and nil if the path leads
// nowhere.
func lookupPath(function string, args []value.Value, i int) (*value.Document, error) {
	d, err := documentOf(function, args, 0)
	if err != nil || i >= len(args) {
		return &d, err
	}
	p, err := pathOf(args, i, true)
	if err != nil {
		return nil, err
	}
	if found := p.lookup(&d); len(found) > 0 {
		return found[0].d, nil
	}
	return nil, nil
}

func evalJSONLength(_ *Env, args []value.Value) (value.Value, error) {
	d, err := lookupPath("JSON_LENGTH", args, 1)
	switch {
	case err != nil || d == nil:
		return value.NullValue, err
	case d.IsScalar():
		return value.FromInt(1), nil
	}
	return value.FromInt(int64(len(d.Items()))), nil
}

func evalJSONKeys(_ *Env, args []value.Value) (value.Value, error) {
	d, err := lookupPath("JSON_KEYS", args, 1)
	if err != nil || d == nil || d.Object == nil {
		return value.NullValue, err
	}
	keys := value.NewArray()
	for _, key := range d.Object.Keys {
		keys.Array.Items = append(keys.Array.Items, value.Document{Scalar: value.FromString(key)})
	}
	return documentValue("JSON_KEYS", &keys)
}

func evalJSONPretty(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_PRETTY", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	text, ok := d.Print(MaxText, true)
	if !ok {
		return value.NullValue, &TooLongError{"JSON_PRETTY"}
	}
	return value.FromString(text), nil
}
