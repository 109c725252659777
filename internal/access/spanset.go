package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// interval is a range lo ≤ text < hi. The texts are whole keys, or keys from one column on. A point holds exactly one text, lo. In
// the interval of a column, v is the value that a point stands for, of the column's type.
type interval struct {
	lo, hi string
	point  bool
	v      value.Value
}

// keyInterval holds one key.
func keyInterval(key string) interval {
	return interval{lo: key, hi: keymap.PointSpan(key).To, point: true}
}

// spanInterval holds the keys of a span, whose end may be open.
func spanInterval(s keymap.Span) interval {
	return interval{lo: s.From, hi: cmp.Or(s.To, schema.Top)}
}

// span is the span of an interval of whole keys.
func (iv *interval) span() keymap.Span {
	switch {
	case iv.point:
		return keymap.PointSpan(iv.lo)
	case iv.hi == schema.Top:
		return keymap.Span{From: iv.lo}
	}
	return keymap.Span{From: iv.lo, To: iv.hi}
}

// cover is the smallest interval that holds all of a sorted list.
func cover(list []interval) interval {
	out := interval{lo: list[0].lo, hi: list[0].hi}
	for _, iv := range list[1:] {
		out.hi = max(out.hi, iv.hi)
	}
	return out
}

// unite sorts intervals and merges those that overlap, so that no key is in two of them.
func unite(list []interval) []interval {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b interval) int {
		if c := strings.Compare(a.lo, b.lo); c != 0 {
			return c
		}
		return strings.Compare(b.hi, a.hi) // the longer one first, as it includes the other
	})
	out := list[:1]
	for _, iv := range list[1:] {
		last := &out[len(out)-1]
		switch {
		case iv.lo < last.hi || iv.lo == last.hi && !iv.point && !last.point:
			if iv.hi > last.hi {
				last.hi, last.point = iv.hi, false
			}
		default:
			out = append(out, iv)
		}
	}
	return out
}

// intersect gives what two united lists have in common. Points stay points, as no bound of a range lies inside one.
func intersect(a, b []interval) []interval {
	var out []interval
	for len(a) > 0 && len(b) > 0 {
		lo, hi := max(a[0].lo, b[0].lo), min(a[0].hi, b[0].hi)
		if lo < hi {
			iv := interval{lo: lo, hi: hi}
			switch {
			case a[0].point:
				iv = a[0]
			case b[0].point:
				iv = b[0]
			}
			out = append(out, iv)
		}
		if a[0].hi < b[0].hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// without gives what is in the united list a and not in b. No bound lies inside a point.
func without(a, b []interval) []interval {
	var out []interval
	for _, iv := range a {
		for _, cut := range b {
			if cut.hi <= iv.lo || iv.hi <= cut.lo {
				continue
			}
			if iv.lo < cut.lo {
				out = append(out, interval{lo: iv.lo, hi: cut.lo})
			}
			iv.lo, iv.point = cut.hi, false
		}
		if iv.point || iv.lo < iv.hi {
			out = append(out, iv)
		}
	}
	return out
}

// mergeSpans sorts spans by partition, store partition and begin, and merges those that overlap or touch. Nothing lies between "x"
// and "x!": the separator is the least character, and "x" alone is no key.
func mergeSpans(list []Span) []Span {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b Span) int {
		return cmp.Or(ComparePartitions(a.Partition, b.Partition), strings.Compare(a.PartitionKey, b.PartitionKey), strings.Compare(a.From, b.From))
	})
	out := list[:1]
	for _, s := range list[1:] {
		last := &out[len(out)-1]
		if s.Partition == last.Partition && s.PartitionKey == last.PartitionKey && (s.From <= last.To || touches(last.To, s.From)) {
			last.To = max(last.To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// ComparePartitions orders the partitions of one table as they are listed.
func ComparePartitions(a, b *schema.Partition) int {
	if a == b {
		return 0
	}
	return a.Number - b.Number
}

func touches(to, from string) bool {
	return len(from) == len(to)+1 && strings.HasPrefix(from, to) && from[len(to)] == '!'
}

// mergePoints sorts keys, and removes duplicates.
func mergePoints(list []Key) []Key {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b Key) int {
		return cmp.Or(ComparePartitions(a.Partition, b.Partition), strings.Compare(a.PartitionKey, b.PartitionKey), strings.Compare(a.RowKey, b.RowKey))
	})
	return slices.Compact(list)
}
