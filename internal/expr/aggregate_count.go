package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func countAggregates() map[string]*aggregateFunction {
	argType := func(args []Node) value.Type { return args[0].Type() }
	return map[string]*aggregateFunction{
		"COUNT": {signature: "(* | [DISTINCT] x, …)", doc: "Rows, or rows in which nothing is NULL.", min: 1, max: 64, typ: toInt,
			gather: func(*Aggregate) accumulator { return &count{} }},
		"MIN": {signature: "([DISTINCT] x)", doc: "The least value.", min: 1, max: 1, typ: argType, sameTwice: true,
			gather: func(a *Aggregate) accumulator { return &extreme{sign: -1, collation: CollationOf(a.Args...)} }},
		"MAX": {signature: "([DISTINCT] x)", doc: "The greatest value.", min: 1, max: 1, typ: argType, sameTwice: true,
			gather: func(a *Aggregate) accumulator { return &extreme{sign: 1, collation: CollationOf(a.Args...)} }},
		"ANY_VALUE": {signature: "(x)", doc: "The value of one of the rows.", min: 1, max: 1, typ: argType, nulls: true, sameTwice: true,
			gather: func(*Aggregate) accumulator { return &first{} }},
	}
}

// countRows is COUNT(*).
type countRows struct{ n int64 }

func (c *countRows) Add(*Env) error               { c.n++; return nil }
func (c *countRows) Result() (value.Value, error) { return value.FromInt(c.n), nil }
func (c *countRows) Size() int                    { return 16 }

type count struct{ n int64 }

func (c *count) add([]value.Value) error      { c.n++; return nil }
func (c *count) result() (value.Value, error) { return value.FromInt(c.n), nil }
func (c *count) size() int                    { return 8 }

// extreme is MIN and MAX.
type extreme struct {
	best      value.Value
	sign      int
	collation value.Collation
}

func (e *extreme) add(args []value.Value) error {
	if e.best.IsNull() || value.Order(args[0], e.best, e.collation)*e.sign > 0 {
		e.best = args[0]
	}
	return nil
}

func (e *extreme) result() (value.Value, error) { return e.best, nil }
func (e *extreme) size() int                    { return valueSize + len(e.best.Text()) }

type first struct {
	v   value.Value
	any bool
}

func (f *first) add(args []value.Value) error {
	if !f.any {
		f.v, f.any = args[0], true
	}
	return nil
}

func (f *first) result() (value.Value, error) { return f.v, nil }
func (f *first) size() int                    { return valueSize + len(f.v.Text()) }
