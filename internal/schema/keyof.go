package schema

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyOf is what the RowKey of an entity tells: which row, or which entry of an index.
type KeyOf struct {
	Table   string
	Index   *Index        // the index it is an entry of; nil: the row itself
	Columns []string      // of the unique key; nil for a hidden one
	Values  []value.Value // theirs; nil if the key does not give all of them back
}

// KeyOf reads the RowKey of a row of the table, of an entry, or of a row's parent.
func (t *Table) KeyOf(rowKey string) (KeyOf, bool) {
	if t.IsExternal() {
		return KeyOf{Table: t.Name}, true // its keys are seen as columns anyway
	}
	row := make([]value.Value, len(t.Columns))
	if whole, ok := readKey(t.Layout.Row, rowKey, row); ok {
		return t.keyOf(nil, t.Key, row, whole), true
	}
	for _, ix := range t.Indexes {
		whole, ok := readKey(ix.Segments, rowKey, row)
		switch {
		case ok && ix.Unique:
			return t.keyOf(ix, ix.Key, row, whole), true
		case ok:
			return t.keyOf(ix, t.Key, row, whole), true
		}
	}
	if !t.IsInterleaved() {
		return KeyOf{}, false
	}
	whole, ok := readKey(t.Interleaved.segments, rowKey, row)
	k := t.keyOf(nil, t.Interleaved.Key, row, whole)
	k.Table, k.Columns = t.Interleaved.Parent, t.Interleaved.Columns
	return k, ok
}

func (t *Table) keyOf(ix *Index, key []KeyColumn, row []value.Value, whole bool) KeyOf {
	k := KeyOf{Table: t.Name, Index: ix}
	for _, p := range key {
		if t.Columns[p.Column].Hidden {
			return KeyOf{Table: t.Name, Index: ix}
		}
		k.Columns = append(k.Columns, t.Columns[p.Column].Name)
		if whole {
			k.Values = append(k.Values, row[p.Column])
		}
	}
	return k
}

// readKey fills a row with the values in a key of these segments. whole is false if a code does not give its value back, ok
// is false if the key has other segments.
func readKey(segments []Segment, key string, row []value.Value) (whole, ok bool) {
	whole = true
	for i := range segments {
		s := &segments[i]
		if s.Text != "" {
			if key, ok = strings.CutPrefix(key, s.Text); !ok {
				return false, false
			}
			continue
		}
		code, _ := keymap.SkipValue(key)
		key = key[len(code):]
		v, _, err := keymap.DecodeValue(code, s.Code)
		if whole = whole && err == nil; whole {
			row[s.Column] = v.WithDigits(s.Code.Type.Precision)
		}
	}
	return whole, key == ""
}
