package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// choosePartitions finds the partitions that the branch under way reads. empty: there are none, or nothing satisfies the tests.
func (b *spanBuilder) choosePartitions(tests []*test) (empty bool, err error) {
	ps := b.k.table.Partitions
	b.partitions = b.k.table.AllPartitions()
	if tests != nil {
		set, _, err := evalAll(b.env, tests, b.k.divide)
		if err != nil {
			return false, err
		}
		b.partitions = partitionsWithin(ps, set)
	}
	return len(b.partitions) == 0, nil
}

// dividedFirst says whether the key begins with the codes that the bounds of partitions are made of.
func (k *KeyPlan) dividedFirst() bool {
	if k.divide == nil || k.Columns[0].Column != k.divide.Column {
		return false
	}
	p := k.Columns[0].Code
	return !p.Desc && p.Prefix == 0 && p.Cut == 0
}

// partitionsOfKey gives the partitions that may hold the key under way: a single one, if the key has values of all dividing
// columns.
func (b *spanBuilder) partitionsOfKey() ([]*schema.Partition, error) {
	k := b.k
	for _, from := range k.divideFrom {
		if from < 0 || from >= len(b.values) {
			return b.partitions, nil
		}
	}
	code, err := k.table.Partitions.AppendCode(nil, func(i int) value.Value { return b.values[k.divideFrom[i]] })
	if err != nil {
		return nil, &schema.KeyError{Table: k.table.Name, Column: k.divide.column.Name, Cause: err}
	}
	if part := k.table.Partitions.Find(string(code)); part != nil {
		return []*schema.Partition{part}, nil
	}
	return nil, nil
}

// partitionOrder is the Scan.PartitionOrder of a scan in the order of the key.
func (k *KeyPlan) partitionOrder() int {
	if k.divide == nil || !k.table.Partitions.Ascending() {
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

// partitionShare is how many partitions will be read, as far as is known; 1 for a table that is not divided.
func (k *KeyPlan) partitionShare() float64 {
	if k.divide == nil {
		return 1
	}
	share := 0.0
	for i := range k.Branches {
		share = max(share, k.branchPartitions(&k.Branches[i]))
	}
	return max(1, min(share, float64(len(k.table.Partitions.List))))
}

// branchPartitions is how many partitions a branch reads.
func (k *KeyPlan) branchPartitions(b *keyBranch) float64 {
	all := float64(len(k.table.Partitions.List))
	if b.divide == nil {
		return all
	}
	if n, ok := k.fixedPartitions(b.divide); ok {
		return n
	}
	if points(b.divide) {
		return pointCount(b.divide)
	}
	return all / 2
}

// partitionsWithin gives the partitions that may hold rows whose first column has a code in set, which is sorted and
// disjoint.
func partitionsWithin(ps *schema.Partitions, set []interval) []*schema.Partition {
	keep := make([]bool, len(ps.List))
	for _, iv := range set {
		for _, s := range ps.Spans {
			if s.From < iv.hi && (s.To == "" || iv.lo < s.To) {
				keep[s.Partition.Number] = true
			}
		}
	}
	var out []*schema.Partition
	for i, p := range ps.List {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

// partitionsCovered gives the partitions in which every row has a first column in set. rest: other partitions may have such rows,
// too.
func partitionsCovered(ps *schema.Partitions, set []interval) (whole []*schema.Partition, rest bool) {
	for _, p := range partitionsWithin(ps, set) {
		outside := func(s keymap.Span) bool {
			all := spanInterval(s)
			return !slices.ContainsFunc(set, func(iv interval) bool { return iv.lo <= all.lo && all.hi <= iv.hi })
		}
		if slices.ContainsFunc(p.Spans, outside) {
			rest = true
		} else {
			whole = append(whole, p)
		}
	}
	return whole, rest
}
