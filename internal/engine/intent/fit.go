package intent

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

// Fit implements engine.Bounded.
func (s *Store) Fit(o *engine.Outline) error {
	for _, table := range o.Tables {
		if !s.holds(table) && (o.Places > 1 || !s.isOneAsRead(o)) {
			return errStrange(table)
		}
	}
	l := s.base.Limits()
	var all []*group
	for _, at := range o.Watched {
		c := o.Commit(at)
		if o.Places == 1 && len(c.Ops) <= l.BatchOps && engine.CommitBytes(&c, l.BatchBytes) <= l.BatchBytes {
			return nil
		}
		groups, err := split(&touched{Commit: c, own: len(c.Ops)}, 0, l)
		if err != nil {
			return asOp(err, noOp)
		}
		all = append(all, groups...)
	}
	_, err := withParent(all)
	return err
}

// isOneAsRead says whether a transaction of one place is one request, whose conditions cover all that was read so far.
func (s *Store) isOneAsRead(o *engine.Outline) bool {
	c := o.Commit(o.Only)
	groups, err := split(&touched{Commit: c, own: len(c.Ops)}, 0, s.base.Limits())
	since, _ := o.Since.(*observation)
	if err != nil || len(groups) > 1 {
		return since == nil && len(c.Ops) <= s.base.Limits().BatchOps
	}
	x := &transaction{store: s, groups: groups}
	return x.cover(since) == nil
}

// withParent gives the group that must be at home because it has an operation on a Parent; nil if none has. There is at most one.
func withParent(groups []*group) (is *group, err error) {
	for _, g := range groups {
		switch {
		case !g.hasParent():
		case is == nil:
			is = g
		case is.table == g.table && is.partition == g.partition:
			return nil, engine.Errorf(engine.CodeTooLarge, "the transaction inserts, deletes or gives another key to rows of table %s, partition %q, that other tables are interleaved in: "+
				"with their index entries these are more than %d entities, or %d MiB, which is the most on this store; "+whatInstead, g.table, g.partition, groupOps, groupBytes>>20)
		default:
			return nil, engine.Errorf(engine.CodeTooLarge, "the transaction inserts, deletes or gives another key to rows that other tables are interleaved in, in two places: "+
				"table %s, partition %q, and table %s, partition %q; "+whatInstead, is.table, is.partition, g.table, g.partition)
		}
	}
	return is, nil
}

// whatInstead is advice for the author of such a transaction.
const whatInstead = "use a transaction for each, or let the other tables refer to these rows by a FOREIGN KEY without INTERLEAVE IN PARENT, which has no such bound"

func errStrange(table string) error {
	return engine.Errorf(engine.CodeTooLarge, "the transaction writes to table %s, which belongs to other programs, and to more than one of its partitions, or to other tables, or needs what it has read to hold still: "+
		"these programs would take part of it for the whole; write to one partition of that table alone", table)
}
