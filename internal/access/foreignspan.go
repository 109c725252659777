package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// foreign computes what one branch reads.
func (b *spanBuilder) foreign(br *keyBranch) error {
	partitions, err := b.texts(b.k.table.Foreign.Partition, b.k.partition, br.partition, nil)
	if err != nil || len(partitions) == 0 {
		return err
	}
	rows, err := b.texts(b.k.table.Foreign.Row, b.k.Columns, br.parts, b.k.Pinned)
	if err != nil || len(rows) == 0 {
		return err
	}
	if b.k.Pinned != nil {
		b.pin(len(b.k.Columns), partitions)
	}
	if len(partitions)*len(rows) > mostSpans && len(rows) > 1 {
		rows = cover(rows)
		b.r.Exact = false
	}
	for _, p := range partitions {
		if !p.point {
			b.all = true
			b.r.Spans = append(b.r.Spans, b.walk(p, rows))
			continue
		}
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

// walk reads a range of partitions, once, whatever rows are wanted of them.
func (b *spanBuilder) walk(partitions interval, rows []interval) Span {
	b.r.Exact = b.r.Exact && len(rows) == 1
	r := cover(rows)[0]
	return Span{All: true, FromPartition: partitions.lo, ToPartition: rawEnd(partitions.hi), From: r.lo, To: rawEnd(r.hi)}
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
func (b *spanBuilder) texts(pieces []schema.Segment, parts []keyColumn, tests [][]*test, pinned []bool) ([]interval, error) {
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
		if pinned != nil && pinned[column] {
			b.pin(column, set)
		}
		if !allPoints(set) {
			if column+1 < len(tests) {
				b.r.Exact = false
			}
			return b.ranges(begun, set, p), nil
		}
		next := make([]string, 0, len(begun)*len(set))
		for _, text := range begun {
			for _, iv := range set {
				if end := schema.EndOf(pieces, i); end != "" && schema.CutAt(iv.lo+end, end) != len(iv.lo) {
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
		out[i] = rawPoint(text)
	}
	return out, nil
}

// prefixes are all keys that begin with one of the texts.
func (b *spanBuilder) prefixes(begun []string) []interval {
	out := make([]interval, len(begun))
	for i, text := range begun {
		to, exact := schema.Successor(text)
		b.r.Exact = b.r.Exact && exact
		out[i] = rawInterval(text, to)
	}
	return out
}

// rawPoint holds one key.
func rawPoint(key string) interval {
	return interval{lo: key, hi: keymap.PointSpan(key).To, point: true}
}

func rawInterval(from, to string) interval {
	if to == "" {
		to = rawTop
	}
	return interval{lo: from, hi: to}
}

// ranges are the keys that go on behind begun with a text of one of the intervals. Where other pieces follow, the
// text alone does not say where the key lies: a bound that ends with it goes behind all that follows.
func (b *spanBuilder) ranges(begun []string, set []interval, p *keyColumn) []interval {
	width := p.raw.Width(p.column.Type)
	var out []interval
	for _, text := range begun {
		end, _ := schema.Successor(text)
		for _, iv := range set {
			lo, hi := iv.lo, iv.hi
			switch {
			case p.final && iv.point:
				out = append(out, rawPoint(text+lo))
				continue
			case p.final:
			case width > 0:
				if len(lo) > width {
					lo, _ = schema.Successor(lo[:width])
				}
				if hi != rawTop && len(hi) > width {
					hi, _ = schema.Successor(hi[:width])
				}
			default:
				b.r.Exact = false
				hi = aboveContinued(lo, hi)
			}
			to := end
			if hi != rawTop {
				to = text + hi
			}
			if iv := rawInterval(text+lo, to); iv.lo < iv.hi {
				out = append(out, iv)
			}
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
			to, _ := schema.Successor(q)
			return rawInterval(q, to).hi
		}
	}
	return hi
}
