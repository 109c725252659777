package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// External says how entities that somebody else's program makes are rows of a table. Their keys are texts as that
// program writes them: each is a list of pieces, fixed texts and columns. An entity whose keys are of another form
// is no row of the table, so that entities of several forms can lie side by side in one physical table, each form
// a table of its own.
type External struct {
	// Open: nobody declared the table. Its columns are the properties that were seen, of whatever type, and any
	// name that is not among them is a property, too.
	Undeclared     bool
	Partition, Row []Segment
}

// Source is what of an entity a column of an external table is.
type Source uint8

const (
	SourceProperty  Source = iota // a property
	SourceKey                     // a piece of a key
	SourceTimestamp               // when the store last wrote the entity
	SourceWhole                   // the entity as it was read, for who changes it; no name leads to it
)

// The columns of an undeclared table that every entity has.
const (
	PartitionKeyName = "PartitionKey"
	RowKeyName       = "RowKey"
	TimestampName    = "Timestamp"
	wholeName        = "" // no column can be called that
)

// NewUndeclaredTable makes the table of a physical table that nobody declared. Properties are the names of what its
// entities have, in the order that * shows, and how the store types them ("" where they differ).
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

// TimestampColumn makes the column of the time at which the service wrote the entity last.
func TimestampColumn() *Column {
	return &Column{Name: TimestampName, Type: value.Type{Base: value.TypeDateTime, Precision: -1}, Source: SourceTimestamp}
}

// CloseExternal adds what every external table has, when its columns are all there.
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

// IsUndeclared says whether nobody declared the table.
func (t *Table) IsUndeclared() bool { return t.IsExternal() && t.External.Undeclared }

// ParseKeys gives the values that the keys of an entity stand for their columns, dst[ordinal]; not ok when they are
// of another form, so that the entity is not a row of the table.
func (t *Table) ParseKeys(partition, row string, dst []value.Value) bool {
	l := &t.Layout
	return parse(l.Partition, partition, dst, nil) && parse(l.Row, row, dst, l.Partition)
}

// Mixed says whether entities of the physical table may be no rows of the table, as their keys are of another form.
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

// parse reads one key. A column that known has as well must have the same value in both.
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

// Successor is the least key above all that begin with prefix; "" where there is none. exact says that nothing
// lies between: what may stand in a key, but is passed over by the successor, does.
func Successor(prefix string) (to string, exact bool) {
	to = keymap.Successor(prefix)
	if IsOdd(to) && !IsOdd(prefix) { // stores may sort others between
		_, size := utf8.DecodeLastRuneInString(prefix)
		to, _ = Successor(prefix[:len(prefix)-size])
		return to, false
	}
	n := len(prefix)
	return to, prefix == "" || len(to) == n && to[:n-1] == prefix[:n-1] && to[n-1] == prefix[n-1]+1
}

// Sends says whether conditions on a column can be sent to the store. Of a property whose type nobody declared
// they cannot: a comparison is with one type, and would hide what equals the value in another one.
func (t *Table) Sends(c *Column) bool {
	return !t.IsExternal() || c.Source == SourceTimestamp || c.Source == SourceProperty && c.Edm != "" && !t.External.Undeclared
}

// EvenLen says how long a text is before the first character from which on stores may sort it otherwise than SQL
// does: by UTF-16 units, not by code points.
func EvenLen(s string) int {
	for i, r := range s {
		if r >= 0xD800 {
			return i
		}
	}
	return len(s)
}

// IsOdd says whether a store may sort s otherwise than SQL does; see EvenLen.
func IsOdd(s string) bool { return EvenLen(s) < len(s) }
