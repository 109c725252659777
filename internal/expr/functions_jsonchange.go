package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func jsonChangeFunctions() []*Function {
	return []*Function{
		jsonChange("JSON_SET", "The document with x at path, added where it is missing.", func(e any) changeElement {
			return func(any, bool) (any, bool) { return e, true }
		}),
		jsonChange("JSON_INSERT", "The document with x at path where there is nothing yet.", func(e any) changeElement {
			return func(old any, exists bool) (any, bool) {
				if exists {
					return old, true
				}
				return e, true
			}
		}),
		jsonChange("JSON_REPLACE", "The document with x at path where there is something.", func(e any) changeElement {
			return func(_ any, exists bool) (any, bool) { return e, exists }
		}),
		jsonChange("JSON_ARRAY_APPEND", "The document with x behind the last element of the array at path.", func(e any) changeElement {
			return func(old any, exists bool) (any, bool) {
				if array, ok := old.([]any); ok {
					return append(array, e), true
				}
				return []any{old, e}, exists
			}
		}),
		{Name: "JSON_REMOVE", Signature: "JSON_REMOVE(doc, path, …)", Family: "JSON", Doc: "The document without what the paths lead to.", Min: 2, Max: -1,
			strict: true, null: anyNull, Type: fixed(jsonType), Eval: evalJSONRemove},
		{Name: "JSON_MERGE_PATCH", Signature: "JSON_MERGE_PATCH(doc, patch, …)", Family: "JSON", Doc: "The document with the members of each patch; null removes (RFC 7396).", Min: 2, Max: -1,
			strict: true, null: anyNull, Type: fixed(jsonType), Eval: mergeFunction("JSON_MERGE_PATCH", mergePatch)},
		{Name: "JSON_MERGE_PRESERVE", Signature: "JSON_MERGE_PRESERVE(doc, doc, …)", Family: "JSON", Doc: "The documents joined: arrays behind each other, values of one key as an array.", Min: 2, Max: -1,
			strict: true, null: anyNull, Type: fixed(jsonType), Eval: mergeFunction("JSON_MERGE_PRESERVE", mergePreserve)},
	}
}

// changeElement is what jsonPath.change calls.
type changeElement = func(old any, exists bool) (any, bool)

// jsonChange is a function of a document and pairs of a path and a value. A NULL value is JSON's null; a
// NULL document or path gives NULL.
func jsonChange(name, doc string, change func(element any) changeElement) *Function {
	return &Function{Name: name, Signature: name + "(doc, path, x, …)", Family: "JSON", Doc: doc, Min: 3, Max: -1, Type: fixed(jsonType),
		check: func(args []Node) error {
			if len(args)%2 == 0 {
				return &ArityError{name}
			}
			return nil
		},
		Eval: func(_ *Env, args []value.Value) (value.Value, error) {
			if args[0].IsNull() {
				return value.NullValue, nil
			}
			doc, err := documentOf(name, args, 0)
			if err != nil {
				return value.NullValue, err
			}
			for i := 1; i < len(args); i += 2 {
				if args[i].IsNull() {
					return value.NullValue, nil
				}
				p, err := pathOf(name, args, i, true)
				if err != nil {
					return value.NullValue, err
				}
				e, err := jsonOf(args[i+1])
				if err != nil {
					return value.NullValue, err
				}
				doc = p.change(doc, change(e))
			}
			return documentValue(doc), nil
		}}
}

func evalJSONRemove(_ *Env, args []value.Value) (value.Value, error) {
	doc, err := documentOf("JSON_REMOVE", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	for i := 1; i < len(args); i++ {
		p, err := pathOf("JSON_REMOVE", args, i, true)
		if err != nil {
			return value.NullValue, err
		}
		if len(p) == 0 {
			return value.NullValue, &ArgumentError{"JSON_REMOVE", "The path expression '$' is not allowed"}
		}
		doc = p.change(doc, func(any, bool) (any, bool) { return nil, false })
	}
	return documentValue(doc), nil
}

func mergeFunction(name string, merge func(doc, other any) any) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		doc, err := documentOf(name, args, 0)
		if err != nil {
			return value.NullValue, err
		}
		for i := 1; i < len(args); i++ {
			other, err := documentOf(name, args, i)
			if err != nil {
				return value.NullValue, err
			}
			doc = merge(doc, other)
		}
		return documentValue(doc), nil
	}
}

func mergePatch(doc, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := doc.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for k, e := range changes {
		if e == nil {
			delete(object, k)
		} else {
			object[k] = mergePatch(object[k], e)
		}
	}
	return object
}

func mergePreserve(doc, other any) any {
	x, xok := doc.(map[string]any)
	y, yok := other.(map[string]any)
	if xok && yok {
		for k, e := range y {
			if own, ok := x[k]; ok {
				e = mergePreserve(own, e)
			}
			x[k] = e
		}
		return x
	}
	array, ok := doc.([]any)
	if !ok {
		array = []any{doc}
	}
	if more, ok := other.([]any); ok {
		return append(array, more...)
	}
	return append(array, other)
}
