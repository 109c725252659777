// Package codec turns rows into entities and entities into rows: a column is a property, or several for a long value.
//
//	entity, err := codec.NewCodec(table).EncodeRow(row)
package codec

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Codec turns rows of one table into entities and back. It is the only place that knows how values are
// stored:
//
//	integers, YEAR          Int64
//	BIGINT UNSIGNED         String of 20 digits, which sorts as the number does
//	FLOAT, DOUBLE           Double
//	BOOL                    Boolean
//	BIT                     Int64; BIT(64) as BIGINT UNSIGNED
//	DECIMAL(p,s)            String, with exactly s digits behind the point
//	texts, ENUM, SET, JSON  String
//	BINARY, BLOB            Binary
//	DATE                    String YYYY-MM-DD
//	DATETIME, TIMESTAMP     String YYYY-MM-DDTHH:MM:SS.fffffffZ
//	TIME                    Int64, units of 100 ns
//	UUID                    Guid
//
// A DATETIME is text because an Edm.DateTime begins in 1601, and stores have been seen that compare one at
// milliseconds; as text of fixed length it is exact from year 1 to 9999 and sorts.
//
// NULL is an absent property; empty text is a present one. Text of more than 32,768 UTF-16 units and octets of more than 64 KiB continue in
// further properties (keymap.PropertyPart). Every column has a property, key columns too, so nothing is ever read back out of a key.
//
// A Codec is immutable and may be used by many goroutines.
type Codec struct {
	Table   *schema.Table
	Columns []int    // ordinals that are stored, ascending
	Names   []string // their first properties, aligned with columns; then those that nulls points to
	Forms   []Form   // aligned with columns
	Long    []bool   // aligned with columns: values may need more than one property
	nulls   []int    // aligned with columns: where in names is the property that says NULL, see schema.Column.Initial; 0: none
}

// Form is how a column is stored.
type Form uint8

const (
	FormInt Form = iota
	FormYear
	FormUint
	FormBigUint
	FormFloat
	FormBool
	FormDecimal
	FormText
	FormMember
	FormBits
	FormBigBits
	FormJSON
	FormBinary
	FormDate
	FormTime
	FormDuration
	FormUUID
	FormProperty // of an external table; see decodeProperty
)

// The most that one property holds; see engine.AzureLimits.
const (
	PropertyUnits = 32 << 10 // UTF-16 units of a String
	propertyBytes = 64 << 10 // octets of a Binary
)

// maxParts is the number of properties that the longest value an entity can hold (1 MiB) goes into.
const maxParts = 16

// NewCodec makes the codec of whole rows of t: of the rows themselves, and of index entries that hold all.
func NewCodec(t *schema.Table) *Codec {
	columns := make([]int, len(t.Columns))
	for i := range columns {
		columns[i] = i
	}
	return NewCodecOf(t, columns)
}

// NewCodecOf makes the codec of entities that hold only these columns (ordinals, ascending), such as index entries that are not whole copies.
func NewCodecOf(t *schema.Table, columns []int) *Codec {
	columns = propertyColumns(t, columns)
	c := &Codec{Table: t, Columns: columns, Names: make([]string, len(columns)), Forms: make([]Form, len(columns)), Long: make([]bool, len(columns)), nulls: make([]int, len(columns))}
	for i, ordinal := range columns {
		c.Names[i] = t.Columns[ordinal].Property
		c.Forms[i], c.Long[i] = storedAs(t, t.Columns[ordinal])
		if t.Columns[ordinal].Initial != nil {
			c.nulls[i] = len(c.Names)
			c.Names = append(c.Names, keymap.PropertyNull(c.Names[i]))
		}
	}
	return c
}

// storedAs says how a column is stored, and whether its values may need more than one property.
func storedAs(t *schema.Table, c *schema.Column) (f Form, long bool) {
	if t.Layout.Raw {
		return FormProperty, false
	}
	return FormOf(c.Type), longColumn(c.Type)
}

// FormOf says how the values of a type are stored in properties of tables of ours.
func FormOf(t value.Type) Form {
	switch {
	case t.HasMembers():
		return FormMember
	case t.Base == value.TypeYear:
		return FormYear
	case t.Base == value.TypeBit && t.Length == 64:
		return FormBigBits
	case t.Base == value.TypeBit:
		return FormBits
	case t.Base == value.TypeBigInt && t.Unsigned:
		return FormBigUint
	}
	return formOf[t.Kind()]
}

// formOf are the forms of values of most types.
var formOf = [...]Form{
	value.Null: FormText, value.Bool: FormBool, value.Int: FormInt, value.Uint: FormUint, value.Float: FormFloat, value.Decimal: FormDecimal,
	value.String: FormText, value.Bytes: FormBinary, value.Date: FormDate, value.Time: FormTime, value.Duration: FormDuration,
	value.JSON: FormJSON, value.UUID: FormUUID,
}

// storage gives the kind of value and the type of property of each form.
var storage = [...]struct {
	kind value.Kind
	edm  engine.Edm
}{
	FormInt: {value.Int, engine.Int64}, FormYear: {value.Int, engine.Int64}, FormUint: {value.Uint, engine.Int64},
	FormBigUint: {value.Uint, engine.String}, FormFloat: {value.Float, engine.Double}, FormBool: {value.Bool, engine.Boolean},
	FormDecimal: {value.Decimal, engine.String}, FormText: {value.String, engine.String}, FormMember: {value.String, engine.String},
	FormBits: {value.Uint, engine.Int64}, FormBigBits: {value.Uint, engine.String}, FormJSON: {value.JSON, engine.String},
	FormBinary: {value.Bytes, engine.Binary}, FormDate: {value.Date, engine.String}, FormTime: {value.Time, engine.String},
	FormDuration: {value.Duration, engine.Int64}, FormUUID: {value.UUID, engine.Guid}, FormProperty: {},
}

// longColumn says whether values of the type may need more than one property.
func longColumn(t value.Type) bool {
	switch {
	case t.IsFreeText():
		return t.Length == 0 || t.Length > PropertyUnits/2 // a character is one or two units
	case t.IsOctets():
		return t.Length == 0 || t.Length > propertyBytes
	}
	return t.Base == value.TypeJSON
}

// EncodeRow makes the entity of a row (the table's columns from 0, converted to their types; more may
// follow). Its keys are left to the caller. Names is shared by all entities without a split value and must
// not be changed.
func (c *Codec) EncodeRow(row []value.Value) (engine.Entity, error) {
	if c.Table.Layout.Raw {
		return c.encodeExternal(row)
	}
	e := engine.Entity{Names: c.Names, Values: make([]engine.Value, len(c.Names))}
	for i, ordinal := range c.Columns {
		v := row[ordinal]
		if v.IsNull() {
			if c.nulls[i] > 0 {
				e.Values[c.nulls[i]] = engine.Value{Type: engine.Boolean, N: 1}
			}
			continue
		}
		stored, ok := Encode(c.Forms[i], v)
		if !ok {
			return engine.Entity{}, fmt.Errorf("column %s of table %s: a value of kind %d is not of its type",
				c.Table.Columns[ordinal].Name, c.Table.Name, v.Kind())
		}
		if c.Long[i] && len(stored.S) > PropertyUnits { // octets are never fewer than units
			c.split(&e, i, stored)
		} else {
			e.Values[i] = stored
		}
	}
	return e, nil
}

// split stores a value that may be too long for one property.
func (c *Codec) split(e *engine.Entity, i int, v engine.Value) {
	var parts []string
	if v.Type == engine.Binary {
		parts = keymap.SplitBytes(v.S, propertyBytes)
	} else {
		parts = keymap.SplitText(v.S, PropertyUnits)
	}
	e.Values[i] = engine.Value{Type: v.Type, S: parts[0]}
	for n, part := range parts[1:] {
		e.Names = append(slices.Clip(e.Names), keymap.PropertyPart(c.Names[i], n+1))
		e.Values = append(e.Values, engine.Value{Type: v.Type, S: part})
	}
}

// Encode gives the stored form of a value that is not NULL. Not ok: the form does not hold values of its kind.
func Encode(f Form, v value.Value) (stored engine.Value, ok bool) {
	as := &storage[f]
	if v.Kind() != as.kind {
		return stored, false
	}
	stored.Type = as.edm
	switch f {
	case FormInt, FormYear, FormUint, FormBits, FormBool, FormDuration:
		stored.N = v.Uint()
	case FormFloat:
		stored.N = math.Float64bits(v.Float())
	case FormBigUint, FormBigBits:
		stored.S = padded(v.Uint())
	case FormDate:
		var buf [engine.DateLen]byte
		stored.S = string(engine.AppendDate(buf[:0], v.Ticks()))
	case FormTime:
		var buf [engine.TimeLen]byte
		stored.S = string(engine.AppendTime(buf[:0], v.Ticks()))
	default:
		stored.S = v.Text()
	}
	return stored, true
}

// bigUintLen is the number of digits of the greatest BIGINT UNSIGNED.
const bigUintLen = 20

// padded gives u with leading zeros, so that texts sort as the numbers do.
func padded(u uint64) string {
	var buf [2 * bigUintLen]byte
	b := buf[:bigUintLen]
	for i := range b {
		b[i] = '0'
	}
	b = strconv.AppendUint(b, u, 10)
	return string(b[len(b)-bigUintLen:])
}

// Select gives the properties to read for these columns (ordinals, ETagOrdinal among them or not); nil: all properties.
//
// How many properties a long value has is not known before it is read. So when a long column is wanted, everything is read. If
// that would bring in another long column that is not wanted, all properties that the wanted ones can have are named instead.
func (c *Codec) Select(columns []int) []string {
	is := func(source schema.Source) bool {
		return slices.ContainsFunc(columns, func(i int) bool { return i < len(c.Table.Columns) && c.Table.Columns[i].Source == source })
	}
	if is(schema.SourceWhole) {
		return nil
	}
	all, long, otherLong := true, false, false
	for i, ordinal := range c.Columns {
		is := slices.Contains(columns, ordinal)
		if is && c.Table.Columns[ordinal].Other() != nil {
			return nil
		}
		all = all && is
		long = long || is && c.Long[i]
		otherLong = otherLong || !is && c.Long[i]
	}
	if all || long && !otherLong {
		return nil
	}
	names := make([]string, 0, len(columns))
	if is(schema.SourceTimestamp) {
		names = append(names, engine.Timestamp)
	}
	for i, ordinal := range c.Columns {
		if !slices.Contains(columns, ordinal) {
			continue
		}
		names = append(names, c.Names[i])
		if c.nulls[i] > 0 {
			names = append(names, c.Names[c.nulls[i]])
		}
		if c.Long[i] {
			for part := 1; part < maxParts; part++ {
				names = append(names, keymap.PropertyPart(c.Names[i], part))
			}
		}
	}
	return names
}

// SelectOne is Select for reading one entity, where an extra short column costs less than picking out the wanted ones, but an extra long one
// does not.
func (c *Codec) SelectOne(columns []int) []string {
	for i, ordinal := range c.Columns {
		if c.Long[i] && !slices.Contains(columns, ordinal) {
			return c.Select(columns)
		}
	}
	return nil
}
