package mysql

import (
	"database/sql/driver"
	"slices"
)

// Result gives, through sql.Conn.Raw, the results of each statement of a text.
type Result interface {
	driver.Result
	AllRowsAffected() []int64
	AllLastInsertIds() []int64
}

// result has one element for each statement.
type result struct{ affected, ids []int64 }

var _ Result = (*result)(nil)

func (r *result) LastInsertId() (int64, error) { return r.ids[len(r.ids)-1], nil }
func (r *result) RowsAffected() (int64, error) { return r.affected[len(r.affected)-1], nil }
func (r *result) AllRowsAffected() []int64     { return slices.Clone(r.affected) }
func (r *result) AllLastInsertIds() []int64    { return slices.Clone(r.ids) }

func (r *result) add(of driver.Result) error {
	id, err := of.LastInsertId()
	if err != nil {
		return err
	}
	n, err := of.RowsAffected()
	if err != nil {
		n = 0 // whole partitions were dropped, whose rows were not counted
	}
	r.ids, r.affected = append(r.ids, id), append(r.affected, n)
	return nil
}
