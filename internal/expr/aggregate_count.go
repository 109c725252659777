package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func countAggregates() map[string]*aggregateFunction {
	argType := func(args []Node) value.Type { return shownType(args[0].Type()) }
	extremeType := func(args []Node) value.Type { return bitsNumber(argType(args)) }
	return map[string]*aggregateFunction{
		"COUNT": {signature: "(* | [DISTINCT] x, …)", doc: "Rows, or rows in which nothing is NULL.", min: 1, max: 64, typ: toInt, small: true,
			gather: func(*Aggregate) accumulator { return &count{} }},
		"MIN": {signature: "([DISTINCT] x)", doc: "The least value; of an ENUM or SET the least text.", min: 1, max: 1, typ: extremeType, sameTwice: true,
			gather: func(a *Aggregate) accumulator { return &extreme{t: a.T, sign: -1, collation: CollationOf(a.Args...)} }},
		"MAX": {signature: "([DISTINCT] x)", doc: "The greatest value; of an ENUM or SET the greatest text.", min: 1, max: 1, typ: extremeType, sameTwice: true,
			gather: func(a *Aggregate) accumulator { return &extreme{t: a.T, sign: 1, collation: CollationOf(a.Args...)} }},
		"ANY_VALUE": {signature: "(x)", doc: "The value of one of the rows.", min: 1, max: 1, typ: argType, nulls: true, sameTwice: true,
			gather: func(a *Aggregate) accumulator { return &first{t: a.T} }},
	}
}

// countRows is COUNT(*).
type countRows struct{ n int64 }

func (c *countRows) Add(*Env) error               { c.n++; return nil }
func (c *countRows) Result() (value.Value, error) { return value.FromInt(c.n), nil }
func (c *countRows) Size() int                    { return 16 }

type count struct{ n int64 }

func (c *count) add([]value.Value) error            { c.n++; return nil }
func (c *count) remove([]value.Value) (bool, error) { c.n--; return true, nil }
func (c *count) result() (value.Value, error)       { return value.FromInt(c.n), nil }
func (c *count) size() int                          { return 8 }

// extreme is MIN and MAX.
type extreme struct {
	t         value.Type
	best      value.Value
	sign      int
	collation value.Collation
}

func (e *extreme) add(args []value.Value) error {
	v := Plain(args[0], e.t)
	if e.best.IsNull() || value.Order(v, e.best, e.collation)*e.sign > 0 {
		e.best = v
	}
	return nil
}

func (e *extreme) merge(other accumulator) error {
	if o := other.(*extreme); !o.best.IsNull() {
		return e.add([]value.Value{o.best})
	}
	return nil
}

func (e *extreme) result() (value.Value, error) { return e.best, nil }
func (e *extreme) size() int                    { return valueSize + len(e.best.Text()) }

type first struct {
	t   value.Type
	v   value.Value
	any bool
}

func (f *first) add(args []value.Value) error {
	if !f.any {
		f.v, f.any = Plain(args[0], f.t), true
	}
	return nil
}

func (f *first) merge(other accumulator) error {
	if o := other.(*first); !f.any {
		f.v, f.any = o.v, o.any
	}
	return nil
}

func (f *first) result() (value.Value, error) { return f.v, nil }
func (f *first) size() int                    { return valueSize + len(f.v.Text()) }
