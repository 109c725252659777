package azure

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// page is one answer to a query: its entities, and where the next one begins.
type page struct {
	entities []engine.Entity
	values   []engine.Value // where the entities' values lie; the last block where there are several
	next     token
}

// token says where a query goes on. The service's texts are opaque; either may be empty.
type token struct{ partition, row string }

func (t token) end() bool { return t.partition == "" && t.row == "" }

// reset makes the page ready to be filled again, with the storage it has.
func (p *page) reset() {
	p.entities = p.entities[:0]
	p.values = p.values[:0]
	p.next = token{}
}

// decoder makes entities of JSON in one pass. It is not safe for concurrent use.
//
// Entities of one answer are as good as always alike, so what the last one looked like is the guess for
// the next: a property is found by one comparison of its name, and the names are shared.
type decoder struct {
	want  []string // properties wanted, to which values are aligned; nil: all
	give  []string // with want: the names that entities get
	texts arena

	// With want: the slot of the n-th property on the wire, as it was last.
	slots []int
	// Without: the names of the last entity, all lists of names seen, and of the entity under way.
	names  []string
	shapes [][]string
	fresh  []string
}

func newDecoder(want, give []string) decoder {
	return decoder{want: want, give: give, slots: make([]int, 0, len(want))}
}

// maxShapes bounds how many lists of names are kept to be shared.
const maxShapes = 32

// page decodes the answer to a query.
func (d *decoder) page(data []byte, p *page) error {
	s := scanner{data: data}
	if !s.eat('{') {
		return errJSON
	}
	found := false
	for more := !s.eat('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		if string(key) == "value" {
			found = true
			p.entities = p.entities[:0]
			err = d.list(&s, p)
		} else {
			err = s.skip(0)
		}
		if err != nil {
			return err
		}
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	if !found || s.peek() != 0 || s.pos != len(s.data) {
		return errJSON
	}
	return nil
}

func (d *decoder) list(s *scanner, p *page) error {
	if !s.eat('[') {
		return errJSON
	}
	for more := !s.eat(']'); more; {
		if len(p.entities) < cap(p.entities) {
			p.entities = p.entities[:len(p.entities)+1]
		} else {
			p.entities = append(p.entities, engine.Entity{})
		}
		err := d.entity(s, p, &p.entities[len(p.entities)-1])
		if err != nil {
			return err
		}
		if more, err = s.more(']'); err != nil {
			return err
		}
	}
	return nil
}

// single decodes the answer to a point read.
func (d *decoder) single(data []byte, e *engine.Entity) error {
	s := scanner{data: data}
	var p page
	if err := d.entity(&s, &p, e); err != nil {
		return err
	}
	if s.peek() != 0 || s.pos != len(s.data) {
		return errJSON
	}
	return nil
}

// errOrder says that a type did not stand right before its property.
var errOrder = errors.New("type annotation apart from its property")

// entity decodes one entity. Types stand before their properties in all answers that were ever seen; JSON
// does not promise it, and where they do not, all types are gathered first.
func (d *decoder) entity(s *scanner, p *page, e *engine.Entity) error {
	start := s.pos
	err := d.members(s, p, e, nil)
	if err == errOrder {
		s.pos = start
		var types map[string]engine.Edm
		if types, err = gatherTypes(s); err != nil {
			return err
		}
		s.pos = start
		err = d.members(s, p, e, types)
	}
	return err
}

// members decodes the members of an entity, with the types given or, when there are none, those that
// stand before the properties.
func (d *decoder) members(s *scanner, p *page, e *engine.Entity, types map[string]engine.Edm) error {
	if !s.eat('{') {
		return errJSON
	}
	*e = engine.Entity{}
	b := builder{d: d, p: p}
	b.begin()
	var typed []byte // the property that the type before it was for
	var typ engine.Edm
	for more := !s.eat('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		switch {
		case bytes.IndexByte(key, '@') >= 0:
			name, ok := bytes.CutSuffix(key, []byte("@odata.type"))
			if !ok || types != nil {
				err = s.skip(0)
				break
			}
			if typed != nil {
				return errOrder
			}
			typed = name
			typ, err = readType(s)
		case bytes.HasPrefix(key, []byte("odata.")):
			if string(key) == "odata.etag" {
				e.ETag, err = d.string(s)
			} else {
				err = s.skip(0)
			}
		default:
			t := engine.Absent
			if typed != nil {
				if !bytes.Equal(typed, key) {
					return errOrder
				}
				t, typed = typ, nil
			} else if types != nil {
				t = types[string(key)]
			}
			err = d.member(s, &b, e, key, t)
		}
		if err != nil {
			return err
		}
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	if typed != nil {
		return errOrder
	}
	b.end(e)
	return nil
}

// member decodes one property, or a part of the key.
func (d *decoder) member(s *scanner, b *builder, e *engine.Entity, name []byte, t engine.Edm) (err error) {
	switch string(name) {
	case "PartitionKey":
		e.PartitionKey, err = d.string(s)
		return err
	case "RowKey":
		e.RowKey, err = d.string(s)
		return err
	case "Timestamp":
		v, err := d.value(s, engine.DateTime)
		e.Timestamp = int64(v.N)
		return err
	}
	slot := b.slot(name)
	if slot == nil {
		return s.skip(0)
	}
	*slot, err = d.value(s, t)
	return err
}

func readType(s *scanner) (engine.Edm, error) {
	raw, _, err := s.text()
	if err != nil {
		return engine.Absent, err
	}
	t := edmType(raw)
	if t == engine.Absent {
		return t, errors.New("unknown type " + strconv.QuoteToASCII(string(raw)))
	}
	return t, nil
}

// gatherTypes reads the types of an entity's properties.
func gatherTypes(s *scanner) (map[string]engine.Edm, error) {
	types := map[string]engine.Edm{}
	s.eat('{')
	for more := !s.eat('}'); more; {
		key, err := s.key()
		if err != nil {
			return nil, err
		}
		if name, ok := bytes.CutSuffix(key, []byte("@odata.type")); ok {
			types[string(name)], err = readType(s)
		} else {
			err = s.skip(0)
		}
		if err != nil {
			return nil, err
		}
		if more, err = s.more('}'); err != nil {
			return nil, err
		}
	}
	return types, nil
}

// string decodes a text; null is the empty one.
func (d *decoder) string(s *scanner) (string, error) {
	v, err := d.value(s, engine.String)
	return v.S, err
}

var errType = errors.New("a value that is not of the type that is said")

// value decodes a value of type t, or of the type that its form says where t is Absent: a number without
// point and exponent is Int32, another one Double. Int64 always says its type, so what is too large for
// Int32 is a Double whose writer left the point out. null is Absent.
func (d *decoder) value(s *scanner, t engine.Edm) (engine.Value, error) {
	switch c := s.peek(); c {
	case '"':
		raw, plain, err := s.text()
		if err != nil {
			return engine.Value{}, err
		}
		if t == engine.String || t == engine.Absent {
			return d.stringValue(raw, plain)
		}
		if !plain {
			if raw, err = appendText(nil, raw); err != nil {
				return engine.Value{}, err
			}
		}
		return d.typedText(raw, t)
	case 't', 'f':
		word, n := "true", uint64(1)
		if c == 'f' {
			word, n = "false", 0
		}
		if err := s.literal(word); err != nil {
			return engine.Value{}, err
		}
		if t != engine.Boolean && t != engine.Absent {
			return engine.Value{}, errType
		}
		return engine.Value{Type: engine.Boolean, N: n}, nil
	case 'n':
		return engine.Value{}, s.literal("null")
	case '{', '[':
		return engine.Value{}, errType
	}
	raw, whole, err := s.number()
	if err != nil {
		return engine.Value{}, err
	}
	if t == engine.Absent {
		if whole {
			if n, err := strconv.ParseInt(string(raw), 10, 32); err == nil {
				return engine.Value{Type: engine.Int32, N: uint64(n)}, nil
			}
		}
		t = engine.Double
	}
	if t != engine.Int32 && t != engine.Int64 && t != engine.Double {
		return engine.Value{}, errType
	}
	return d.typedText(raw, t)
}

func (d *decoder) stringValue(raw []byte, plain bool) (v engine.Value, err error) {
	v.Type = engine.String
	if plain {
		v.S = d.texts.text(raw)
		return v, nil
	}
	v.S, err = d.texts.unescaped(raw)
	return v, err
}

// typedText decodes the text of a value of a type that is not String.
func (d *decoder) typedText(raw []byte, t engine.Edm) (engine.Value, error) {
	v := engine.Value{Type: t}
	ok := true
	switch t {
	case engine.Int32, engine.Int64:
		bits := 64
		if t == engine.Int32 {
			bits = 32
		}
		n, err := strconv.ParseInt(string(raw), 10, bits)
		v.N, ok = uint64(n), err == nil
	case engine.Double:
		var f float64
		f, ok = parseDouble(raw)
		v.N = math.Float64bits(f)
	case engine.Boolean:
		if string(raw) == "true" {
			v.N = 1
		}
		ok = v.N == 1 || string(raw) == "false"
	case engine.DateTime:
		var ticks int64
		ticks, ok = parseDateTime(raw)
		v.N = uint64(ticks)
	case engine.Guid:
		if string(raw) == negativeZero {
			return engine.Value{Type: engine.Double, N: 1 << 63}, nil
		}
		v.S = strings.ToLower(d.texts.text(raw))
		ok = len(raw) == len(negativeZero)
	case engine.Binary:
		var err error
		v.S, err = d.texts.base64(raw)
		ok = err == nil
	}
	if !ok {
		return engine.Value{}, errType
	}
	return v, nil
}

// builder puts together the values of one entity.
type builder struct {
	d     *decoder
	p     *page
	start int // of the entity's values
	n     int // properties so far
	own   bool
}

// begin makes room for an entity.
func (b *builder) begin() {
	if b.d.want == nil {
		b.start = len(b.p.values)
		return
	}
	b.start = b.p.grow(len(b.p.values), len(b.d.want))
}

// grow adds n absent values for the entity whose values begin at start, and gives where they begin now: in
// a new block, if need be. Entities that are done keep the block they lie in.
func (p *page) grow(start, n int) int {
	have := len(p.values) - start
	if cap(p.values)-len(p.values) < n {
		block := make([]engine.Value, have, max(2*cap(p.values), 8*(have+n)))
		copy(block, p.values[start:])
		p.values, start = block, 0
	}
	p.values = p.values[:len(p.values)+n]
	clear(p.values[len(p.values)-n:])
	return start
}

// slot gives where the value of a property goes; nil: nowhere.
func (b *builder) slot(name []byte) *engine.Value {
	d := b.d
	n := b.n
	b.n++
	if d.want != nil {
		if n < len(d.slots) {
			if i := d.slots[n]; i >= 0 && d.want[i] == string(name) {
				return &b.p.values[b.start+i]
			}
		} else {
			d.slots = append(d.slots, -1)
		}
		for i, want := range d.want {
			if want == string(name) {
				d.slots[n] = i
				return &b.p.values[b.start+i]
			}
		}
		return nil
	}
	if !b.own && n < len(d.names) && d.names[n] == string(name) {
		b.start = b.p.grow(b.start, 1)
		return &b.p.values[len(b.p.values)-1]
	}
	if !b.own {
		b.own = true
		d.fresh = append(d.fresh[:0], d.names[:n]...)
	}
	for i := range d.fresh {
		if d.fresh[i] == string(name) { // twice in one object: the last one counts
			b.n--
			return &b.p.values[b.start+i]
		}
	}
	d.fresh = append(d.fresh, d.intern(name))
	b.start = b.p.grow(b.start, 1)
	return &b.p.values[len(b.p.values)-1]
}

// intern gives a name as a text, the one of an earlier entity if there is one.
func (d *decoder) intern(name []byte) string {
	for _, shape := range d.shapes {
		for _, known := range shape {
			if known == string(name) {
				return known
			}
		}
	}
	return string(name)
}

// end gives the entity its names and values.
func (b *builder) end(e *engine.Entity) {
	d := b.d
	values := b.p.values[b.start:len(b.p.values):len(b.p.values)]
	if d.want != nil {
		e.Names, e.Values = d.give, values
		return
	}
	if b.own || b.n < len(d.names) {
		if !b.own {
			d.fresh = append(d.fresh[:0], d.names[:b.n]...)
		}
		d.names = d.shape(d.fresh)
	}
	e.Names, e.Values = d.names, values
}

// shape gives a list of names that stays, shared with other entities of the same.
func (d *decoder) shape(names []string) []string {
	for _, shape := range d.shapes {
		if slices.Equal(shape, names) {
			return shape
		}
	}
	shape := slices.Clone(names)
	if len(d.shapes) < maxShapes {
		d.shapes = append(d.shapes, shape)
	}
	return shape
}
