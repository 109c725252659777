package exec

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
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
	table   *planner.Table
	columns []int    // ordinals that are stored, ascending
	names   []string // their first properties, aligned with columns; behind them what nulls has
	forms   []form   // aligned with columns
	long    []bool   // aligned with columns: values may need more than one property
	nulls   []int    // aligned with columns: where in names is the property that says NULL, see planner.Column.Initial; 0: none
}

// form is how a column is stored.
type form uint8

const (
	formInt form = iota
	formYear
	formUint
	formBigUint
	formFloat
	formBool
	formDecimal
	formText
	formMember
	formBits
	formBigBits
	formJSON
	formBinary
	formDate
	formTime
	formDuration
	formUUID
	formProperty // of a foreign table; see decodeProperty
)

// The most that one property holds; see engine.AzureLimits.
const (
	propertyUnits = 32 << 10 // UTF-16 units of a String
	propertyBytes = 64 << 10 // octets of a Binary
)

// maxParts is the number of properties that the longest value an entity can hold (1 MiB) goes into.
const maxParts = 16

// NewCodec makes the codec of whole rows of t: of the rows themselves, and of index entries that hold all.
func NewCodec(t *planner.Table) *Codec {
	columns := make([]int, len(t.Columns))
	for i := range columns {
		columns[i] = i
	}
	return NewCodecOf(t, columns)
}

// NewCodecOf makes the codec of entities that hold only these columns (ordinals, ascending), such as the
// entries of an index that is no whole copy.
func NewCodecOf(t *planner.Table, columns []int) *Codec {
	if t.Foreign != nil {
		columns = foreignColumns(t, columns)
	}
	c := &Codec{table: t, columns: columns, names: make([]string, len(columns)), forms: make([]form, len(columns)), long: make([]bool, len(columns)), nulls: make([]int, len(columns))}
	for i, ordinal := range columns {
		c.names[i] = t.Columns[ordinal].Property
		c.forms[i] = formOf(t.Columns[ordinal].Type)
		c.long[i] = longColumn(t.Columns[ordinal].Type)
		if t.Foreign != nil {
			c.forms[i], c.long[i] = formProperty, false
		}
		if t.Columns[ordinal].Initial != nil {
			c.nulls[i] = len(c.names)
			c.names = append(c.names, keymap.PropertyNull(c.names[i]))
		}
	}
	return c
}

func formOf(t value.Type) form {
	switch t.Base {
	case value.TypeBool:
		return formBool
	case value.TypeBit:
		if t.Length == 64 {
			return formBigBits
		}
		return formBits
	case value.TypeEnum, value.TypeSet:
		return formMember
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt:
		if t.Unsigned {
			return formUint
		}
		return formInt
	case value.TypeYear:
		return formYear
	case value.TypeBigInt:
		if t.Unsigned {
			return formBigUint
		}
		return formInt
	case value.TypeFloat, value.TypeDouble:
		return formFloat
	case value.TypeDecimal:
		return formDecimal
	case value.TypeJSON:
		return formJSON
	case value.TypeBinary, value.TypeBlob:
		return formBinary
	case value.TypeDate:
		return formDate
	case value.TypeDateTime:
		return formTime
	case value.TypeTime:
		return formDuration
	case value.TypeUUID:
		return formUUID
	}
	return formText
}

// longColumn says whether values of the type may need more than one property.
func longColumn(t value.Type) bool {
	switch t.Base {
	case value.TypeChar, value.TypeText:
		return t.Length == 0 || t.Length > propertyUnits/2 // a character is one or two units
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
	if c.table.Foreign != nil {
		return c.encodeForeign(row)
	}
	e := engine.Entity{Names: c.names, Values: make([]engine.Value, len(c.names))}
	for i, ordinal := range c.columns {
		v := row[ordinal]
		if v.IsNull() {
			if c.nulls[i] > 0 {
				e.Values[c.nulls[i]] = engine.Value{Type: engine.Boolean, N: 1}
			}
			continue
		}
		stored, ok := encode(c.forms[i], v)
		if !ok {
			return engine.Entity{}, fmt.Errorf("column %s of table %s: a value of kind %d is not of its type",
				c.table.Columns[ordinal].Name, c.table.Name, v.Kind())
		}
		if c.long[i] && len(stored.S) > propertyUnits { // octets are never fewer than units
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
		parts = keymap.SplitText(v.S, propertyUnits)
	}
	e.Values[i] = engine.Value{Type: v.Type, S: parts[0]}
	for n, part := range parts[1:] {
		e.Names = append(slices.Clip(e.Names), keymap.PropertyPart(c.names[i], n+1))
		e.Values = append(e.Values, engine.Value{Type: v.Type, S: part})
	}
}

// encode gives the stored form of a value that is not NULL; not ok when it is not of the kind that the form holds.
func encode(f form, v value.Value) (stored engine.Value, ok bool) {
	k := v.Kind()
	switch f {
	case formInt, formYear:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Int
	case formUint, formBits:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Uint
	case formBigUint, formBigBits:
		return engine.Value{Type: engine.String, S: padded(v.Uint())}, k == value.Uint
	case formFloat:
		return engine.Value{Type: engine.Double, N: math.Float64bits(v.Float())}, k == value.Float
	case formBool:
		return engine.Value{Type: engine.Boolean, N: v.Uint()}, k == value.Bool
	case formDecimal:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.Decimal
	case formText, formMember:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.String
	case formJSON:
		return engine.Value{Type: engine.String, S: v.Text()}, k == value.JSON
	case formBinary:
		return engine.Value{Type: engine.Binary, S: v.Text()}, k == value.Bytes
	case formDate:
		var buf [dateLen]byte
		return engine.Value{Type: engine.String, S: string(appendDate(buf[:0], v.Ticks()))}, k == value.Date
	case formTime:
		var buf [timeLen]byte
		return engine.Value{Type: engine.String, S: string(appendTime(buf[:0], v.Ticks()))}, k == value.Time
	case formDuration:
		return engine.Value{Type: engine.Int64, N: v.Uint()}, k == value.Duration
	case formUUID:
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
// How many properties a long value has is not known before it is read. So when a long column is wanted,
// everything is read; unless that would bring in another long column that is not wanted: then the parts
// that the wanted ones can have at most are named.
func (c *Codec) Select(columns []int) []string {
	timestamp := false
	if c.table.Foreign != nil {
		for _, ordinal := range columns {
			if ordinal == len(c.table.Columns)-1 { // the whole entity
				return nil
			}
			timestamp = timestamp || ordinal < len(c.table.Columns) && c.table.Columns[ordinal].Source == planner.SourceTimestamp
		}
	}
	all, long, otherLong := true, false, false
	for i, ordinal := range c.columns {
		is := slices.Contains(columns, ordinal)
		if is && c.table.Columns[ordinal].Former != nil {
			return nil
		}
		all = all && is
		long = long || is && c.long[i]
		otherLong = otherLong || !is && c.long[i]
	}
	if all || long && !otherLong {
		return nil
	}
	names := make([]string, 0, len(columns))
	if timestamp {
		names = append(names, engine.Timestamp)
	}
	for i, ordinal := range c.columns {
		if !slices.Contains(columns, ordinal) {
			continue
		}
		names = append(names, c.names[i])
		if c.nulls[i] > 0 {
			names = append(names, c.names[c.nulls[i]])
		}
		if c.long[i] {
			for part := 1; part < maxParts; part++ {
				names = append(names, keymap.PropertyPart(c.names[i], part))
			}
		}
	}
	return names
}

// selectOne is Select for the read of one entity: that a short column comes along costs less than picking
// the wanted ones out, a long one does not.
func (c *Codec) selectOne(columns []int) []string {
	for i, ordinal := range c.columns {
		if c.long[i] && !slices.Contains(columns, ordinal) {
			return c.Select(columns)
		}
	}
	return nil
}
