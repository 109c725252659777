package exec

import (
	"fmt"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// A Run is the expr.SubqueryRunner of its expressions. A subquery's result that does not depend on the row is kept for the rest
// of the execution; one that does, by the values that it depends on.
var _ expr.SubqueryRunner = (*Run)(nil)

// subqueryResult is a subquery's result: the complete one if it is uncorrelated, a memo if it is correlated.
type subqueryResult struct {
	done   bool
	value  value.Value
	exists bool
	set    *rowSet
	memo   *memo
}

// slot gives the place for the result of s; for a correlated subquery it is always empty.
func (r *Run) slot(s *expr.Subquery) *subqueryResult {
	if s.Correlated {
		return &subqueryResult{}
	}
	return r.slotOf(s)
}

func (r *Run) slotOf(s *expr.Subquery) *subqueryResult {
	for s.Slot >= len(r.slots) {
		r.slots = append(r.slots, subqueryResult{})
	}
	return &r.slots[s.Slot]
}

// subquery starts s for the row of env.
func (r *Run) subquery(env *expr.Env, s *expr.Subquery) (Iterator, error) {
	p, ok := s.Plan.(*planner.Plan)
	if !ok {
		return nil, fmt.Errorf("subquery %d has no plan", s.Slot)
	}
	made, err := programOf(p)
	if err != nil {
		return nil, err
	}
	f := new(Frame)
	f.InitEnv(r, env)
	return made.root.Open(f), nil
}

// first gives the first row of s, nil if there is none; single makes a second one an error.
func (r *Run) first(env *expr.Env, s *expr.Subquery, single bool) (row []value.Value, err error) {
	it, err := r.subquery(env, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err2 := it.Close(); err == nil {
			err = err2
		}
	}()
	row, err = it.Next(r.ctx)
	if err == io.EOF {
		return nil, nil
	}
	if err != nil || !single {
		return row, err
	}
	row = append([]value.Value(nil), row...)
	switch _, err = it.Next(r.ctx); err {
	case io.EOF:
		return row, nil
	case nil:
		return nil, errSubqueryRows
	}
	return nil, err
}

// Scalar gives the subquery's single value.
func (r *Run) Scalar(env *expr.Env, s *expr.Subquery) (value.Value, error) {
	if s.Repeatable {
		return r.remembered(env, s, nil, func() (value.Value, error) { return r.scalar(env, s) })
	}
	return r.scalar(env, s)
}

func (r *Run) scalar(env *expr.Env, s *expr.Subquery) (value.Value, error) {
	if known := r.slot(s); known.done {
		return known.value, nil
	}
	row, err := r.first(env, s, true)
	if err != nil {
		return value.NullValue, err
	}
	v := value.NullValue
	if len(row) > 0 {
		v = row[0]
	}
	*r.slot(s) = subqueryResult{done: true, value: v}
	return v, nil
}

// Exists says whether the subquery has a row.
func (r *Run) Exists(env *expr.Env, s *expr.Subquery) (bool, error) {
	if s.Repeatable {
		v, err := r.remembered(env, s, nil, func() (value.Value, error) {
			exists, err := r.exists(env, s)
			return value.FromBool(exists), err
		})
		return err == nil && v.Bool(), err
	}
	return r.exists(env, s)
}

func (r *Run) exists(env *expr.Env, s *expr.Subquery) (bool, error) {
	if known := r.slot(s); known.done {
		return known.exists, nil
	}
	row, err := r.first(env, s, false)
	if err != nil {
		return false, err
	}
	*r.slot(s) = subqueryResult{done: true, exists: row != nil}
	return row != nil, nil
}

// In says whether x is among the subquery's rows: 1, 0 or NULL.
func (r *Run) In(env *expr.Env, s *expr.Subquery, x []value.Value) (value.Value, error) {
	if known := r.slot(s); known.done {
		return known.set.find(env, s, x)
	}
	switch {
	case s.Repeatable:
		return r.remembered(env, s, x, func() (value.Value, error) { return r.inRows(env, s, x) })
	case s.Correlated:
		return r.inRows(env, s, x)
	}
	it, err := r.subquery(env, s)
	if err != nil {
		return value.NullValue, err
	}
	set := newRowSet(r, s.Collations)
	if err := drain(r.ctx, it, &set.rows, set.add); err != nil {
		it.Close()
		return value.NullValue, err
	}
	*r.slot(s) = subqueryResult{done: true, set: set}
	return set.find(env, s, x)
}

// inRows is In over rows that are read only once: it ends at the first that decides.
func (r *Run) inRows(env *expr.Env, s *expr.Subquery, x []value.Value) (out value.Value, err error) {
	it, err := r.subquery(env, s)
	if err != nil {
		return value.NullValue, err
	}
	defer func() {
		if err2 := it.Close(); err == nil {
			err = err2
		}
	}()
	out = s.None()
	for done := false; !done; {
		row, err := it.Next(r.ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return value.NullValue, err
		}
		if out, done, err = s.Quantify(env, x, row, out); err != nil {
			return value.NullValue, err
		}
	}
	return out, nil
}
