package dml

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// maxCascade is how many levels of cascades there may be, as in InnoDB.
const maxCascade = 15

// keyStep is a change of a row that other rows may have to follow.
type keyStep struct {
	row       *keptRow
	old, next []value.Value
	depth     int
	up        *keyStep // the step that it follows itself
}

// deletes says whether the row is deleted: then ON DELETE applies.
func (s *keyStep) deletes() bool { return s.next == nil || s.row.own && s.row.replaced }

// updates says whether the step or one above it changes a row of a table. As in InnoDB no cascade changes rows of such a table
// again: it might never end.
func (s *keyStep) updates(t *schema.Table) bool {
	for ; s != nil; s = s.up {
		if s.row.of.table == t && s.old != nil && !s.deletes() {
			return true
		}
	}
	return false
}

// loses says whether, to the rows that refer to it, the row has another key than before, or none. As in InnoDB, a text that is
// equal by its collation but not identical counts as another one.
func (s *keyStep) loses(ref *schema.Reference) (values []value.Value, action schema.Action, loses bool) {
	if s.old == nil {
		return nil, 0, false
	}
	values, referred := ref.For(s.old)
	if !referred {
		return nil, 0, false
	}
	if s.deletes() {
		return values, ref.OnDelete, true
	}
	next, _ := ref.For(s.next)
	return values, ref.OnUpdate, !slices.Equal(values, next)
}

// follow changes the rows that refer to those that steps delete or change, and gives the resulting steps. All its reads are made
// in parallel.
func (k *keeping) follow(ctx context.Context, steps []*keyStep) (next []*keyStep, err error) {
	each := func(do func(s *keyStep, ref *schema.Reference, values []value.Value, action schema.Action) error) error {
		for _, s := range steps {
			for _, ref := range s.row.of.needed {
				if values, action, loses := s.loses(ref); loses && action.Changes() {
					if err := do(s, ref, values, action); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	var reads []*childRead
	err = each(func(_ *keyStep, ref *schema.Reference, values []value.Value, _ schema.Action) error {
		read, err := k.reads.ofChildren(ref, values, 0)
		reads = append(reads, read)
		return err
	})
	if err == nil {
		err = k.reads.readChildren(ctx, k.all, reads)
	}
	if err != nil {
		return nil, err
	}
	err = each(func(s *keyStep, ref *schema.Reference, values []value.Value, action schema.Action) error {
		read, err := k.reads.ofChildren(ref, values, 0)
		if err != nil {
			return err
		}
		for i := range read.rows {
			made, err := k.cascade(ctx, s, ref, read, &read.rows[i], action)
			if err != nil {
				return err
			}
			next = append(next, made...)
		}
		return nil
	})
	return next, err
}

// cascade applies a foreign key's action to a row that refers to another one.
func (k *keeping) cascade(ctx context.Context, s *keyStep, ref *schema.Reference, read *childRead, found *Stored, action schema.Action) ([]*keyStep, error) {
	id, err := rowID(ref.Child, found.Row)
	if err != nil {
		return nil, err
	}
	row := k.rows[id]
	if row != nil && (row.row == nil || row.own && !s.reaches(row)) {
		if row.own && row.row == nil && row.origin > s.row.origin && s.deletes() && action == schema.Cascade {
			k.passed[row.origin] = true
		}
		return nil, nil // judge checks it
	}
	now := found.Row
	if row != nil {
		now = row.row
		if values, refers := ref.Of(now); !refers {
			return nil, nil
		} else if place, err := placeOf(ref, values); err != nil || place != read.place {
			return nil, err // another cascade has made it refer to another row
		}
	}
	deletes := action == schema.Cascade && s.deletes()
	switch {
	case s.depth+1 >= maxCascade:
		k.fail(s.row, sqlerr.New(sqlerr.CodeCascadeDepth, sqlerr.NoPos, "Foreign key cascade delete/update exceeds max depth of %d.", maxCascade))
		return nil, nil
	case !deletes && s.updates(ref.Child):
		k.fail(s.row, parentError(ref))
		return nil, nil
	}
	if row == nil {
		row = &keptRow{of: k.all.find(ref.Child), stored: found, old: found.Row, origin: s.row.origin}
		if _, err := k.add(row); err != nil {
			return nil, err
		}
	}
	below := keyStep{row: row, old: now, depth: s.depth + 1, up: s}
	if deletes {
		return k.remove(ctx, below)
	}
	if below.next, err = k.changed(ref, s, now, action); err != nil {
		if isNumbered(err, sqlerr.CodeParentRow) {
			k.fail(s.row, err)
			return nil, nil
		}
		return nil, err
	}
	row.row, row.own = below.next, false
	return []*keyStep{&below}, nil
}

// reaches says whether a cascade changes a row that the statement changes itself: it does if the statement updates both tables. A
// row that refers to another row of its own table is left to judge, because InnoDB refuses to change it.
func (s *keyStep) reaches(row *keptRow) bool {
	return row.stored != nil && !row.replaced && !s.deletes() && !s.updates(row.of.table)
}

// remove deletes a row that refers to another one, with all rows interleaved in it.
func (k *keeping) remove(ctx context.Context, s keyStep) ([]*keyStep, error) {
	w := &RowWrite{Number: k.w.Rows[s.row.origin].Number, cascaded: true}
	if err := s.row.of.rows.Remove(ctx, k.w, w, *s.row.stored); err != nil {
		if isNumbered(err, sqlerr.CodeParentRow) {
			k.fail(s.row, err)
			return nil, nil
		}
		return nil, err
	}
	k.writes = append(k.writes, w)
	var steps []*keyStep
	for i := range w.changes {
		c := &w.changes[i]
		step := s
		if i > 0 {
			step.row = &keptRow{of: k.all.find(c.table), old: c.old, origin: s.row.origin}
			step.old = c.old
			if step.row.of == nil {
				continue
			}
			known, err := k.add(step.row)
			if err != nil {
				return nil, err
			}
			if known {
				id, err := rowID(c.table, c.old)
				if err != nil {
					return nil, err
				}
				if step.row = k.rows[id]; step.row.row == nil {
					continue
				}
				step.old = step.row.row
			}
		}
		step.row.row, step.row.removed = nil, true
		steps = append(steps, &step)
	}
	return steps, nil
}

// changed gives a row that refers to another one as it is once it refers to that one's new key, or to none.
func (k *keeping) changed(ref *schema.Reference, s *keyStep, now []value.Value, action schema.Action) ([]value.Value, error) {
	row := slices.Clone(now)
	columns, number := k.all.find(ref.Child).columns, k.w.Rows[s.row.origin].Number
	for i, c := range ref.Columns {
		v := value.NullValue
		if action == schema.Cascade {
			v = s.next[ref.Refs[i]]
		}
		if v.IsNull() && ref.Child.Columns[c].Requires() {
			return nil, parentError(ref)
		}
		var err error
		if row[c], err = columns.Convert(c, v, number, k.w.env()); err != nil {
			return nil, err
		}
	}
	return row, columns.Finish(row, number, k.w.env())
}

// write makes the operations of the rows that cascades change.
func (k *keeping) write(ctx context.Context) error {
	for _, row := range k.order {
		if row.own || row.removed || row.row == nil {
			continue
		}
		w := &RowWrite{Number: k.w.Rows[row.origin].Number, cascaded: true}
		if row.named { // the statement's own change is a part of this one
			w = k.w.Rows[row.origin]
			*w = RowWrite{Number: w.Number, id: w.id, affected: w.affected, Resolved: w.Resolved, next: w.next}
		} else {
			k.writes = append(k.writes, w)
		}
		if err := row.of.rows.update(ctx, k.w, w, *row.stored, row.row); err != nil {
			return err
		}
	}
	var bytes int64
	for _, w := range k.writes {
		bytes += w.bytes()
	}
	return k.w.Charge(bytes, "write")
}
