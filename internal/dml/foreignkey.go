package dml

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// How foreign keys are enforced. When a statement has gathered its rows, its cascades are followed, level by level: the rows that refer
// to deleted or changed ones become rows of the same write. Then everything is judged as it will be when the statement is over: each
// row that is referred to must exist, and no row may refer to a deleted one.
//
// What was read for that may be outdated when the rows are written. So the transaction that writes them requires the same of the
// store (engine.Requirement), which judges it in the same step: the entity of the referenced row must exist, and the ranges of rows
// that would refer to a deleted one must be empty. The slower of two statements runs again, and finds what is wrong by its own reads.

// errRefused says that rows were refused, and that the statement must be gathered without them.
var errRefused = errors.New("foreign keys refuse rows")

// rowChange is what a RowWrite does to a row: old is nil if it is new, row if it is deleted.
type rowChange struct {
	table    *schema.Table
	old, row []value.Value
	stored   *Stored // of a row that is changed in place
	replaced bool    // by REPLACE: the row is deleted, and another one with its key is inserted
}

// note notes what becomes of a row if a foreign key is concerned.
func (rw *RowWriter) note(r *RowWrite, c rowChange) {
	if c.table = rw.Table; c.table.IsTied() {
		r.changes = append(r.changes, c)
	}
}

// keepKeys follows the cascades of the gathered rows, and refuses what foreign keys forbid. With ignore, a refused row is
// left out, with a warning.
func (w *Writer) keepKeys(ctx context.Context, all *relations, ignore bool) error {
	if all == nil || w.X.Session.KeysUnchecked {
		return nil
	}
	if !w.isWhole() {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "writing to a table that foreign keys tie to others is not supported where a transaction covers one partition only (transactions=group): "+
			"open the store without that, or SET foreign_key_checks = 0")
	}
	w.relations = all
	for {
		k := &keeping{w: w, all: all, reads: w.keyReads(), rows: map[string]*keptRow{}, failed: map[int]error{}, passed: map[int]bool{}}
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
			if w.regather {
				if w.written.refused == nil {
					w.written.refused = map[string]error{}
				}
				w.written.refused[r.id] = err
				continue
			}
			w.at(r.Number)
			skipped(w.env(), err)
		}
		if w.regather {
			return errRefused
		}
		w.Rows = kept
	}
}

// duplicate gives the error that a key of the i-th row is taken, if it is: as in MySQL that takes precedence over foreign keys.
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

// keeping is one check of what a statement does.
type keeping struct {
	w        *Writer
	all      *relations
	reads    *keyReads
	rows     map[string]*keptRow // stored ones, by rowID
	order    []*keptRow
	taken    map[string]*keptRow // by place: a row that the statement writes and that has this key
	gone     map[string]bool     // by place: a row that the statement deletes or changes had it
	refer    map[referral]bool   // a row that the statement writes refers to another one afterwards; true: a row that a cascade writes, too
	writes   []*RowWrite         // of cascades
	requires []buffer.Requirement
	failed   map[int]error // by the index in Writer.Rows of the row at fault
	passed   map[int]bool  // by the same: rows that an earlier row takes along, and that are not counted, as in MySQL
}

// referral is a foreign key and the place of the row that is referred to by it.
type referral struct {
	ref   *schema.Reference
	place string
}

// keptRow is a row that the statement changes, itself or by a cascade.
type keptRow struct {
	of       *relation
	stored   *Stored       // as it was found
	old      []value.Value // nil: it is new
	row      []value.Value // as it will be; nil: it is deleted
	named    bool          // the statement names it
	own      bool          // it does, and no cascade changes the row
	replaced bool
	removed  bool // by a cascade that has made its operations
	origin   int  // the row of the statement that caused the change
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
			row := &keptRow{of: k.all.find(c.table), stored: c.stored, old: c.old, row: c.row, named: true, own: true, replaced: c.replaced, origin: i}
			if row.of == nil {
				continue // interleaved in a row of this statement, and tied to nothing that matters
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

// add notes a row; known: it was noted already.
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

// placeOf distinguishes the row that values refer to from all others.
func placeOf(ref *schema.Reference, values []value.Value) (string, error) {
	partition, key, err := ref.ParentPlace(values)
	return placeID(ref.Parent.Physical, partition, key), err
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
