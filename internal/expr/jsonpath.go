package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// jsonLeg is one step of a path.
type jsonLeg struct {
	kind     legKind
	key      string
	from, to cell // legCell: from
}

// cell is a position in an array; if last is set, counted from the end, where 0 is the last element.
type cell struct {
	n    int
	last bool
}

type legKind uint8

const (
	legKey     legKind = iota // .key
	legCell                   // [n], [last], [last-n]
	legRange                  // [n to last-n]
	legAnyKey                 // .*
	legAnyCell                // [*]
	legDeep                   // **: this element and all below
)

// jsonPath is a path such as $.items[0].name.
type jsonPath []jsonLeg

// maxDeepLegs bounds the ** of one path, each of which may reach all of the document.
const maxDeepLegs = 8

// wild says whether the path may lead to several elements.
func (p jsonPath) wild() bool {
	return slices.ContainsFunc(p, func(l jsonLeg) bool { return l.kind >= legRange })
}

// pathOf reads argument i as a path; if single is set, as one that leads to one element.
func pathOf(args []value.Value, i int, single bool) (jsonPath, error) {
	p, err := parsePath(value.Text(args[i]))
	if err == nil && single && p.wild() {
		return nil, errWildPath
	}
	return p, err
}

// pathReader reads MySQL's syntax of paths.
type pathReader struct {
	s   string
	pos int
}

func parsePath(s string) (jsonPath, error) {
	r := &pathReader{s: s}
	if r.blanks(); r.peek() != '$' {
		return nil, r.bad(r.pos + 1)
	}
	r.pos++
	var p jsonPath
	deep := 0
	for {
		if r.blanks(); r.pos == len(s) {
			if len(p) > 0 && p[len(p)-1].kind == legDeep {
				return nil, r.bad(r.pos)
			}
			return p, nil
		}
		start := r.pos
		leg, ok := r.leg()
		if !ok {
			return nil, r.bad(max(start, r.pos))
		}
		if leg.kind == legDeep {
			if deep++; deep > maxDeepLegs {
				return nil, &ArgumentError{"JSON path", fmt.Sprintf("it has more than %d **", maxDeepLegs)}
			}
		}
		p = append(p, leg)
	}
}

func (r *pathReader) bad(pos int) error {
	return sqlerr.New(sqlerr.CodeJSONPath, sqlerr.NoPos, "Invalid JSON path expression. The error is around character position %d.", pos)
}

// peek is the next octet, 0 at the end.
func (r *pathReader) peek() byte {
	if r.pos < len(r.s) {
		return r.s[r.pos]
	}
	return 0
}

// blanks skips blanks and says whether there were any.
func (r *pathReader) blanks() bool {
	start := r.pos
	for r.pos < len(r.s) && strings.IndexByte(" \t\n\r", r.s[r.pos]) >= 0 {
		r.pos++
	}
	return r.pos > start
}

func (r *pathReader) word(w string) bool {
	if !strings.HasPrefix(r.s[r.pos:], w) {
		return false
	}
	r.pos += len(w)
	return true
}

func (r *pathReader) leg() (jsonLeg, bool) {
	switch {
	case r.word("**"):
		return jsonLeg{kind: legDeep}, r.peek() != '*'
	case r.word("."):
		r.blanks()
		if r.word("*") {
			return jsonLeg{kind: legAnyKey}, true
		}
		key, ok := r.key()
		return jsonLeg{key: key}, ok
	case r.word("["):
		r.blanks()
		leg, ok := jsonLeg{kind: legAnyCell}, true
		if !r.word("*") {
			leg, ok = r.cells()
		}
		r.blanks()
		return leg, ok && r.word("]")
	}
	return jsonLeg{}, false
}

func (r *pathReader) key() (string, bool) {
	rest := r.s[r.pos:]
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, ".[* \t\n\r")
		if end < 0 {
			end = len(rest)
		}
		r.pos += end
		return rest[:end], isIdentifier(rest[:end])
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			d, err := value.ParseJSON(rest[:i+1])
			r.pos += i + 1
			return d.Scalar.Text(), err == nil
		}
	}
	return "", false
}

// isIdentifier says whether a key needs no quotes: it is an ECMAScript identifier.
func isIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || r == '_' || r == '$':
		case i > 0 && (unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc) || r == '\u200c' || r == '\u200d'):
		default:
			return false
		}
	}
	return s != ""
}

// cells reads n, last, last-n or a range of these.
func (r *pathReader) cells() (jsonLeg, bool) {
	leg := jsonLeg{kind: legCell}
	var ok bool
	if leg.from, ok = r.cell(); !ok || !r.blanks() || !r.word("to") {
		return leg, ok
	}
	leg.kind = legRange
	if !r.blanks() {
		return leg, false
	}
	if leg.to, ok = r.cell(); !ok {
		return leg, false
	}
	if leg.from.last == leg.to.last {
		return leg, leg.from.last == (leg.from.n > leg.to.n) || leg.from.n == leg.to.n
	}
	return leg, true
}

func (r *pathReader) cell() (cell, bool) {
	var c cell
	if r.word("last") {
		c.last = true
		before := r.pos
		if r.blanks(); !r.word("-") {
			r.pos = before
			return c, true
		}
		r.blanks()
	}
	digits := r.pos
	for '0' <= r.peek() && r.peek() <= '9' {
		r.pos++
	}
	n, err := strconv.ParseUint(r.s[digits:r.pos], 10, 32)
	c.n = int(n)
	return c, err == nil
}

// at is the position in an array of n elements; it may be before the first or after the last.
func (c cell) at(n int) int {
	if c.last {
		return n - 1 - c.n
	}
	return c.n
}

// cells is the positions that the leg means in an array of n elements: from included, to excluded.
func (l *jsonLeg) cells(n int) (from, to int) {
	switch l.kind {
	case legCell:
		from = l.from.at(n)
		to = from + 1
	case legRange:
		from, to = max(0, l.from.at(n)), min(n, l.to.at(n)+1)
	}
	if from < 0 || to > n || from >= to {
		return 0, 0
	}
	return from, to
}

// place is an element of a document and its path.
type place struct {
	d  *value.Document
	up *place // nil: the document itself
	at int    // its position in up
}

// text appends the path to the place.
func (p *place) text(dst []byte) []byte {
	if p.up == nil {
		return append(dst, '$')
	}
	dst = p.up.text(dst)
	if p.up.d.Array != nil {
		return append(strconv.AppendInt(append(dst, '['), int64(p.at), 10), ']')
	}
	key := p.up.d.Object.Keys[p.at]
	if isIdentifier(key) {
		return append(append(dst, '.'), key...)
	}
	return value.AppendJSONString(append(dst, '.'), key)
}

// lookup gives the elements that the path leads to, in the order of the document, each once.
func (p jsonPath) lookup(d *value.Document) []*place {
	found := []*place{{d: d}}
	deep := false
	for i := range p {
		next := finding{leg: &p[i]}
		if deep = deep || p[i].kind == legDeep; deep {
			next.seen = map[*value.Document]struct{}{}
		}
		for _, at := range found {
			next.follow(at)
		}
		found = next.found
	}
	return found
}

// finding is what one leg leads to.
type finding struct {
	leg   *jsonLeg
	found []*place
	seen  map[*value.Document]struct{} // nil where the leg leads nowhere twice
}

// add takes a place, and says whether it is a new one.
func (f *finding) add(p *place) bool {
	if f.seen != nil {
		if _, known := f.seen[p.d]; known {
			return false
		}
		f.seen[p.d] = struct{}{}
	}
	f.found = append(f.found, p)
	return true
}

// addItems takes the elements or members of a place from (included) to to (excluded).
func (f *finding) addItems(at *place, from, to int) {
	items := at.d.Items()
	for i := from; i < to; i++ {
		f.add(&place{&items[i], at, i})
	}
}

// follow adds what the leg leads to from a place.
func (f *finding) follow(at *place) {
	l, d := f.leg, at.d
	switch {
	case l.kind == legDeep:
		if !f.add(at) {
			return // then what is below it is not new either
		}
		items := d.Items()
		for i := range items {
			f.follow(&place{&items[i], at, i})
		}
	case l.kind == legKey && d.Object != nil:
		if i, ok := d.Object.Find(l.key); ok {
			f.addItems(at, i, i+1)
		}
	case l.kind == legAnyKey && d.Object != nil, l.kind == legAnyCell && d.Array != nil:
		f.addItems(at, 0, len(d.Items()))
	case l.kind != legCell && l.kind != legRange:
	case d.Array != nil:
		from, to := l.cells(len(d.Array.Items))
		f.addItems(at, from, to)
	default: // anything but an array counts as an array of one element
		if _, to := l.cells(1); to > 0 {
			f.add(at)
		}
	}
}

// change replaces what the path leads to, in place. f gets the old element, nil if only the last step of the path leads nowhere. It gives the
// new element; nil removes the old one.
func (p jsonPath) change(d *value.Document, f func(old *value.Document) *value.Document) {
	if len(p) == 0 {
		if e := f(d); e != nil {
			*d = *e
		}
		return
	}
	last := len(p) - 1
	parents := p[:last].lookup(d)
	if len(parents) == 0 {
		return
	}
	switch parent := parents[0].d; {
	case p[last].kind == legKey && parent.Object != nil:
		changeMember(parent.Object, p[last].key, f)
	case p[last].kind == legCell:
		changeCell(parent, p[last].from, f)
	}
}

func changeMember(o *value.JSONObject, key string, f func(old *value.Document) *value.Document) {
	old := o.Get(key)
	switch e := f(old); {
	case e != nil:
		o.Set(key, *e)
	case old != nil:
		o.Delete(key)
	}
}

func changeCell(d *value.Document, c cell, f func(old *value.Document) *value.Document) {
	array := d.Array
	if array == nil {
		array = &value.JSONArray{Items: []value.Document{*d}}
	}
	n := len(array.Items)
	i := c.at(n)
	if i < 0 || i >= n {
		if e := f(nil); e != nil {
			array.Items = slices.Insert(array.Items, max(0, min(i, n)), *e)
			d.Array, d.Object, d.Scalar = array, nil, value.NullValue
		}
		return
	}
	switch e := f(&array.Items[i]); {
	case e == nil && d.Array != nil:
		array.Items = slices.Delete(array.Items, i, i+1)
	case e == nil: // only an array has elements to remove
	case d.Array != nil:
		array.Items[i] = *e
	default:
		*d = *e
	}
}
