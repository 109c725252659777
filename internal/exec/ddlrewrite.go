package exec

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// eachStored gives all entities of a table whose RowKey is in a span, part by part and partition by partition.
// They are valid until the function returns.
func (x *definition) eachStored(ctx context.Context, t *planner.Table, span keymap.Span, sel []string, do func(e *engine.Entity) error) error {
	for _, part := range partsOf(t) {
		if err := x.eachInPart(ctx, t, part, span, sel, do); err != nil {
			return err
		}
	}
	return nil
}

// partsOf gives the parts of a table: nil alone for one that has none.
func partsOf(t *planner.Table) []*planner.Part {
	if t.Parts == nil {
		return []*planner.Part{nil}
	}
	return t.Parts.List
}

// eachInPart is eachStored for one part.
func (x *definition) eachInPart(ctx context.Context, t *planner.Table, part *planner.Part, span keymap.Span, sel []string, do func(e *engine.Entity) error) error {
	return engine.EachIn(ctx, x.Runtime.Engine, rangeOf(t, part, span), sel, x.meter, do)
}

// rangeOf is where a table has the entities of a span of row keys. A table spread over partitions is read as a whole,
// except where that would read those of other tables, too.
func rangeOf(t *planner.Table, part *planner.Part, span keymap.Span) engine.Range {
	r := engine.Range{Table: t.PhysicalOf(part), From: span.From, To: span.To}
	if t.Foreign == nil && (t.Partition == nil || t.SharesPhysical()) {
		r.Partitions = t.Partitions()
	}
	return r
}

// rowsOf calls do for the rows among the entities of a table's row span, and leaves out copies of parents' rows.
func rowsOf(t *planner.Table, do func(e *engine.Entity) error) func(e *engine.Entity) error {
	return func(e *engine.Entity) error {
		if t.IsParentCopy(e.RowKey) {
			return nil
		}
		return do(e)
	}
}

// transform gives rows of a definition the form of the next one.
type transform struct {
	from, to *planner.Table
	old, new *Decoder
	columns  *columns
	source   []int       // by column of to: the column of from, or -1
	fresh    []expr.Func // by column of to, where source is -1
	env      *expr.Env
}

func (x *definition) newTransform(from, to *planner.Table, change *planner.Change) (*transform, error) {
	c, err := newColumns(to)
	if err != nil {
		return nil, err
	}
	tr := &transform{from: from, to: to, columns: c, source: change.From, fresh: make([]expr.Func, len(to.Columns)), env: &expr.Env{Session: x.session}}
	tr.old = NewCodec(from).Decoder(positions(0, from.RowWidth()), 0, nil)
	tr.new = NewCodec(to).Decoder(positions(0, to.RowWidth()), 0, nil)
	if tr.source == nil {
		tr.source = positions(0, len(to.Columns))
	}
	for i, n := range change.New {
		if n != nil {
			tr.fresh[i] = expr.CompileOperand(n)
		}
	}
	return tr, nil
}

// row gives the row that an entity holds, in the next form. The entity may be in it already: then it has the
// property of a column that the change adds or gives another form.
func (tr *transform) row(e *engine.Entity, number int) ([]value.Value, error) {
	old := make([]value.Value, tr.from.RowWidth())
	if err := tr.old.DecodeRow(e, old); err != nil {
		return nil, err
	}
	row := make([]value.Value, tr.to.RowWidth())
	if err := tr.new.DecodeRow(e, row); err != nil {
		var former *formerError
		if errors.As(err, &former) {
			return nil, columnError(former.column, number, former.cause)
		}
		return nil, err
	}
	for i, col := range tr.to.Columns {
		from := tr.source[i]
		if tr.env.Session.Exact && col.Former != nil && from >= 0 { // what decodes a former value rounds it
			if _, err := tr.columns.convert(i, old[from], number, tr.env); err != nil {
				return nil, err
			}
		}
		if !row[i].IsNull() || from >= 0 && tr.from.Columns[from].Property == col.Property {
			continue
		}
		var err error
		switch {
		case from >= 0:
			row[i] = old[from]
		case tr.fresh[i] != nil:
			if row[i], err = tr.fresh[i](tr.env); err != nil {
				return nil, err
			}
		}
		if row[i], err = tr.columns.convert(i, row[i], number, tr.env); err != nil {
			return nil, err
		}
	}
	return row, tr.columns.finish(row, number, tr.env)
}

// verify makes sure that every row has a form in the next definition, and that a unique index which is made anew stays one:
// the index that it takes the place of would be gone already.
func (x *definition) verify(ctx context.Context, t, next *planner.Table, change *planner.Change) error {
	taken := newTaken(next, change)
	if !change.Verify && len(taken.indexes) == 0 {
		return nil
	}
	tr, err := x.newTransform(t, next, change)
	if err != nil {
		return err
	}
	number := 0
	return x.eachStored(ctx, t, t.RowSpan(), nil, rowsOf(t, func(e *engine.Entity) error {
		number++
		row, err := tr.row(e, number)
		if err != nil {
			return err
		}
		return taken.add(row)
	}))
}

// taken are the keys that rows have in unique indexes which are made anew, by their hashes.
type taken struct {
	table   *planner.Table
	indexes []*planner.Index
	keys    map[[16]byte]struct{}
	key     []byte
}

func newTaken(next *planner.Table, change *planner.Change) *taken {
	k := &taken{table: next, keys: map[[16]byte]struct{}{}}
	for _, ix := range change.Fill {
		if ix.Unique && slices.ContainsFunc(change.Drop, func(old *planner.Index) bool { return old.Name == ix.Name }) {
			k.indexes = append(k.indexes, ix)
		}
	}
	return k
}

func (k *taken) add(row []value.Value) (err error) {
	for _, ix := range k.indexes {
		if k.key, err = k.table.AppendPartitionKey(k.key[:0], row); err != nil {
			return err
		}
		if k.key, err = k.table.AppendIndexKey(append(k.key, 0), ix, row); err != nil {
			return err
		}
		sum := sha256.Sum256(k.key)
		hash := [16]byte(sum[:16])
		if _, ok := k.keys[hash]; ok {
			return duplicateError(k.table, ix, row)
		}
		k.keys[hash] = struct{}{}
	}
	return nil
}

// rewriteWindow is how many rows are read before they are written anew.
const rewriteWindow = 500

// rewrite writes every row of a table anew, with all its index entries: in the form of to, and so that the entries
// of indexes that are being built are made. A row that somebody changes meanwhile is read again.
func (x *definition) rewrite(ctx context.Context, from, to *planner.Table, change *planner.Change) error {
	tr, err := x.newTransform(from, to, change)
	if err != nil {
		return err
	}
	r := &rewriter{definition: x, transform: tr, rows: newRowWriter(to), last: time.Now()}
	err = x.eachStored(ctx, to, to.RowSpan(), nil, rowsOf(to, func(e *engine.Entity) error {
		r.number++
		row, err := tr.row(e, r.number)
		if err != nil {
			return err
		}
		r.window = append(r.window, stored{row: row, etag: e.ETag})
		if len(r.window) < rewriteWindow {
			return nil
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
		return r.note(ctx)
	}))
	if err != nil {
		return err
	}
	return r.flush(ctx)
}

// rewriter writes rows anew, a window of them at a time.
type rewriter struct {
	*definition
	*transform
	rows   *rowWriter
	window []stored
	number int
	last   time.Time
}

// noteEvery is how often it is noted how many rows were written anew.
const noteEvery = time.Second

func (r *rewriter) note(ctx context.Context) error {
	if time.Since(r.last) < noteEvery {
		return nil
	}
	r.last, r.noted = time.Now(), true
	return r.Catalog.SetProgress(ctx, r.to, r.number, r.meter)
}

// flush writes the window. Rows that others change at the same time are read and tried again, fewer at once each time,
// so that the rest does not wait for them.
func (r *rewriter) flush(ctx context.Context) error {
	queue := r.window
	r.window = nil
	size := len(queue)
	for try := 0; len(queue) > 0; {
		batch := queue[:min(size, len(queue))]
		w := r.writer(ctx)
		err := r.send(ctx, w, batch)
		if err == nil {
			queue, size, try = queue[len(batch):], 2*size, 0
			continue
		}
		try++
		var e *Error
		duplicate := errors.As(err, &e) && e.Code == duplicateCode && try < doubtTries
		lost := engine.IsUnsure(err) && ctx.Err() == nil && try < conflictTries // written or not: what is read again tells
		if !isRace(err) && !duplicate && !lost {
			return err
		}
		if try == conflictTries {
			return &ConflictError{Tries: try, Cause: err}
		}
		if try == doubtTries {
			if err := w.claimedTwice(); err != nil {
				return err
			}
		}
		if err := wait(ctx, try); err != nil {
			return err
		}
		again, err := r.left(ctx, w, batch)
		if err != nil {
			return err
		}
		queue, size = append(again, queue[len(batch):]...), max(1, size/4)
	}
	return nil
}

// send writes rows anew.
func (r *rewriter) send(ctx context.Context, w *writer, batch []stored) error {
	for i := range batch {
		rw := &rowWrite{number: i, resolved: true}
		if err := r.rows.renew(ctx, w, rw, batch[i]); err != nil {
			return err
		}
		if err := w.add(rw); err != nil {
			return err
		}
	}
	return w.flush(ctx)
}

// doubtTries is how many times rows are read that have the same value of a unique index, before it is believed:
// of rows that were not read at the same time, the first may have given up the value before the other took it.
const doubtTries = 3

// claimedTwice gives the error of two rows, both not written, that want the same entry of a unique index.
func (w *writer) claimedTwice() error {
	claimed := map[string]bool{}
	for _, r := range w.rows {
		if r.done {
			continue
		}
		for i := range r.ops {
			if r.keys[i] == nil || !r.keys[i].Unique {
				continue
			}
			entry := r.partition + "\x00" + r.ops[i].Entity.RowKey
			if claimed[entry] {
				return duplicateError(r.table, r.keys[i], r.row)
			}
			claimed[entry] = true
		}
	}
	return nil
}

// left reads the rows again that were not written; those that are gone need no more.
func (r *rewriter) left(ctx context.Context, w *writer, window []stored) ([]stored, error) {
	var again []stored
	for i := range window {
		if i < len(w.rows) && w.rows[i].done {
			continue
		}
		partition, key, _, err := r.rows.keysOf(window[i].row)
		if err != nil {
			return nil, err
		}
		part, err := r.to.PartOf(window[i].row)
		if err != nil {
			return nil, err
		}
		e, found, err := w.get(ctx, engine.Get{Table: r.to.PhysicalOf(part), PartitionKey: partition, RowKey: key, Meter: r.meter})
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		row, err := r.row(&e, i+1)
		if err != nil {
			return nil, err
		}
		again = append(again, stored{row: row, etag: e.ETag})
	}
	return again, nil
}

// writer makes a writer of rows that no plan stands for.
func (x *definition) writer(ctx context.Context) *writer {
	return newWriter(ctx, x.Runtime, &Execution{Plan: &planner.Plan{}, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter}, &written{ids: map[string]bool{}})
}

// renew makes the operations that write a row anew with all its entries, those of indexes under construction too.
// Every entity of the row gets a new ETag, so that whoever read one of them before cannot write by it.
func (rw *rowWriter) renew(ctx context.Context, w *writer, r *rowWrite, old stored) error {
	partition, key, entries, err := rw.keysOf(old.row)
	if err != nil {
		return err
	}
	e, err := rw.entity(rw.row, partition, key, old.row)
	if err != nil {
		return err
	}
	r.table, r.partition, r.row = rw.table, partition, old.row
	if r.part, err = rw.table.PartOf(old.row); err != nil {
		return err
	}
	r.add(engine.Op{Kind: engine.Replace, Entity: e, IfMatch: old.etag}, nil)
	for i, ix := range rw.table.Indexes {
		if ix.State == planner.IndexDeleteOnly {
			continue
		}
		entry, err := rw.entryEntity(i, partition, entries[i], e, old.row)
		if err != nil {
			return err
		}
		op := engine.Op{Kind: engine.Upsert, Entity: entry}
		if ix.Unique && ix.State != planner.IndexPublic {
			taken, mine, err := rw.owner(ctx, w, i, partition, entries[i], old.row)
			if err != nil {
				return err
			}
			if taken && !mine {
				return duplicateError(rw.table, ix, old.row)
			}
			if !taken {
				op.Kind = engine.Insert
			}
		}
		r.add(op, ix)
	}
	return nil
}

// deleteEntries deletes all entries of an index that t has no more, and that nobody reads or adds to.
func (x *definition) deleteEntries(ctx context.Context, t *planner.Table, ix *planner.Index) error {
	for _, part := range partsOf(t) {
		r := rangeOf(t, part, keymap.PrefixSpan(ix.KeyName+string(keymap.Separator)))
		err := engine.Clear(ctx, x.Runtime.Engine, r, x.Runtime.Parallel, x.meter)
		var e *engine.Error
		if part != nil && errors.As(err, &e) && (e.Code == engine.CodeNoTable || e.Code == engine.CodeDeleting) {
			continue // another process has dropped the part
		}
		if err != nil {
			return err
		}
	}
	return nil
}
