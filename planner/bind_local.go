package planner

import "github.com/nearlyfreedb/nearlyfree/internal/expr"

// local converts a TIMESTAMP, which is kept in UTC, to the session's time zone. Any other column stays as it is.
func (b *builder) local(column expr.Node) expr.Node {
	if b.opt.Zoned && column.Type().Declared == "TIMESTAMP" {
		return expr.NewLocal(column)
	}
	return column
}

// localColumn is local if n is a column. Values computed from columns are local already.
func (b *builder) localColumn(n expr.Node) expr.Node {
	if _, ok := n.(*expr.Column); ok {
		return b.local(n)
	}
	return n
}

// localBetween makes x [NOT] BETWEEN low AND high of two comparisons, for a TIMESTAMP in the session's time zone.
func localBetween(n []expr.Node, not bool) (expr.Node, error) {
	low, err := expr.NewLocalCompare(expr.Ge, n[0], n[1])
	if err != nil {
		return nil, err
	}
	high, err := expr.NewLocalCompare(expr.Le, n[0], n[2])
	if err != nil {
		return nil, err
	}
	both, err := expr.NewLogic(expr.And, low, high)
	if err != nil || !not {
		return both, err
	}
	return expr.NewNot(both)
}

// localIn makes x [NOT] IN (list) of a comparison with each, for a TIMESTAMP in the session's time zone.
func localIn(x expr.Node, list []expr.Node, not bool) (expr.Node, error) {
	var err error
	for i := range list {
		if list[i], err = expr.NewLocalCompare(expr.Eq, x, list[i]); err != nil {
			return nil, err
		}
	}
	one, err := expr.NewLogic(expr.Or, list...)
	if err != nil || !not {
		return one, err
	}
	return expr.NewNot(one)
}
