package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// External says how entities made by another program are rows of a table. Their keys are texts as that
// program writes them: each is a list of segments, fixed texts and columns. An entity whose keys have another form
// is not a row of the table, so that entities of several forms can share one physical table, each form being
// a table of its own.
type External struct {
	// Undeclared: the table was never declared. Its columns are the properties that were seen, of whatever type, and any
	// other name is a property, too.
	Undeclared     bool
	Partition, Row []Segment
}

// Source is the part of an entity that a column of an external table holds.
type Source uint8

const (
	SourceProperty  Source = iota // a property
	SourceKey                     // a segment of a key
	SourceTimestamp               // when the store last wrote the entity
	SourceWhole                   // the entity as it was read, for statements that change it; it has no column name
)

// The columns of an undeclared table that every entity has.
const (
	PartitionKeyName = "PartitionKey"
	RowKeyName       = "RowKey"
	TimestampName    = "Timestamp"
	wholeName        = "" // no column can be called that
)

// NewUndeclaredTable makes the table of a physical table that was never declared. properties are the names of its entities'
// properties, in the order that * shows, and edms their types in the store ("" if they differ).
func NewUndeclaredTable(physical string, properties, edms []string) (*Table, error) {
	t := &Table{Name: physical, Physical: physical, Comment: "made by another program, without a definition", External: &External{
		Undeclared: true,
		Partition:  []Segment{{Column: 0}},
		Row:        []Segment{{Column: 1}},
	}}
	text := value.Type{Base: value.TypeText}
	t.Columns = []*Column{
		{Name: PartitionKeyName, Type: text, NotNull: true, Source: SourceKey},
		{Name: RowKeyName, Type: text, NotNull: true, Source: SourceKey},
		TimestampColumn(),
	}
	for i, name := range properties {
		t.Columns = append(t.Columns, &Column{Name: name, Property: name, Edm: edms[i]})
	}
	return t, t.CloseExternal()
}

// TimestampColumn makes the column of the time at which the service last wrote the entity.
func TimestampColumn() *Column {
	return &Column{Name: TimestampName, Type: value.Type{Base: value.TypeDateTime, Precision: -1}, Source: SourceTimestamp}
}

// CloseExternal adds what every external table has, once its columns are all there.
func (t *Table) CloseExternal() error {
	t.Columns = append(t.Columns, &Column{Name: wholeName, Type: value.Type{Base: value.TypeBlob}, Source: SourceWhole, Hidden: true})
	t.Key = nil
	for _, s := range slices.Concat(t.External.Partition, t.External.Row) {
		if key := (KeyColumn{Column: s.Column}); s.Text == "" && !slices.Contains(t.Key, key) {
			t.Key = append(t.Key, key)
		}
	}
	return t.Init()
}

// With gives the table with one more property, which none of the entities seen so far has.
func (t *Table) With(property string) (*Table, error) {
	c := t.Clone()
	c.Columns[len(c.Columns)-1] = &Column{Name: property, Property: property}
	return c, c.CloseExternal()
}

// IsUndeclared says whether the table was never declared.
func (t *Table) IsUndeclared() bool { return t.IsExternal() && t.External.Undeclared }

// ParseKeys sets dst[ordinal] to the values of the columns in the keys of an entity; not ok if the keys have another form, so
// that the entity is not a row of the table.
func (t *Table) ParseKeys(partition, row string, dst []value.Value) bool {
	l := &t.Layout
	return parse(l.Partition, partition, dst, nil) && parse(l.Row, row, dst, l.Partition)
}

// Mixed says whether entities of the physical table may not be rows of the table, because their keys have another form.
func (t *Table) Mixed() bool {
	if !t.IsExternal() {
		return false
	}
	all := func(segments []Segment) bool {
		return len(segments) == 1 && segments[0].Text == "" && segments[0].Form == FormPlain && segments[0].Code.Type.IsText()
	}
	l := &t.Layout
	return !all(l.Partition) || !all(l.Row) || l.Partition[0].Column == l.Row[0].Column
}

// parse reads one key. A column that is also in known must have the same value in both.
func parse(segments []Segment, key string, dst []value.Value, known []Segment) bool {
	for i := range segments {
		s := &segments[i]
		if s.Text != "" {
			if len(key) < len(s.Text) || key[:len(s.Text)] != s.Text {
				return false
			}
			key = key[len(s.Text):]
			continue
		}
		n := len(key)
		if width := s.Width(); width > 0 {
			n = min(n, width)
		} else if s.end != "" {
			if n = strings.Index(key, s.end); n < 0 {
				return false
			}
		}
		v, ok := s.parse(key[:n])
		if !ok || has(known, s.Column) && dst[s.Column] != v {
			return false
		}
		dst[s.Column] = v
		key = key[n:]
	}
	return key == ""
}

func has(segments []Segment, column int) bool {
	return slices.ContainsFunc(segments, func(s Segment) bool { return s.Text == "" && s.Column == column })
}

// Successor is the least key above all that begin with prefix; "" if there is none. exact says that no other key lies
// in between, as one may whose characters the successor skips.
func Successor(prefix string) (to string, exact bool) {
	to = keymap.Successor(prefix)
	if IsOdd(to) && !IsOdd(prefix) { // stores may sort others in between
		_, size := utf8.DecodeLastRuneInString(prefix)
		to, _ = Successor(prefix[:len(prefix)-size])
		return to, false
	}
	n := len(prefix)
	return to, prefix == "" || len(to) == n && to[:n-1] == prefix[:n-1] && to[n-1] == prefix[n-1]+1
}

// Sends says whether conditions on a column can be sent to the store. For a property of undeclared type they
// cannot: a comparison has one type, and would hide equal values of another.
func (t *Table) Sends(c *Column) bool {
	return !t.IsExternal() || c.Source == SourceTimestamp || c.Source == SourceProperty && c.Edm != "" && !t.External.Undeclared
}

// EvenLen is the length of a text before the first character from which stores may sort it differently from SQL:
// by UTF-16 units, not by code points.
func EvenLen(s string) int {
	for i, r := range s {
		if r >= 0xD800 {
			return i
		}
	}
	return len(s)
}

// IsOdd says whether a store may sort s differently from SQL; see EvenLen.
func IsOdd(s string) bool { return EvenLen(s) < len(s) }
