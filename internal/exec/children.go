package exec

import (
	"context"
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// touchParent makes the operation that ties a new row to the one that it lives inside: a merge of nothing. It
// fails where that row is not there, costs no request, and gives it a new ETag, so that whoever deletes it at the
// same time and has seen no children finds that it was changed.
func (rw *rowWriter) touchParent(r *rowWrite, partition string, row []value.Value) error {
	if rw.table.Inside == nil {
		return nil
	}
	var buf [256]byte
	b, err := rw.table.AppendParentKey(buf[:0], row)
	if err != nil {
		return err
	}
	r.add(engine.Op{Kind: engine.Merge, Entity: engine.Entity{PartitionKey: partition, RowKey: string(b)}}, nil)
	return nil
}

// moves is what a change of a row's primary key means for the row that it lives inside, and for those that live
// inside it: these would be left behind.
func (rw *rowWriter) moves(ctx context.Context, w *writer, r *rowWrite, partition string, old, row []value.Value) error {
	for _, child := range rw.children {
		if err := child.refuse(ctx, w, rw.table, partition, old); err != nil {
			return err
		}
	}
	if rw.table.Inside == nil || rw.table.SameParent(old, row) {
		return nil
	}
	return rw.touchParent(r, partition, row)
}

// removeChildren makes the operations that delete all that lives inside a row, whose ETag was read before.
func (rw *rowWriter) removeChildren(ctx context.Context, w *writer, r *rowWrite, partition string, row []value.Value) error {
	for _, child := range rw.children {
		if !child.table.Inside.Cascade {
			if err := child.refuse(ctx, w, rw.table, partition, row); err != nil {
				return err
			}
			continue
		}
		decoder := child.row.Decoder(positions(0, len(child.table.Columns)), 0, nil)
		err := child.each(ctx, w, rw.table, partition, row, 0, func(e *engine.Entity) error {
			own := make([]value.Value, child.table.RowWidth())
			if err := decoder.DecodeRow(e, own); err != nil {
				return err
			}
			return child.remove(ctx, w, r, stored{row: own, etag: e.ETag})
		})
		if err != nil {
			return err
		}
		r.inside = append(r.inside, child.table)
	}
	r.table = rw.table
	if most := w.rt.Engine.Limits().BatchOps; len(r.ops) > most {
		return engine.Errorf(engine.CodeTooLarge, "deleting a row of table %s with all that lives inside it takes %d operations, and an entity group transaction may have %d: "+
			"delete from %s first", rw.table.Name, len(r.ops), most, rw.children[0].table.Name)
	}
	return nil
}

// refuse fails where a row of the table lives inside a row of its parent.
func (rw *rowWriter) refuse(ctx context.Context, w *writer, parent *planner.Table, partition string, row []value.Value) error {
	return rw.each(ctx, w, parent, partition, row, 1, func(*engine.Entity) error {
		return &Error{Code: codeParentRow, State: "23000", Message: "Cannot delete or update a parent row: a foreign key constraint fails (`" +
			rw.table.Name + "`, " + rw.table.ForeignKeySQL() + ")"}
	})
}

// each gives the entities of the rows that live inside a row of the parent. A limit asks for one look only.
func (rw *rowWriter) each(ctx context.Context, w *writer, parent *planner.Table, partition string, row []value.Value, limit int, do func(*engine.Entity) error) error {
	span, err := rw.table.ChildSpan(parent, row)
	if err != nil {
		return err
	}
	part, err := parent.PartOf(row)
	if err != nil {
		return err
	}
	s := &spanSource{
		run: &w.run, limit: limit, scan: engine.Scan{Table: parent.PhysicalOf(part), Meter: w.x.Meter},
		spans: []planner.Span{{Partition: partition, From: span.From, To: span.To}},
	}
	defer s.close()
	for {
		e, _, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(e); err != nil {
			return err
		}
	}
}

// withParents leaves out the rows that live inside none, for INSERT IGNORE. The parents are read side by side.
func (n *insertNode) withParents(ctx context.Context, w *writer, rows [][]value.Value, marks []mark) ([][]value.Value, []mark, error) {
	t := n.plan.Table
	var parents []planner.Key
	at := map[planner.Key]int{}
	parentOf := make([]int, len(rows))
	for i, row := range rows {
		part, err := t.PartOf(row)
		var none *planner.NoPartError
		if errors.As(err, &none) {
			parentOf[i] = -1
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		partition, err := t.AppendPartitionKey(nil, row)
		if err != nil {
			return nil, nil, err
		}
		key, err := t.AppendParentKey(nil, row)
		if err != nil {
			return nil, nil, err
		}
		k := planner.Key{Part: part, Partition: string(partition), Row: string(key)}
		j, known := at[k]
		if !known {
			j, at[k] = len(parents), len(parents)
			parents = append(parents, k)
		}
		parentOf[i] = j
	}
	found := make([]bool, len(parents))
	err := w.each(ctx, len(parents), func(ctx context.Context, i int) (err error) {
		g := engine.Get{Table: t.PhysicalOf(parents[i].Part), PartitionKey: parents[i].Partition, RowKey: parents[i].Row, Select: []string{}, Meter: w.x.Meter}
		_, found[i], err = w.get(ctx, g)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	kept := 0
	for i, row := range rows {
		if parentOf[i] >= 0 && found[parentOf[i]] {
			rows[kept], marks[kept] = row, marks[i]
			kept++
		} else {
			skipped(w.env(), NoParentError(t))
		}
	}
	return rows[:kept], marks[:kept], nil
}

// NoParentError says that a row of t has no row to live in.
func NoParentError(t *planner.Table) error {
	return &Error{Code: 1452, State: "23000", Message: "Cannot add or update a child row: a foreign key constraint fails (`" +
		t.Name + "`, " + t.ForeignKeySQL() + ")"}
}
