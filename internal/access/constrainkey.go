package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// NewKeyPlan begins a plan of the rows' own key, or of an index.
func NewKeyPlan(t *schema.Table, ix *schema.Index) *KeyPlan {
	if t.Foreign != nil {
		return newForeignKeys(t)
	}
	k := &KeyPlan{table: t, prefix: t.RowPrefix() + string(keymap.Separator)}
	add := func(parts []schema.KeyColumn, codes []keymap.Part) {
		for i, p := range parts {
			k.Columns = append(k.Columns, keyColumn{ordinal: p.Column, column: t.Columns[p.Column], part: codes[i]})
		}
	}
	if ix == nil {
		k.Complete, k.Inside = len(t.Key), t.CopiesInside()
	} else {
		k.prefix = ix.KeyName + string(keymap.Separator)
		add(ix.Key, ix.Codes)
	}
	if ix == nil || !ix.Unique {
		add(t.Key, t.KeyCodes)
	}
	k.setPartition()
	return k
}

// newPartitionPlan begins a plan that narrows a scan of the rows to partitions and parts, and no further.
func newPartitionPlan(t *schema.Table) *KeyPlan {
	k := &KeyPlan{table: t, prefix: t.RowPrefix() + string(keymap.Separator), Inside: t.CopiesInside()}
	k.setPartition()
	return k
}

// constrainKey puts the conditions on the parts of a key:
//
//	a = 1 AND b > 2 AND c = 3 over (a, b, c)  →  a: = 1, b: > 2
//
// and c = 3 is not covered, as b is no single value. Covered says of each conjunct whether the key stands
// for it in every branch; touched, whether it does in some.
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

// concerned says whether every branch of an OR has a condition on a column of the key. Otherwise the OR
// cannot narrow it.
func (k *KeyPlan) concerned(form [][]Atom) bool {
	for _, atoms := range form {
		if !slices.ContainsFunc(atoms, func(a Atom) bool {
			has := func(p keyColumn) bool { return p.ordinal == a.Ordinal }
			return slices.ContainsFunc(k.Columns, has) || slices.ContainsFunc(k.partition, has) || k.divide != nil && has(*k.divide)
		}) {
			return false
		}
	}
	return true
}

// assemble puts the atoms of one branch on the key's parts, and takes the conjuncts whose atoms find no
// place off the covered ones.
func (k *KeyPlan) assemble(atoms []Atom, covered, touched []bool) keyBranch {
	if k.table.Foreign != nil {
		return k.assembleForeign(atoms, covered, touched)
	}
	b := keyBranch{partition: make([][]*test, len(k.partition))}
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
	for i := range k.Columns {
		tests := take(k.Columns[i].ordinal)
		if tests == nil {
			break
		}
		b.parts = append(b.parts, tests)
		if !points(tests) {
			break
		}
	}
	before := slices.Clone(placed)
	for i := range k.partition {
		if from := k.fromKey[i]; from >= 0 && from < len(b.parts) && points(b.parts[from]) {
			continue // the key says it
		}
		if tests := take(k.partition[i].ordinal); points(tests) {
			b.partition[i] = tests
		}
	}
	// Columns of the partition narrow what is read only when all of them are known.
	if _, open := b.Spread(k); open {
		b.partition, placed = make([][]*test, len(k.partition)), before
	}
	for i := range atoms {
		touched[atoms[i].Conjunct] = touched[atoms[i].Conjunct] || placed[i]
	}
	if k.table.Partition != nil && k.table.Partition.Kind == schema.PartitionByHash {
		placed = before // a partition of its own for each value holds no others; a bucket does
	}
	if k.divide != nil {
		// Parts are chosen by it, and may hold other rows too.
		before := slices.Clone(placed)
		b.divide = take(k.divide.ordinal)
		for j := range atoms {
			touched[atoms[j].Conjunct] = touched[atoms[j].Conjunct] || placed[j]
		}
		placed = before
	}
	for i := range atoms {
		c := atoms[i].Conjunct
		covered[c], touched[c] = covered[c] && placed[i], touched[c] || placed[i]
	}
	return b
}

func (b keyBranch) same(c keyBranch) bool {
	equal := func(x, y []*test) bool { return slices.Equal(x, y) }
	return slices.EqualFunc(b.parts, c.parts, equal) && slices.EqualFunc(b.partition, c.partition, equal) && equal(b.divide, c.divide)
}

// Depth is the least number of key columns that a branch has.
func (k *KeyPlan) Depth() int {
	foreign := k.table.Foreign != nil
	n := len(k.Columns)
	if foreign {
		n += len(k.partition)
	}
	for i := range k.Branches {
		depth := len(k.Branches[i].parts)
		if foreign {
			depth += len(k.Branches[i].partition)
		}
		n = min(n, depth)
	}
	return n
}

// allPoints says whether every branch has single values on all parts of the key.
func (k *KeyPlan) allPoints() bool {
	for i := range k.Branches {
		b := &k.Branches[i]
		if len(b.parts) < len(k.Columns) || !points(b.parts[len(b.parts)-1]) {
			return false
		}
	}
	return true
}

// setPlain finds the plain point read, which has a shorter way.
func (k *KeyPlan) setPlain() {
	if len(k.Branches) != 1 || k.Complete == 0 || k.Complete > 4 || len(k.Branches[0].parts) != k.Complete {
		return
	}
	for i, tests := range k.Branches[0].parts {
		if len(tests) != 1 || tests[0].op != testEq || tests[0].loose || tests[0].nullSafe || k.Columns[i].part.Prefix > 0 {
			return
		}
	}
	k.plain = !slices.Contains(k.fromKey, -1) && !slices.Contains(k.partsFrom, -1)
}
