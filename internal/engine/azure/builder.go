package azure

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

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

// grow adds n absent values for the entity whose values begin at start, and gives where they begin now: in a new block, if need be. Completed
// entities keep the block they lie in.
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

// slot gives the place for the value of a property; nil: none.
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

// intern gives a name as a text, an earlier entity's if there is one.
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

// shape gives a lasting list of names, shared by entities with the same names.
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
