package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// ServesOrder says whether the keys are in the wanted order, and which columns must have a single value for that:
//
//	a = 1 ORDER BY b DESC, id over (a, b DESC) → yes, a
//
// It must not fire if the directions differ, because a store is read forwards only; after a column of which the key has only a prefix; or if the
// store partitions are not known by name, because they cannot be merged then.
func ServesOrder(c *Constrainer, k *KeyPlan, ix *schema.Index, order []SortKey, forms [][][]Atom) (pinned []bool, ok bool) {
	if _, named := k.Spread(); !named {
		return nil, false
	}
	depth := k.Depth()
	single := func(p keyColumn) bool { return hasSingle(p.Column, forms, nil) }
	one := func(int) bool { return false }
	if k.ranged() { // across several partitions a store may sort some keys differently from the merge
		if slices.ContainsFunc(k.partitionKey, func(p keyColumn) bool { return !single(p) }) {
			return nil, false
		}
		depth -= len(k.partitionKey)
		one = func(ordinal int) bool {
			return slices.ContainsFunc(k.partitionKey, func(p keyColumn) bool { return p.Column == ordinal })
		}
	}
	isPinned := func(i int) bool { return i < depth && single(k.Columns[i]) }
	pinned = make([]bool, len(k.Columns))
	i := 0
	for _, key := range order {
		rest := i
		for rest < len(k.Columns) && isPinned(rest) {
			rest++
		}
		if rest == len(k.Columns) && k.distinct(ix) {
			for ; i < rest; i++ {
				pinned[i] = true
			}
			return pinned, true // no two rows are equal in these columns
		}
		ordinal, ok := c.column(key.Expr)
		if !ok {
			return nil, false
		}
		if one(ordinal) || slices.ContainsFunc(k.Columns[:i], func(p keyColumn) bool { return p.Column == ordinal }) ||
			hasSingle(ordinal, forms, c.Table.Columns[ordinal]) {
			continue
		}
		for i < len(k.Columns) && k.Columns[i].Column != ordinal && isPinned(i) {
			pinned[i] = true
			i++
		}
		if i == len(k.Columns) || k.Columns[i].Column != ordinal {
			return nil, false
		}
		switch p := &k.Columns[i]; {
		case isPinned(i):
			pinned[i] = true
		case p.Code.Desc != key.Desc || !p.Sorted():
			return nil, false
		}
		i++
	}
	return pinned, true
}

// hasSingle says whether a conjunct gives the column a single value. If col is given, its type must not have different values that
// equal the same constant: '7' and '7.0' both equal 7 in a text column, and the order between such rows matters.
func hasSingle(ordinal int, forms [][][]Atom, col *schema.Column) bool {
	if col != nil {
		switch col.Type.Kind() {
		case value.Bool, value.Int, value.Uint, value.Date, value.Time, value.Duration, value.UUID:
		default:
			if !col.Type.HasMembers() {
				return false
			}
		}
	}
	for _, form := range forms {
		if len(form) != 1 {
			continue
		}
		for _, a := range form[0] {
			if a.Ordinal == ordinal && a.test.isSingle() {
				return true
			}
		}
	}
	return false
}

// distinct says whether no two entries have the same values on all columns of the key.
func (k *KeyPlan) distinct(ix *schema.Index) bool {
	if ix == nil || !ix.Unique {
		return true
	}
	return !slices.ContainsFunc(k.Columns, func(p keyColumn) bool { return !p.column.NotNull })
}
