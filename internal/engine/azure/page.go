package azure

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// page is one answer to a query: its entities, and where the next one begins.
type page struct {
	entities []engine.Entity
	values   []engine.Value // where the entities' values lie; the last block if there are several
	next     token
}

// token says where a query continues. The service's texts are opaque; either may be empty.
type token struct{ partition, row string }

func (t token) end() bool { return t.partition == "" && t.row == "" }

// reset makes the page ready to be filled again, reusing its storage.
func (p *page) reset() {
	p.entities = p.entities[:0]
	p.values = p.values[:0]
	p.next = token{}
}

// decoder decodes entities from JSON in one pass. It is not safe for concurrent use.
//
// Entities of one answer are almost always alike, so the last one is the guess for the next: a property is found by one comparison of its name,
// and the names are shared.
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

// errOrder says that a type did not come right before its property.
var errOrder = errors.New("type annotation apart from its property")

// entity decodes one entity. In all answers seen so far, types come right before their properties; JSON does not promise that, so if they do
// not, all types are gathered first.
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

// members decodes the members of an entity, with the given types or, if there are none, those that come before the properties.
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
