package dml

import (
	"context"
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// How foreign keys are kept. When a statement has gathered its rows, its cascades are followed, level by level: the rows that refer to
// those that go or change become rows of the same write. Then all is judged as it will be when the statement is over: each row that
// is referred to must be there, and no row may refer to one that goes.
//
// What was read for that may be outdated when the rows are written. So the transaction that writes them requires the same of the
// store (engine.Requirement), which judges it in the same step: the entity of the row that is referred to, and the empty ranges of
// those that would refer to a row that goes. Whoever was slower runs again, and finds by its own reads what is wrong.

// maxCascade is how many levels of cascades there may be, as in InnoDB.
const maxCascade = 15

// rowChange is what a RowWrite does to a row: old is nil where it is new, row where it goes.
type rowChange struct {
	table    *schema.Table
	old, row []value.Value
	replaced bool // by REPLACE: the row goes, and another one with its key comes
}

// note keeps what becomes of a row, where a foreign key is concerned.
func (rw *RowWriter) note(r *RowWrite, old, row []value.Value) {
	if rw.Table.IsTied() {
		r.changes = append(r.changes, rowChange{table: rw.Table, old: old, row: row})
	}
}

// keepKeys follows the cascades of the rows that were gathered, and refuses what foreign keys forbid. With ignore, a row that is
// refused is left out, with a warning.
func (w *Writer) keepKeys(ctx context.Context, all *relations, ignore bool) error {
	if all == nil || w.X.Session.KeysUnchecked {
		return nil
	}
	if !w.isWhole() {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "writing to a table that foreign keys tie to others is not supported where a transaction covers one partition only (transactions=azure): "+
			"open the store without that, or SET foreign_key_checks = 0")
	}
	w.relations = all
	reads := &keyReads{w: w, parents: map[string]*parentRead{}, children: map[string]*childRead{}}
	for {
		k := &keeping{w: w, all: all, reads: reads, rows: map[string]*keptRow{}, failed: map[int]error{}, passed: map[int]bool{}}
		if err := k.keep(ctx); err != nil {
			return err
		}
		if len(k.failed) == 0 {
			for i := range k.passed {
				w.Rows[i].affected = 0
			}
			w.Rows, w.requires = append(w.Rows, k.writes...), k.requires
			return nil
		}
		kept := w.Rows[:0]
		for i, r := range w.Rows {
			err := k.failed[i]
			if err == nil {
				kept = append(kept, r)
				continue
			}
			if !ignore {
				if taken := w.duplicate(ctx, i); taken != nil {
					return taken
				}
				return err
			}
			w.at(r.Number)
			skipped(w.env(), err)
		}
		w.Rows = kept
	}
}

// duplicate gives the error that a key of the i-th row is taken, where it is: as in MySQL that comes before what a foreign key says.
func (w *Writer) duplicate(ctx context.Context, i int) error {
	r := w.Rows[i]
	for j := range r.ops {
		op := &r.ops[j]
		if op.Kind != engine.Insert {
			continue
		}
		of := func(other *RowWrite, kind engine.OpKind) bool {
			return len(other.ops) > 0 && other.physical() == r.physical() && slices.ContainsFunc(other.ops, func(o engine.Op) bool {
				return o.Kind == kind && o.Entity.PartitionKey == op.Entity.PartitionKey && o.Entity.RowKey == op.Entity.RowKey
			})
		}
		taken := slices.ContainsFunc(w.Rows[:i], func(o *RowWrite) bool { return of(o, engine.Insert) })
		if !taken && !slices.ContainsFunc(w.Rows, func(o *RowWrite) bool { return of(o, engine.Delete) }) {
			var err error
			g := engine.Get{Table: r.physical(), PartitionKey: op.Entity.PartitionKey, RowKey: op.Entity.RowKey, Select: []string{}, Meter: w.X.Meter}
			if _, taken, err = w.Get(ctx, g); err != nil {
				return err
			}
		}
		if taken {
			return r.explain(&engine.Error{Code: engine.CodeExists, Op: j}, j)
		}
	}
	return nil
}

// keeping is one look at what a statement does.
type keeping struct {
	w        *Writer
	all      *relations
	reads    *keyReads
	rows     map[string]*keptRow // those that are stored, by rowID
	order    []*keptRow
	taken    map[string]bool   // by place: a row that the statement writes has this key
	gone     map[string]bool   // by place: one that it deletes or changes had it
	refer    map[referral]bool // a row that the statement writes refers to another one afterwards; true: one that a cascade writes, too
	writes   []*RowWrite       // of cascades
	requires []buffer.Requirement
	failed   map[int]error // by the place in Writer.Rows of the row that is at fault
	passed   map[int]bool  // by the same: rows that a row before them takes along, and that are not counted, as in MySQL
}

// referral is a foreign key and the place of the row that is referred to by it.
type referral struct {
	ref   *schema.Reference
	place string
}

// keptRow is a row that the statement changes, itself or by a cascade.
type keptRow struct {
	of       *relation
	stored   *Stored       // what a cascade found
	old      []value.Value // nil: it is new
	row      []value.Value // as it will be; nil: it goes
	own      bool          // the statement names it, and no cascade changes that
	replaced bool
	removed  bool // by a cascade that has made its operations
	origin   int  // the row of the statement that it comes of
}

// keyStep is a change of a row that others may have to follow.
type keyStep struct {
	row       *keptRow
	old, next []value.Value
	depth     int
	up        *keyStep // that it follows itself
}

// deletes says whether the row goes: then ON DELETE counts.
func (s *keyStep) deletes() bool { return s.next == nil || s.row.own && s.row.replaced }

// updates says whether a row of a table is changed by the step or one above it. As in InnoDB no cascade changes rows of such a table
// again: it might never end.
func (s *keyStep) updates(t *schema.Table) bool {
	for ; s != nil; s = s.up {
		if s.row.of.table == t && s.old != nil && !s.deletes() {
			return true
		}
	}
	return false
}

// loses says whether the row has another key than before, or none, in the eyes of those that refer to it. As in InnoDB, a text that
// is equal by its collation and not the same is another one.
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

func (k *keeping) fail(row *keptRow, err error) {
	if k.failed[row.origin] == nil {
		k.failed[row.origin] = err
	}
}

// keep follows cascades, then judges.
func (k *keeping) keep(ctx context.Context) error {
	var steps []*keyStep
	for i, r := range k.w.Rows {
		for j := range r.changes {
			c := &r.changes[j]
			row := &keptRow{of: k.all.find(c.table), old: c.old, row: c.row, own: true, replaced: c.replaced, origin: i}
			if row.of == nil {
				continue // inside a row of this statement, and tied to nothing that matters
			}
			known, err := k.add(row)
			if err != nil {
				return err
			}
			if !known {
				steps = append(steps, &keyStep{row: row, old: c.old, next: c.row})
			}
		}
	}
	for len(steps) > 0 {
		var err error
		if steps, err = k.follow(ctx, steps); err != nil {
			return err
		}
	}
	if err := k.judge(ctx); err != nil || len(k.failed) > 0 {
		return err
	}
	return k.write(ctx)
}

// add notes a row; known: it is there already.
func (k *keeping) add(row *keptRow) (known bool, err error) {
	if row.old != nil {
		id, err := rowID(row.of.table, row.old)
		if err != nil || k.rows[id] != nil {
			return err == nil, err
		}
		k.rows[id] = row
	}
	k.order = append(k.order, row)
	return false, k.w.Charge(exec.BytesPerRow, "write")
}

// follow changes the rows that refer to those which steps delete or change, and gives the steps that this makes. All that it reads
// is read side by side.
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

// cascade does to a row that refers to another one what the foreign key says.
func (k *keeping) cascade(ctx context.Context, s *keyStep, ref *schema.Reference, read *childRead, found *Stored, action schema.Action) ([]*keyStep, error) {
	id, err := rowID(ref.Child, found.Row)
	if err != nil {
		return nil, err
	}
	row := k.rows[id]
	if row != nil && (row.own || row.row == nil) {
		if row.own && row.row == nil && row.origin > s.row.origin && s.deletes() && action == schema.Cascade {
			k.passed[row.origin] = true
		}
		return nil, nil // judge looks at it
	}
	now := found.Row
	if row != nil {
		now = row.row
		if values, refers := ref.Of(now); !refers {
			return nil, nil
		} else if place, err := placeOf(ref, values); err != nil || place != read.place {
			return nil, err // another cascade has given it another row to refer to
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
	row.row = below.next
	return []*keyStep{&below}, nil
}

// remove deletes a row that refers to another one, with all that lives inside it.
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

// changed gives a row that refers to another one as it is when it refers to that by its new key, or to none.
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
		if err := row.of.rows.update(ctx, k.w, w, *row.stored, row.row); err != nil {
			return err
		}
		k.writes = append(k.writes, w)
	}
	var bytes int64
	for _, w := range k.writes {
		bytes += w.bytes()
	}
	return k.w.Charge(bytes, "write")
}

// placeOf tells the row that values refer to from all others.
func placeOf(ref *schema.Reference, values []value.Value) (string, error) {
	partition, key, err := ref.ParentPlace(values)
	return ref.Parent.Physical + "\x00" + partition + "\x00" + key, err
}

func parentError(ref *schema.Reference) error {
	return sqlerr.New(sqlerr.CodeParentRow, sqlerr.NoPos, "Cannot delete or update a parent row: a foreign key constraint fails (`%s`, %s)",
		ref.Child.Name, sqlerr.Whole(ref.Child.ForeignKeySQL(ref.ForeignKey)))
}

func noParentError(ref *schema.Reference) error {
	return sqlerr.New(sqlerr.CodeNoParentRow, sqlerr.NoPos, "Cannot add or update a child row: a foreign key constraint fails (`%s`, %s)",
		ref.Child.Name, sqlerr.Whole(ref.Child.ForeignKeySQL(ref.ForeignKey)))
}

// point is the range of one entity.
func point(table, partition, key string) engine.Requirement {
	s := engine.Point(table, partition, key)
	return engine.Requirement{Table: table, PartitionKey: partition, From: s.From, To: s.To}
}

// withReferred leaves out the rows that refer to rows which are not there, for INSERT IGNORE: they take no keys. A row may refer to
// one before it, or to itself.
func (n *insertNode) withReferred(ctx context.Context, w *Writer, rows [][]value.Value, marks []mark) ([][]value.Value, []mark, error) {
	if n.relations == nil || w.X.Session.KeysUnchecked {
		return rows, marks, nil
	}
	own := n.relations.find(n.plan.Table)
	reads := &keyReads{w: w, parents: map[string]*parentRead{}}
	var looks []*parentRead
	wanted := make([]map[*schema.Reference]string, len(rows))
	for i, row := range rows {
		wanted[i] = map[*schema.Reference]string{}
		for _, ref := range own.needs {
			values, refers := ref.Of(row)
			if !refers || ref.Parent == nil {
				if refers {
					wanted[i][ref] = ""
				}
				continue
			}
			place, err := placeOf(ref, values)
			if err != nil {
				return nil, nil, err
			}
			look, err := reads.ofParent(ref, values, place)
			if err != nil {
				return nil, nil, err
			}
			wanted[i][ref], looks = place, append(looks, look)
		}
	}
	if err := reads.readParents(ctx, n.relations, looks); err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	kept := 0
	for i, row := range rows {
		keys := map[string]bool{}
		for _, ref := range own.needs {
			if ref.Parent != own.table {
				continue
			}
			if values, referred := ref.For(row); referred {
				place, err := placeOf(ref, values)
				if err != nil {
					return nil, nil, err
				}
				keys[place] = true
			}
		}
		var refused error
		for _, ref := range own.needs {
			if place, wants := wanted[i][ref]; wants && refused == nil && !taken[place] && !keys[place] && (place == "" || !reads.parents[place].found) {
				refused = noParentError(ref)
			}
		}
		if refused != nil {
			w.at(marks[i].number)
			skipped(w.env(), refused)
			continue
		}
		maps.Copy(taken, keys)
		rows[kept], marks[kept] = row, marks[i]
		kept++
	}
	return rows[:kept], marks[:kept], nil
}
