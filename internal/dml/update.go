package dml

import (
	"context"
	"slices"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// updateNode is UPDATE.
type updateNode struct {
	targets   *targets
	sets      map[*target]*setter
	ignore    bool
	returning []expr.Func
	relations *relations
}

// setter is what an UPDATE does to the rows of a target.
type setter struct {
	columns *Columns
	list    []assignment
	auto    int     // the AUTO_INCREMENT column if it is set, or -1
	first   *target // the first target with the same rows: itself, unless the table occurs under several aliases
	aliases bool    // the table occurs under several aliases
	moves   bool    // one of these targets sets a column of a unique key
}

func compileUpdate(p *planner.Plan, u *planner.Update) (writeNode, error) {
	t, err := compileTargets(p, u.Targets, u.Source)
	if err != nil {
		return nil, err
	}
	n := &updateNode{targets: t, sets: map[*target]*setter{}, ignore: u.Ignore, returning: exec.CompileAll(u.Returning)}
	for i, of := range t.tables {
		if i > 0 {
			of.as = strconv.Itoa(i)
		}
		s := &setter{list: compileAssigns(of.Set), auto: assignedAuto(of.Table, of.Set)}
		if s.columns, err = NewColumns(of.Table); err != nil {
			return nil, err
		}
		s.columns.through(of.Check)
		s.first = t.tables[slices.IndexFunc(t.tables, func(o *target) bool { return isSameTable(o.Table, of.Table) })]
		n.sets[of] = s
		first := n.sets[s.first]
		first.moves = first.moves || of.MovesKey()
		s.aliases = s.first != of
		first.aliases = first.aliases || s.aliases
	}
	n.relations, err = newRelations(u.Related, nil)
	return n, err
}

// again: see writeNode.
func (n *updateNode) again() bool { return n.targets.again() }

// keys: see writeNode.
func (n *updateNode) keys() (*relations, bool) { return n.relations, n.ignore }

func (n *updateNode) gather(ctx context.Context, w *Writer) error {
	u := &updating{n: n, w: w}
	for of, s := range n.sets {
		if n.ignore && s.moves {
			put(&u.met, of, newStanding(w, of.rows))
			w.regather = true
		}
	}
	if err := n.targets.each(ctx, w, func(r *targetRow) error { return u.update(ctx, r) }); err != nil {
		return err
	}
	for _, of := range n.targets.tables {
		if err := raise(ctx, w, of.Table, u.highest[of]); err != nil {
			return err
		}
	}
	return nil
}

// put puts a value into a map, which is made on demand.
func put[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
}

// updating is one try of an UPDATE.
type updating struct {
	n       *updateNode
	w       *Writer
	met     map[*target]*standing // which rows have the keys that rows take, for IGNORE, by setter.first
	highest map[*target]int64     // AUTO_INCREMENT value that a row gets
	rows    map[string]*updated   // by rowID; of a table that occurs under several aliases
}

// updated is a row that is changed.
type updated struct {
	write RowWrite
	own   *standingRow // if keys are checked
	row   []value.Value
}

// update changes a row. A row that was met before under another alias is changed further.
func (u *updating) update(ctx context.Context, r *targetRow) error {
	w, s := u.w, u.n.sets[r.of]
	if w.written.ids[r.id] {
		return nil
	}
	met := u.met[s.first]
	at, again := u.rows[r.id]
	if !again {
		at = &updated{write: RowWrite{Number: r.number, id: r.id, Resolved: met != nil}, row: r.old.Row}
		if s.aliases {
			put(&u.rows, r.id, at)
		}
	}
	row, changed, err := u.next(ctx, r, at, again)
	if u.n.ignore && isSkipped(err) {
		skipped(w.env(), err)
		row, changed, err = at.row, false, nil
	}
	if err != nil {
		return err
	}
	if changed {
		at.row = row
		at.write = RowWrite{Number: at.write.Number, id: r.id, Resolved: met != nil, affected: at.write.affected + 1}
		if s.auto >= 0 {
			put(&u.highest, r.of, max(u.highest[r.of], givenID(row[s.auto])))
		}
		if !r.of.Table.SameKey(r.old.Row, row) {
			if at.write.next, err = rowID(r.of.Table, row); err != nil {
				return err
			}
		}
		if err := r.of.rows.update(ctx, w, &at.write, r.old, row); err != nil {
			return err
		}
	}
	if at.write.returned, err = w.evaluate(u.n.returning, row); err != nil {
		return err
	}
	if again {
		return w.Charge(at.write.bytes(), "write")
	}
	return w.Add(&at.write)
}

// next computes what a row becomes, and makes it take its keys. again: it was met before.
func (u *updating) next(ctx context.Context, r *targetRow, at *updated, again bool) (row []value.Value, changed bool, err error) {
	w, s := u.w, u.n.sets[r.of]
	if row, err = s.columns.evaluate(s.list, r.whole, r.of.Offset, r.number, w.env()); err != nil {
		return nil, false, err
	}
	if again {
		row = s.over(at.row, row)
	}
	if row, changed, err = s.columns.complete(s.list, at.row, row, r.number, w.env()); err != nil {
		return nil, false, err
	}
	if err = w.written.refused[r.id]; err != nil {
		return nil, false, err
	}
	met := u.met[s.first]
	if !changed || met == nil {
		return row, changed, nil
	}
	if at.own == nil {
		at.own = &standingRow{old: &r.old, row: r.old.Row}
		if err = met.place(at.own); err != nil {
			return nil, false, err
		}
	}
	return row, true, met.move(ctx, at.own, row)
}

// over gives row with its set columns taken from set.
func (s *setter) over(row, set []value.Value) []value.Value {
	row = slices.Clone(row)
	for _, a := range s.list {
		row[a.column] = set[a.column]
	}
	return row
}
