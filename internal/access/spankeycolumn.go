package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// keyColumn is one column of a key as conditions are turned into spans of it.
type keyColumn struct {
	ordinal int
	column  *schema.Column
	part    keymap.Part
	raw     *schema.Segment // of a foreign key; nil: codes of keymap
	final   bool            // raw: no other piece follows
}

// testOp is what a test does.
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
)

// test is a condition on one column whose other side is known before the table is read: it becomes a set
// of intervals of the column's codes.
type test struct {
	op     testOp
	value  expr.Func   // comparisons, LIKE
	list   []expr.Func // IN
	kids   []*test     // AND, OR
	escape rune
	// function is YEAR or TO_DAYS, and compared how its result is compared, of a testFunction.
	function string
	compared testOp
	// nullSafe: NULL equals NULL.
	nullSafe bool
	// loose: a comparison by octets on a column whose keys are folded. The keys are a superset.
	loose bool
}

// IsPoint says whether the test holds for single values only, whatever the arguments: then the key's
// next part can be used as well.
func (t *test) IsPoint() bool {
	switch t.op {
	case testEq, testNull, testIn:
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

// isSingle says whether the test holds for one value at most.
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

// eval gives the intervals of the part's codes whose values may satisfy t, sorted and disjoint. Exact:
// all of them do.
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
		if p.raw != nil {
			return nil, true, nil // a key has all of its pieces
		}
		null, err := p.nullCode()
		if err != nil {
			return nil, false, err
		}
		return []interval{pointInterval(null, value.NullValue)}, true, nil
	case testNotNull:
		iv, err := p.notNull()
		return []interval{iv}, true, err
	case testLike:
		return t.like(env, p)
	case testFunction:
		return t.functionOf(env, p)
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

func (t *test) compare(env *expr.Env, p *keyColumn, f expr.Func) (list []interval, exact bool, err error) {
	v, err := f(env)
	if err != nil {
		return nil, false, err
	}
	if v.IsNull() {
		if !t.nullSafe || p.raw != nil {
			return nil, true, nil
		}
		null, err := p.nullCode()
		return []interval{pointInterval(null, v)}, true, err
	}
	if err := p.warn(env, v); err != nil {
		return nil, false, err
	}
	lo, hi, at := locate(&p.column.Type, v)
	iv, err := p.notNull()
	if err != nil {
		return nil, false, err
	}
	up, equals := t.op == testGt || t.op == testGe, t.op == testEq || t.op == testIn
	if p.raw != nil && at <= placeAbove {
		if _, ok := p.rawCode(lo); !ok {
			return []interval{iv}, false, nil
		}
	}
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
		if equals || up == (at == placeTop) {
			return nil, true, nil
		}
		return []interval{iv}, true, nil
	case placeAmong:
		below, _, err := p.bounds(lo)
		if err != nil {
			return nil, false, err
		}
		above, _, err := p.bounds(hi)
		if err != nil {
			return nil, false, err
		}
		switch {
		case equals:
			iv = p.from(p.to(iv, above, true), below, true)
		case up:
			iv = p.from(iv, below, true)
		default:
			iv = p.to(iv, above, true)
		}
		return nonEmpty(iv), false, nil
	}
	switch t.op {
	case testEq, testIn:
		if at == placeAbove {
			return nil, true, nil
		}
		code, err := p.code(lo)
		// A prefix cannot tell the value from a longer one.
		return []interval{p.point(code, lo)}, p.part.Prefix == 0, err
	}
	b, tied, err := p.bounds(lo)
	if err != nil {
		return nil, false, err
	}
	// Values that tie with v in the key may lie on either side of it. What lies between two values of the
	// column has the lower one on its low side.
	with := tied || t.op == testLe || t.op == testGe
	if at == placeAbove {
		with = tied || !up
	}
	if up {
		iv = p.from(iv, b, with)
	} else {
		iv = p.to(iv, b, with)
	}
	return nonEmpty(iv), !tied, nil
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
		return []interval{p.point(code, value.FromString(prefix))}, plain && p.part.Prefix == 0 && !t.loose, err
	}
	tight := true
	if prefix != "" {
		var span keymap.Span
		if p.raw == nil {
			var code []byte
			code, tight = keymap.AppendTextPrefix(nil, prefix, p.part)
			span = keymap.PrefixSpan(string(code))
		} else {
			span.From = prefix
			span.To, tight = schema.Successor(prefix)
		}
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
	if p.raw != nil {
		code, ok := p.rawCode(v)
		if !ok {
			return "", &schema.KeyError{Column: p.column.Name, Cause: schema.ErrNotOfForm}
		}
		return code, nil
	}
	var buf [64]byte
	code, _, err := keymap.AppendValue(buf[:0], v, p.part)
	if err != nil {
		return "", &schema.KeyError{Column: p.column.Name, Cause: err}
	}
	return string(code), nil
}

// point is the interval of the code of v.
func (p *keyColumn) point(code string, v value.Value) interval {
	iv := pointInterval(code, v)
	if p.raw != nil {
		iv.hi = code + " " // what no store takes is below the blank, so nothing lies between
	}
	return iv
}

func (p *keyColumn) nullCode() (string, error) { return p.code(value.NullValue) }

// notNull is the interval of all codes but NULL's.
func (p *keyColumn) notNull() (interval, error) {
	if p.raw != nil {
		return interval{hi: rawTop}, nil
	}
	iv := interval{lo: "", hi: schema.Top}
	if p.column.NotNull {
		return iv, nil
	}
	if !p.part.Desc {
		iv.lo = schema.Behind // NULL's code is empty, and what follows it begins with the separator
		return iv, nil
	}
	null, err := p.nullCode()
	iv.hi = null
	return iv, err
}

// codeBounds are where the keys of a value begin and end.
type codeBounds struct{ lo, hi string }

// bounds gives where the keys of v, and of all values that the key cannot tell from it in order, begin
// and end. Tied says that there may be others than v: the code is cut, or that of a prefix.
func (p *keyColumn) bounds(v value.Value) (b codeBounds, tied bool, err error) {
	code, err := p.code(v)
	if err != nil {
		return b, false, err
	}
	if p.raw != nil {
		b, tied = p.rawBounds(code)
		return b, tied, nil
	}
	if stem := keymap.Stem(code); len(stem) < len(code) {
		span := keymap.PrefixSpan(stem)
		return codeBounds{span.From, span.To}, true, nil
	}
	return codeBounds{code, code + schema.Behind}, p.part.Prefix > 0, nil
}

// from leaves of iv what is not below the value of b in the column's order, with that value or without.
func (p *keyColumn) from(iv interval, b codeBounds, with bool) interval {
	return b.cut(iv, !p.part.Desc, with)
}

// to leaves of iv what is not above the value of b, with that value or without.
func (p *keyColumn) to(iv interval, b codeBounds, with bool) interval {
	return b.cut(iv, p.part.Desc, with)
}

// cut leaves of iv the codes above b, or those below, with b's own or without.
func (b codeBounds) cut(iv interval, above, with bool) interval {
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

// warn warns of a text that is compared with a column of numbers. Where the key stands for the condition nobody else
// compares them.
func (p *keyColumn) warn(env *expr.Env, v value.Value) error {
	if t := p.column.Type.Base; value.TypeBool <= t && t <= value.TypeDecimal || t == value.TypeYear {
		return env.Number(v)
	}
	return nil
}
