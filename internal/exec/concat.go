package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// concatNode passes the rows of its inputs, one input after another, as values of the result's types.
type concatNode struct {
	inputs []Node
	types  []value.Type
}

func compileConcat(n *planner.Concat) (Node, error) {
	inputs, err := compileEach(n.Inputs)
	return &concatNode{inputs: inputs, types: unifiedTypes(n.Columns)}, err
}

func compileEach(nodes []planner.Node) ([]Node, error) {
	var out []Node
	for _, n := range nodes {
		in, err := Compile(n)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

func (n *concatNode) fills() []int { return Positions(0, len(n.types)) }

func (n *concatNode) Open(f *Frame) Iterator {
	return &concatIter{node: n, f: f, row: make([]value.Value, len(n.types))}
}

type concatIter struct {
	node  *concatNode
	f     *Frame
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
			it.input = it.node.inputs[it.next].Open(it.f)
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
		return it.row, unifyRow(&it.f.Env, it.node.types, it.row, row)
	}
}

func (it *concatIter) Close() error {
	it.next = len(it.node.inputs)
	if it.input == nil {
		return nil
	}
	return it.input.Close()
}

// unifiedTypes gives the types of a set operation's columns. They hold all inputs' values uncut.
func unifiedTypes(columns []planner.ResultColumn) []value.Type {
	types := make([]value.Type, len(columns))
	for i, c := range columns {
		types[i] = c.Type
		if c.Type.Base != value.TypeBit { // which has as many octets as that says
			types[i].Length = 0
		}
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

// sameKind says whether a column of type t holds values of kind k.
func sameKind(t value.Type, k value.Kind) bool {
	switch codec.FormOf(t) {
	case codec.FormInt, codec.FormYear, codec.FormUint, codec.FormBigUint:
		return k == value.Int || k == value.Uint
	case codec.FormBits, codec.FormBigBits:
		return false // each has as many octets as the type
	case codec.FormFloat:
		return k == value.Float
	case codec.FormBool:
		return k == value.Bool
	case codec.FormDecimal:
		return k == value.Decimal
	case codec.FormText, codec.FormMember:
		return k == value.String
	case codec.FormJSON:
		return k == value.JSON
	case codec.FormBinary:
		return k == value.Bytes
	case codec.FormDate:
		return k == value.Date
	case codec.FormTime:
		return k == value.Time
	case codec.FormDuration:
		return k == value.Duration
	case codec.FormUUID:
		return k == value.UUID
	}
	return true
}
