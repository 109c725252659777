package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// distinct is how many values an expression has over all rows of its table, with NULL counted as one; 0 if that is not known.
func (k *block) distinct(n expr.Node) float64 {
	c, ok := n.(*expr.Column)
	if !ok || c.Level > 0 {
		return 0
	}
	s := k.sources[k.sourceOf(c.Index)]
	if s.table == nil || c.Index < s.offset {
		return 0
	}
	st := s.table.StatisticsOf(c.Index - s.offset)
	if st == nil {
		return 0
	}
	values := st.Distinct
	if st.Null > 0 {
		values++
	}
	return max(1, values)
}

// matched is how many pairs of rows of left and right match, which are joined by the equality of keys: one pair in as many as the side with more
// values has. If the columns of a unique key are among them, these together have as many values as its table has rows. known: a key has
// statistics.
func (k *block) matched(left, right *relation, leftKeys, rightKeys []expr.Node) (rows float64, known bool) {
	rows = left.rows * right.rows
	values, unique := k.uniqueKey(leftKeys)
	if n, of := k.uniqueKey(rightKeys); n > values {
		values, unique = n, of
	}
	if known = values > 0; known {
		rows /= values
	}
	for i := range leftKeys {
		if slices.Contains(unique, i) {
			continue
		}
		l, r := k.distinct(leftKeys[i]), k.distinct(rightKeys[i])
		if l == 0 && r == 0 {
			continue
		}
		known = true
		rows /= max(1, l, r)
	}
	return max(1, rows), known
}

// uniqueKey finds the largest table with a unique key among keys. It gives the number of its rows, and which of keys belong to it.
func (k *block) uniqueKey(keys []expr.Node) (rows float64, at []int) {
	for _, s := range k.sources {
		if s.table == nil || !s.table.Analyzed() || float64(s.table.Statistics.Rows) <= rows {
			continue
		}
		unique := [][]schema.KeyColumn{s.table.Key}
		for _, ix := range s.table.Indexes {
			if ix.Unique {
				unique = append(unique, ix.Key)
			}
		}
		for _, key := range unique {
			if of := s.among(keys, key); of != nil {
				rows, at = float64(s.table.Statistics.Rows), of
			}
		}
	}
	return rows, at
}

// among gives the places of the columns of key in exprs; nil if one is missing.
func (s *source) among(exprs []expr.Node, key []schema.KeyColumn) (at []int) {
	for _, p := range key {
		i := slices.IndexFunc(exprs, func(n expr.Node) bool {
			c, ok := n.(*expr.Column)
			return ok && c.Level == 0 && c.Index == s.offset+p.Column
		})
		if i < 0 {
			return nil
		}
		at = append(at, i)
	}
	return at
}

// groups is how many groups so many rows form, by columns with statistics; 0 if that is not known.
func (k *block) groups(by []expr.Node, rows float64) float64 {
	if n := k.together(by); n > 0 {
		return max(1, min(n, rows))
	}
	n := 1.0
	for _, x := range by {
		values := k.distinct(x)
		if values == 0 {
			return 0
		}
		n *= values
	}
	return max(1, min(n, rows))
}

// together is how many combinations of values the columns of one table have; 0 if that is not known.
func (k *block) together(by []expr.Node) float64 {
	var of *source
	var columns []int
	for _, x := range by {
		c, ok := x.(*expr.Column)
		if !ok || c.Level > 0 {
			return 0
		}
		s := k.sources[k.sourceOf(c.Index)]
		if s.table == nil || c.Index < s.offset || of != nil && s != of {
			return 0
		}
		of, columns = s, append(columns, c.Index-s.offset)
	}
	if of == nil || len(columns) < 2 {
		return 0
	}
	return of.table.DistinctTogether(columns)
}

// lookups is how many keys of s the rows of left have: one each, unless the columns that on equates have fewer values.
func (k *block) lookups(left *relation, s *source, on []expr.Node) float64 {
	n, known := 1.0, false
	for _, c := range on {
		eq, ok := c.(*expr.Compare)
		if !ok || eq.Op != expr.Eq {
			continue
		}
		of := eq.L
		if k.refers(of).has(s.index) {
			of = eq.R
		}
		if refs := k.refers(of); refs.empty() || !refs.within(left.set) {
			continue
		}
		values := k.distinct(of)
		if values == 0 {
			return left.rows
		}
		n, known = n*values, true
	}
	if !known {
		return left.rows
	}
	return min(left.rows, n)
}
