package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// MaxPartitions is how many partitions a table may have.
const MaxPartitions = 500

// PartitionKind is how a table's rows are divided.
type PartitionKind uint8

const (
	PartitionByRange PartitionKind = iota + 1
	PartitionByList
)

// Partitions divides a table's rows by the values of some columns, each partition into a physical table of its own:
// PARTITION BY RANGE and LIST. The columns are part of every unique key, so that a row's keys can be only in its
// own partition.
//
// Whatever the statement says (YEAR(created), TO_DAYS(created)), bounds are kept as key codes of the columns
// themselves: a condition on a column leads to the same partitions however they were declared.
type Partitions struct {
	Kind    PartitionKind
	Columns []int
	Tuple   bool   // RANGE COLUMNS, LIST COLUMNS
	Func    string // YEAR, TO_DAYS or UNIX_TIMESTAMP of the one column; "": the columns themselves
	// Every and Unit: partitions are made as rows arrive, each of Every Units, or of Every numbers where Unit is "".
	Every int64
	Unit  string
	// Automatic: partitions of a list are made as rows arrive, one for each value that no other partition has.
	Automatic bool
	List      []*Partition // in the order of their ranges; of a list, as declared or made

	Codes []keymap.Part   // of Columns
	Spans []partitionSpan // of all partitions, ascending
}

// Partition is one of the partitions.
type Partition struct {
	Name     string
	Physical string        // the service's table; "" before it is made
	Values   string        // as SQL has it: "LESS THAN (2027)", "IN (1, 2)"; "" for one of an INTERVAL
	Spans    []keymap.Span // of the columns' codes, with the separator between them
	// Made: it was made as rows arrived, and is dropped when these are deleted.
	Made bool
	// Opening: not written to yet, because some process may not know yet that it must be read.
	Opening bool
	// Published is when a partition that is being opened was published, in Unix seconds of the publisher's clock. The catalog sets it.
	Published int64

	Number int // in List
}

type partitionSpan struct {
	keymap.Span
	Partition *Partition
}

// NoPartitionError says that rows have no partition, or none that may be written to yet.
type NoPartitionError struct {
	Table *Table
	// Missing are values of the dividing columns. If the table's partitions are made as rows arrive, partitions can be
	// made for them; then Grows is set.
	Missing [][]value.Value
	Opening bool // a partition exists, but is not open yet
	Grows   bool
}

func (e *NoPartitionError) Error() string {
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

// AllPartitions are the partitions that hold the table's rows: one, without a name, if the table is not divided.
func (t *Table) AllPartitions() []*Partition {
	if !t.IsDivided() {
		return t.whole
	}
	return t.Partitions.List
}

// Physicals are the physical tables that hold the table's rows.
func (t *Table) Physicals() []string {
	all := t.AllPartitions()
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.Physical
	}
	return out
}

// PartitionOf gives the partition of a row of the table, or a *NoPartitionError if there is none.
func (t *Table) PartitionOf(row []value.Value) (*Partition, error) {
	if !t.IsDivided() {
		return t.whole[0], nil
	}
	var space [96]byte
	code, err := t.Partitions.AppendCode(space[:0], func(i int) value.Value { return row[t.Partitions.Columns[i]] })
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	if p := t.Partitions.Find(string(code)); p != nil {
		return p, nil
	}
	values := t.Partitions.valuesOf(row)
	grows := t.Partitions.Automatic || t.Partitions.Every > 0 && !values[0].IsNull()
	return nil, &NoPartitionError{Table: t, Missing: [][]value.Value{values}, Grows: grows && !t.IsInterleaved()}
}

// Grows says whether partitions are made as rows arrive.
func (ps *Partitions) Grows() bool { return ps.Every > 0 || ps.Automatic }

// NeedPartitions makes sure that every one of the rows has a partition that may be written to; a *NoPartitionError names the
// missing ones. For a table with INTERVAL, newest is its last writable partition, if a row lies in it: then the partition
// after it should be made or opened (GrowAhead).
//
// An interleaved row makes no partition: if there is none, or none is open, the row has no parent, which is found when it
// is written.
func (t *Table) NeedPartitions(rows [][]value.Value) (newest *Partition, err error) {
	if !t.IsDivided() || t.IsInterleaved() {
		return nil, nil
	}
	last := t.Partitions.newest()
	need := &NoPartitionError{Table: t}
	for _, row := range rows {
		p, err := t.PartitionOf(row)
		var none *NoPartitionError
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

// newest gives the last partition that may be written to, if each is an INTERVAL after the one before, or nil.
func (ps *Partitions) newest() *Partition {
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

func (ps *Partitions) valuesOf(row []value.Value) []value.Value {
	out := make([]value.Value, len(ps.Columns))
	for i, c := range ps.Columns {
		out[i] = row[c]
	}
	return out
}

// AppendCode appends the code by which a row finds its partition; at gives the values of ps.Columns.
func (ps *Partitions) AppendCode(dst []byte, at func(i int) value.Value) ([]byte, error) {
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

// Find gives the partition of a code, or nil.
func (ps *Partitions) Find(code string) *Partition {
	i, exact := slices.BinarySearchFunc(ps.Spans, code, func(s partitionSpan, code string) int { return strings.Compare(s.From, code) })
	if !exact {
		i--
	}
	if i < 0 || ps.Spans[i].To != "" && code >= ps.Spans[i].To {
		return nil
	}
	return ps.Spans[i].Partition
}

// Named gives the partition of a name, without regard to case, or nil.
func (ps *Partitions) Named(name string) *Partition {
	for _, p := range ps.List {
		if strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return nil
}

// init computes what the stored definition implies.
func (ps *Partitions) init(t *Table) error {
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
			ps.Spans = append(ps.Spans, partitionSpan{s, p})
		}
	}
	slices.SortFunc(ps.Spans, func(a, b partitionSpan) int { return strings.Compare(a.From, b.From) })
	for i := 1; i < len(ps.Spans); i++ {
		if before := &ps.Spans[i-1]; before.To == "" || before.To > ps.Spans[i].From {
			return fmt.Errorf("table %s: partitions %s and %s overlap", t.Name, before.Partition.Name, ps.Spans[i].Partition.Name)
		}
	}
	return nil
}

// KeepPartitions gives t, a later definition of the same table, the partitions that now has.
func (t *Table) KeepPartitions(now *Table) {
	if t.IsDivided() && now.IsDivided() {
		t.Partitions.List = now.Partitions.clone().List
	}
}

func (ps *Partitions) clone() *Partitions {
	c := *ps
	c.Columns = slices.Clone(ps.Columns)
	c.Codes, c.Spans = nil, nil
	c.List = make([]*Partition, len(ps.List))
	for i, p := range ps.List {
		d := *p
		d.Spans = slices.Clone(p.Spans)
		c.List[i] = &d
	}
	return &c
}

// Ascending says whether the partitions are in the order of the first dividing column, so that their
// rows need no merging if they are wanted in that order.
func (ps *Partitions) Ascending() bool { return ps.Kind == PartitionByRange && len(ps.Columns) == 1 }

// SpreadBy are the columns that determine where a row is stored: every unique key must contain them, because a
// duplicate can be noticed only there.
func (t *Table) SpreadBy() []int {
	var out []int
	if t.Spread != nil {
		out = t.Spread.Columns
	}
	if t.IsDivided() {
		out = append(out[:len(out):len(out)], t.Partitions.Columns...)
	}
	return out
}

// DeleteRequests is how many requests it takes to delete the tables of partitions: one each, another one if a
// declared partition gets an empty table in exchange, and two for the definition.
func (t *Table) DeleteRequests(parts []*Partition) int {
	n := 2
	for _, p := range parts {
		if n++; !t.Partitions.isMade(p) {
			n++
		}
	}
	return n
}
