package exec

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// rowSet is the rows of an IN subquery.
type rowSet struct {
	rows rowStore
	set  *expr.Set
}

func newRowSet(r *Run, collations []value.Collation) *rowSet {
	return &rowSet{
		rows: rowStore{run: r, operator: "subquery", fills: Positions(0, len(collations))},
		set:  expr.NewSet(collations),
	}
}

// add adds a row that has been kept.
func (s *rowSet) add(_, kept []value.Value) error {
	s.set.Add(kept)
	size := int64(bytesPerEntry)
	for _, v := range kept {
		size += int64(len(v.Text()))
	}
	return s.rows.hold(size)
}

// find is In over the rows of s.
func (s *rowSet) find(env *expr.Env, sub *expr.Subquery, x []value.Value) (out value.Value, err error) {
	if !sub.IsQuantified() {
		return s.set.Find(env, x)
	}
	out = sub.None()
	for i, done := 0, false; i < len(s.rows.rows) && !done; i++ {
		if out, done, err = sub.Quantify(env, x, s.rows.rows[i], out); err != nil {
			return value.NullValue, err
		}
	}
	return out, nil
}
