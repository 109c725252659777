package planner

import (
	"math"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// rawTop is above every text of a foreign key.
const rawTop = "\xff"

// newForeignKeys begins a plan of the keys of a foreign table. Its parts are the columns in the RowKey, its
// partition those in the PartitionKey.
func newForeignKeys(t *Table) *KeyPlan {
	k := &KeyPlan{table: t}
	k.parts, k.partition = foreignParts(t, t.Foreign.Row), foreignParts(t, t.Foreign.Partition)
	return k
}

func foreignParts(t *Table, pieces []KeyPiece) []keyPart {
	var parts []keyPart
	for i := range pieces {
		if p := &pieces[i]; p.Text == "" {
			col := t.Columns[p.Column]
			parts = append(parts, keyPart{
				ordinal: p.Column, column: col, part: keymap.Part{Type: col.Type, Desc: p.Form == FormInverted},
				raw: p, final: i == len(pieces)-1,
			})
		}
	}
	return parts
}

// assembleForeign is assemble for foreign tables: tests on the leading columns of both keys.
func (k *KeyPlan) assembleForeign(atoms []atom, covered, touched []bool) keyBranch {
	placed := make([]bool, len(atoms))
	lead := func(parts []keyPart) (out [][]*test) {
		for i := range parts {
			var tests []*test
			for j := range atoms {
				if atoms[j].ordinal == parts[i].ordinal {
					tests = append(tests, atoms[j].test)
					placed[j] = true
				}
			}
			if tests == nil {
				break
			}
			out = append(out, tests)
			if !points(tests) {
				break
			}
		}
		return out
	}
	b := keyBranch{partition: lead(k.partition), parts: lead(k.parts)}
	for i := range atoms {
		c := atoms[i].conjunct
		covered[c], touched[c] = covered[c] && placed[i], touched[c] || placed[i]
	}
	return b
}

// allPointed says whether tests give single values for all the parts.
func allPointed(tests [][]*test, parts []keyPart) bool {
	return len(tests) == len(parts) && (len(tests) == 0 || points(tests[len(tests)-1]))
}

// setForeignAccess names the way to a foreign table's entities.
func (s *Scan) setForeignAccess(depth int) {
	k := s.Keys
	wholePartition, wholeKey, single := true, true, len(k.branches) == 1
	for i := range k.branches {
		b := &k.branches[i]
		wholePartition = wholePartition && allPointed(b.partition, k.partition)
		wholeKey = wholeKey && allPointed(b.parts, k.parts)
		for _, tests := range append(slices.Clone(b.partition), b.parts...) {
			single = single && pointCount(tests) == 1
		}
	}
	switch {
	case wholePartition && wholeKey && single:
		s.Access = PointRead
	case wholePartition && wholeKey:
		s.Access = PointReads
	case depth > 0:
		s.Access = RangeScan
	case wholePartition:
		s.Access = PartitionScan
	default:
		s.Access = TableScan
	}
}

// foreignOrder is servesOrder for foreign tables: the entities of one partition come in the order of their RowKeys.
func foreignOrder(c *constrainer, k *KeyPlan, order []SortKey, forms [][][]atom) (pinned []bool, ok bool) {
	single := func(p *keyPart) bool { return hasSingle(p.ordinal, forms, nil) }
	for i := range k.partition {
		if !single(&k.partition[i]) {
			return nil, false
		}
	}
	pinned = make([]bool, len(k.parts))
	i := 0
	for _, key := range order {
		ordinal, ok := c.column(key.Expr)
		if !ok {
			return nil, false
		}
		is := func(p keyPart) bool { return p.ordinal == ordinal }
		if slices.ContainsFunc(k.partition, is) || slices.ContainsFunc(k.parts[:i], is) {
			continue
		}
		for i < len(k.parts) && k.parts[i].ordinal != ordinal && single(&k.parts[i]) {
			pinned[i] = true
			i++
		}
		if i == len(k.parts) || k.parts[i].ordinal != ordinal {
			return nil, false
		}
		switch p := &k.parts[i]; {
		case single(p):
			pinned[i] = true
		case p.part.Desc != key.Desc || !p.raw.ordered(p.column.Type, p.final):
			return nil, false
		}
		i++
	}
	return pinned, true
}

// estimateForeign is what a way to a foreign table costs.
func (r *accessRequest) estimateForeign(s *Scan, k *KeyPlan, ordered bool, residual int) cost {
	entities, spans := 0.0, 0.0
	for i := range k.branches {
		n, left := 1.0, 1.0
		for _, tests := range append(slices.Clone(k.branches[i].partition), k.branches[i].parts...) {
			left *= share(tests)
			if points(tests) {
				n *= pointCount(tests)
			}
		}
		if s.Access > PointReads {
			entities += max(n, assumedRows*left)
		} else {
			entities += n
		}
		spans += n
	}
	entities = min(entities, assumedRows)
	rows := entities * math.Pow(shareResidual, float64(residual))
	if r.limit != nil && (ordered || len(r.order) == 0) {
		if want := limitRows(r.limit); rows > want {
			entities, rows = entities*want/rows, want
		}
	}
	c := cost{entities: entities, requests: entities}
	if s.Access > PointReads {
		c.requests = max(spans, math.Ceil(entities/pageEntities))
	}
	s.Rows, s.Requests = rows, c.requests
	return c
}

// foreign computes what one branch reads.
func (b *spanBuilder) foreign(br *keyBranch) error {
	partitions, err := b.texts(b.k.table.Foreign.Partition, b.k.partition, br.partition, nil)
	if err != nil || len(partitions) == 0 {
		return err
	}
	rows, err := b.texts(b.k.table.Foreign.Row, b.k.parts, br.parts, b.k.pinned)
	if err != nil || len(rows) == 0 {
		return err
	}
	if b.k.pinned != nil && (len(partitions) > 1 || !partitions[0].point) {
		b.r.Unordered = true
	}
	if len(partitions)*len(rows) > mostSpans && len(rows) > 1 {
		rows = cover(rows)
		b.r.Exact = false
	}
	if !allPoints(partitions) {
		if len(partitions) > 1 || len(br.parts) > 0 {
			b.r.Exact = false
		}
		p, r := cover(partitions)[0], cover(rows)[0]
		b.all = true
		b.r.Spans = append(b.r.Spans, Span{All: true, FromPartition: p.lo, ToPartition: rawEnd(p.hi), From: r.lo, To: rawEnd(r.hi)})
		return nil
	}
	for _, p := range partitions {
		for _, r := range rows {
			if r.point {
				b.r.Points = append(b.r.Points, Key{Partition: p.lo, Row: r.lo})
			} else {
				b.r.Spans = append(b.r.Spans, Span{Partition: p.lo, From: r.lo, To: rawEnd(r.hi)})
			}
		}
	}
	return nil
}

func rawEnd(hi string) string {
	if hi == rawTop {
		return ""
	}
	return hi
}

// cover is the one interval that holds all of a sorted list.
func cover(list []interval) []interval {
	out := interval{lo: list[0].lo, hi: list[0].hi}
	for _, iv := range list[1:] {
		out.lo, out.hi = min(out.lo, iv.lo), max(out.hi, iv.hi)
	}
	return []interval{out}
}

// texts gives the texts of one key that the tests allow: whole keys as points, or ranges. tests are those of the
// leading columns.
func (b *spanBuilder) texts(pieces []KeyPiece, parts []keyPart, tests [][]*test, pinned []bool) ([]interval, error) {
	begun := []string{""}
	column := 0
	for i := range pieces {
		if pieces[i].Text != "" {
			for j := range begun {
				begun[j] += pieces[i].Text
			}
			continue
		}
		if column == len(tests) {
			return b.prefixes(begun), nil
		}
		p := &parts[column]
		set, exact, err := evalAll(b.env, tests[column], p)
		if err != nil || len(set) == 0 {
			return nil, err
		}
		if len(begun)*len(set) > mostSpans && column > 0 {
			b.r.Exact = false
			b.r.Unordered = b.r.Unordered || slices.Contains(pinned, true)
			return b.prefixes(begun), nil
		}
		b.r.Exact = b.r.Exact && exact
		single := len(set) == 1 && set[0].point
		b.r.Unordered = b.r.Unordered || pinned != nil && pinned[column] && !single
		if !allPoints(set) {
			if column+1 < len(tests) {
				b.r.Exact = false
			}
			return b.ranges(begun, set, p), nil
		}
		next := make([]string, 0, len(begun)*len(set))
		for _, text := range begun {
			for _, iv := range set {
				if end := endOf(pieces, i); end != "" && cutAt(iv.lo+end, end) != len(iv.lo) {
					continue // no key gives this text back, so no row has it
				}
				next = append(next, text+iv.lo)
			}
		}
		begun = next
		column++
	}
	out := make([]interval, len(begun))
	for i, text := range begun {
		out[i] = interval{lo: text, hi: text + " ", point: true}
	}
	return out, nil
}

// prefixes are all keys that begin with one of the texts.
func (b *spanBuilder) prefixes(begun []string) []interval {
	out := make([]interval, len(begun))
	for i, text := range begun {
		to, exact := successor(text)
		b.r.Exact = b.r.Exact && exact
		out[i] = rawInterval(text, to)
	}
	return out
}

func rawInterval(from, to string) interval {
	if to == "" {
		to = rawTop
	}
	return interval{lo: from, hi: to}
}

// ranges are the keys that go on behind begun with a text of one of the intervals. Where other pieces follow, the
// text alone does not say where the key lies: a bound that ends with it goes behind all that follows.
func (b *spanBuilder) ranges(begun []string, set []interval, p *keyPart) []interval {
	width := p.raw.width(p.column.Type)
	var out []interval
	for _, text := range begun {
		end, _ := successor(text)
		for _, iv := range set {
			lo, hi := iv.lo, iv.hi
			switch {
			case p.final:
			case width > 0:
				if len(lo) > width {
					lo, _ = successor(lo[:width])
				}
				if hi != rawTop && len(hi) > width {
					hi, _ = successor(hi[:width])
				}
			default:
				b.r.Exact = false
				hi = aboveContinued(lo, hi)
			}
			to := end
			if hi != rawTop {
				to = text + hi
			}
			out = append(out, rawInterval(text+lo, to))
		}
	}
	return out
}

// aboveContinued is above every text that begins with one from lo up to, not including, hi.
func aboveContinued(lo, hi string) string {
	if hi == rawTop {
		return hi
	}
	for i := range hi {
		if q := hi[:i]; q >= lo {
			if to := keymap.Successor(q); to != "" {
				return to
			}
			return rawTop
		}
	}
	return hi
}

// finishForeign is finish for foreign tables, whose spans may be of any text.
func (b *spanBuilder) finishForeign() {
	r := b.r
	switch {
	case len(r.Spans) == 0:
		r.Points = mergePoints(r.Points)
		return
	case b.all && len(r.Spans)+len(r.Points) > 1:
		r.Spans = append(r.Spans[:0], b.coverAll())
		r.Points, r.Exact = r.Points[:0], false
		return
	}
	for _, p := range r.Points {
		s := keymap.PointSpan(p.Row)
		r.Spans = append(r.Spans, Span{Partition: p.Partition, From: s.From, To: s.To})
	}
	r.Points = r.Points[:0]
	slices.SortFunc(r.Spans, func(a, b Span) int {
		if c := strings.Compare(a.Partition, b.Partition); c != 0 {
			return c
		}
		return strings.Compare(a.From, b.From)
	})
	out := r.Spans[:1]
	for _, s := range r.Spans[1:] {
		last := &out[len(out)-1]
		if s.Partition != last.Partition || last.To != "" && s.From > last.To {
			out = append(out, s)
		} else if last.To != "" && (s.To == "" || s.To > last.To) {
			last.To = s.To
		}
	}
	r.Spans = out
}

// coverAll is the walk over partitions that reads all points and spans.
func (b *spanBuilder) coverAll() Span {
	var partitions, rows []interval
	for _, p := range b.r.Points {
		partitions = append(partitions, interval{lo: p.Partition, hi: p.Partition + " "})
		rows = append(rows, interval{lo: p.Row, hi: p.Row + " "})
	}
	for _, s := range b.r.Spans {
		if s.All {
			partitions = append(partitions, rawInterval(s.FromPartition, s.ToPartition))
		} else {
			partitions = append(partitions, interval{lo: s.Partition, hi: s.Partition + " "})
		}
		rows = append(rows, rawInterval(s.From, s.To))
	}
	p, r := cover(partitions)[0], cover(rows)[0]
	return Span{All: true, FromPartition: p.lo, ToPartition: rawEnd(p.hi), From: r.lo, To: rawEnd(r.hi)}
}

// rawCode is the text of v in a foreign key; not ok where the form has none for it.
func (p *keyPart) rawCode(v value.Value) (string, bool) {
	var buf [64]byte
	code, ok := p.raw.append(buf[:0], v)
	return string(code), ok
}

// rawBounds is bounds for a piece of a foreign key. Stores may sort by code points or by UTF-16 units: from the
// first character on where these differ, the key's order is not known.
func (p *keyPart) rawBounds(code string) (b codeBounds, tied bool) {
	if p.raw.Form != FormPlain && p.raw.width(p.column.Type) == 0 {
		return codeBounds{"", rawTop}, true // 10 comes before 9
	}
	for i, r := range code {
		if r >= 0xD800 {
			s := keymap.PrefixSpan(code[:i])
			iv := rawInterval(s.From, s.To)
			return codeBounds{iv.lo, iv.hi}, true
		}
	}
	return codeBounds{code, code + " "}, false
}
