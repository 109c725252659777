package expr

import (
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// The arguments of JSON_VALUE after document and path: a NULL of the type that it returns; what to do if the path leads nowhere, and its
// DEFAULT; what to do if the type does not hold the value, and its DEFAULT.
const (
	jsonReturning = 2
	jsonOnEmpty   = 3
	jsonOnError   = 5
)

// What to do.
const (
	jsonNull    = "NULL"
	jsonError   = "ERROR"
	jsonDefault = "DEFAULT"
)

func jsonValueType(args []Node) value.Type {
	if len(args) > jsonReturning {
		return args[jsonReturning].Type()
	}
	return textType
}

func compileJSONValue(n *Call) Func {
	t := n.T
	return compileEval(n, func(env *Env, args []value.Value) (value.Value, error) {
		if anyNullValue(args[:jsonReturning]) {
			return value.NullValue, nil
		}
		d, err := lookupPath("JSON_VALUE", args, 1)
		switch {
		case err != nil:
			return value.NullValue, err
		case d == nil:
			return jsonInstead(args, jsonOnEmpty, sqlerr.New(sqlerr.CodeJSONNoValue, sqlerr.NoPos, "No value was found by 'json_value' on the specified path."))
		case t.Base == value.TypeJSON:
			return documentValue("JSON_VALUE", d)
		case !d.IsScalar():
			return jsonInstead(args, jsonOnError, sqlerr.New(sqlerr.CodeJSONCast, sqlerr.NoPos, "Invalid JSON value for CAST to %s from column json_value at row 1", t))
		case d.Scalar.IsNull():
			return value.NullValue, nil
		}
		v := d.Scalar
		if t.IsText() {
			text, _ := d.JSON(MaxText)
			if v, err = evalJSONUnquote(nil, []value.Value{text}); err != nil {
				return v, err
			}
		}
		out, _, err := env.Store(t, v)
		if err != nil {
			return jsonInstead(args, jsonOnError, err)
		}
		return out, nil
	})
}

// jsonInstead is what JSON_VALUE gives if it has no value; args[i] says what.
func jsonInstead(args []value.Value, i int, err error) (value.Value, error) {
	if i >= len(args) {
		return value.NullValue, nil
	}
	switch args[i].Text() {
	case jsonError:
		return value.NullValue, err
	case jsonDefault:
		return args[i+1], nil
	}
	return value.NullValue, nil
}
