package access

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// dateFunction: YEAR(created) = 2026 → the dates of 2026. The function must rise with its date. It gives nil for any other
// comparison.
func (c *Constrainer) dateFunction(op expr.CompareOp, l, r expr.Node) (ordinal int, t *test) {
	call, ok := l.(*expr.Call)
	if !ok || len(call.Args) != 1 || call.Func.Name != "YEAR" && call.Func.Name != "TO_DAYS" || !c.known(r) {
		return -1, nil
	}
	if ordinal, ok = c.column(call.Args[0]); !ok {
		return -1, nil
	}
	if base := c.Table.Columns[ordinal].Type.Base; base != value.TypeDate && base != value.TypeDateTime {
		return -1, nil
	}
	compared, ok := comparisons[op]
	if !ok || op == expr.NullEq {
		return -1, nil
	}
	return ordinal, &test{op: testFunction, function: call.Func.Name, value: expr.Compile(r), constant: areConstant(r), compared: compared}
}

// dateFunctionIn: YEAR(created) IN (2025, 2026) → an OR of tests.
func (c *Constrainer) dateFunctionIn(n *expr.In) (ordinal int, t *test) {
	if n.Not {
		return -1, nil
	}
	t = &test{op: testOr}
	for _, x := range n.List {
		o, kid := c.dateFunction(expr.Eq, n.X, x)
		if kid == nil {
			return -1, nil
		}
		ordinal, t.kids = o, append(t.kids, kid)
	}
	if len(t.kids) == 0 {
		return -1, nil
	}
	return ordinal, t
}

// functionOf is eval of a testFunction.
func (t *test) functionOf(env *expr.Env, p *keyColumn) (list []interval, exact bool, err error) {
	v, err := t.value(env)
	if err != nil || v.IsNull() {
		return nil, true, err
	}
	if err := env.Number(v); err != nil { // the function's results are numbers
		return nil, false, err
	}
	iv, err := p.notNull()
	if err != nil {
		return nil, false, err
	}
	floor, at := floorInt(v)
	n := floor.Int()
	switch {
	case at == placeNowhere:
		return []interval{iv}, false, nil
	case at == placeTop || floor.Kind() == value.Uint && floor.Uint() > math.MaxInt64/2:
		n, at = math.MaxInt64/2, placeAbove
	case at == placeBelow || n < math.MinInt64/2:
		n, at = math.MinInt64/2, placeAbove
	}
	if t.compared == testEq && at != placeAt {
		return nil, true, nil
	}
	next := n + 1 // the first result above v
	if at == placeAt && (t.compared == testLt || t.compared == testGe) {
		next = n
	}
	switch t.compared {
	case testEq:
		if iv, err = t.since(iv, p, n); err == nil {
			iv, err = t.before(iv, p, n+1)
		}
	case testLt, testLe:
		iv, err = t.before(iv, p, next)
	default:
		iv, err = t.since(iv, p, next)
	}
	return nonEmpty(iv), true, err
}

// since gives the dates of iv for which the function gives n or more, before those for which it gives less.
func (t *test) since(iv interval, p *keyColumn, n int64) (interval, error) {
	return t.cutAt(iv, p, n, func(b interval) interval { return p.from(iv, b, true) }, false)
}

func (t *test) before(iv interval, p *keyColumn, n int64) (interval, error) {
	return t.cutAt(iv, p, n, func(b interval) interval { return p.to(iv, b, false) }, true)
}

// cutAt cuts at the first date for which the function gives n. If there is none, all dates are before it.
func (t *test) cutAt(iv interval, p *keyColumn, n int64, cut func(interval) interval, before bool) (interval, error) {
	ticks, ok := schema.TicksAt(t.function, n)
	if !ok {
		if late := n > schema.DaysToYear1; late == before {
			return iv, nil
		}
		return interval{}, nil
	}
	b, _, err := p.bounds(schema.DateOf(p.column.Type, ticks))
	if err != nil {
		return iv, err
	}
	return cut(b), nil
}
