package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// bindLocking binds FOR UPDATE, with OF t, NOWAIT and SKIP LOCKED: what is done with the rows of each table.
func (q *selection) bindLocking() error {
	if !q.sel.Lock {
		return nil
	}
	if len(q.sel.Locking) == 0 && q.tree != nil {
		q.tree.sources(func(s *source) { q.hold(s, dialect.BusyWait) })
	}
	named := map[*source]bool{}
	for _, l := range q.sel.Locking {
		for i := range l.Of {
			n := q.scope.named(&l.Of[i])
			if n == nil {
				return sqlerr.New(sqlerr.CodeUnresolvedLock, l.Of[i].Pos, "Unresolved table name '%s' in locking clause.", l.Of[i].Name)
			}
			for _, s := range n.sources() {
				if named[s] {
					return sqlerr.New(sqlerr.CodeLockedTwice, l.Of[i].Pos, "Table '%s' appears in multiple locking clauses.", l.Of[i].Name)
				}
				named[s] = true
				q.hold(s, l.Busy)
			}
		}
		if len(l.Of) > 0 || q.tree == nil {
			continue
		}
		q.tree.sources(func(s *source) {
			named[s] = true
			q.hold(s, l.Busy)
		})
	}
	if len(named) > 0 {
		q.tree.sources(func(s *source) {
			if !named[s] {
				s.hold = access.HoldNot
			}
		})
	}
	return nil
}

// hold says what is done with the rows of a table.
func (q *selection) hold(s *source, busy dialect.BusyRows) {
	switch busy {
	case dialect.BusyFail:
		s.hold = access.HoldOrFail
	case dialect.BusySkip:
		s.hold = access.HoldOrSkip
	default:
		s.hold, q.b.plan.Waits = access.HoldOrWait, true
	}
}

// sources are the tables of the block that n is made of.
func (n *named) sources() (list []*source) {
	switch {
	case n.src != nil:
		list = append(list, n.src)
	case n.merged != nil:
		n.merged.tree.sources(func(s *source) { list = append(list, s) })
	}
	return list
}
