package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// concatNode passes the rows of its inputs, one input after the other, as values of the result's types.
type concatNode struct {
	inputs []node
	types  []value.Type
}

func compileConcat(n *planner.Concat) (node, error) {
	c := &concatNode{types: unifiedTypes(n.Columns)}
	for _, input := range n.Inputs {
		in, err := compile(input)
		if err != nil {
			return nil, err
		}
		c.inputs = append(c.inputs, in)
	}
	return c, nil
}

func (n *concatNode) fills() []int { return positions(0, len(n.types)) }

func (n *concatNode) open(f *frame) Iterator {
	return &concatIter{node: n, f: f, row: make([]value.Value, len(n.types))}
}

type concatIter struct {
	node  *concatNode
	f     *frame
	input Iterator // of the input before next; nil before the first
	next  int
	row   []value.Value
}

func (it *concatIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		if it.input == nil {
			if it.next >= len(it.node.inputs) {
				return nil, io.EOF
			}
			it.input = it.node.inputs[it.next].open(it.f)
			it.next++
		}
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			err = it.input.Close()
			it.input = nil
			if err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		return it.row, unifyRow(&it.f.env, it.node.types, it.row, row)
	}
}

func (it *concatIter) Close() error {
	it.next = len(it.node.inputs)
	if it.input == nil {
		return nil
	}
	return it.input.Close()
}

// unifiedTypes gives the types of a set operation's columns. They are made to hold all inputs' values:
// nothing is to be cut.
func unifiedTypes(columns []planner.ResultColumn) []value.Type {
	types := make([]value.Type, len(columns))
	for i, c := range columns {
		types[i] = c.Type
		types[i].Length = 0
	}
	return types
}

// unifyRow sets dst to the row's values as values of these types.
func unifyRow(env *expr.Env, types []value.Type, dst, row []value.Value) (err error) {
	for i, t := range types {
		if dst[i], err = unify(env, t, row[i]); err != nil {
			return err
		}
	}
	return nil
}

// unify makes v a value of the type of a union's column.
func unify(env *expr.Env, t value.Type, v value.Value) (value.Value, error) {
	if v = expr.Plain(v, t); v.IsNull() || t.Base == value.TypeUnknown || sameKind(t, v.Kind()) {
		return v, nil
	}
	return env.Cast(t, v)
}

// sameKind says whether values of kind k are what a column of type t has.
func sameKind(t value.Type, k value.Kind) bool {
	switch formOf(t) {
	case formInt, formYear, formUint, formBigUint:
		return k == value.Int || k == value.Uint
	case formBits, formBigBits:
		return false // each has as many octets as the type
	case formFloat:
		return k == value.Float
	case formBool:
		return k == value.Bool
	case formDecimal:
		return k == value.Decimal
	case formText, formMember:
		return k == value.String
	case formJSON:
		return k == value.JSON
	case formBinary:
		return k == value.Bytes
	case formDate:
		return k == value.Date
	case formTime:
		return k == value.Time
	case formDuration:
		return k == value.Duration
	case formUUID:
		return k == value.UUID
	}
	return true
}
