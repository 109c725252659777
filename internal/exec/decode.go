package exec

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Decoder fills rows from entities. It remembers where the properties were in the last entity, so one
// serves one goroutine; a copy of it is another Decoder.
type Decoder struct {
	codec *Codec
	cols  []decodeCol
	etags []int // positions that take the ETag

	selected []string // the names that reads were asked for; nil: all
	names    []string // those that slots and parts were made for
	slots    []int    // by cols: where its property is among names; -1: nowhere
	parts    [][]int  // by cols: where the further parts of a long value are
}

// decodeCol is a column that is wanted, and where in the row.
type decodeCol struct {
	form    form
	long    bool
	ordinal int
	dst     int
}

// Decoder makes a decoder that fills the columns (ordinals, ETagOrdinal among them or not) of a row that
// begins at offset. Select must be what the entities were read with.
func (c *Codec) Decoder(columns []int, offset int, selected []string) *Decoder {
	dst := make([]int, len(columns))
	for i, ordinal := range columns {
		dst[i] = offset + ordinal
	}
	return c.decoderTo(columns, dst, selected)
}

// decoderTo is Decoder with a position of its own for each column.
func (c *Codec) decoderTo(columns, dst []int, selected []string) *Decoder {
	d := &Decoder{codec: c, selected: selected}
	for i, ordinal := range columns {
		if ordinal == c.table.ETagOrdinal() {
			d.etags = append(d.etags, dst[i])
			continue
		}
		t := c.table.Columns[ordinal].Type
		d.cols = append(d.cols, decodeCol{form: formOf(t), long: longColumn(t), ordinal: ordinal, dst: dst[i]})
	}
	if selected != nil {
		d.bind(selected)
	} else {
		d.bind(c.names)
	}
	return d
}

// DecodeRow fills dst from e. The error of an entity that does not hold what the table's definition says
// is an *engine.Error with CodeCorrupt.
func (d *Decoder) DecodeRow(e *engine.Entity, dst []value.Value) error {
	if !d.bound(e.Names) {
		d.bind(slices.Clone(e.Names))
	}
	for i := range d.cols {
		col := &d.cols[i]
		slot := d.slots[i]
		if slot < 0 || e.Values[slot].Type == engine.Absent {
			dst[col.dst] = value.NullValue
			continue
		}
		stored := &e.Values[slot]
		switch {
		case col.form == formInt && stored.Type == engine.Int64:
			dst[col.dst] = value.FromInt(int64(stored.N))
			continue
		case col.form == formText && stored.Type == engine.String && !col.long:
			dst[col.dst] = value.FromString(stored.S)
			continue
		}
		whole := *stored
		if d.parts[i] != nil {
			whole.S = join(e.Values, slot, d.parts[i])
		}
		v, ok := decode(col.form, &whole)
		if !ok {
			return d.corrupt(e, col, &whole)
		}
		dst[col.dst] = v
	}
	for _, at := range d.etags {
		dst[at] = value.FromString(e.ETag)
	}
	return nil
}

// bound says whether the slots are those of entities with these names. Names that were asked for are known
// by their identity; others are compared, since a cursor may use their memory again.
func (d *Decoder) bound(names []string) bool {
	if len(names) != len(d.names) {
		return false
	}
	if len(names) == 0 || d.selected != nil && &names[0] == &d.names[0] {
		return true
	}
	for i, name := range names {
		if name != d.names[i] {
			return false
		}
	}
	return true
}

// bind finds the slots for names.
func (d *Decoder) bind(names []string) {
	d.names = names
	d.slots = make([]int, len(d.cols))
	d.parts = make([][]int, len(d.cols))
	for i, col := range d.cols {
		property := d.codec.table.Columns[col.ordinal].Property
		d.slots[i] = slices.Index(names, property)
		if !col.long {
			continue
		}
		for part := 1; ; part++ {
			slot := slices.Index(names, keymap.PropertyPart(property, part))
			if slot < 0 {
				break
			}
			d.parts[i] = append(d.parts[i], slot)
		}
	}
}

// join puts a long value together.
func join(values []engine.Value, first int, rest []int) string {
	if values[rest[0]].Type == engine.Absent {
		return values[first].S
	}
	var b strings.Builder
	b.WriteString(values[first].S)
	for _, slot := range rest {
		if values[slot].Type != values[first].Type {
			break
		}
		b.WriteString(values[slot].S)
	}
	return b.String()
}

// decode gives the value that a property of this form holds; not ok when it holds no such thing. Numbers
// that other programs wrote as Int32, or as a Double without a fraction, are taken as well.
func decode(f form, s *engine.Value) (v value.Value, ok bool) {
	switch f {
	case formInt:
		n, ok := integer(s)
		return value.FromInt(n), ok
	case formUint:
		n, ok := integer(s)
		return value.FromUint(uint64(n)), ok && n >= 0
	case formBigUint:
		if s.Type != engine.String {
			n, ok := integer(s)
			return value.FromUint(uint64(n)), ok && n >= 0
		}
		u, err := strconv.ParseUint(s.S, 10, 64)
		return value.FromUint(u), err == nil && len(s.S) == bigUintLen
	case formFloat:
		if s.Type == engine.Double {
			return value.FromFloat(math.Float64frombits(s.N)), true
		}
		n, ok := integer(s)
		return value.FromFloat(float64(n)), ok && int64(float64(n)) == n
	case formBool:
		return value.FromBool(s.N != 0), s.Type == engine.Boolean
	case formDecimal:
		return value.FromDecimalText(s.S), s.Type == engine.String && decimalText(s.S)
	case formText:
		return value.FromString(s.S), s.Type == engine.String
	case formJSON:
		return value.FromJSON(s.S), s.Type == engine.String
	case formBinary:
		return value.FromBytes(s.S), s.Type == engine.Binary
	case formDate:
		if s.Type == engine.DateTime {
			return value.FromDate(int64(s.N)), s.N%ticksPerDay == 0
		}
		ticks, ok := parseDate(s.S)
		return value.FromDate(ticks), ok && s.Type == engine.String
	case formTime:
		if s.Type == engine.DateTime {
			return value.FromTicks(int64(s.N)), true
		}
		ticks, ok := parseTime(s.S)
		return value.FromTicks(ticks), ok && s.Type == engine.String
	case formDuration:
		n, ok := integer(s)
		return value.FromDuration(n), ok
	case formUUID:
		return value.FromUUID(s.S), s.Type == engine.Guid
	}
	return value.NullValue, false
}

// integer gives the integer that a property of a numeric type holds.
func integer(s *engine.Value) (n int64, ok bool) {
	switch s.Type {
	case engine.Int64, engine.Int32:
		return int64(s.N), true
	case engine.Double:
		f := math.Float64frombits(s.N)
		return int64(f), f == math.Trunc(f) && f >= -1<<63 && f < 1<<63
	}
	return 0, false
}

// decimalText says whether s is canonical decimal text.
func decimalText(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, point := strings.Cut(s, ".")
	return whole != "" && allDigits(whole) && (!point || fraction != "" && allDigits(fraction))
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

var edmNames = [...]string{"nothing", "String", "Int32", "Int64", "Double", "Boolean", "DateTime", "Guid", "Binary"}

func (d *Decoder) corrupt(e *engine.Entity, col *decodeCol, s *engine.Value) error {
	column := d.codec.table.Columns[col.ordinal]
	what := "something "
	if s.Type == engine.String && len(s.S) <= 64 {
		what = strconv.Quote(s.S) + " "
	}
	return engine.Errorf(engine.CodeCorrupt, "table %s, entity (%s, %s): property %s holds %s(%s), which is no value of column %s %s",
		d.codec.table.Name, e.PartitionKey, e.RowKey, column.Property, what, edmNames[s.Type], column.Name, column.Type)
}
