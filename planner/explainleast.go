package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// least is how many requests the plan takes at least: with whole, if its rows are read to their end, else if only the first is wanted. A part
// that may never be read, because it is read only for some rows, for an input that is not the first, or on a condition, counts nothing. Inside a
// transaction it may be less, as rows written there are not read from the store.
func (e *explainer) least(p *Plan, whole bool) int {
	if p.Write == nil {
		n, _ := e.leastOf(p.Root, whole)
		return n
	}
	tables, byRows := e.tables(p)
	n := 0
	if len(tables) > 0 {
		n = p.Write.(*Delete).Targets[0].Table.DeleteRequests(tables)
	}
	if byRows == nil {
		return n
	}
	if source := writeSource(byRows.Write); source != nil {
		reads, _ := e.leastOf(source, true)
		return n + reads // no row may be found, and then none is written
	}
	if w, ok := p.Write.(*Insert); ok {
		n = w.leastRequests()
		for _, row := range w.Rows {
			n += e.certain(row...)
		}
	}
	return n
}

// leastRequests is how many transactions it takes to insert the rows: at least one if some may be written over others, none if all may be left
// out.
func (w *Insert) leastRequests() int {
	switch {
	case w.Ignore, w.Table.Temporary:
		return 0
	case w.Replace || len(w.OnDup) > 0:
		return min(len(w.Rows), 1)
	}
	return (len(w.Rows)*(w.Table.Copies()+1) + transactionOps - 1) / transactionOps
}

// leastOf is least for an operator; row says whether it certainly yields a row.
func (e *explainer) leastOf(n Node, whole bool) (requests int, row bool) {
	switch n := n.(type) {
	case *access.Scan:
		return e.pointsOnce(n, e.leastOfScan(n, whole)), false
	case *FamilyScan:
		return e.leastOfScan(n.Child, whole), false
	case *Values:
		if len(n.Rows) > 0 {
			requests = e.certain(n.Rows[0]...)
		}
		return requests, len(n.Rows) > 0
	case *Filter:
		if n.Once {
			return e.certain(n.Cond), false
		}
		if requests, row = e.leastOf(n.Input, whole); row {
			requests += e.certain(n.Cond)
		}
		return requests, false
	case *Project:
		if requests, row = e.leastOf(n.Input, whole); row {
			requests += e.certain(n.Exprs...)
		}
		return requests, row
	case *Sort:
		return e.leastOf(n.Input, true)
	case *Limit:
		if n.Count != nil {
			if whole = false; e.isZero(n.Count) {
				return 0, false
			}
		}
		requests, row = e.leastOf(n.Input, whole)
		return requests, row && n.Offset == nil
	case *Aggregate:
		requests, _ = e.leastOf(n.Input, whole || !n.Sorted)
		return requests, len(n.Group) == 0
	case *Window:
		return e.leastOf(n.Input, whole || !n.Sorted)
	case *Concat:
		for i, input := range n.Inputs {
			if i > 0 && !whole {
				break // the first row may have come
			}
			r, some := e.leastOf(input, whole)
			requests, row = requests+r, row || some
		}
		return requests, row
	case *Recursive: // a step may have no rows
		return e.leastOf(n.Seed, whole)
	case *Shared:
		if e.kept[n] {
			return 0, false // its rows are there
		}
		e.kept[n] = n.Keep
	case *SetMatch: // Right is read first
		requests, _ = e.leastOf(n.Right, true)
		if !n.Intersect {
			left, _ := e.leastOf(n.Left, whole)
			requests += left
		}
		return requests, false
	case *HashJoin:
		return e.leastOfJoin(n.Kind, n.Left, whole)
	case *LoopJoin:
		return e.leastOfJoin(n.Kind, n.Left, whole)
	case *Apply:
		return e.leastOfJoin(n.Kind, n.Left, whole)
	case *LookupJoin: // the right side may turn out to have a row
		if n.WholeFirst() {
			return e.leastOf(n.Whole, whole)
		}
		requests, row = e.leastOf(n.Left, whole)
		return requests, row && n.Kind == LeftJoin
	}
	for _, input := range Children(n) {
		return e.leastOf(input, whole)
	}
	return 0, false
}

// leastOfJoin is the least of the left side, as the right side is read only when the left one has a row. Where the right side has
// no rows, no more of the left side is read, if the kind of join allows that.
func (e *explainer) leastOfJoin(kind JoinKind, left Node, whole bool) (requests int, row bool) {
	requests, row = e.leastOf(left, whole && (kind == LeftJoin || kind == AntiJoin))
	return requests, row && kind == LeftJoin
}

// pointsOnce subtracts from n, the least of s, the reads by key that a query may have done before: it does not repeat them.
func (e *explainer) pointsOnce(s *access.Scan, n int) int {
	if e.points == nil || s.Access > access.PointReads || n == 0 {
		return n
	}
	seen := e.points[s.Table]
	if seen == nil {
		seen = &pointsSeen{keys: map[access.Key]bool{}}
		e.points[s.Table] = seen
	}
	r, err := e.reads(s)
	if err != nil || r == nil || len(r.Points) == 0 {
		if seen.unknown || len(seen.keys) > 0 {
			n--
		}
		seen.unknown = true
		return max(0, n)
	}
	for _, k := range r.Points {
		if seen.keys[k] {
			n--
		}
		seen.keys[k] = true
	}
	if seen.unknown {
		n--
	}
	return max(0, n)
}

// pointsSeen is what is read of a table by key.
type pointsSeen struct {
	keys    map[access.Key]bool
	unknown bool // some keys depend on arguments that are not given
}

func (e *explainer) leastOfScan(s *access.Scan, whole bool) int {
	if s.Keys == nil || s.Keys.Conds == nil {
		return e.scanRequests(s, whole)
	}
	open, conds := false, expr.Conjuncts(s.Keys.Conds)
	expr.Walk(s.Keys.Conds, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Column:
			open = open || n.Level > 0 || n.Index < s.Offset || n.Index >= s.Offset+s.Table.RowWidth()
		case *expr.Subquery:
			open = true
		}
		return !open
	})
	switch {
	case !open:
		return e.scanRequests(s, whole)
	case len(conds) == 1:
		return e.certain(conds[0])
	}
	return 0 // one of the values may be NULL
}

// scanRequests is how many requests s takes at least: read whole, or up to its first row or its limit. Arguments that are not given are assumed
// to be values that some row has.
func (e *explainer) scanRequests(s *access.Scan, whole bool) int {
	if s.Access == access.VirtualScan || s.Table.Temporary {
		return 0
	}
	if s.Limit != nil {
		if whole = false; e.isZero(s.Limit) {
			return 0
		}
	}
	r, err := e.reads(s)
	switch {
	case err != nil:
		return 0
	case r == nil && whole:
		return leastRequestsOf(s)
	case r == nil:
		return 1
	}
	all := len(r.Spans)
	for _, k := range r.Points {
		if isPlainKey(k.PartitionKey) && isPlainKey(k.RowKey) {
			all++
		}
	}
	if whole {
		return all
	}
	if s.Ordered && len(r.Spans) > 1 && s.PartitionOrder == 0 {
		// Partitions are merged: each must have given its first row.
		type place struct {
			part      *schema.Partition
			partition string
		}
		places := map[place]bool{}
		for _, sp := range r.Spans {
			places[place{sp.Partition, sp.PartitionKey}] = true
		}
		return len(places)
	}
	return min(all, 1)
}

// reads is what s reads with the arguments; nil if that cannot be known now.
func (e *explainer) reads(s *access.Scan) (*access.Reads, error) {
	if !e.computable(s) {
		return nil, nil
	}
	r := &access.Reads{}
	err := s.Reads(&expr.Env{Args: e.args, Session: &expr.Session{}}, r)
	return r, err
}

// isPlainKey says whether an entity can certainly have the key. For a key that no entity can have, nothing is sent.
func isPlainKey(key string) bool {
	const keyUnits = 512
	return len(key) <= keyUnits && !strings.ContainsFunc(key, func(r rune) bool {
		return r < ' ' || r > '~' || strings.ContainsRune(`/\#?`, r)
	})
}

// isZero says whether a LIMIT lets no row through. An argument that is not given is taken to let some.
func (e *explainer) isZero(limit expr.Node) bool {
	v, err := expr.Compile(limit)(&expr.Env{Args: e.args, Session: &expr.Session{}})
	return err == nil && value.ToFloat(v) == 0
}

// certain is how many requests are taken at least by the subqueries that run whenever the expressions are computed. A subquery that runs once
// for all rows counts once.
func (e *explainer) certain(list ...expr.Node) int {
	n := 0
	for _, x := range list {
		switch x := x.(type) {
		case *expr.Subquery:
			p, ok := x.Plan.(*Plan)
			if !ok || x.Kind == expr.InSubquery || e.counted[p] {
				continue
			}
			e.counted[p] = true
			n += e.least(p, false)
		case *expr.Logic: // the first operand may decide
			n += e.certain(x.Kids[0])
		case *expr.Not:
			n += e.certain(x.X)
		case *expr.Is:
			n += e.certain(x.X)
		case *expr.Compare: // the right side is not computed if the left is NULL
			n += e.certain(x.L)
			if k, ok := x.L.(*expr.Const); ok && !k.V.IsNull() || x.Op == expr.NullEq {
				n += e.certain(x.R)
			}
		}
	}
	return n
}
