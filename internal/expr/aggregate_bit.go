package expr

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func bitAggregates() map[string]*aggregateFunction {
	of := func(doc string, empty uint64, op func(a, b value.Value) (value.Value, error)) *aggregateFunction {
		return &aggregateFunction{signature: "(x)", doc: doc, min: 1, max: 1, small: true, operand: (*Env).integer, typ: fixed(unsignedType),
			gather: func(*Aggregate) accumulator { return &bitwise{v: value.FromUint(empty), op: op} }}
	}
	return map[string]*aggregateFunction{
		"BIT_AND": of("The bits set in all values; all bits for no rows.", math.MaxUint64, value.BitAnd),
		"BIT_OR":  of("The bits set in any value; 0 for no rows.", 0, value.BitOr),
		"BIT_XOR": of("The bits set in an odd number of values; 0 for no rows.", 0, value.BitXor),
	}
}

type bitwise struct {
	v  value.Value
	op func(a, b value.Value) (value.Value, error)
}

func (b *bitwise) add(args []value.Value) (err error) {
	b.v, err = b.op(b.v, args[0])
	return err
}

func (b *bitwise) merge(other accumulator) error {
	return b.add([]value.Value{other.(*bitwise).v})
}

func (b *bitwise) result() (value.Value, error) { return b.v, nil }
func (b *bitwise) size() int                    { return valueSize }
