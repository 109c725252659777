package access

import (
	"cmp"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// keyColumn is one column of a key, for turning conditions into spans.
type keyColumn struct {
	*schema.Segment
	column *schema.Column
	lead   string // the fixed text before it
}

// testOp is the operator of a test.
type testOp uint8

const (
	testEq testOp = iota
	testLt
	testLe
	testGt
	testGe
	testLike
	testNull
	testNotNull
	testIn
	testAnd
	testOr
	testFunction // a rising function of the column
	testEdge     // what kids[0] allows and kids[1] does not; as a rule one value: see edgeOf
)

// test is a condition on one column whose other side is known before the table is read. It becomes a set of intervals of the
// column's codes.
type test struct {
	op     testOp
	value  expr.Func   // comparisons, LIKE
	list   []expr.Func // IN
	kids   []*test     // AND, OR
	escape rune
	// function and compared are for testFunction: YEAR or TO_DAYS, and the operator that compares its result.
	function string
	compared testOp
	// nullSafe: NULL equals NULL.
	nullSafe bool
	constant bool // value and list are known when the statement is planned
	// loose: the condition compares octets, but the column's keys are folded, so they find too much.
	loose bool
}

// IsPoint says whether the test allows only single values, except for arguments of an unexpected kind. If so, tests on the key's next column
// narrow the spans further.
func (t *test) IsPoint() bool {
	switch t.op {
	case testEq, testNull, testIn, testEdge:
		return true
	case testAnd:
		for _, k := range t.kids {
			if k.IsPoint() {
				return true
			}
		}
	case testOr:
		for _, k := range t.kids {
			if !k.IsPoint() {
				return false
			}
		}
		return true
	}
	return false
}

// isOpen says whether the test is a comparison that leaves one end open.
func (t *test) isOpen() bool { return testLt <= t.op && t.op <= testGe }

// isSingle says whether the test allows one value at most.
func (t *test) isSingle() bool {
	switch t.op {
	case testEq, testNull:
		return true
	case testAnd:
		for _, k := range t.kids {
			if k.isSingle() {
				return true
			}
		}
	}
	return false
}

// eval gives the intervals of codes whose values may satisfy t, sorted and disjoint. exact: all of them do.
func (t *test) eval(env *expr.Env, p *keyColumn) (list []interval, exact bool, err error) {
	switch t.op {
	case testAnd:
		return evalAll(env, t.kids, p)
	case testOr:
		exact = true
		for _, k := range t.kids {
			ivs, ok, err := k.eval(env, p)
			if err != nil {
				return nil, false, err
			}
			list, exact = append(list, ivs...), exact && ok
		}
		return unite(list), exact, nil
	case testIn:
		exact = !t.loose
		for _, f := range t.list {
			ivs, ok, err := t.compare(env, p, f)
			if err != nil {
				return nil, false, err
			}
			list, exact = append(list, ivs...), exact && ok
		}
		return unite(list), exact, nil
	case testNull:
		list, err := p.null()
		return list, true, err
	case testNotNull:
		iv, err := p.notNull()
		return []interval{iv}, true, err
	case testLike:
		return t.like(env, p)
	case testFunction:
		return t.functionOf(env, p)
	case testEdge:
		return t.edge(env, p)
	}
	list, exact, err = t.compare(env, p, t.value)
	return list, exact && !t.loose, err
}

// evalAll is the AND of tests.
func evalAll(env *expr.Env, tests []*test, p *keyColumn) (list []interval, exact bool, err error) {
	exact = true
	for i, t := range tests {
		ivs, ok, err := t.eval(env, p)
		if err != nil {
			return nil, false, err
		}
		if i > 0 {
			ivs = intersect(list, ivs)
		}
		list, exact = ivs, exact && ok
	}
	return list, exact || len(list) == 0, nil
}

// edge is the codes of a <= x without those of a < y: the code of one value, if x and y are equal.
func (t *test) edge(env *expr.Env, p *keyColumn) (list []interval, exact bool, err error) {
	with, exact, err := t.kids[0].eval(env, p)
	if err != nil {
		return nil, false, err
	}
	below, _, err := t.kids[1].eval(env, p)
	if err != nil {
		return nil, false, err
	}
	list = without(with, below)
	if len(list) != 1 {
		return list, exact, nil
	}
	equal, single, err := (&test{op: testEq}).compare(env, p, t.kids[0].value)
	if err == nil && len(equal) == 1 && equal[0].lo == list[0].lo && equal[0].hi == list[0].hi {
		return equal, exact && single, nil
	}
	return list, exact, err
}

func (t *test) compare(env *expr.Env, p *keyColumn, f expr.Func) (list []interval, exact bool, err error) {
	v, err := f(env)
	if err != nil {
		return nil, false, err
	}
	if v.IsNull() {
		if t.nullSafe {
			list, err = p.null()
		}
		return list, true, err
	}
	if err := p.warn(env, v); err != nil {
		return nil, false, err
	}
	lo, hi, at := locate(&p.column.Type, v)
	iv, err := p.notNull()
	if err != nil {
		return nil, false, err
	}
	equals := t.isEqual()
	switch at {
	case placeNowhere:
		return []interval{iv}, false, nil
	case placeAlone, placeNone:
		switch {
		case !equals:
			return []interval{iv}, false, nil
		case at == placeNone:
			return nil, true, nil
		}
	case placeBelow, placeTop:
		if equals || t.isUp() == (at == placeTop) {
			return nil, true, nil
		}
		return []interval{iv}, true, nil
	case placeAmong:
		list, err = t.among(p, iv, lo, hi)
		return list, false, err
	}
	if equals {
		if at == placeAbove {
			return nil, true, nil
		}
		code, err := p.code(lo)
		if errors.Is(err, schema.ErrNotOfForm) {
			return []interval{iv}, false, nil
		}
		// The code of a prefix is the same for longer values.
		return []interval{p.point(code, lo)}, p.Code.Prefix == 0, err
	}
	return t.ordered(p, iv, lo, at)
}

// ordered gives what of iv may satisfy t, which is not an equality. lo is t's value, or the column's value below it (placeAbove).
func (t *test) ordered(p *keyColumn, iv interval, lo value.Value, at place) (list []interval, exact bool, err error) {
	b, tied, err := p.bounds(lo)
	switch {
	case errors.Is(err, schema.ErrNotOfForm):
		return []interval{iv}, false, nil
	case err != nil:
		return nil, false, err
	}
	// Values that tie with v in the key may be above it or below it. If v lies between two values of the column, lo is the lower
	// one.
	with := tied || t.op == testLe || t.op == testGe
	if at == placeAbove {
		with = tied || !t.isUp()
	}
	if t.isUp() {
		iv = p.from(iv, b, with)
	} else {
		iv = p.to(iv, b, with)
	}
	return nonEmpty(iv), !tied, nil
}

// isUp says whether the values that satisfy t have a lower bound.
func (t *test) isUp() bool { return t.op == testGt || t.op == testGe }

func (t *test) isEqual() bool { return t.op == testEq || t.op == testIn }

// among gives what of iv may satisfy t if its value may be any of the column's from lo to hi.
func (t *test) among(p *keyColumn, iv interval, lo, hi value.Value) ([]interval, error) {
	below, _, err := p.bounds(lo)
	if err != nil {
		return nil, err
	}
	above, _, err := p.bounds(hi)
	if err != nil {
		return nil, err
	}
	switch {
	case t.isEqual():
		iv = p.from(p.to(iv, above, true), below, true)
	case t.isUp():
		iv = p.from(iv, below, true)
	default:
		iv = p.to(iv, above, true)
	}
	return nonEmpty(iv), nil
}

func (t *test) like(env *expr.Env, p *keyColumn) (list []interval, exact bool, err error) {
	v, err := t.value(env)
	if err != nil || v.IsNull() {
		return nil, true, err
	}
	prefix, rest := keymap.LikePrefix(value.Text(v), t.escape)
	_, _, at := locate(&p.column.Type, value.FromString(prefix))
	iv, err := p.notNull()
	if err != nil || at != placeAt {
		return []interval{iv}, false, err
	}
	if rest == keymap.Exact {
		code, err := p.code(value.FromString(prefix))
		plain := p.column.Type.Collation.ByCharacter() && !p.column.Type.Collation.Pads() // others equal what LIKE tells apart
		return []interval{p.point(code, value.FromString(prefix))}, plain && p.Code.Prefix == 0 && !t.loose, err
	}
	tight := true
	if prefix != "" {
		var span keymap.Span
		span, tight = p.Begun(prefix)
		iv.lo = max(iv.lo, span.From)
		if span.To != "" {
			iv.hi = min(iv.hi, span.To)
		}
	}
	return nonEmpty(iv), tight && rest == keymap.PrefixOnly && !t.loose, nil
}

func nonEmpty(iv interval) []interval {
	if iv.lo >= iv.hi {
		return nil
	}
	return []interval{iv}
}

func (p *keyColumn) code(v value.Value) (string, error) {
	var buf [64]byte
	code, err := p.Append(buf[:0], v)
	if err != nil {
		return "", &schema.KeyError{Column: p.column.Name, Cause: err}
	}
	return string(code), nil
}

// point is the interval of the code of v.
func (p *keyColumn) point(code string, v value.Value) interval {
	return interval{lo: code, hi: p.Behind(code), point: true, v: v}
}

// null is the interval of NULL. A key of another program has none, as none of its segments is ever left out.
func (p *keyColumn) null() ([]interval, error) {
	if p.Form != schema.FormCode {
		return nil, nil
	}
	code, err := p.code(value.NullValue)
	return []interval{p.point(code, value.NullValue)}, err
}

// notNull is the interval of all codes but NULL's.
func (p *keyColumn) notNull() (iv interval, err error) {
	iv.hi = schema.Top
	switch {
	case p.column.NotNull || p.Form != schema.FormCode:
	case p.Code.Desc:
		iv.hi, err = p.code(value.NullValue)
	default:
		iv.lo = p.Behind("") // NULL's code is empty, and what follows it begins with the separator
	}
	return iv, err
}

// reach gives the range of keys that have a text of the interval in the column's place. If other segments follow, a bound that ends
// with a text must include all keys that begin with it. Bounds of codes do so already.
func (p *keyColumn) reach(iv interval) (in interval, exact bool) {
	width := p.Width()
	switch {
	case p.Form == schema.FormCode || p.Last():
	case width > 0:
		if len(iv.lo) > width {
			iv.lo, _ = schema.Successor(iv.lo[:width])
		}
		if iv.hi != schema.Top && len(iv.hi) > width {
			iv.hi, _ = schema.Successor(iv.hi[:width])
		}
	default:
		iv.hi = aboveContinued(iv.lo, iv.hi)
		return iv, false
	}
	return iv, true
}

// aboveContinued is above every text that begins with a text t, lo ≤ t < hi.
func aboveContinued(lo, hi string) string {
	if hi == schema.Top {
		return hi
	}
	for i := range hi {
		if q := hi[:i]; q >= lo {
			to, _ := schema.Successor(q)
			return cmp.Or(to, schema.Top)
		}
	}
	return hi
}

// bounds gives the interval of v's code, and of the values that tie with it: those that the key does not sort below or above v.
// tied: there may be such values.
func (p *keyColumn) bounds(v value.Value) (b interval, tied bool, err error) {
	code, err := p.code(v)
	if err != nil {
		return b, false, err
	}
	span, tied := p.Around(code)
	return spanInterval(span), tied, nil
}

// from cuts off what is below the value of b in the column's order. It keeps that value itself if with is true.
func (p *keyColumn) from(iv interval, b interval, with bool) interval {
	return b.cut(iv, !p.Code.Desc, with)
}

// to cuts off what is above the value of b. It keeps that value itself if with is true.
func (p *keyColumn) to(iv interval, b interval, with bool) interval {
	return b.cut(iv, p.Code.Desc, with)
}

// cut keeps the codes of iv above b, or those below it. It keeps those of b itself if with is true.
func (b interval) cut(iv interval, above, with bool) interval {
	switch {
	case above && with:
		iv.lo = max(iv.lo, b.lo)
	case above:
		iv.lo = max(iv.lo, b.hi)
	case with:
		iv.hi = min(iv.hi, b.hi)
	default:
		iv.hi = min(iv.hi, b.lo)
	}
	return iv
}

// warn warns of a text that is compared with a column of numbers. If the key implies the condition, nothing else compares them and would warn.
func (p *keyColumn) warn(env *expr.Env, v value.Value) error {
	if t := p.column.Type.Base; value.TypeBool <= t && t <= value.TypeDecimal || t == value.TypeYear {
		return env.Number(v)
	}
	return nil
}
