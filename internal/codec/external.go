package codec

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// ErrOtherForm says that an entity's keys have another form than those of its table's rows, so it is not a row: an entity of an external table,
// or a parent copy among the rows that live inside the parent.
var ErrOtherForm = errors.New("the entity is not a row of the table")

// propertyColumns gives those columns of an external table that are properties.
func propertyColumns(t *schema.Table, columns []int) []int {
	return slices.DeleteFunc(slices.Clone(columns), func(i int) bool { return t.Columns[i].Source != schema.SourceProperty })
}

// decodeKeys fills in what an entity of an external table has besides its properties. dst begins with the row.
func (d *Decoder) decodeKeys(e *engine.Entity, dst []value.Value) error {
	t := d.codec.Table
	if !t.ParseKeys(e.PartitionKey, e.RowKey, dst) {
		return ErrOtherForm
	}
	for _, i := range d.own {
		dst[i] = value.NullValue
		switch {
		case t.Columns[i].Source == schema.SourceWhole:
			dst[i] = wholeValue(e)
		case e.Timestamp != 0:
			dst[i] = value.FromTicks(e.Timestamp).WithDigits(t.Columns[i].Type.Precision)
		}
	}
	return nil
}

// wholeValue keeps an entity's properties in a value, for a statement that changes some of them.
func wholeValue(e *engine.Entity) value.Value {
	var b []byte
	for i := range e.Values {
		v := &e.Values[i]
		if v.Type == engine.Absent {
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(e.Names[i])))
		b = append(append(b, e.Names[i]...), byte(v.Type))
		b = binary.AppendUvarint(b, v.N)
		b = binary.AppendUvarint(b, uint64(len(v.S)))
		b = append(b, v.S...)
	}
	return value.FromBytes(string(b))
}

// wholeOf gives the properties that wholeValue kept; none for NULL, which a new row has.
func wholeOf(v value.Value) engine.Entity {
	var e engine.Entity
	number := func(s string) (uint64, string) {
		var n uint64
		for shift := 0; ; shift += 7 {
			c := s[0]
			s = s[1:]
			if n |= uint64(c&0x7f) << shift; c < 0x80 {
				return n, s
			}
		}
	}
	for rest := v.Text(); rest != ""; {
		var n uint64
		n, rest = number(rest)
		e.Names = append(e.Names, rest[:n])
		p := engine.Value{Type: engine.Edm(rest[n])}
		p.N, rest = number(rest[n+1:])
		n, rest = number(rest)
		p.S, rest = rest[:n], rest[n:]
		e.Values = append(e.Values, p)
	}
	return e
}

// whole gives the entity that a row of an external table was read from.
func (c *Codec) whole(row []value.Value) engine.Entity {
	return wholeOf(row[len(c.Table.Columns)-1])
}

// encodeExternal makes the entity of a row: as it was read, but with the properties changed whose values differ in the row. Unchanged properties
// keep their type, and so do changed ones if the new value fits it.
func (c *Codec) encodeExternal(row []value.Value) (engine.Entity, error) {
	e := c.whole(row)
	for i, ordinal := range c.Columns {
		col, v := c.Table.Columns[ordinal], row[ordinal]
		at := slices.Index(e.Names, c.Names[i])
		if v.IsNull() {
			if at >= 0 {
				e.Names, e.Values = slices.Delete(e.Names, at, at+1), slices.Delete(e.Values, at, at+1)
			}
			continue
		}
		edm := EdmOf(col.Edm)
		if at >= 0 {
			if is, ok := decodeProperty(c.Table, col, &e.Values[at]); ok && is == v {
				continue
			}
			if c.Table.External.Undeclared || edm == engine.Absent {
				edm = e.Values[at].Type
			}
		}
		stored, ok := ToEdm(v, edm)
		if !ok && (c.Table.External.Undeclared || col.Edm == "") {
			stored, ok = ToEdm(v, naturalEdm[v.Kind()])
		}
		if !ok {
			return engine.Entity{}, sqlerr.New(sqlerr.CodeWrongFieldValue, sqlerr.NoPos, "Incorrect value '%s' for column '%s': it does not fit the property's type", value.Text(v), col.Name)
		}
		if at < 0 {
			e.Names, e.Values = append(e.Names, c.Names[i]), append(e.Values, stored)
		} else {
			e.Values[at] = stored
		}
	}
	return e, nil
}

// ChangeOf makes the operation that turns the entity of a row into another one. In an external table it is a merge of the changed properties or,
// because a merge cannot remove a property, a replacement of the whole entity.
func (c *Codec) ChangeOf(old []value.Value, e engine.Entity) engine.Op {
	if !c.Table.Layout.Raw {
		return engine.Op{Kind: engine.Replace, Entity: e}
	}
	was := c.whole(old)
	merge := engine.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey}
	kept := 0
	for i, name := range e.Names {
		at := slices.Index(was.Names, name)
		if at >= 0 {
			kept++
			if was.Values[at] == e.Values[i] {
				continue
			}
		}
		merge.Names, merge.Values = append(merge.Names, name), append(merge.Values, e.Values[i])
	}
	if kept < len(was.Names) || len(merge.Names) == 0 {
		return engine.Op{Kind: engine.Replace, Entity: e}
	}
	return engine.Op{Kind: engine.Merge, Entity: merge}
}

// decodeProperty gives the SQL value of a property. If the definition gives the property's type, another type is not ok: what is sent to the
// store relies on it.
func decodeProperty(t *schema.Table, col *schema.Column, s *engine.Value) (value.Value, bool) {
	var v value.Value
	switch s.Type {
	case engine.Int32, engine.Int64:
		v = value.FromInt(int64(s.N))
	case engine.Double:
		d, ok := decode(FormFloat, nil, s)
		if !ok {
			return d, false
		}
		v = d
	case engine.Boolean:
		v = value.FromBool(s.N != 0)
	case engine.DateTime:
		v = value.FromTicks(int64(s.N))
	case engine.Guid:
		v = value.FromUUID(s.S)
	case engine.Binary:
		v = value.FromBytes(s.S)
	default:
		v = value.FromString(s.S)
	}
	if t.External.Undeclared {
		return v, true
	}
	if col.Edm != "" && s.Type.String() != col.Edm {
		return v, false
	}
	v, err := col.Type.Convert(v)
	return v, err == nil
}

// EdmOf reads the name of a type.
func EdmOf(name string) engine.Edm {
	for t := engine.String; t <= engine.Binary; t++ {
		if t.String() == name {
			return t
		}
	}
	return engine.Absent
}

// naturalEdm is the type that a property gets for a value if nothing else determines it.
var naturalEdm = [...]engine.Edm{
	value.Null: engine.String, value.Bool: engine.Boolean, value.Int: engine.Int64, value.Uint: engine.Int64, value.Float: engine.Double,
	value.Decimal: engine.Double, value.String: engine.String, value.Bytes: engine.Binary, value.Date: engine.DateTime,
	value.Time: engine.DateTime, value.Duration: engine.String, value.JSON: engine.String, value.UUID: engine.Guid,
}

// edmTypes are the SQL types that a value is converted to, to fit a property's type.
var edmTypes = [...]value.Type{
	engine.Int32: {Base: value.TypeInt}, engine.Int64: {Base: value.TypeBigInt}, engine.Double: {Base: value.TypeDouble},
	engine.Boolean: {Base: value.TypeBool}, engine.DateTime: {Base: value.TypeDateTime, Precision: -1},
	engine.Guid: {Base: value.TypeUUID}, engine.Binary: {Base: value.TypeBlob}, engine.String: {Base: value.TypeText},
}

var edmForms = [...]Form{
	engine.Int32: FormInt, engine.Int64: FormInt, engine.Double: FormFloat, engine.Boolean: FormBool,
	engine.Guid: FormUUID, engine.Binary: FormBinary, engine.String: FormText,
}

// ToEdm gives v as a property of a type; not ok if it does not fit, or would change its meaning: neither a text that spells a number nor a date
// becomes a number.
func ToEdm(v value.Value, edm engine.Edm) (engine.Value, bool) {
	if edm == engine.Absent {
		return engine.Value{}, false
	}
	switch edm {
	case engine.Int32, engine.Int64, engine.Double, engine.Boolean:
		if k := v.Kind(); k < value.Bool || k > value.Float {
			return engine.Value{}, false
		}
	}
	converted, err := edmTypes[edm].Convert(v)
	if err != nil {
		return engine.Value{}, false
	}
	if edm == engine.DateTime {
		ticks := converted.Ticks()
		return engine.Value{Type: edm, N: uint64(ticks)}, ticks >= engine.MinDateTime && ticks <= engine.MaxDateTime
	}
	stored, ok := Encode(edmForms[edm], converted)
	stored.Type = edm
	if edm == engine.Double && converted.Float() == 0 {
		stored.N = 0 // the wire has no -0, and the value an engine keeps instead is of another type
	}
	return stored, ok
}
