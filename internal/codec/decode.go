package codec

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Decoder fills rows from entities. It remembers which properties the last entity had, so each goroutine needs its own; a copy of it is another
// Decoder.
type Decoder struct {
	codec   *Codec
	cols    []decodeCol
	etags   []int // positions that take the ETag
	offset  int   // where the row begins
	own     []int // of an external table: ordinals of columns that are neither key nor property
	current *binding
	known   *atomic.Pointer[[]*binding] // shared by all copies
}

// binding says where the columns of a Decoder are among the properties of an entity. It is immutable, and
// owns its names, so that names of the same identity are the same names.
type binding struct {
	names []string
	slots []int   // by cols: where its property is; -1: nowhere
	parts [][]int // by cols: where the further parts of a long value are
	nulls []int   // by cols: where the property is that says NULL; -1: nowhere
}

// maxBindings bounds the sets of properties that a Decoder remembers: rows of a table have one for each way in which columns can be NULL, but
// few of these are common.
const maxBindings = 16

// decodeCol is a column that is wanted, and where in the row.
type decodeCol struct {
	form    Form
	long    bool
	ordinal int
	dst     int
	absent  value.Value // of a row without a property for it, and without one that says NULL
	digits  int         // that a time shows behind the second
	other   *Decoder    // of the column in its other form, see schema.Column.Other; nil without one
}

// Decoder makes a decoder that fills the columns (ordinals, ETagOrdinal among them or not) of a row that
// begins at offset. Select must be what the entities were read with.
func (c *Codec) Decoder(columns []int, offset int, selected []string) *Decoder {
	dst := make([]int, len(columns))
	for i, ordinal := range columns {
		dst[i] = offset + ordinal
	}
	d := c.DecoderTo(columns, dst, selected)
	d.offset = offset
	return d
}

// DecoderTo is Decoder with a position of its own for each column.
func (c *Codec) DecoderTo(columns, dst []int, selected []string) *Decoder {
	d := &Decoder{codec: c, known: new(atomic.Pointer[[]*binding])}
	for i, ordinal := range columns {
		if ordinal == c.Table.ETagOrdinal() {
			d.etags = append(d.etags, dst[i])
			continue
		}
		column := c.Table.Columns[ordinal]
		switch column.Source {
		case schema.SourceTimestamp, schema.SourceWhole:
			d.own = append(d.own, ordinal)
			continue
		case schema.SourceKey:
			continue
		}
		form, long := storedAs(c.Table, column)
		d.cols = append(d.cols, decodeCol{form: form, long: long, ordinal: ordinal, dst: dst[i],
			absent: column.Absent(), digits: column.Type.Precision, other: otherDecoder(column)})
	}
	if selected == nil {
		selected = c.Names
	}
	d.current = d.bind(selected)
	d.known.Store(&[]*binding{d.current})
	return d
}

// DecodeRow fills dst from e. If e does not hold what the table's definition says, the error is an *engine.Error with CodeCorrupt; if e lies
// among the table's rows but is not one, it is ErrOtherForm.
func (d *Decoder) DecodeRow(e *engine.Entity, dst []value.Value) error {
	if d.codec.Table.IsParentCopy(e.RowKey) {
		return ErrOtherForm
	}
	if !d.current.of(e.Names) {
		d.rebind(e.Names)
	}
	if d.codec.Table.Layout.Raw {
		if err := d.decodeKeys(e, dst[d.offset:]); err != nil {
			return err
		}
	}
	b := d.current
	for i := range d.cols {
		col := &d.cols[i]
		slot := b.slots[i]
		if slot < 0 || e.Values[slot].Type == engine.Absent {
			if col.form == FormProperty && d.codec.Table.Columns[col.ordinal].NotNull {
				return d.corrupt(e, col, &engine.Value{})
			}
			if null := b.nulls[i]; null >= 0 && e.Values[null].Type != engine.Absent {
				dst[col.dst] = value.NullValue
				continue
			}
			dst[col.dst] = col.absent
			if col.other != nil {
				if err := d.decodeOther(e, col, &dst[col.dst]); err != nil {
					return err
				}
			}
			continue
		}
		stored := &e.Values[slot]
		switch {
		case col.form == FormInt && stored.Type == engine.Int64:
			dst[col.dst] = value.FromInt(int64(stored.N))
			continue
		case col.form == FormText && stored.Type == engine.String && !col.long:
			dst[col.dst] = value.FromString(stored.S)
			continue
		}
		whole := *stored
		if b.parts[i] != nil {
			whole.S = join(e.Values, slot, b.parts[i])
		}
		var v value.Value
		var ok bool
		if col.form == FormProperty {
			v, ok = decodeProperty(d.codec.Table, d.codec.Table.Columns[col.ordinal], stored)
		} else {
			v, ok = decode(col.form, &d.codec.Table.Columns[col.ordinal].Type, &whole)
		}
		if !ok {
			return d.corrupt(e, col, &whole)
		}
		dst[col.dst] = d.codec.Table.Columns[col.ordinal].Type.Single(v.WithDigits(col.digits))
	}
	for _, at := range d.etags {
		dst[at] = value.FromString(e.ETag)
	}
	return nil
}

// of says whether b is for entities with these names.
func (b *binding) of(names []string) bool {
	if len(names) != len(b.names) {
		return false
	}
	if len(names) == 0 || &names[0] == &b.names[0] {
		return true
	}
	for i, name := range names {
		if name != b.names[i] {
			return false
		}
	}
	return true
}

// rebind makes the binding for names the current one.
func (d *Decoder) rebind(names []string) {
	known := *d.known.Load()
	for _, b := range known {
		if b.of(names) {
			d.current = b
			return
		}
	}
	d.current = d.bind(slices.Clone(names)) // a cursor may reuse the memory of names
	if len(known) < maxBindings {
		more := append(slices.Clip(known), d.current)
		d.known.Store(&more) // if two goroutines learn at once, one of them learns again
	}
}

func (d *Decoder) bind(names []string) *binding {
	b := &binding{names: names, slots: make([]int, len(d.cols)), parts: make([][]int, len(d.cols)), nulls: make([]int, len(d.cols))}
	for i, col := range d.cols {
		column := d.codec.Table.Columns[col.ordinal]
		property := column.Property
		b.slots[i], b.nulls[i] = slices.Index(names, property), -1
		if column.Initial != nil {
			b.nulls[i] = slices.Index(names, keymap.PropertyNull(property))
		}
		if !col.long {
			continue
		}
		for part := 1; ; part++ {
			slot := slices.Index(names, keymap.PropertyPart(property, part))
			if slot < 0 {
				break
			}
			b.parts[i] = append(b.parts[i], slot)
		}
	}
	return b
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

// decode gives the value that a property of this form and type holds; not ok if it holds no such value. It also accepts numbers that other
// programs wrote as Int32, or as a Double without a fraction.
func decode(f Form, t *value.Type, s *engine.Value) (v value.Value, ok bool) {
	switch f {
	case FormMember:
		if s.Type != engine.String {
			return value.NullValue, false
		}
		return t.Stored(s.S)
	case FormBits, FormBigBits:
		of := FormUint
		if f == FormBigBits {
			of = FormBigUint
		}
		u, ok := decode(of, t, s)
		return value.FromBits(u.Uint(), t.Length), ok && (t.Length == 64 || u.Uint()>>t.Length == 0)
	case FormInt:
		n, ok := integer(s)
		return value.FromInt(n), ok
	case FormYear:
		n, ok := integer(s)
		return value.FromYear(n), ok
	case FormUint:
		n, ok := integer(s)
		return value.FromUint(uint64(n)), ok && n >= 0
	case FormBigUint:
		if s.Type != engine.String {
			n, ok := integer(s)
			return value.FromUint(uint64(n)), ok && n >= 0
		}
		u, err := strconv.ParseUint(s.S, 10, 64)
		return value.FromUint(u), err == nil && len(s.S) == bigUintLen
	case FormFloat:
		if s.Type == engine.Double {
			return value.FromFloat(math.Float64frombits(s.N)), true
		}
		n, ok := integer(s)
		return value.FromFloat(float64(n)), ok && int64(float64(n)) == n
	case FormBool:
		return value.FromBool(s.N != 0), s.Type == engine.Boolean
	case FormDecimal:
		return value.FromDecimalText(s.S), s.Type == engine.String && decimalText(s.S)
	case FormText:
		return value.FromString(s.S), s.Type == engine.String
	case FormJSON:
		return value.FromJSON(s.S), s.Type == engine.String
	case FormBinary:
		return value.FromBytes(s.S), s.Type == engine.Binary
	case FormDate:
		if s.Type == engine.DateTime {
			return value.FromDate(int64(s.N)), s.N%engine.TicksPerDay == 0
		}
		ticks, ok := engine.ParseDate(s.S)
		return value.FromDate(ticks), ok && s.Type == engine.String
	case FormTime:
		if s.Type == engine.DateTime {
			return value.FromTicks(int64(s.N)), true
		}
		ticks, ok := engine.ParseTime(s.S)
		return value.FromTicks(ticks), ok && s.Type == engine.String
	case FormDuration:
		n, ok := integer(s)
		return value.FromDuration(n), ok
	case FormUUID:
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

func (d *Decoder) corrupt(e *engine.Entity, col *decodeCol, s *engine.Value) error {
	column := d.codec.Table.Columns[col.ordinal]
	what := "something "
	if s.Type == engine.String && len(s.S) <= 64 {
		what = strconv.Quote(s.S) + " "
	}
	return engine.Errorf(engine.CodeCorrupt, "table %s, entity (%s, %s): property %s holds %s(%s), which is not a value of column %s %s",
		d.codec.Table.Name, e.PartitionKey, e.RowKey, column.Property, what, s.Type, column.Name, column.Type)
}
