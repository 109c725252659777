package dml

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// touchParent makes the operation that ties a new row to its parent: it merges nothing into the parent. It costs no request,
// fails if there is no parent, and gives the parent a new ETag. A concurrent delete of the parent that has seen no children
// thus finds it changed.
func (rw *RowWriter) touchParent(r *RowWrite, partition string, row []value.Value) error {
	if !rw.Table.IsInterleaved() {
		return nil
	}
	var buf [256]byte
	b, err := rw.Table.AppendParentKey(buf[:0], row)
	if err != nil {
		return err
	}
	r.Add(engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: partition, RowKey: string(b)}}, nil)
	return nil
}

// moves handles a change of a row's primary key. It refuses to leave behind rows interleaved in the row, and ties the row
// to its new parent.
func (rw *RowWriter) moves(ctx context.Context, w *Writer, r *RowWrite, partition string, old, row []value.Value) error {
	for _, child := range rw.children {
		if err := child.refuse(ctx, w, rw.Table, partition, old); err != nil {
			return err
		}
	}
	if !rw.Table.IsInterleaved() || rw.Table.SameParent(old, row) {
		return nil
	}
	return rw.touchParent(r, partition, row)
}

// removeChildren makes the operations that delete all rows interleaved in a row, whose ETag was read before.
func (rw *RowWriter) removeChildren(ctx context.Context, w *Writer, r *RowWrite, partition string, row []value.Value) error {
	for _, child := range rw.children {
		if !child.Table.Interleaved.Cascade {
			if err := child.refuse(ctx, w, rw.Table, partition, row); err != nil {
				return err
			}
			continue
		}
		decoder := child.Row.Decoder(exec.Positions(0, len(child.Table.Columns)), 0, nil)
		err := child.each(ctx, w, rw.Table, partition, row, 0, func(e *engine.Entity) error {
			if w.goes[child.idOf(e)] {
				return nil
			}
			own := make([]value.Value, child.Table.RowWidth())
			if err := decoder.DecodeRow(e, own); err != nil {
				return err
			}
			return child.Remove(ctx, w, r, Stored{Row: own, Etag: e.ETag})
		})
		if err != nil {
			return err
		}
		r.interleaved = append(r.interleaved, child.Table)
	}
	r.Table = rw.Table
	if most := w.Rt.Engine.Limits().BatchOps; len(r.ops) > most && !w.isWhole() {
		return engine.Errorf(engine.CodeTooLarge, "deleting a row of table %s with the rows inside it takes %d operations, but an entity group transaction has at most %d: "+
			"delete from %s first", rw.Table.Name, len(r.ops), most, rw.children[0].Table.Name)
	}
	return nil
}

// idOf is the rowID of a row, from its entity.
func (rw *RowWriter) idOf(e *engine.Entity) string {
	return rw.Table.Physical + "\x00" + e.PartitionKey + "\x00" + e.RowKey
}

// refuse fails if a row of the table is interleaved in a row of its parent, and is not deleted with it.
func (rw *RowWriter) refuse(ctx context.Context, w *Writer, parent *schema.Table, partition string, row []value.Value) error {
	limit := 1
	if len(w.goes) > 0 {
		limit = 0
	}
	return rw.each(ctx, w, parent, partition, row, limit, func(e *engine.Entity) error {
		if w.goes[rw.idOf(e)] {
			return nil
		}
		return sqlerr.New(sqlerr.CodeParentRow, sqlerr.NoPos, "Cannot delete or update a parent row: a foreign key constraint fails (`%s`, %s)", rw.Table.Name, sqlerr.Whole(rw.Table.ForeignKeySQL(rw.Table.InterleavedKey())))
	})
}

// each gives the entities of the rows interleaved in a row of the parent. A limit asks for one look only.
func (rw *RowWriter) each(ctx context.Context, w *Writer, parent *schema.Table, partition string, row []value.Value, limit int, do func(*engine.Entity) error) error {
	span, err := rw.Table.ChildSpan(parent, row)
	if err != nil {
		return err
	}
	part, err := parent.PartitionOf(row)
	if err != nil {
		return err
	}
	if read, is := w.inside[insideOf{part.Physical, partition, span.From}]; is {
		for i := range read {
			if err := do(&read[i]); err != nil {
				return err
			}
		}
		return nil
	}
	s := &exec.SpanSource{
		Run: &w.Run, Limit: limit, Scan: engine.Scan{Meter: w.X.Meter, Budget: w.X.Budget, Decided: true},
		Spans: []access.Span{{Partition: part, PartitionKey: partition, Span: span}},
	}
	defer s.Close()
	for {
		e, _, err := s.NextEntity(ctx)
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

// insideOf is the range of the rows of a table that are interleaved in one row.
type insideOf struct{ table, partition, from string }

// readInside reads ahead the rows interleaved in many rows that are to be deleted, as far as they lie close together. It leaves a row
// that was found by an index to removeChildren, which must read the row's ETag before its children.
func (w *Writer) readInside(ctx context.Context, rows []*targetRow) error {
	var scans []engine.Scan
	for _, r := range rows {
		of := r.of.rows
		if r.old.from != nil || len(of.children) == 0 {
			continue
		}
		partition, _, err := RowPlace(of.Table, r.old.Row)
		if err != nil {
			return err
		}
		part, err := of.Table.PartitionOf(r.old.Row)
		if err != nil {
			return err
		}
		for _, child := range of.children {
			span, err := child.Table.ChildSpan(of.Table, r.old.Row)
			if err != nil {
				return err
			}
			scans = append(scans, engine.Scan{Table: part.Physical, PartitionKey: partition, From: span.From, To: span.To, Meter: w.X.Meter, Budget: w.X.Budget, Decided: true})
		}
	}
	var mu sync.Mutex // guards the account of memory
	read := make([][]engine.Entity, len(scans))
	answered, err := w.ScanNear(ctx, scans, func(i int, e *engine.Entity) error {
		own := *e // the cursor's
		own.Names, own.Values = slices.Clone(e.Names), slices.Clone(e.Values)
		read[i] = append(read[i], own)
		mu.Lock()
		defer mu.Unlock()
		return w.Charge(int64(w.Rt.Engine.Limits().Size(e))+exec.BytesPerRow, "write")
	})
	if err != nil || answered == nil {
		return err
	}
	w.inside = map[insideOf][]engine.Entity{}
	for i := range scans {
		if answered[i] {
			w.inside[insideOf{scans[i].Table, scans[i].PartitionKey, scans[i].From}] = read[i]
		}
	}
	return nil
}

// withParents leaves out the rows without a parent, for INSERT IGNORE. The parents are read in parallel, and by ranges.
func (n *insertNode) withParents(ctx context.Context, w *Writer, rows [][]value.Value, marks []mark) ([][]value.Value, []mark, error) {
	t := n.plan.Table
	var parents []engine.Get
	at := map[access.Key]int{}
	parentOf := make([]int, len(rows))
	for i, row := range rows {
		part, err := t.PartitionOf(row)
		var none *schema.NoPartitionError
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
		k := access.Key{Partition: part, PartitionKey: string(partition), RowKey: string(key)}
		j, known := at[k]
		if !known {
			j, at[k] = len(parents), len(parents)
			parents = append(parents, engine.Get{Table: part.Physical, PartitionKey: k.PartitionKey, RowKey: k.RowKey, Select: []string{}, Meter: w.X.Meter})
		}
		parentOf[i] = j
	}
	found := make([]bool, len(parents))
	err := w.GetEach(ctx, parents, func(i int, _ *engine.Entity, there bool) error {
		found[i] = there
		return nil
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

// NoParentError says that a row of t has no parent.
func NoParentError(t *schema.Table) error {
	return sqlerr.New(sqlerr.CodeNoParentRow, sqlerr.NoPos, "Cannot add or update a child row: a foreign key constraint fails (`%s`, %s)", t.Name, sqlerr.Whole(t.ForeignKeySQL(t.InterleavedKey())))
}
