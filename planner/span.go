package planner

import (
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyPlan computes the keys and spans of a Scan from the arguments of one execution. It is immutable.
//
// It is a union of branches, each of which holds tests on the key's leading parts: points on all of them
// but the last, which may have a range. One branch is what a conjunction yields; several come of ORs over
// more than one column and of comparisons of rows of values.
type KeyPlan struct {
	table    *Table
	prefix   string    // that of rows, or the index's key name, and the separator
	parts    []keyPart // of the whole key: an index's parts, then those of the primary key
	complete int       // parts that make up a whole RowKey of a row; 0: an index, whose entries are read by spans
	branches []keyBranch
	// inside is the number of parts that name a parent, where copies of parents' rows lie among the rows; 0: none do.
	inside int
	// partition are the partition columns; fromKey says which key part has the same column, -1 for none.
	partition []keyPart
	fromKey   []int
	// divide is the first column that divides the table into parts; partsFrom says which key part has each of
	// those columns, -1 for none.
	divide    *keyPart
	partsFrom []int
	// pinned are the parts that the promised order takes to have one value; nil where none is promised.
	pinned []bool
	// conds are the conditions that say where to read, for EXPLAIN.
	conds expr.Node
	// plain: one branch of one equality on each part of a row's key. The common point read.
	plain bool
}

// keyBranch is one branch: tests by key part, ANDed, none empty; and by partition column, where nil
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
		left := func(p *Part) bool { return slices.Contains(s.Without, p.Name) }
		r.Points = slices.DeleteFunc(r.Points, func(k Key) bool { return left(k.Part) })
		r.Spans = slices.DeleteFunc(r.Spans, func(s Span) bool { return left(s.Part) })
	}
	return err
}

func (s *Scan) reads(env *expr.Env, r *Reads) error {
	r.Points, r.Spans, r.Exact, r.Unordered, r.Copies = r.Points[:0], r.Spans[:0], true, false, false
	k := s.Keys
	if k == nil {
		k = &KeyPlan{table: s.Table, prefix: s.Table.RowPrefix() + string(keymap.Separator), inside: s.Table.copiesInside()}
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
	for i := range k.branches {
		if err := read(&k.branches[i]); err != nil {
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
	for i := range k.parts {
		p, t := &k.parts[i], k.branches[0].parts[i][0]
		v, err := t.value(env)
		if err != nil {
			return false, err
		}
		if v.IsNull() {
			return true, nil // equals nothing
		}
		v, _, at := locate(&p.column.Type, v)
		if at != placeAt {
			return false, nil
		}
		if i > 0 {
			buf = append(buf, keymap.Separator)
		}
		if buf, _, err = keymap.AppendValue(buf, v, p.part); err != nil {
			return false, &KeyError{Table: k.table.Name, Column: p.column.Name, Cause: err}
		}
		row = append(row, v)
	}
	var part *Part
	if k.divide != nil {
		var space [96]byte
		code, err := k.table.Parts.appendCode(space[:0], func(i int) value.Value { return row[k.partsFrom[i]] })
		if err != nil {
			return false, &KeyError{Table: k.table.Name, Column: k.divide.column.Name, Cause: err}
		}
		if part = k.table.Parts.find(string(code)); part == nil {
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
		partition = string(k.table.finishPartition(name, 0))
	}
	r.Points = append(r.Points, Key{Part: part, Partition: partition, Row: string(buf)})
	return true, nil
}

func appendPartitionCode(dst []byte, p *keyPart, i int, v value.Value) ([]byte, error) {
	if i > 0 {
		dst = append(dst, keymap.Separator)
	}
	dst, _, err := keymap.AppendValue(dst, v, p.part)
	if err != nil {
		return dst, &KeyError{Column: p.column.Name, Cause: err}
	}
	return dst, nil
}

// setPartition fills in the partition columns, and those that divide the table into parts.
func (k *KeyPlan) setPartition() {
	from := func(column int) int {
		return slices.IndexFunc(k.parts, func(p keyPart) bool { return p.ordinal == column && p.part.Prefix == 0 }) // a prefix is not the value
	}
	if ps := k.table.Parts; ps != nil {
		k.divide = &keyPart{ordinal: ps.Columns[0], column: k.table.Columns[ps.Columns[0]], part: ps.codes[0]}
		for _, c := range ps.Columns {
			k.partsFrom = append(k.partsFrom, from(c))
		}
	}
	if k.table.Partition == nil {
		return
	}
	for i, c := range k.table.Partition.Columns {
		k.partition = append(k.partition, keyPart{ordinal: c, column: k.table.Columns[c], part: k.table.partitionParts[i]})
		k.fromKey = append(k.fromKey, from(c))
	}
}

// spanBuilder is one computation of Reads.
type spanBuilder struct {
	k      *KeyPlan
	env    *expr.Env
	r      *Reads
	sets   [][]interval  // by part, of the branch under way
	values []value.Value // of the parts that are points, of the key under way
	places [][]interval  // by partition column; nil: open
	parts  []*Part       // that the branch under way may be in
	all    bool          // a span of all partitions is among r.Spans
}

func (b *spanBuilder) branch(br *keyBranch) error {
	b.sets, b.places = b.sets[:0], b.places[:0]
	spans := 1
	for i, tests := range br.parts {
		p := &b.k.parts[i]
		set, exact, err := evalAll(b.env, tests, p)
		if err != nil {
			return fmt.Errorf("table %s: %w", b.k.table.Name, err)
		}
		if len(set) == 0 {
			return nil // nothing satisfies this branch
		}
		if spans *= len(set); spans > mostSpans && i > 0 {
			b.r.Exact = false
			b.r.Unordered = b.r.Unordered || slices.Contains(b.k.pinned, true)
			break
		}
		b.r.Exact = b.r.Exact && exact
		if b.k.pinned != nil && b.k.pinned[i] && (len(set) > 1 || !set[0].point) {
			b.r.Unordered = true
		}
		b.sets = append(b.sets, set)
	}
	for i, tests := range br.partition {
		var set []interval
		if tests != nil {
			var exact bool
			var err error
			if set, exact, err = evalAll(b.env, tests, &b.k.partition[i]); err != nil {
				return err
			}
			if len(set) == 0 {
				return nil
			}
			if !exact || !allPoints(set) {
				// Which partitions there are between two is not known.
				set, b.r.Exact = nil, false
			}
		}
		b.places = append(b.places, set)
	}
	if empty, err := b.chooseParts(br.divide); empty || err != nil {
		return err
	}
	b.values = b.values[:0]
	if len(b.sets) == 0 {
		return b.whole(b.k.prefix)
	}
	return b.part(0, append(make([]byte, 0, 96), b.k.prefix...))
}

func allPoints(set []interval) bool {
	for i := range set {
		if !set[i].point {
			return false
		}
	}
	return true
}

// whole reads all keys that begin with prefix, a name and the separator.
func (b *spanBuilder) whole(prefix string) error {
	return b.span(prefix, prefix[:len(prefix)-1]+behind)
}

// part emits what part i allows behind buf, which ends with the separator.
func (b *spanBuilder) part(i int, buf []byte) error {
	last := i+1 == len(b.sets)
	for j, iv := range b.sets[i] {
		if i == 0 && b.k.dividedFirst() {
			b.parts = b.k.table.Parts.within(b.sets[0][j : j+1])
		}
		if !iv.point {
			if !last {
				b.r.Exact = false // the parts behind a range are out of the key's reach
			}
			from, to := string(append(buf, iv.lo...)), string(buf[:len(buf)-1])+behind
			if iv.hi != top {
				to = string(append(buf, iv.hi...))
			}
			if err := b.span(from, to); err != nil {
				return err
			}
			continue
		}
		b.values = append(b.values[:i], iv.v)
		next := append(buf, iv.lo...)
		var err error
		switch {
		case !last:
			err = b.part(i+1, append(next, keymap.Separator))
		case i+1 == b.k.complete:
			err = b.key(string(next))
		case i+1 == b.k.inside: // without the copy, whose key ends here
			err = b.span(string(append(next, keymap.Separator)), string(next)+behind)
		default:
			err = b.span(string(next), string(next)+behind)
		}
		if err != nil {
			return err
		}
		b.values = b.values[:i]
	}
	return nil
}

func (b *spanBuilder) key(row string) error {
	return b.partitions(func(part *Part, partition string, all bool) {
		if all {
			b.all = true
			s := keymap.PointSpan(row)
			b.r.Spans = append(b.r.Spans, Span{Part: part, All: true, From: s.From, To: s.To})
			return
		}
		b.r.Points = append(b.r.Points, Key{Part: part, Partition: partition, Row: row})
	})
}

func (b *spanBuilder) span(from, to string) error {
	b.r.Copies = b.r.Copies || len(b.values) < b.k.inside
	return b.partitions(func(part *Part, partition string, all bool) {
		b.all = b.all || all
		b.r.Spans = append(b.r.Spans, Span{Part: part, Partition: partition, All: all, From: from, To: to})
	})
}

// partitions calls f for each part and partition that the keys under way may be in.
func (b *spanBuilder) partitions(f func(part *Part, partition string, all bool)) error {
	if b.k.divide == nil {
		return b.partitionsOf(func(partition string, all bool) { f(nil, partition, all) })
	}
	parts, err := b.partsOfKey()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := b.partitionsOf(func(partition string, all bool) { f(part, partition, all) }); err != nil {
			return err
		}
	}
	return nil
}

// partitionsOf calls f for each partition.
func (b *spanBuilder) partitionsOf(f func(partition string, all bool)) error {
	t := b.k.table
	if t.Partition == nil {
		f(keymap.SinglePartition, false)
		return nil
	}
	if b.open() {
		if t.Partition.Kind != PartitionByHash {
			f("", true)
			return nil
		}
		for i := range t.Partition.Count {
			f(keymap.BucketName(i), false)
		}
		return nil
	}
	return b.partitionColumn(0, nil, f)
}

// open says whether some partition column has no known values.
func (b *spanBuilder) open() bool {
	for i := range b.k.partition {
		if from := b.k.fromKey[i]; (from < 0 || from >= len(b.values)) && (i >= len(b.places) || b.places[i] == nil) {
			return true
		}
	}
	return false
}

func (b *spanBuilder) partitionColumn(i int, buf []byte, f func(string, bool)) error {
	if i == len(b.k.partition) {
		f(string(b.k.table.finishPartition(slices.Clone(buf), 0)), false) // buf goes on to the next value
		return nil
	}
	p := &b.k.partition[i]
	if from := b.k.fromKey[i]; from >= 0 && from < len(b.values) {
		next, err := appendPartitionCode(buf, p, i, b.values[from])
		if err != nil {
			return err
		}
		return b.partitionColumn(i+1, next, f)
	}
	for _, iv := range b.places[i] {
		next, err := appendPartitionCode(buf, p, i, iv.v)
		if err != nil {
			return err
		}
		if err := b.partitionColumn(i+1, next, f); err != nil {
			return err
		}
	}
	return nil
}

// finish leaves every key in one place: all points, or all spans.
func (b *spanBuilder) finish() {
	r := b.r
	if len(r.Spans) == 0 {
		r.Points = mergePoints(r.Points)
		return
	}
	for _, p := range r.Points {
		s := keymap.PointSpan(p.Row)
		r.Spans = append(r.Spans, Span{Part: p.Part, Partition: p.Partition, From: s.From, To: s.To})
	}
	r.Points = r.Points[:0]
	if b.k.table.Foreign != nil { // whose spans may be of any text
		if len(r.Spans) > 1 {
			r.Spans = b.disjoint(r.Spans)
		}
		return
	}
	r.Unordered = r.Unordered || b.all
	if b.all && len(r.Spans) > 1 {
		// All partitions are walked once, whatever is wanted of them.
		s := Span{All: true, From: r.Spans[0].From, To: r.Spans[0].To}
		for _, o := range r.Spans[1:] {
			s.From, s.To = min(s.From, o.From), max(s.To, o.To)
		}
		r.Spans, r.Exact, r.Copies = append(r.Spans[:0], s), false, b.k.inside > 0
		return
	}
	r.Spans = mergeSpans(r.Spans)
}
