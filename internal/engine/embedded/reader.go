package embedded

import (
	"bytes"
	"encoding/binary"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// recordReader reads records of one table, one after another: the properties in want, or all of them if want is nil. The texts in values lie in
// the record, its key or the reader, and are valid until the next read.
type recordReader struct {
	dict   *dictionary
	want   []string
	filter *engine.Filter // bound to names; may be nil

	version uint64
	ticks   int64
	names   []string // of values
	values  []engine.Value
	bound   engine.Bound
	owner   []byte // the key of the body that a reference named
	moments []byte // texts of values

	slots  []int32 // by a name's number: 0 not known yet, -1 not wanted, else 1 + index in want
	series []byte  // reading all: the names of the record, in a comparable form
	last   []byte  // the series that names and bound belong to
	seen   map[string]readerShape
}

type readerShape struct {
	names []string
	bound engine.Bound
}

func newRecordReader(d *dictionary, want []string, f *engine.Filter) *recordReader {
	r := &recordReader{dict: d, want: want, filter: f}
	if want != nil {
		r.names, r.bound = want, f.Bind(want)
		r.values = make([]engine.Value, len(want))
	}
	return r
}

// read reads the record of a key in a table. If only keys are wanted, a reference to another body gives no time.
func (r *recordReader) read(in tableIn, key, b []byte) error {
	h, err := readHead(key, b)
	if err != nil {
		return err
	}
	r.version, r.ticks = h.version, h.ticks
	if h.reference() {
		if r.want != nil && len(r.want) == 0 && r.filter == nil {
			return nil
		}
		if r.owner, err = h.appendOwner(r.owner[:0], key); err != nil {
			return err
		}
		if h, err = in.body(r.owner, h.version); err != nil {
			return err
		}
		key, r.ticks = r.owner, h.ticks
	}
	return r.readBody(&h, key)
}

// readBody reads the body of a key.
func (r *recordReader) readBody(h *recordHead, key []byte) (err error) {
	b := h.rest
	r.moments = r.moments[:0]
	if r.want == nil {
		return r.readAll(h, key)
	}
	clear(r.values)
	var skipped engine.Value
	p := property{long: h.long()}
	for missing := len(r.want); len(b) > 0 && missing > 0; {
		if p.next(b) {
			b = b[1:]
		} else if b, err = p.read(b); err != nil {
			return err
		}
		slot := r.slot(p.id)
		if slot == 0 {
			if slot, err = r.findSlot(p.id, p.name); err != nil {
				return err
			}
		}
		v := &skipped
		if slot > 0 {
			v = &r.values[slot-1]
			missing--
		}
		if b, err = r.readValue(b, key, p.tag, v); err != nil {
			return err
		}
	}
	return nil
}

// slot says where the name with a number is in want: 1 + index, -1 if it is not there, 0 if that is not known yet.
func (r *recordReader) slot(id uint64) int32 {
	if id >= uint64(len(r.slots)) {
		return 0
	}
	return r.slots[id]
}

// findSlot looks that up.
func (r *recordReader) findSlot(id uint64, name string) (int32, error) {
	if id == 0 {
		return r.slotOf(name), nil
	}
	names := *r.dict.names.Load()
	if id > uint64(len(names)) {
		return 0, errRecordName
	}
	if len(r.slots) <= len(names) {
		r.slots = append(r.slots, make([]int32, len(names)+1-len(r.slots))...)
	}
	r.slots[id] = r.slotOf(names[id-1])
	return r.slots[id], nil
}

func (r *recordReader) slotOf(name string) int32 {
	if slot, _ := engine.FindName(r.want, name, 0); slot >= 0 {
		return int32(slot + 1)
	}
	return -1
}

// readAll reads every property, and finds names and bound for the record's series of names.
func (r *recordReader) readAll(h *recordHead, key []byte) (err error) {
	r.values, r.series = r.values[:0], r.series[:0]
	p := property{long: h.long()}
	for b := h.rest; len(b) > 0; {
		if p.next(b) {
			b = b[1:]
		} else if b, err = p.read(b); err != nil {
			return err
		}
		if r.series = binary.AppendUvarint(r.series, p.id); p.id == 0 {
			r.series = appendText(r.series, p.name)
		}
		r.values = append(r.values, engine.Value{})
		if b, err = r.readValue(b, key, p.tag, &r.values[len(r.values)-1]); err != nil {
			return err
		}
	}
	if r.names != nil && bytes.Equal(r.series, r.last) {
		return nil
	}
	s, ok := r.seen[string(r.series)]
	if !ok {
		var err error
		if s.names, err = r.namesOf(r.series); err != nil {
			return err
		}
		s.bound = r.filter.Bind(s.names)
		if r.seen == nil {
			r.seen = map[string]readerShape{}
		}
		r.seen[string(r.series)] = s
	}
	r.names, r.bound = s.names, s.bound
	r.last = append(r.last[:0], r.series...)
	return nil
}

// namesOf makes the names of a series, which may be kept.
func (r *recordReader) namesOf(series []byte) ([]string, error) {
	known := *r.dict.names.Load()
	names := make([]string, 0, len(r.values))
	for len(series) > 0 {
		id, name, rest, err := readName(series)
		switch {
		case err != nil:
			return nil, err
		case id > uint64(len(known)):
			return nil, errRecordName
		case id != 0:
			name = known[id-1]
		default:
			name = string([]byte(name))
		}
		names, series = append(names, name), rest
	}
	return names, nil
}
