package access

import (
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// spanBuilder is one computation of Reads.
type spanBuilder struct {
	k      *KeyPlan
	env    *expr.Env
	r      *Reads
	sets   [][]interval   // by part, of the branch under way
	values []value.Value  // of the parts that are points, of the key under way
	places [][]interval   // by partition column; nil: open
	parts  []*schema.Part // that the branch under way may be in
	all    bool           // a span of all partitions is among r.Spans
	pins   []*string      // by pinned part, the code that a branch before had; nil for none
}

// pin notes the one value of a part that the promised order takes to have one, in this branch and in all others.
func (b *spanBuilder) pin(part int, set []interval) {
	if len(set) > 1 || !set[0].point {
		b.r.Unordered = true
		return
	}
	if len(b.k.Branches) == 1 {
		return
	}
	for part >= len(b.pins) {
		b.pins = append(b.pins, nil)
	}
	code, before := set[0].lo, b.pins[part]
	b.r.Unordered = b.r.Unordered || before != nil && *before != code
	b.pins[part] = &code
}

func (b *spanBuilder) branch(br *keyBranch) error {
	b.sets, b.places = b.sets[:0], b.places[:0]
	spans := 1
	for i, tests := range br.parts {
		p := &b.k.Columns[i]
		set, exact, err := evalAll(b.env, tests, p)
		if err != nil {
			return fmt.Errorf("table %s: %w", b.k.table.Name, err)
		}
		if len(set) == 0 {
			return nil // nothing satisfies this branch
		}
		if spans *= len(set); spans > mostSpans && i > 0 {
			b.r.Exact = false
			b.r.Unordered = b.r.Unordered || slices.Contains(b.k.Pinned, true)
			break
		}
		b.r.Exact = b.r.Exact && exact
		if b.k.Pinned != nil && b.k.Pinned[i] {
			b.pin(i, set)
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
	return b.keyColumn(0, append(make([]byte, 0, 96), b.k.prefix...))
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
	return b.span(prefix, prefix[:len(prefix)-1]+schema.Behind)
}

// keyColumn emits what key column i allows behind buf, which ends with the separator.
func (b *spanBuilder) keyColumn(i int, buf []byte) error {
	last := i+1 == len(b.sets)
	for j, iv := range b.sets[i] {
		if i == 0 && b.k.dividedFirst() {
			b.parts = partsWithin(b.k.table.Parts, b.sets[0][j:j+1])
		}
		if !iv.point {
			if !last {
				b.r.Exact = false // the parts behind a range are out of the key's reach
			}
			from, to := string(append(buf, iv.lo...)), string(buf[:len(buf)-1])+schema.Behind
			if iv.hi != schema.Top {
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
			err = b.keyColumn(i+1, append(next, keymap.Separator))
		case i+1 == b.k.Complete:
			err = b.key(string(next))
		case i+1 == b.k.Inside: // without the copy, whose key ends here
			err = b.span(string(append(next, keymap.Separator)), string(next)+schema.Behind)
		default:
			err = b.span(string(next), string(next)+schema.Behind)
		}
		if err != nil {
			return err
		}
		b.values = b.values[:i]
	}
	return nil
}

func (b *spanBuilder) key(row string) error {
	return b.partitions(func(part *schema.Part, partition string, all bool) {
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
	b.r.Copies = b.r.Copies || len(b.values) < b.k.Inside
	return b.partitions(func(part *schema.Part, partition string, all bool) {
		b.all = b.all || all
		b.r.Spans = append(b.r.Spans, Span{Part: part, Partition: partition, All: all, From: from, To: to})
	})
}

// partitions calls f for each part and partition that the keys under way may be in.
func (b *spanBuilder) partitions(f func(part *schema.Part, partition string, all bool)) error {
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
		if t.Partition.Kind != schema.PartitionByHash {
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
		f(string(b.k.table.FinishPartition(slices.Clone(buf), 0)), false) // buf goes on to the next value
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
		r.Spans, r.Exact, r.Copies = append(r.Spans[:0], s), false, b.k.Inside > 0
		return
	}
	r.Spans = mergeSpans(r.Spans)
}
