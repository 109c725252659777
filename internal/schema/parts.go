package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// MaxParts is how many parts a table may have.
const MaxParts = 500

// PartsKind is how a table's rows are divided.
type PartsKind uint8

const (
	PartsByRange PartsKind = iota + 1
	PartsByList
)

// Parts divides a table's rows by the values of some columns, each part into a physical table of its own:
// PARTITION BY RANGE and LIST. The columns are part of every unique key, so that a row's keys can be in its
// own part only.
//
// Whatever the statement says (YEAR(created), TO_DAYS(created)), bounds are kept as key codes of the columns
// themselves: a condition on a column leads to the same parts whichever way they were declared.
type Parts struct {
	Kind    PartsKind
	Columns []int
	Tuple   bool   // RANGE COLUMNS, LIST COLUMNS
	Func    string // YEAR, TO_DAYS or UNIX_TIMESTAMP of the one column; "": the columns themselves
	// Every and Unit: parts are made as rows arrive, each of Every Units, or of Every numbers where Unit is "".
	Every int64
	Unit  string
	// Automatic: parts of a list are made as rows arrive, one for each value that no other part has.
	Automatic bool
	List      []*Part // in the order of their ranges; of a list, as declared or made

	Codes []keymap.Part // of Columns
	Spans []partSpan    // of all parts, ascending
}

// Part is one of the parts.
type Part struct {
	Name     string
	Physical string     // the service's table; "" before it is made
	Values   string     // as SQL has it: "LESS THAN (2027)", "IN (1, 2)"; "" for one of an INTERVAL
	Spans    []CodeSpan // of the columns' codes, with the separator between them
	// Made: it was made as rows arrived, and goes when these are deleted.
	Made bool
	// Opening: nobody writes to it yet, as some process may not know yet that it has to be read.
	Opening bool
	// Published is when a part that is opened was published, in Unix seconds of whoever did. The catalog sets it.
	Published int64

	Number int // in List
}

type partSpan struct {
	CodeSpan
	Part *Part
}

// NoPartError says that rows have no part, or none yet that may be written to.
type NoPartError struct {
	Table *Table
	// Missing are values of the dividing columns. Those of a table whose parts are made as rows arrive can
	// be given one; then Grows is set.
	Missing [][]value.Value
	Opening bool // a part is there, but not open yet
	Grows   bool
}

func (e *NoPartError) Error() string {
	if len(e.Missing) == 0 {
		return fmt.Sprintf("a partition of table %s was made a moment ago, and is not open for writing yet: run the statement again", e.Table.Name)
	}
	texts := make([]string, len(e.Missing[0]))
	for i, v := range e.Missing[0] {
		texts[i] = value.Text(value.Plain(v))
		if v.IsNull() {
			texts[i] = "NULL"
		}
	}
	return fmt.Sprintf("Table has no partition for value %s", strings.Join(texts, ", "))
}

// PhysicalOf is the physical table that holds a part, or the table when it has none.
func (t *Table) PhysicalOf(p *Part) string {
	if p == nil {
		return t.Physical
	}
	return p.Physical
}

// Physicals are the physical tables that hold the table's rows.
func (t *Table) Physicals() []string {
	if t.Parts == nil {
		return []string{t.Physical}
	}
	out := make([]string, len(t.Parts.List))
	for i, p := range t.Parts.List {
		out[i] = p.Physical
	}
	return out
}

// PartOf gives the part that a row of the table lies in; nil for a table without parts. A *NoPartError where
// there is none.
func (t *Table) PartOf(row []value.Value) (*Part, error) {
	if t.Parts == nil {
		return nil, nil
	}
	var space [96]byte
	code, err := t.Parts.AppendCode(space[:0], func(i int) value.Value { return row[t.Parts.Columns[i]] })
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	if p := t.Parts.Find(string(code)); p != nil {
		return p, nil
	}
	values := t.Parts.valuesOf(row)
	grows := t.Parts.Automatic || t.Parts.Every > 0 && !values[0].IsNull()
	return nil, &NoPartError{Table: t, Missing: [][]value.Value{values}, Grows: grows && t.Inside == nil}
}

// Grows says that parts are made as rows arrive.
func (ps *Parts) Grows() bool { return ps.Every > 0 || ps.Automatic }

// NeedParts makes sure that every one of the rows has a part that may be written to; a *NoPartError names those
// that are missing. newest is the last part that may be written to of a table with INTERVAL, where a row lies in it:
// then the one behind it is to be made or opened (GrowAhead).
//
// A row that lives inside another one makes no part: where none is, or none is open, there is no row for it to live in,
// which is found when it is written.
func (t *Table) NeedParts(rows [][]value.Value) (newest *Part, err error) {
	if t.Parts == nil || t.Inside != nil {
		return nil, nil
	}
	last := t.Parts.newest()
	need := &NoPartError{Table: t}
	for _, row := range rows {
		p, err := t.PartOf(row)
		var none *NoPartError
		switch {
		case errors.As(err, &none) && none.Grows:
			need.Missing, need.Grows = append(need.Missing, none.Missing...), true
		case err != nil:
			return nil, err
		case p == last:
			newest = p
		default:
			need.Opening = need.Opening || p.Opening
		}
	}
	if need.Grows || need.Opening {
		return nil, need
	}
	return newest, nil
}

// newest gives the last part that may be written to, where each is an INTERVAL behind the one before, or nil.
func (ps *Parts) newest() *Part {
	if ps.Every == 0 {
		return nil
	}
	for _, p := range slices.Backward(ps.List) {
		if !p.Opening {
			return p
		}
	}
	return nil
}

func (ps *Parts) valuesOf(row []value.Value) []value.Value {
	out := make([]value.Value, len(ps.Columns))
	for i, c := range ps.Columns {
		out[i] = row[c]
	}
	return out
}

// AppendCode appends the code by which a row finds its part; at gives the values of ps.Columns.
func (ps *Parts) AppendCode(dst []byte, at func(i int) value.Value) ([]byte, error) {
	for i := range ps.Codes {
		if i > 0 {
			dst = append(dst, keymap.Separator)
		}
		var err error
		if dst, _, err = keymap.AppendValue(dst, at(i), ps.Codes[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// Find gives the part of a code, or nil.
func (ps *Parts) Find(code string) *Part {
	i, exact := slices.BinarySearchFunc(ps.Spans, code, func(s partSpan, code string) int { return strings.Compare(s.From, code) })
	if !exact {
		i--
	}
	if i < 0 || ps.Spans[i].To != "" && code >= ps.Spans[i].To {
		return nil
	}
	return ps.Spans[i].Part
}

// Named gives the part of a name, without regard to case, or nil.
func (ps *Parts) Named(name string) *Part {
	for _, p := range ps.List {
		if strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return nil
}

// init computes what the stored definition implies.
func (ps *Parts) init(t *Table) error {
	ps.Codes, ps.Spans = nil, nil
	for _, c := range ps.Columns {
		if c < 0 || c >= len(t.Columns) {
			return fmt.Errorf("table %s: partition names a column that is not there", t.Name)
		}
		ps.Codes = append(ps.Codes, t.KeymapPart(KeyColumn{Column: c}))
	}
	for i, p := range ps.List {
		p.Number = i
		for _, s := range p.Spans {
			ps.Spans = append(ps.Spans, partSpan{s, p})
		}
	}
	slices.SortFunc(ps.Spans, func(a, b partSpan) int { return strings.Compare(a.From, b.From) })
	for i := 1; i < len(ps.Spans); i++ {
		if before := &ps.Spans[i-1]; before.To == "" || before.To > ps.Spans[i].From {
			return fmt.Errorf("table %s: partitions %s and %s overlap", t.Name, before.Part.Name, ps.Spans[i].Part.Name)
		}
	}
	return nil
}

// KeepParts gives t, a later definition of the same table, the parts that now has.
func (t *Table) KeepParts(now *Table) {
	if t.Parts != nil && now.Parts != nil {
		t.Parts.List = now.Parts.clone().List
	}
}

func (ps *Parts) clone() *Parts {
	c := *ps
	c.Columns = slices.Clone(ps.Columns)
	c.Codes, c.Spans = nil, nil
	c.List = make([]*Part, len(ps.List))
	for i, p := range ps.List {
		d := *p
		d.Spans = slices.Clone(p.Spans)
		c.List[i] = &d
	}
	return &c
}

// Ascending says that the parts follow each other in the order of the first dividing column, so that their
// rows need no merging where they are wanted in that order.
func (ps *Parts) Ascending() bool { return ps.Kind == PartsByRange && len(ps.Columns) == 1 }

// SpreadBy are the columns that say where a row lies: those that every unique key must have, as only there
// a second row can be noticed.
func (t *Table) SpreadBy() []int {
	var out []int
	if t.Partition != nil {
		out = t.Partition.Columns
	}
	if t.Parts != nil {
		out = append(out[:len(out):len(out)], t.Parts.Columns...)
	}
	return out
}

// DeleteRequests is how many requests it takes to delete the tables of parts: one each, and another one where a
// declared part gets an empty table in its place; and two for the definition.
func (t *Table) DeleteRequests(parts []*Part) int {
	n := 2
	for _, p := range parts {
		if n++; !t.Parts.isMade(p) {
			n++
		}
	}
	return n
}
