package schema

import (
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyLayout says how the keys of a table's rows are made, segment by segment:
//
//	a table of ours    PartitionKey  00         RowKey  PK!{a}!{b}, each column in its code
//	an external table  PartitionKey  {tenant}   RowKey  {at:R}_{id:N}, as its definition says
//
// Code that reads, writes or plans by keys asks it, and need not know whose keys they are.
type KeyLayout struct {
	Partition, Row []Segment
	// Buckets is the number of PartitionKeys, chosen by the hash of what Partition gives; 0: the PartitionKey is what Partition gives.
	Buckets int
	// Raw: another program chose the form. Entities of other forms may lie in between, and partitions come in the order of the
	// columns in their keys.
	Raw bool
}

// layout gives the layout of the table's rows. The definition may be damaged.
func (t *Table) layout() (l KeyLayout, err error) {
	if t.IsExternal() {
		l.Raw = true
		if l.Partition, err = t.raw(t.External.Partition); err == nil {
			l.Row, err = t.raw(t.External.Row)
		}
		return l, err
	}
	l.Partition = []Segment{{Text: keymap.SinglePartition}}
	if p := t.Spread; p != nil {
		if p.Kind == SpreadByHash {
			if l.Buckets = p.Count; p.Count < 1 {
				return l, fmt.Errorf("table %s has no partitions", t.Name)
			}
		}
		columns := make([]KeyColumn, len(p.Columns))
		for i, c := range p.Columns {
			columns[i] = KeyColumn{Column: c, Cut: p.Cut}
		}
		if l.Partition, err = t.codes("partition key", "", columns); err != nil {
			return l, err
		}
	}
	l.Row, err = t.codes("primary key", t.RowPrefix(), t.Key)
	return l, err
}

// entrySegments are the segments of an index entry's RowKey; see AppendIndexKey.
func (t *Table) entrySegments(ix *Index) ([]Segment, error) {
	segments, err := t.codes("index "+ix.Name, ix.KeyName, ix.Key)
	if err != nil || ix.Unique || ix.Child != "" {
		return segments, err
	}
	return append(segments, t.suffix()...), nil
}

// entryLayout is the layout of a Global index's entries.
func (t *Table) entryLayout(ix *Index) (l KeyLayout, err error) {
	if ix.Global < 0 || !ix.Unique || ix.Copy == CopyRow || t.IsDivided() || t.IsExternal() {
		return l, fmt.Errorf("table %s: index %s cannot be global", t.Name, ix.Name)
	}
	l = KeyLayout{Row: ix.Segments, Buckets: ix.Global}
	l.Partition, err = t.codes("index "+ix.Name, "", ix.Key)
	return l, err
}

// LayoutOf says where the entities of a key are stored; nil is the rows' own key. Entries are in the store partitions of their rows,
// except those of a Global index.
func (t *Table) LayoutOf(ix *Index) *KeyLayout {
	if ix == nil || ix.Global == 0 {
		return &t.Layout
	}
	return &ix.layout
}

// suffix is the primary key after the values in an index entry's key.
func (t *Table) suffix() []Segment {
	segments := slices.Clone(t.Layout.Row)
	segments[0].Text = string(keymap.Separator)
	return segments
}

// codes are the segments of a key that consists of a name, which may be "", and codes with separators in between.
func (t *Table) codes(what, name string, columns []KeyColumn) ([]Segment, error) {
	out := make([]Segment, 0, 2*len(columns))
	for i, p := range columns {
		if p.Column < 0 || p.Column >= len(t.Columns) {
			return nil, fmt.Errorf("table %s: %s names a column that is not there", t.Name, what)
		}
		text := string(keymap.Separator)
		if i == 0 && name != "" {
			text = name + text
		}
		if i > 0 || name != "" {
			out = append(out, Segment{Text: text})
		}
		out = append(out, Segment{Column: p.Column, Form: FormCode, Code: t.KeymapPart(p)})
	}
	return out, nil
}

// raw completes segments of an external table's key.
func (t *Table) raw(segments []Segment) ([]Segment, error) {
	out := slices.Clone(segments)
	for i := range out {
		s := &out[i]
		if s.Text != "" {
			continue
		}
		if s.Column < 0 || s.Column >= len(t.Columns) {
			return nil, fmt.Errorf("table %s: a key names a column that is not there", t.Name)
		}
		s.Code = keymap.Part{Type: t.Columns[s.Column].Type, Desc: s.Form == FormInverted}
		if s.last = i+1 == len(out); !s.last && s.Width() == 0 {
			s.end = out[i+1].Text
		}
	}
	return out, nil
}

// CutFrom is the least length of a key of the rows, or of an index's entries, that may be out of the order of the columns within a
// run, see Stem; 0: none is.
func (t *Table) CutFrom(ix *Index) (least int) {
	if t.Layout.Raw {
		return 1
	}
	segments := t.Layout.Row
	if ix != nil {
		segments = ix.Segments
	}
	for _, s := range slices.Concat(segments, t.Layout.Row) {
		n := s.Code.Cut / 8 * 8 // octets are cut at whole groups of eight digits
		if s.Code.Cut > 0 && (least == 0 || n < least) {
			least = max(n, 1)
		}
	}
	return least
}

// Stem gives what the RowKeys of a run have in common with key, if the store may sort the run differently from SQL: key up to
// the first code that is cut or, in a key of another program, up to the first character that may be sorted by its UTF-16 units.
func (l *KeyLayout) Stem(key string) (stem string, cut bool) {
	if l.Raw {
		n := EvenLen(key)
		return key[:n], n < len(key)
	}
	for rest := key; rest != ""; {
		begin := len(key) - len(rest)
		code, next := keymap.SkipValue(rest)
		if stem := keymap.Stem(code); len(stem) < len(code) {
			return key[:begin+len(stem)], true
		}
		rest = next
	}
	return key, false
}
