package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// NewKeyPlan begins a plan of the rows' own key, or of an index.
func NewKeyPlan(t *schema.Table, ix *schema.Index) *KeyPlan {
	k := &KeyPlan{table: t, layout: t.LayoutOf(ix), Whole: ix == nil}
	if ix == nil {
		k.Columns, k.tail = columnsOf(t, t.Layout.Row)
		k.CopyColumns = t.CopyColumns()
	} else {
		k.Columns, k.tail = columnsOf(t, ix.Segments)
	}
	k.setPartition()
	return k
}

// newPartitionPlan begins a plan that narrows a scan to partitions, the store's and the table's, but not by row keys.
func newPartitionPlan(t *schema.Table) *KeyPlan {
	k := &KeyPlan{table: t, layout: &t.Layout, tail: t.RowSpan().From, CopyColumns: t.CopyColumns()}
	k.setPartition()
	return k
}

// columnsOf gives the columns among the segments of a key, and the text behind the last.
func columnsOf(t *schema.Table, segments []schema.Segment) (columns []keyColumn, tail string) {
	for i := range segments {
		s := &segments[i]
		if s.Text != "" {
			tail += s.Text
			continue
		}
		columns = append(columns, keyColumn{Segment: s, column: t.Columns[s.Column], lead: tail})
		tail = ""
	}
	return columns, tail
}

// constrainKey assigns the conditions to the columns of a key:
//
//	a = 1 AND b > 2 AND c = 3 over (a, b, c)  →  a: = 1, b: > 2
//
// c = 3 is not covered, as b has no single value. covered tells, by conjunct, whether the key implies it in every branch;
// touched, whether it does in at least one.
func constrainKey(k *KeyPlan, forms [][][]Atom) (covered, touched []bool) {
	base := [][]Atom{nil}
	used := make([]bool, len(forms))
	for i, form := range forms {
		if len(form) == 1 {
			base[0] = append(base[0], form[0]...)
			used[i] = true
		}
	}
	for i, form := range forms {
		if len(form) == 1 || len(base)*len(form) > mostBranches || !k.concerned(form) {
			continue
		}
		base, used[i] = multiply(base, form), true
	}
	covered, touched = used, make([]bool, len(forms))
	k.Branches = k.Branches[:0]
	for _, atoms := range base {
		b := k.assemble(atoms, covered, touched)
		if !slices.ContainsFunc(k.Branches, b.same) {
			k.Branches = append(k.Branches, b)
		}
	}
	return covered, touched
}

// concerned says whether every branch of an OR has a condition on a column of the key. If one has none, the OR does not narrow
// the key.
func (k *KeyPlan) concerned(form [][]Atom) bool {
	for _, atoms := range form {
		if !slices.ContainsFunc(atoms, func(a Atom) bool {
			has := func(p keyColumn) bool { return p.Column == a.Ordinal }
			return slices.ContainsFunc(k.Columns, has) || slices.ContainsFunc(k.partitionKey, has) || k.divide != nil && has(*k.divide)
		}) {
			return false
		}
	}
	return true
}

// assemble assigns the atoms of one branch to the key's columns. A conjunct with an atom that fits no column is not covered.
func (k *KeyPlan) assemble(atoms []Atom, covered, touched []bool) keyBranch {
	placed := make([]bool, len(atoms))
	take := func(ordinal int) (tests []*test) {
		for i := range atoms {
			if atoms[i].Ordinal == ordinal {
				tests = append(tests, atoms[i].test)
				placed[i] = true
			}
		}
		return tests
	}
	lead := func(columns []keyColumn) (out [][]*test) {
		for i := range columns {
			tests := take(columns[i].Column)
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
	b := keyBranch{row: lead(k.Columns)}
	touch := func() {
		for i := range atoms {
			touched[atoms[i].Conjunct] = touched[atoms[i].Conjunct] || placed[i]
		}
	}
	if k.ranged() {
		b.partitionKey = lead(k.partitionKey)
	} else {
		before := slices.Clone(placed)
		b.partitionKey = make([][]*test, len(k.partitionKey))
		for i := range k.partitionKey {
			if from := k.fromKey[i]; from >= 0 && from < len(b.row) && points(b.row[from]) {
				continue // the key says it
			}
			if tests := take(k.partitionKey[i].Column); points(tests) {
				b.partitionKey[i] = tests
			}
		}
		// Columns of the partition narrow what is read only when all of them are known.
		if _, open := b.Spread(k); open {
			b.partitionKey, placed = make([][]*test, len(k.partitionKey)), before
		}
		touch()
		if k.layout.Buckets > 0 {
			placed = before // a bucket also holds rows of other values; a partition for each value does not
		}
	}
	if k.divide != nil {
		// It chooses partitions, but these may hold other rows, too.
		before := slices.Clone(placed)
		b.divide = take(k.divide.Column)
		touch()
		placed = before
	}
	touch()
	for i := range atoms {
		covered[atoms[i].Conjunct] = covered[atoms[i].Conjunct] && placed[i]
	}
	return b
}

func (b keyBranch) same(c keyBranch) bool {
	equal := func(x, y []*test) bool { return slices.Equal(x, y) }
	return slices.EqualFunc(b.row, c.row, equal) && slices.EqualFunc(b.partitionKey, c.partitionKey, equal) && equal(b.divide, c.divide)
}

// ranged says whether store partitions are sorted by the columns in their keys, as in external tables. Then a range of partitions
// can be read, and their columns count as the first of the whole key. In other tables each partition is read by its name.
func (k *KeyPlan) ranged() bool { return k.layout.Raw }

// Depth is the least number of key columns that a branch has.
func (k *KeyPlan) Depth() int {
	n := len(k.Columns)
	if k.ranged() {
		n += len(k.partitionKey)
	}
	for i := range k.Branches {
		n = min(n, len(k.Branches[i].leading(k)))
	}
	return n
}

// leading are the tests on the first columns of the whole key.
func (b *keyBranch) leading(k *KeyPlan) [][]*test {
	if !k.ranged() {
		return b.row
	}
	return slices.Concat(b.partitionKey, b.row)
}

// leadingColumn is the column that the i-th of the leading tests is on.
func (k *KeyPlan) leadingColumn(i int) int {
	if k.ranged() {
		if i < len(k.partitionKey) {
			return k.partitionKey[i].Column
		}
		i -= len(k.partitionKey)
	}
	return k.Columns[i].Column
}

// whole says whether the branch gives every column of the key single values.
func (b *keyBranch) whole(k *KeyPlan) bool {
	all := func(tests [][]*test, columns []keyColumn) bool {
		return len(tests) == len(columns) && (len(tests) == 0 || points(tests[len(tests)-1]))
	}
	return all(b.row, k.Columns) && (!k.ranged() || all(b.partitionKey, k.partitionKey))
}

// allPoints says whether every branch is whole. single: there is one branch, with one value on each column.
func (k *KeyPlan) allPoints() (all, single bool) {
	single = len(k.Branches) == 1
	for i := range k.Branches {
		b := &k.Branches[i]
		if !b.whole(k) {
			return false, false
		}
		single = single && !slices.ContainsFunc(b.leading(k), func(tests []*test) bool { return pointCount(tests) > 1 })
	}
	return true, single
}

// setPlain notes the common key, which Reads computes in a shorter way.
func (k *KeyPlan) setPlain() {
	if len(k.Branches) != 1 || k.CopyColumns > 0 {
		return
	}
	row := k.Branches[0].row
	if len(row) == 0 || len(row) > maxPlain {
		return
	}
	for i, tests := range row {
		if len(tests) != 1 || tests[0].op != testEq || tests[0].loose || tests[0].nullSafe || k.Columns[i].Form != schema.FormCode || k.Columns[i].Code.Prefix > 0 {
			return
		}
	}
	open := func(from int) bool { return from < 0 || from >= len(row) }
	k.plain = !slices.ContainsFunc(k.fromKey, open) && !slices.ContainsFunc(k.divideFrom, open)
}
