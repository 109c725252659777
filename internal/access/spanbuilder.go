package access

import (
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// spanBuilder computes the Reads of one execution.
type spanBuilder struct {
	k          *KeyPlan
	env        *expr.Env
	r          *Reads
	sets       [][]interval        // by column of the RowKey, of the branch under way
	values     []value.Value       // of the columns that are points, of the key under way
	places     [][]interval        // by column of the PartitionKey; nil: open, unless values has the column
	named      []interval          // the store partitions of the branch under way; nil if values tell which
	partitions []*schema.Partition // that the branch under way may read
	all        bool                // r.Spans has a span of several store partitions
	pins       []*string           // by pinned column: the code that an earlier branch had; nil for none
}

// pin notes the value of a pinned column. The promised order holds only if all branches have the same single value for it.
func (b *spanBuilder) pin(column int, set []interval) {
	if len(set) > 1 || !set[0].point {
		b.r.Unordered = true
		return
	}
	if len(b.k.Branches) == 1 {
		return
	}
	for column >= len(b.pins) {
		b.pins = append(b.pins, nil)
	}
	code, before := set[0].lo, b.pins[column]
	b.r.Unordered = b.r.Unordered || before != nil && *before != code
	b.pins[column] = &code
}

func (b *spanBuilder) branch(br *keyBranch) error {
	b.values = b.values[:0]
	partitions, err := b.choosePartitionKeys(br)
	if err != nil || partitions == 0 {
		return err
	}
	b.sets = b.sets[:0]
	spans := partitions
	for i, tests := range br.row {
		set, exact, err := evalAll(b.env, tests, &b.k.Columns[i])
		if err != nil {
			return fmt.Errorf("table %s: %w", b.k.table.Name, err)
		}
		if len(set) == 0 {
			return nil // nothing satisfies this branch
		}
		if spans *= len(set); spans > mostSpans && len(set) > 1 && (i > 0 || b.k.ranged()) {
			b.sets = append(b.sets, []interval{cover(set)})
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
	if empty, err := b.choosePartitions(br.divide); empty || err != nil {
		return err
	}
	w := keyWalk{columns: b.k.Columns, tail: b.k.tail, whole: b.k.Whole, copyColumns: b.k.CopyColumns, sets: b.sets, rows: true}
	return b.walk(&w, 0, make([]byte, 0, 96))
}

// enter begins the keys that have interval j of column i.
func (b *spanBuilder) enter(i, j int) {
	b.values = b.values[:i]
	if iv := &b.sets[i][j]; iv.point {
		b.values = append(b.values, iv.v)
	}
	if i == 0 && b.k.dividedFirst() {
		b.partitions = partitionsWithin(b.k.table.Partitions, b.sets[0][j:j+1])
	}
}

// choosePartitionKeys evaluates the tests on columns of the PartitionKey. count is how many store partitions, or ranges of them,
// they allow; 0 if nothing satisfies them.
func (b *spanBuilder) choosePartitionKeys(br *keyBranch) (count int, err error) {
	k := b.k
	b.places, b.named, count = b.places[:0], nil, 1
	for i, tests := range br.partitionKey {
		var set []interval
		if tests != nil {
			var exact bool
			if set, exact, err = evalAll(b.env, tests, &k.partitionKey[i]); err != nil || len(set) == 0 {
				return 0, err
			}
			if k.ranged() {
				b.r.Exact = b.r.Exact && exact
			} else if !exact || !allPoints(set) {
				// It is not known which partitions lie between two values.
				set, b.r.Exact = nil, false
			}
			if count *= max(1, len(set)); k.ranged() && count > mostSpans && i > 0 {
				b.r.Exact = false
				break
			}
		}
		b.places = append(b.places, set)
	}
	if len(k.partitionKey) == 0 {
		b.named = k.single
		return 1, nil
	}
	if slices.ContainsFunc(k.fromKey, func(from int) bool { return from >= 0 }) {
		return count, nil
	}
	if b.named, err = b.partitionKeys(); err == nil && k.ranged() {
		if count = len(b.named); count > 0 && k.Pinned != nil {
			b.pin(len(k.Columns), b.named)
		}
	}
	return count, err
}

func allPoints(set []interval) bool {
	for i := range set {
		if !set[i].point {
			return false
		}
	}
	return true
}

// row emits a key, or a span of keys, for each store partition and each partition of the table that may hold it.
func (b *spanBuilder) row(row interval) error {
	b.r.Copies = b.r.Copies || !row.point && len(b.values) < b.k.CopyColumns
	parts := b.partitions
	if b.k.divide != nil {
		var err error
		if parts, err = b.partitionsOfKey(); err != nil {
			return err
		}
	}
	partitions := b.named
	if partitions == nil {
		var err error
		if partitions, err = b.partitionKeys(); err != nil {
			return err
		}
	}
	for _, p := range partitions {
		b.add(parts, p, row)
	}
	return nil
}

// add adds what is read of one partition, or of a range of them.
func (b *spanBuilder) add(parts []*schema.Partition, p, row interval) {
	for _, part := range parts {
		if p.point && row.point {
			b.r.Points = append(b.r.Points, Key{Partition: part, PartitionKey: p.lo, RowKey: row.lo})
			continue
		}
		s := Span{Partition: part, Span: row.span()}
		if s.All = !p.point; s.All {
			b.all, s.PartitionKeys = true, p.span()
		} else {
			s.PartitionKey = p.lo
		}
		b.r.Spans = append(b.r.Spans, s)
	}
}

// partitionKeys gives the store partitions, or ranges of them, that may hold the keys under way.
func (b *spanBuilder) partitionKeys() ([]interval, error) {
	k, l := b.k, b.k.layout
	sets := b.places
	if !k.ranged() {
		sets = make([][]interval, len(k.partitionKey))
		for i := range k.partitionKey {
			sets[i] = b.places[i]
			if from := k.fromKey[i]; from >= 0 && from < len(b.values) {
				code, err := k.partitionKey[i].code(b.values[from])
				if err != nil {
					return nil, err
				}
				sets[i] = []interval{{lo: code, point: true}}
			}
			if sets[i] == nil {
				return everywhere(l), nil
			}
		}
	}
	w := keyWalk{columns: k.partitionKey, tail: k.partitionTail, whole: true, sets: sets}
	err := b.walk(&w, 0, nil)
	if l.Buckets > 0 {
		for i := range w.found {
			w.found[i].lo = string(l.FinishPartition([]byte(w.found[i].lo), 0))
		}
	}
	return w.found, err
}

// everywhere is all store partitions of a table of ours: each bucket, or one range.
func everywhere(l *schema.KeyLayout) []interval {
	if l.Buckets == 0 {
		return []interval{spanInterval(keymap.Span{})}
	}
	out := make([]interval, l.Buckets)
	for i := range out {
		out[i] = interval{lo: keymap.BucketName(i), point: true}
	}
	return out
}

// finish makes all points, or all spans, and leaves each key in one of them only.
func (b *spanBuilder) finish() {
	r := b.r
	if len(r.Spans) == 0 {
		r.Points = mergePoints(r.Points)
		return
	}
	for _, p := range r.Points {
		r.Spans = append(r.Spans, Span{Partition: p.Partition, PartitionKey: p.PartitionKey, Span: keymap.PointSpan(p.RowKey)})
	}
	r.Points = r.Points[:0]
	r.Unordered = r.Unordered || b.all
	switch {
	case len(r.Spans) == 1:
	case b.k.ranged():
		r.Spans = b.disjoint(r.Spans)
	case b.all:
		// All partitions are walked once, even if less is wanted of some.
		s := Span{Partition: r.Spans[0].Partition, All: true, Span: r.Spans[0].Span}
		for _, o := range r.Spans[1:] {
			s.From, s.To = min(s.From, o.From), max(s.To, o.To)
		}
		r.Spans, r.Exact, r.Copies = append(r.Spans[:0], s), false, b.k.CopyColumns > 0
	default:
		r.Spans = mergeSpans(r.Spans)
	}
}
