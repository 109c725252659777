package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func jsonChangeFunctions() []*Function {
	return []*Function{
		jsonChange("JSON_SET", "The document with x at path, added if it is missing.", setAt(func(e, _ *value.Document) *value.Document { return e })),
		jsonChange("JSON_INSERT", "The document with x at path if there is nothing yet.", setAt(func(e, old *value.Document) *value.Document {
			if old != nil {
				return old
			}
			return e
		})),
		jsonChange("JSON_REPLACE", "The document with x at path if there is something.", setAt(func(e, old *value.Document) *value.Document {
			if old == nil {
				return nil
			}
			return e
		})),
		jsonChange("JSON_ARRAY_APPEND", "The document with x after the last element of the array at path.", setAt(func(e, old *value.Document) *value.Document {
			if old == nil {
				return nil
			}
			array := value.NewArray(append(elementsOf(old), *e)...)
			return &array
		})),
		jsonChange("JSON_ARRAY_INSERT", "The document with x put into an array before the element at path.", insertCell),
		{Name: "JSON_REMOVE", Signature: "JSON_REMOVE(doc, path, …)", Family: "JSON", Doc: "The document without the elements that the paths lead to.", Min: 2, Max: -1,
			strict: true, null: anyNull, Type: fixed(jsonType), Eval: evalJSONRemove},
		{Name: "JSON_MERGE_PATCH", Signature: "JSON_MERGE_PATCH(doc, patch, …)", Family: "JSON", Doc: "The document with the members of each patch; null removes (RFC 7396).", Min: 2, Max: -1,
			Type: fixed(jsonType), Eval: evalMergePatch},
		{Name: "JSON_MERGE_PRESERVE", Signature: "JSON_MERGE_PRESERVE(doc, doc, …)", Family: "JSON", Doc: "The documents joined: arrays one after the other, values of one key as an array.", Min: 2, Max: -1,
			strict: true, null: anyNull, Type: fixed(jsonType), Eval: evalMergePreserve, aliases: []string{"JSON_MERGE"}},
	}
}

// setAt changes what the path leads to: change gets the new element and the old one, nil if there is none.
func setAt(change func(e, old *value.Document) *value.Document) func(d, e *value.Document, p jsonPath) error {
	return func(d, e *value.Document, p jsonPath) error {
		p.change(d, func(old *value.Document) *value.Document { return change(e, old) })
		return nil
	}
}

func insertCell(d, e *value.Document, p jsonPath) error {
	last := len(p) - 1
	if last < 0 || p[last].kind != legCell {
		return errNoCell
	}
	for _, at := range p[:last].lookup(d) {
		if array := at.d.Array; array != nil {
			n := len(array.Items)
			array.Items = slices.Insert(array.Items, max(0, min(p[last].from.at(n), n)), *e)
		}
	}
	return nil
}

// jsonChange is a function of a document and pairs of a path and a value. A NULL value is JSON's null; a
// NULL document or path gives NULL.
func jsonChange(name, doc string, change func(d, e *value.Document, p jsonPath) error) *Function {
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
			d, err := documentOf(name, args, 0)
			if err != nil {
				return value.NullValue, err
			}
			for i := 1; i < len(args); i += 2 {
				if args[i].IsNull() {
					return value.NullValue, nil
				}
				p, err := pathOf(args, i, true)
				if err != nil {
					return value.NullValue, err
				}
				e, err := element(name, args, i+1)
				if err != nil {
					return value.NullValue, err
				}
				if err := change(&d, &e, p); err != nil {
					return value.NullValue, err
				}
			}
			return documentValue(name, &d)
		}}
}

func evalJSONRemove(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_REMOVE", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	for i := 1; i < len(args); i++ {
		p, err := pathOf(args, i, true)
		if err != nil {
			return value.NullValue, err
		}
		if len(p) == 0 {
			return value.NullValue, errWholePath
		}
		p.change(&d, func(*value.Document) *value.Document { return nil })
	}
	return documentValue("JSON_REMOVE", &d)
}

// evalMergePatch: a document patched with NULL, or NULL patched with an object, is NULL; a patch that is not an object replaces everything
// before it.
func evalMergePatch(_ *Env, args []value.Value) (value.Value, error) {
	var d value.Document
	null := false
	for i := range args {
		if args[i].IsNull() {
			null = true
			continue
		}
		patch, err := documentOf("JSON_MERGE_PATCH", args, i)
		switch {
		case err != nil:
			return value.NullValue, err
		case i == 0 || patch.Object == nil:
			d, null = patch, false
		case !null:
			mergePatch(&d, &patch)
		}
	}
	if null {
		return value.NullValue, nil
	}
	return documentValue("JSON_MERGE_PATCH", &d)
}

func mergePatch(d, patch *value.Document) {
	if patch.Object == nil {
		*d = *patch
		return
	}
	if d.Object == nil {
		*d = value.NewObject()
	}
	for i, key := range patch.Object.Keys {
		e := &patch.Object.Items[i]
		if e.IsScalar() && e.Scalar.IsNull() {
			d.Object.Delete(key)
			continue
		}
		own := value.Document{}
		if old := d.Object.Get(key); old != nil {
			own = *old
		}
		mergePatch(&own, e)
		d.Object.Set(key, own)
	}
}

func evalMergePreserve(_ *Env, args []value.Value) (value.Value, error) {
	d, err := documentOf("JSON_MERGE_PRESERVE", args, 0)
	if err != nil {
		return value.NullValue, err
	}
	for i := 1; i < len(args); i++ {
		other, err := documentOf("JSON_MERGE_PRESERVE", args, i)
		if err != nil {
			return value.NullValue, err
		}
		mergePreserve(&d, &other)
	}
	return documentValue("JSON_MERGE_PRESERVE", &d)
}

func mergePreserve(d, other *value.Document) {
	if d.Object == nil || other.Object == nil {
		*d = value.NewArray(append(elementsOf(d), elementsOf(other)...)...)
		return
	}
	for i, key := range other.Object.Keys {
		if own := d.Object.Get(key); own != nil {
			mergePreserve(own, &other.Object.Items[i])
		} else {
			d.Object.Set(key, other.Object.Items[i])
		}
	}
}
