package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyPlan computes the keys and spans of a Scan from the arguments of one execution. It is immutable.
//
// It is a union of branches, each of which holds tests on the key's leading parts: points on all of them
// but the last, which may have a range. One branch is what a conjunction yields; several come of ORs over
// more than one column and of comparisons of rows of values.
type KeyPlan struct {
	table    *schema.Table
	prefix   string      // that of rows, or the index's key name, and the separator
	Columns  []keyColumn // of the whole key: an index's parts, then those of the primary key
	Complete int         // parts that make up a whole RowKey of a row; 0: an index, whose entries are read by spans
	Branches []keyBranch
	// Inside is the number of parts that name a parent, where copies of parents' rows lie among the rows; 0: none do.
	Inside int
	// partition are the partition columns; fromKey says which key column has the same column, -1 for none.
	partition []keyColumn
	fromKey   []int
	// divide is the first column that divides the table into parts; partsFrom says which key column has each of
	// those columns, -1 for none.
	divide    *keyColumn
	partsFrom []int
	// Pinned are the parts that the promised order takes to have one value; nil where none is promised.
	Pinned []bool
	// Conds are the conditions that say where to read, for EXPLAIN.
	Conds expr.Node
	// plain: one branch of one equality on each part of a row's key. The common point read.
	plain bool
}

// keyBranch is one branch: tests by key column, ANDed, none empty; and by partition column, where nil
// leaves it open; and on the column that divides the table into parts, nil for none.
type keyBranch struct {
	parts     [][]*test
	partition [][]*test
	divide    []*test
}

// mostSpans bounds the spans of one scan. Lists of values on several parts multiply: beyond it, the
// later parts are left to be checked.
const mostSpans = 2048

// Reads computes what is read at this execution. Env.Row is the left row of a lookup join. It reuses r's
// slices. All of r.Points are whole keys; where a PointRead's argument has no key of its own (a number
// against text), r.Spans hold what must be searched instead.
func (s *Scan) Reads(env *expr.Env, r *Reads) error {
	err := s.reads(env, r)
	if len(s.Without) > 0 {
		left := func(p *schema.Part) bool { return slices.Contains(s.Without, p.Name) }
		r.Points = slices.DeleteFunc(r.Points, func(k Key) bool { return left(k.Part) })
		r.Spans = slices.DeleteFunc(r.Spans, func(s Span) bool { return left(s.Part) })
	}
	return err
}

func (s *Scan) reads(env *expr.Env, r *Reads) error {
	r.Points, r.Spans, r.Exact, r.Unordered, r.Copies = r.Points[:0], r.Spans[:0], true, false, false
	k := s.Keys
	if k == nil {
		k = &KeyPlan{table: s.Table, prefix: s.Table.RowPrefix() + string(keymap.Separator), Inside: s.Table.CopiesInside()}
		k.setPartition()
		b := spanBuilder{k: k, env: env, r: r}
		if _, err := b.chooseParts(nil); err != nil {
			return err
		}
		return b.whole(k.prefix)
	}
	if k.plain {
		done, err := k.point(env, r)
		if done || err != nil {
			return err
		}
	}
	b := spanBuilder{k: k, env: env, r: r}
	read := b.branch
	if k.table.Foreign != nil {
		read = b.foreign
	}
	for i := range k.Branches {
		if err := read(&k.Branches[i]); err != nil {
			return err
		}
	}
	b.finish()
	return nil
}

// point is Reads for the common point read. Not done: some argument does not give one value of its
// column.
func (k *KeyPlan) point(env *expr.Env, r *Reads) (done bool, err error) {
	var space [96]byte
	var values [4]value.Value
	buf := append(space[:0], k.prefix...)
	row := values[:0]
	for i := range k.Columns {
		p, t := &k.Columns[i], k.Branches[0].parts[i][0]
		v, err := t.value(env)
		if err != nil {
			return false, err
		}
		if v.IsNull() {
			return true, nil // equals nothing
		}
		if err := p.warn(env, v); err != nil {
			return false, err
		}
		v, _, at := locate(&p.column.Type, v)
		if at != placeAt && at != placeAlone {
			return false, nil
		}
		if i > 0 {
			buf = append(buf, keymap.Separator)
		}
		if buf, _, err = keymap.AppendValue(buf, v, p.part); err != nil {
			return false, &schema.KeyError{Table: k.table.Name, Column: p.column.Name, Cause: err}
		}
		row = append(row, v)
	}
	var part *schema.Part
	if k.divide != nil {
		var space [96]byte
		code, err := k.table.Parts.AppendCode(space[:0], func(i int) value.Value { return row[k.partsFrom[i]] })
		if err != nil {
			return false, &schema.KeyError{Table: k.table.Name, Column: k.divide.column.Name, Cause: err}
		}
		if part = k.table.Parts.Find(string(code)); part == nil {
			return true, nil
		}
	}
	partition := keymap.SinglePartition
	if len(k.partition) > 0 {
		var space [64]byte
		name := space[:0]
		for i := range k.partition {
			if name, err = appendPartitionCode(name, &k.partition[i], i, row[k.fromKey[i]]); err != nil {
				return false, err
			}
		}
		partition = string(k.table.FinishPartition(name, 0))
	}
	r.Points = append(r.Points, Key{Part: part, Partition: partition, Row: string(buf)})
	return true, nil
}

func appendPartitionCode(dst []byte, p *keyColumn, i int, v value.Value) ([]byte, error) {
	if i > 0 {
		dst = append(dst, keymap.Separator)
	}
	dst, _, err := keymap.AppendValue(dst, v, p.part)
	if err != nil {
		return dst, &schema.KeyError{Column: p.column.Name, Cause: err}
	}
	return dst, nil
}

// setPartition fills in the partition columns, and those that divide the table into parts.
func (k *KeyPlan) setPartition() {
	from := func(column int) int {
		return slices.IndexFunc(k.Columns, func(p keyColumn) bool { return p.ordinal == column && p.part.Prefix == 0 }) // a prefix is not the value
	}
	if ps := k.table.Parts; ps != nil {
		k.divide = &keyColumn{ordinal: ps.Columns[0], column: k.table.Columns[ps.Columns[0]], part: ps.Codes[0]}
		for _, c := range ps.Columns {
			k.partsFrom = append(k.partsFrom, from(c))
		}
	}
	if k.table.Partition == nil {
		return
	}
	for i, c := range k.table.Partition.Columns {
		k.partition = append(k.partition, keyColumn{ordinal: c, column: k.table.Columns[c], part: k.table.PartitionCodes[i]})
		k.fromKey = append(k.fromKey, from(c))
	}
}
