package dml

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// deleteNode is DELETE.
type deleteNode struct {
	targets   *targets
	inside    bool // a table has others interleaved in it
	ignore    bool
	returning []expr.Func
	relations *relations
}

func compileDelete(p *planner.Plan, d *planner.Delete) (writeNode, error) {
	t, err := compileTargets(p, d.Targets, d.Source)
	if err != nil {
		return nil, err
	}
	n := &deleteNode{targets: t, ignore: d.Ignore, returning: exec.CompileAll(d.Returning)}
	for _, of := range t.tables {
		n.inside = n.inside || len(of.Children) > 0
	}
	n.relations, err = newRelations(d.Related, nil)
	return n, err
}

// again: see writeNode.
func (n *deleteNode) again() bool { return n.targets.again() }

// keys: see writeNode.
func (n *deleteNode) keys() (*relations, bool) { return n.relations, n.ignore }

func (n *deleteNode) gather(ctx context.Context, w *Writer) error {
	var rows []*targetRow
	err := n.targets.each(ctx, w, func(r *targetRow) error {
		if !w.written.ids[r.id] {
			rows = append(rows, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n.inside && len(n.targets.tables) > 1 && !n.ignore {
		w.goes = map[string]bool{}
		for _, r := range rows {
			w.goes[r.id] = true
		}
	}
	writes := make([]*RowWrite, len(rows))
	remove := func(ctx context.Context, i int) error {
		r := &RowWrite{Number: rows[i].number, id: rows[i].id, affected: 1}
		err := rows[i].of.rows.Remove(ctx, w, r, rows[i].old)
		if err == nil {
			writes[i] = r
		} else if n.ignore && isSkipped(err) {
			skipped(w.env(), err)
			err = nil
		}
		return err
	}
	if n.inside { // rows interleaved in them are read in parallel
		if err = w.readInside(ctx, rows); err == nil {
			err = w.Run.Each(ctx, len(rows), remove)
		}
	}
	for i, row := range rows {
		if !n.inside && err == nil {
			err = remove(ctx, i)
		}
		if err != nil {
			return err
		}
		r := writes[i]
		if r == nil {
			continue
		}
		if r.returned, err = w.evaluate(n.returning, row.old.Row); err != nil {
			return err
		}
		if err = w.Add(r); err != nil {
			return err
		}
	}
	return err
}
