package dml

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// targets are the rows that an UPDATE or DELETE changes. They are read to the end before the first is written, so that a
// statement never meets what it wrote itself.
type targets struct {
	table  *schema.Table
	source exec.Node
	offset int
	from   *schema.Index // the index whose entries are read; nil: rows
	some   bool          // a LIMIT picks some of the rows
	once   bool          // the statement reads the table elsewhere too, as a subquery does: what it has written would show
}

// again says whether the statement may be run again after some of its rows were written. Another run would pick other rows for
// a LIMIT, and would compute from what the statement has changed itself.
func (t *targets) again() bool { return !t.some && !t.once }

// readsElsewhere says whether a statement reads the table that it writes in more than one place.
func readsElsewhere(p *planner.Plan, t *schema.Table) bool {
	scans := 0
	for _, s := range p.Scans() {
		if s.Table.Physical == t.Physical && s.Table.RowName == t.RowName {
			scans++
		}
	}
	return scans > 1
}

func compileTargets(p *planner.Plan, t *schema.Table, source planner.Node, offset int) (*targets, error) {
	n, err := exec.Compile(source)
	if err != nil {
		return nil, err
	}
	out := &targets{table: t, source: n, offset: offset, some: limited(source), once: readsElsewhere(p, t)}
	// There is no scan where WHERE is never true: then there are no rows either.
	if scan := scanAt(source, offset); scan != nil && !scan.IndexJoin {
		out.from = scan.Index
	}
	return out, nil
}

// scanAt finds the scan that fills the rows' place; nil when there is none.
func scanAt(n planner.Node, offset int) *access.Scan {
	if s, ok := n.(*access.Scan); ok {
		if s.Offset == offset {
			return s
		}
		return nil
	}
	for _, kid := range planner.Children(n) {
		if s := scanAt(kid, offset); s != nil {
			return s
		}
	}
	return nil
}

// limited says whether n has a LIMIT in it.
func limited(n planner.Node) bool {
	switch n := n.(type) {
	case *planner.Limit:
		return true
	case *access.Scan:
		return n.Limit != nil
	}
	return slices.ContainsFunc(planner.Children(n), limited)
}

// each gives the rows one after the other, each once, numbered from 1, and with it the whole row of the source, for
// expressions. Both are copies.
func (t *targets) each(ctx context.Context, w *Writer, do func(number int, old Stored, whole []value.Value) error) error {
	it := t.source.Open(&w.frame)
	defer it.Close()
	seen := map[string]bool{} // by key: a join may give a row more than once
	width := t.table.RowWidth()
	for number := 1; ; {
		row, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Charge(exec.BytesPerRow+int64(len(row))*exec.BytesPerValue+exec.TextBytes(row), "write"); err != nil {
			return err
		}
		whole := append([]value.Value(nil), row...)
		own := whole[t.offset : t.offset+width : t.offset+width]
		id, err := rowID(t.table, own)
		if err != nil {
			return err
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		old := Stored{Row: own, Etag: own[t.table.ETagOrdinal()].Text(), from: t.from}
		if err := do(number, old, whole); err != nil {
			return err
		}
		number++
	}
}

// rowID tells a row from all others of the statement: its table, partition and key.
func rowID(t *schema.Table, row []value.Value) (string, error) {
	b, err := t.AppendPartitionKey(nil, row)
	if err != nil {
		return "", err
	}
	if b, err = t.AppendRowKey(append(b, 0), row); err != nil {
		return "", err
	}
	return t.Physical + "\x00" + string(b), nil
}

// updateNode is UPDATE.
type updateNode struct {
	targets   *targets
	rows      *RowWriter
	columns   *Columns
	set       []assignment
	ignore    bool
	moves     bool // it sets a column of a unique key
	auto      int  // the AUTO_INCREMENT column where it is set, or -1
	returning []expr.Func
	relations *relations
}

func compileUpdate(p *planner.Plan, u *planner.Update) (writeNode, error) {
	t, err := compileTargets(p, u.Table, u.Source, u.Offset)
	if err != nil {
		return nil, err
	}
	c, err := NewColumns(u.Table)
	if err != nil {
		return nil, err
	}
	all, err := newRelations(u.Related, u.Table)
	if err != nil {
		return nil, err
	}
	return &updateNode{
		relations: all, targets: t, rows: NewRowWriter(u.Table, u.Children...), columns: c, set: compileAssigns(u.Set), ignore: u.Ignore, moves: u.MovesKey(),
		returning: exec.CompileAll(u.Returning), auto: assignedAuto(u.Table, u.Set),
	}, nil
}

// again: see writeNode.
func (n *updateNode) again() bool { return n.targets.again() }

// keys: see writeNode.
func (n *updateNode) keys() (*relations, bool) { return n.relations, n.ignore }

func (n *updateNode) gather(ctx context.Context, w *Writer) error {
	var met *standing // who has the keys that rows take, for IGNORE
	if n.ignore && n.moves {
		met = newStanding(w, n.targets.table, n.rows)
		w.regather = true
	}
	var highest int64 // AUTO_INCREMENT value that a row gets
	err := n.targets.each(ctx, w, func(number int, old Stored, whole []value.Value) error {
		id, err := rowID(n.targets.table, old.Row)
		if err != nil || w.written.Ids[id] {
			return err
		}
		// The table's row is the beginning; behind it are those of the other tables of a join.
		row, changed, err := n.columns.assign(n.set, whole, number, w.env())
		if err == nil {
			err = w.written.refused[id]
		}
		if err == nil && changed && met != nil {
			own := &standingRow{old: &old, row: old.Row}
			if err = met.place(own); err == nil {
				err = met.move(ctx, own, row[:len(old.Row)])
			}
		}
		if n.ignore && isSkipped(err) {
			skipped(w.env(), err)
			row, changed, err = whole, false, nil
		}
		if err != nil {
			return err
		}
		row = row[:len(old.Row)]
		r := &RowWrite{Number: number, id: id, Resolved: met != nil}
		if changed {
			r.affected = 1
			if n.auto >= 0 {
				highest = max(highest, givenID(row[n.auto]))
			}
			if r.next, err = rowID(n.targets.table, row); err != nil {
				return err
			}
			if err := n.rows.update(ctx, w, r, old, row); err != nil {
				return err
			}
		}
		if r.returned, err = w.evaluate(n.returning, row); err != nil {
			return err
		}
		return w.Add(r)
	})
	if err != nil {
		return err
	}
	return raise(ctx, w, n.targets.table, highest)
}

// deleteNode is DELETE.
type deleteNode struct {
	targets   *targets
	rows      *RowWriter
	ignore    bool
	returning []expr.Func
	relations *relations
}

func compileDelete(p *planner.Plan, d *planner.Delete) (writeNode, error) {
	t, err := compileTargets(p, d.Table, d.Source, d.Offset)
	if err != nil {
		return nil, err
	}
	all, err := newRelations(d.Related, d.Table)
	if err != nil {
		return nil, err
	}
	return &deleteNode{relations: all, targets: t, rows: NewRowWriter(d.Table, d.Children...), ignore: d.Ignore, returning: exec.CompileAll(d.Returning)}, nil
}

// again: see writeNode.
func (n *deleteNode) again() bool { return n.targets.again() }

// keys: see writeNode.
func (n *deleteNode) keys() (*relations, bool) { return n.relations, n.ignore }

func (n *deleteNode) gather(ctx context.Context, w *Writer) error {
	var rows []*RowWrite
	var olds []Stored
	err := n.targets.each(ctx, w, func(number int, old Stored, _ []value.Value) error {
		id, err := rowID(n.targets.table, old.Row)
		if err == nil && !w.written.Ids[id] {
			rows, olds = append(rows, &RowWrite{Number: number, id: id, affected: 1}), append(olds, old)
		}
		return err
	})
	if err != nil {
		return err
	}
	together := len(n.rows.children) > 0
	if together { // what lives inside the rows is read side by side
		err := w.Run.Each(ctx, len(rows), func(ctx context.Context, i int) error {
			err := n.rows.Remove(ctx, w, rows[i], olds[i])
			if n.ignore && isSkipped(err) {
				skipped(w.env(), err)
				rows[i], err = nil, nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for i, r := range rows {
		if r == nil {
			continue
		}
		if !together {
			if err := n.rows.Remove(ctx, w, r, olds[i]); err != nil {
				return err
			}
		}
		if r.returned, err = w.evaluate(n.returning, olds[i].Row); err != nil {
			return err
		}
		if err := w.Add(r); err != nil {
			return err
		}
	}
	return nil
}
