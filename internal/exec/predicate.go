package exec

import (
	"math"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// storePredicate is an access.Predicate with its values compiled. The values are known only at each execution,
// and they decide how much of the filter can be sent: what does not convert exactly to the stored form is left
// out, so that more comes back, never less.
type storePredicate struct {
	op       access.PredicateOp
	kids     []*storePredicate
	column   *schema.Column
	property string
	form     codec.Form
	long     bool
	absent   value.Value // of rows without the property, which the store leaves out; NULL: none that satisfies anything
	value    expr.Func
}

// compilePredicate compiles f for entities that hold the columns of c; nil if nothing of it can be sent.
func compilePredicate(f *access.Predicate, c *codec.Codec) *storePredicate {
	if f == nil {
		return nil
	}
	switch f.Op {
	case access.PredicateAnd, access.PredicateOr:
		out := &storePredicate{op: f.Op}
		for _, kid := range f.Kids {
			k := compilePredicate(kid, c)
			if k == nil && f.Op == access.PredicateOr {
				return nil
			}
			if k != nil {
				out.kids = append(out.kids, k)
			}
		}
		if len(out.kids) == 0 {
			return nil
		}
		return out
	}
	if col := c.Table.Columns[f.Column]; col.Source == schema.SourceTimestamp {
		return &storePredicate{op: f.Op, column: col, property: engine.Timestamp, form: codec.FormProperty, value: expr.CompileOperand(f.Value)}
	}
	for i, ordinal := range c.Columns {
		if ordinal == f.Column && c.Table.Columns[ordinal].Other() == nil { // else some rows hold it in another form
			return &storePredicate{op: f.Op, column: c.Table.Columns[ordinal], property: c.Names[i], form: c.Forms[i], long: c.Long[i], absent: c.Table.Columns[ordinal].Absent(), value: expr.CompileOperand(f.Value)}
		}
	}
	return nil
}

// filterRoom is how much may still be added to a filter.
type filterRoom struct{ comparisons, bytes int }

// filterRoomOf leaves room for the two comparisons of a range of row keys.
func filterRoomOf(l engine.Limits) filterRoom {
	return filterRoom{comparisons: l.FilterCompare - 2, bytes: l.FilterBytes - 2*(l.KeyUnits+bytesPerComparison)}
}

// bytesPerComparison is the size of a comparison in a filter's text apart from its property and constant:
// operator, quotes, parentheses, the " and " before the next.
const bytesPerComparison = 20

// take says whether a comparison fits, and takes its room if so.
func (r *filterRoom) take(property string, v engine.Value) bool {
	size := len(property) + bytesPerComparison + len(v.S)
	if v.Type != engine.String && v.Type != engine.Guid {
		size += bytesPerComparison // of a number's text
	}
	for i := 0; i < len(v.S); i++ {
		if c := v.S[i]; c == '\'' || c >= 0x80 {
			size += 2 // doubled, or escaped in a URL
		}
	}
	if r.comparisons < 1 || r.bytes < size {
		return false
	}
	r.comparisons--
	r.bytes -= size
	return true
}

// bind makes the filter to send; nil if nothing can be sent.
func (f *storePredicate) bind(env *expr.Env, room *filterRoom) (*engine.Filter, error) {
	if f == nil {
		return nil, nil
	}
	switch f.op {
	case access.PredicateAnd:
		return f.bindAnd(env, room)
	case access.PredicateOr:
		return f.bindOr(env, room)
	}
	v, err := f.value(env)
	if err != nil {
		return nil, err
	}
	op, stored, ok := f.constant(v)
	if !ok || !room.take(f.property, stored) {
		return nil, nil
	}
	return &engine.Filter{Op: op, Property: f.property, Value: stored}, nil
}

func (f *storePredicate) bindAnd(env *expr.Env, room *filterRoom) (*engine.Filter, error) {
	out := &engine.Filter{Op: engine.And}
	for _, kid := range f.kids {
		k, err := kid.bind(env, room)
		if err != nil {
			return nil, err
		}
		if k != nil {
			out.Kids = append(out.Kids, k)
		}
	}
	switch len(out.Kids) {
	case 0:
		return nil, nil
	case 1:
		return out.Kids[0], nil
	}
	return out, nil
}

func (f *storePredicate) bindOr(env *expr.Env, room *filterRoom) (*engine.Filter, error) {
	before := *room
	out := &engine.Filter{Op: engine.Or}
	for _, kid := range f.kids {
		k, err := kid.bind(env, room)
		if err != nil {
			return nil, err
		}
		if k == nil { // one branch that lets everything through makes the whole do so
			*room = before
			return nil, nil
		}
		out.Kids = append(out.Kids, k)
	}
	return out, nil
}

var filterOps = [...]engine.FilterOp{
	access.PredicateEq: engine.Eq, access.PredicateGt: engine.Gt, access.PredicateGe: engine.Ge,
	access.PredicateLt: engine.Lt, access.PredicateLe: engine.Le,
}

// constant gives a comparison of the stored form that lets through all that "column op v" does; not ok
// if there is none.
func (f *storePredicate) constant(v value.Value) (engine.FilterOp, engine.Value, bool) {
	none := engine.Value{}
	op, t := filterOps[f.op], &f.column.Type
	if v.IsNull() || !f.takes(v) {
		return 0, none, false
	}
	exact, err := t.Convert(v)
	if err != nil {
		return 0, none, false
	}
	by := value.Binary
	if f.form == codec.FormText {
		by = t.Collation
	}
	if c, err := value.Compare(exact, v, by); err != nil || c != 0 || !oneInteger(exact, v) {
		return 0, none, false
	}
	if !f.absent.IsNull() {
		if c, err := value.Compare(f.absent, exact, by); err != nil || predicateHolds(f.op, c) {
			return 0, none, false
		}
	}
	stored, ok := f.encode(exact)
	if ok && f.form == codec.FormText && t.Collation.Pads() {
		if stored.S, ok = blankBound(f.op, stored.S); op == engine.Le {
			op = engine.Lt
		}
	}
	if !ok {
		return 0, none, false
	}
	switch f.form {
	case codec.FormText, codec.FormJSON, codec.FormProperty:
		if len(stored.S) > codec.PropertyUnits && keymap.UTF16Len(stored.S) > codec.PropertyUnits {
			return 0, none, false
		}
		if op != engine.Eq && stored.Type == engine.String && schema.IsOdd(stored.S) {
			return 0, none, false
		}
		// The first property of a long value may be as long as the constant and equal to it.
		if op == engine.Gt && f.long {
			op = engine.Ge
		}
	case codec.FormDecimal, codec.FormMember:
		return op, stored, op == engine.Eq && (f.form == codec.FormMember || oneDecimal(exact, v))
	}
	switch stored.Type {
	case engine.Double:
		if exact.Float() == 0 {
			stored.N = 0 // not every store treats -0 as 0
		}
	case engine.Boolean, engine.Guid:
		return op, stored, op == engine.Eq
	}
	return op, stored, true
}

// takes says whether the store compares the stored form with values of v's kind as SQL does.
func (f *storePredicate) takes(v value.Value) bool {
	switch t := &f.column.Type; f.form {
	case codec.FormBinary:
		return false
	case codec.FormText:
		return v.Kind() == value.String && t.Collation.IsBinary()
	case codec.FormMember:
		return t.Collation == value.Binary
	case codec.FormProperty:
		edm := f.edm()
		return edm != engine.Binary && (edm != engine.String || t.IsFreeText() && v.Kind() == value.String)
	}
	return true
}

// encode gives the stored form of a value of the column's type.
func (f *storePredicate) encode(v value.Value) (engine.Value, bool) {
	if f.form == codec.FormProperty {
		return codec.ToEdm(v, f.edm())
	}
	return codec.Encode(f.form, v)
}

// edm is the type that an external table's definition gives the property.
func (f *storePredicate) edm() engine.Edm {
	if f.column.Source == schema.SourceTimestamp {
		return engine.DateTime
	}
	return codec.EdmOf(f.column.Edm)
}

// blankBound gives a bound for s followed by any number of blanks: all these texts are on the op side of it. Blanks move a
// text above another one only if that has a control character there.
func blankBound(op access.PredicateOp, s string) (bound string, ok bool) {
	s = strings.TrimRight(s, " ")
	below := op == access.PredicateLt || op == access.PredicateLe
	if below && strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
		return "", false
	}
	if op == access.PredicateLe {
		s += "!" // above any blanks
	}
	return s, true
}

// predicateHolds says whether op holds between two values that compare as c.
func predicateHolds(op access.PredicateOp, c int) bool {
	switch op {
	case access.PredicateEq:
		return c == 0
	case access.PredicateGt:
		return c > 0
	case access.PredicateGe:
		return c >= 0
	case access.PredicateLt:
		return c < 0
	}
	return c <= 0
}

// oneInteger says whether i is the only integer that equals v: a large float equals several.
func oneInteger(i, v value.Value) bool {
	const exact = 1 << 53
	return v.Kind() != value.Float || i.Kind() != value.Int && i.Kind() != value.Uint || math.Abs(v.Float()) < exact
}

// oneDecimal says whether d is the only value of its scale that equals v. A v that is not exact is compared as a float, which
// distinguishes decimals of up to 15 digits, but not all longer ones.
func oneDecimal(d, v value.Value) bool {
	const exact = 15
	switch v.Kind() {
	case value.Bool, value.Int, value.Uint, value.Decimal:
		return true
	}
	return len(strings.TrimLeft(strings.Replace(d.Text(), ".", "", 1), "-0")) <= exact
}
