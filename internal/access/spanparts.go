package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// undivided stands for the parts of a table that has none.
var undivided = []*schema.Part{nil}

// chooseParts finds the parts that the branch under way reads. Empty: none, or nothing satisfies its tests.
func (b *spanBuilder) chooseParts(tests []*test) (empty bool, err error) {
	if b.k.divide == nil {
		b.parts = undivided
		return false, nil
	}
	ps := b.k.table.Parts
	b.parts = ps.List
	if tests != nil {
		set, _, err := evalAll(b.env, tests, b.k.divide)
		if err != nil {
			return false, err
		}
		b.parts = partsWithin(ps, set)
	}
	return len(b.parts) == 0, nil
}

// dividedFirst says that the key begins with the codes by which parts are told apart.
func (k *KeyPlan) dividedFirst() bool {
	if k.divide == nil || k.Columns[0].Column != k.divide.Column {
		return false
	}
	p := k.Columns[0].Code
	return !p.Desc && p.Prefix == 0 && p.Cut == 0
}

// partsOfKey gives the parts of the key under way: the one that its values say, where it has those of all
// dividing columns.
func (b *spanBuilder) partsOfKey() ([]*schema.Part, error) {
	k := b.k
	for _, from := range k.partsFrom {
		if from < 0 || from >= len(b.values) {
			return b.parts, nil
		}
	}
	code, err := k.table.Parts.AppendCode(nil, func(i int) value.Value { return b.values[k.partsFrom[i]] })
	if err != nil {
		return nil, &schema.KeyError{Table: k.table.Name, Column: k.divide.column.Name, Cause: err}
	}
	if part := k.table.Parts.Find(string(code)); part != nil {
		return []*schema.Part{part}, nil
	}
	return nil, nil
}

// partOrder is Scan.PartOrder of a scan that passes its rows in the order of the key.
func (k *KeyPlan) partOrder() int {
	if k.divide == nil || !k.table.Parts.Ascending() {
		return 0
	}
	for i := range k.Columns {
		p := &k.Columns[i]
		switch {
		case p.Column == k.divide.Column && p.Code.Prefix == 0 && p.Code.Desc:
			return -1
		case p.Column == k.divide.Column && p.Code.Prefix == 0:
			return 1
		case !k.Pinned[i]:
			return 0
		}
	}
	return 0
}

// partShare is how many parts are expected to be read: 1 for a table without any.
func (k *KeyPlan) partShare() float64 {
	if k.divide == nil {
		return 1
	}
	all := float64(len(k.table.Parts.List))
	share := 0.0
	for i := range k.Branches {
		switch tests := k.Branches[i].divide; {
		case tests == nil:
			return max(1, all)
		case points(tests):
			share = max(share, pointCount(tests))
		default:
			share = max(share, all/2)
		}
	}
	return max(1, min(share, all))
}

// partsWithin gives the parts that may hold rows whose first column has a code in set, which is sorted and
// disjoint.
func partsWithin(ps *schema.Parts, set []interval) []*schema.Part {
	keep := make([]bool, len(ps.List))
	for _, iv := range set {
		for _, s := range ps.Spans {
			if s.From < iv.hi && (s.To == "" || iv.lo < s.To) {
				keep[s.Part.Number] = true
			}
		}
	}
	var out []*schema.Part
	for i, p := range ps.List {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

// partsCovered gives the parts all of whose rows have a first column in set, and whether other parts may have some that do.
func partsCovered(ps *schema.Parts, set []interval) (whole []*schema.Part, rest bool) {
	for _, p := range partsWithin(ps, set) {
		outside := func(s schema.CodeSpan) bool {
			to := s.To
			if to == "" {
				to = schema.Top
			}
			return !slices.ContainsFunc(set, func(iv interval) bool { return iv.lo <= s.From && to <= iv.hi })
		}
		if slices.ContainsFunc(p.Spans, outside) {
			rest = true
		} else {
			whole = append(whole, p)
		}
	}
	return whole, rest
}
