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
// NULL is a property that is absent; empty text is one that is there. Text of more than 32,768 UTF-16 units
// and octets of more than 64 KiB go on in further properties (keymap.PropertyPart). Every column has a
// property, those of the keys too, so nothing is ever read back out of a key.
//
// A Codec is immutable and may be used by many goroutines.
type Codec struct {
	Table   *schema.Table
	Columns []int    // ordinals that are stored, ascending
	Names   []string // their first properties, aligned with columns; behind them what nulls has
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

// NewCodecOf makes the codec of entities that hold only these columns (ordinals, ascending), such as the
// entries of an index that is no whole copy.
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
	switch t.Base {
	case value.TypeBool:
		return FormBool
	case value.TypeBit:
		if t.Length == 64 {
			return FormBigBits
		}
		return FormBits
	case value.TypeEnum, value.TypeSet:
		return FormMember
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt:
		if t.Unsigned {
			return FormUint
		}
		return FormInt
	case value.TypeYear:
		return FormYear
	case value.TypeBigInt:
		if t.Unsigned {
			return FormBigUint
		}
		return FormInt
	case value.TypeFloat, value.TypeDouble:
		return FormFloat
	case value.TypeDecimal:
		return FormDecimal
	case value.TypeJSON:
		return FormJSON
	case value.TypeBinary, value.TypeBlob:
		return FormBinary
	case value.TypeDate:
		return FormDate
	case value.TypeDateTime:
		return FormTime
	case value.TypeTime:
		return FormDuration
	case value.TypeUUID:
		return FormUUID
	}
	return FormText
}

// longColumn says whether values of the type may need more than one property.
func longColumn(t value.Type) bool {
	switch t.Base {
	case value.TypeChar, value.TypeText:
		return t.Length == 0 || t.Length > PropertyUnits/2 // a character is one or two units
	case value.TypeJSON:
		return true
	case value.TypeBinary, value.TypeBlob:
		return t.Length == 0 || t.Length > propertyBytes
	}
	return false
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

// Encode gives the stored form of a value that is not NULL. Not ok: the form does not hold values of that kind.
func Encode(f Form, v value.Value) (stored engine.Value, ok bool) {
	k := v.Kind()
	switch f {
	case FormInt, FormYear:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Int
	case FormUint, FormBits:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Uint
	case FormBigUint, FormBigBits:
		return engine.Value{Type: engine.String, S: padded(v.Uint())}, k == value.Uint
	case FormFloat:
		return engine.Value{Type: engine.Double, N: math.Float64bits(v.Float())}, k == value.Float
	case FormBool:
		return engine.Value{Type: engine.Boolean, N: v.Uint()}, k == value.Bool
	case FormDecimal:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.Decimal
	case FormText, FormMember:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.String
	case FormJSON:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.JSON
	case FormBinary:
		return engine.Value{Type: engine.Binary, S: v.Text()}, k == value.Bytes
	case FormDate:
		var buf [dateLen]byte
		return engine.Value{Type: engine.String, S: string(appendDate(buf[:0], v.Ticks()))}, k == value.Date
	case FormTime:
		var buf [timeLen]byte
		return engine.Value{Type: engine.String, S: string(appendTime(buf[:0], v.Ticks()))}, k == value.Time
	case FormDuration:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Duration
	case FormUUID:
		return engine.Value{Type: engine.Guid, S: v.Text()}, k == value.UUID
	}
	return engine.Value{}, false
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

// Select gives the properties to read for these columns (ordinals, ETagOrdinal among them or not): nil is
// all there are.
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

// SelectOne is Select for the read of one entity: that a short column comes along costs less than picking
// the wanted ones out, a long one does not.
func (c *Codec) SelectOne(columns []int) []string {
	for i, ordinal := range c.Columns {
		if c.Long[i] && !slices.Contains(columns, ordinal) {
			return c.Select(columns)
		}
	}
	return nil
}
