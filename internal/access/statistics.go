package access

import (
	"maps"
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// rowsOf is how many rows a table has: by ANALYZE TABLE, or as assumed.
func rowsOf(t *schema.Table) float64 {
	if !t.Analyzed() {
		return assumedRows
	}
	return max(1, float64(t.Statistics.Rows))
}

// PartitionsOf is how many store partitions a table has with one for each value.
func PartitionsOf(t *schema.Table) float64 {
	if !t.Analyzed() || t.Spread == nil {
		return assumedPartitions
	}
	n := 1.0
	for _, c := range t.Spread.Columns {
		st := t.StatisticsOf(c)
		if st == nil {
			return assumedPartitions
		}
		n *= max(1, st.Distinct)
	}
	return min(n, rowsOf(t))
}

// isFixed says whether the values that t compares with are known when the statement is planned.
func (t *test) isFixed() bool {
	switch t.op {
	case testNull, testNotNull:
		return true
	case testAnd, testOr, testEdge:
		return !slices.ContainsFunc(t.kids, func(k *test) bool { return !k.isFixed() })
	}
	return t.constant
}

// areConstant says whether expressions are constants.
func areConstant(list ...expr.Node) bool {
	return !slices.ContainsFunc(list, func(n expr.Node) bool { _, is := n.(*expr.Const); return !is })
}

// shareIn is the share of a table's rows that tests on one column leave, by its statistics if there are any. Tests with known values are
// compared with the common values and the histogram; an equality with an argument leaves as many rows as one value has on average.
func shareIn(t *schema.Table, column int, tests []*test) float64 {
	st := t.StatisticsOf(column)
	if st == nil {
		return share(tests)
	}
	var fixed, open []*test
	for _, k := range tests {
		if k.isFixed() {
			fixed = append(fixed, k)
		} else {
			open = append(open, k)
		}
	}
	s := assumed{equal: st.ShareOfOne(), notNull: 1 - st.Null}.share(open)
	if len(fixed) == 0 {
		return s
	}
	p := &keyColumn{Segment: &schema.Segment{Column: column, Form: schema.FormCode, Code: t.StatisticsPart(column)}, column: t.Columns[column]}
	set, _, err := evalAll(&expr.Env{Session: &expr.Session{}}, fixed, p)
	if err != nil {
		return min(s, share(fixed))
	}
	known := 0.0
	for _, iv := range set {
		if iv.point {
			known += st.ShareOf(iv.lo)
		} else {
			known += st.ShareBetween(iv.lo, iv.hi)
		}
	}
	return min(s, known)
}

// placeShare is the share of rows that lie where the branch b looks, as far as the tests on columns of its key do not imply it. Without
// statistics it is 1.
func (k *KeyPlan) placeShare(b *keyBranch) float64 {
	s := k.coarseShare(b)
	if _, open := b.Spread(k); !k.table.Analyzed() || k.ranged() || open || k.layout.Buckets > 0 {
		return s
	}
	for i, tests := range b.partitionKey {
		if tests != nil {
			s *= shareIn(k.table, k.partitionKey[i].Column, tests)
		}
	}
	return s
}

// together is the factor by which the equalities on the first columns of a key leave more rows than if they were independent: values of columns
// go together, like a city and its country. Without statistics it is 1.
func (k *KeyPlan) together(b *keyBranch) float64 {
	if !k.table.Analyzed() {
		return 1
	}
	var columns []int
	more, each, least := 1.0, 1.0, 1.0
	for i, tests := range b.leading(k) {
		column := k.leadingColumn(i)
		st := k.table.StatisticsOf(column)
		if st == nil || !points(tests) {
			break
		}
		columns = append(columns, column)
		share := shareIn(k.table, column, tests)
		each, least = each*share, min(least, share)
		product := 1.0
		for _, c := range columns {
			product *= max(1, k.table.StatisticsOf(c).Distinct)
		}
		if n := k.table.DistinctTogether(columns); n > 0 && each > 0 {
			more = max(1, min(product/n, least/each)) // no more than one of them leaves
		}
	}
	return more
}

// coarseShare is the part of placeShare due to tests that are checked again on every row: tests on columns whose hash chooses a store partition,
// and on the column that divides the table.
func (k *KeyPlan) coarseShare(b *keyBranch) float64 {
	s := 1.0
	if !k.table.Analyzed() || k.ranged() {
		return s
	}
	if n, open := b.Spread(k); !open && k.layout.Buckets > 0 && slices.ContainsFunc(b.partitionKey, func(tests []*test) bool { return tests != nil }) {
		s = min(1, n/float64(k.layout.Buckets))
	}
	if k.divide != nil && b.divide != nil && !slices.ContainsFunc(k.Columns[:len(b.row)], func(p keyColumn) bool { return p.Column == k.divide.Column }) {
		s *= k.divideShare(b)
	}
	return s
}

// matching is how many of the entities that are read satisfy conditions that leave a share of all rows.
func (k *KeyPlan) matching(entities, left float64) float64 {
	coarse := 0.0
	for i := range k.Branches {
		coarse = max(coarse, k.coarseShare(&k.Branches[i]))
	}
	if coarse == 0 {
		return entities * left
	}
	return min(entities, entities/coarse*left)
}

// divideShare is the share of the partitions that the branch reads.
func (k *KeyPlan) divideShare(b *keyBranch) float64 {
	all := max(1, float64(len(k.table.Partitions.List)))
	return min(1, k.branchPartitions(b)/all)
}

// fixedPartitions is how many partitions the tests leave; ok is false if their values are not known.
func (k *KeyPlan) fixedPartitions(tests []*test) (n float64, ok bool) {
	if !k.table.Analyzed() || slices.ContainsFunc(tests, func(t *test) bool { return !t.isFixed() }) {
		return 0, false
	}
	set, _, err := evalAll(&expr.Env{Session: &expr.Session{}}, tests, k.divide)
	if err != nil {
		return 0, false
	}
	return float64(len(partitionsWithin(k.table.Partitions, set))), true
}

// residualShare is the share of rows left by conditions that are checked row by row, each in the Constrainer's form.
func (r *Request) residualShare(forms [][][]Atom) float64 {
	t := r.Table
	s := 1.0
	byColumn := map[int][]*test{}
	for _, form := range forms {
		if len(form) != 1 || slices.ContainsFunc(form[0], func(a Atom) bool { return t.StatisticsOf(a.Ordinal) == nil }) {
			s *= r.shareUnknown(form)
			continue
		}
		for _, a := range form[0] {
			byColumn[a.Ordinal] = append(byColumn[a.Ordinal], a.test)
		}
	}
	for _, column := range slices.Sorted(maps.Keys(byColumn)) {
		s *= shareIn(t, column, byColumn[column])
	}
	return s
}

// shareUnknown is the share of rows that a condition on columns without statistics leaves. If looking up too many rows costs little, an equality
// is assumed to leave fewer than other conditions.
func (r *Request) shareUnknown(form [][]Atom) float64 {
	if !r.Near {
		return shareResidual
	}
	sum := 0.0
	for _, branch := range form {
		s := shareResidual
		for _, a := range branch {
			if a.Ordinal >= 0 && (a.test.op == testEq || a.test.op == testIn) {
				s = min(s, shareOneOfFew*a.test.count())
			}
		}
		sum += s
	}
	return min(sum, shareResidual)
}

// ResidualShare is the share of rows that n conditions without statistics leave.
func ResidualShare(n int) float64 { return math.Pow(shareResidual, float64(n)) }

// pages is how many requests it takes to read so many entities in so many spans. Without statistics the sizes are guesses, so a page more or
// less does not count.
func pages(t *schema.Table, entities, spans float64) float64 {
	if !t.Analyzed() || spans <= 1 || entities <= spans*PageEntities {
		return max(spans, math.Ceil(entities/PageEntities))
	}
	return math.Ceil(entities/PageEntities + spans/2) // the last page of each is half full
}
