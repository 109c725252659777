package ddl

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// eachStored gives all entities of a table whose RowKey is in a span, partition by partition, and store partition by store partition.
// They are valid until do returns.
func (x *definition) eachStored(ctx context.Context, t *schema.Table, span keymap.Span, sel []string, do func(e *engine.Entity) error) error {
	for _, part := range t.AllPartitions() {
		if err := x.eachInPartition(ctx, t, part, span, sel, do); err != nil {
			return err
		}
	}
	return nil
}

// eachInPartition is eachStored for one partition.
func (x *definition) eachInPartition(ctx context.Context, t *schema.Table, part *schema.Partition, span keymap.Span, sel []string, do func(e *engine.Entity) error) error {
	return engine.EachIn(ctx, x.Runtime.Engine, rangeOf(t, part, span), sel, x.meter, do)
}

// rangeOf is the range in which a table has the entities of a span of row keys. A table spread over store partitions is read as a
// whole, unless that would read rows of other tables, too.
func rangeOf(t *schema.Table, part *schema.Partition, span keymap.Span) engine.Range {
	r := engine.Range{Table: part.Physical, From: span.From, To: span.To}
	if t.Spread == nil || t.SharesPhysical() {
		r.Partitions = t.StorePartitions()
	}
	return r
}

// rowsOf wraps do so that it gets only the rows among the entities of a table's row span, not copies of parents' rows.
func rowsOf(t *schema.Table, do func(e *engine.Entity) error) func(e *engine.Entity) error {
	return func(e *engine.Entity) error {
		if t.IsParentCopy(e.RowKey) {
			return nil
		}
		return do(e)
	}
}

// transform gives rows of a definition the form of the next one.
type transform struct {
	from, to *schema.Table
	old, new *codec.Decoder
	columns  *dml.Columns
	source   []int       // by column of to: the column of from, or -1
	fresh    []expr.Func // by column of to, if source is -1
	env      *expr.Env
}

func (x *definition) newTransform(from, to *schema.Table, change *define.Change) (*transform, error) {
	c, err := dml.NewColumns(to)
	if err != nil {
		return nil, err
	}
	tr := &transform{from: from, to: to, columns: c, source: change.From, fresh: make([]expr.Func, len(to.Columns)), env: &expr.Env{Session: x.session}}
	tr.old = codec.NewCodec(from).Decoder(exec.Positions(0, from.RowWidth()), 0, nil)
	tr.new = codec.NewCodec(to).Decoder(exec.Positions(0, to.RowWidth()), 0, nil)
	if tr.source == nil {
		tr.source = exec.Positions(0, len(to.Columns))
	}
	for i, n := range change.New {
		if n != nil {
			tr.fresh[i] = expr.CompileOperand(n)
		}
	}
	return tr, nil
}

// row gives the row that an entity holds, in the next form. The entity may already be in that form: then it has the
// property of a column that the change adds or gives another form.
func (tr *transform) row(e *engine.Entity, number int) ([]value.Value, error) {
	old := make([]value.Value, tr.from.RowWidth())
	if err := tr.old.DecodeRow(e, old); err != nil {
		return nil, err
	}
	row := make([]value.Value, tr.to.RowWidth())
	if err := tr.new.DecodeRow(e, row); err != nil {
		var former *codec.FormError
		if errors.As(err, &former) {
			return nil, dml.ColumnError(former.Column, number, former.Cause)
		}
		return nil, err
	}
	for i, col := range tr.to.Columns {
		from := tr.source[i]
		if tr.env.Session.Exact && col.PreviousForm != nil && from >= 0 { // decoding a former value rounds it
			if _, err := tr.columns.Convert(i, old[from], number, tr.env); err != nil {
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
		if row[i], err = tr.columns.Convert(i, row[i], number, tr.env); err != nil {
			return nil, err
		}
	}
	return row, tr.ofNull(row, tr.columns.Finish(row, number, tr.env))
}

// ofNull replaces the error of a statement that stores NULL by MySQL's error for a row that is NULL in a column becoming NOT NULL.
func (tr *transform) ofNull(row []value.Value, err error) error {
	var refused *sqlerr.Error
	if !errors.As(err, &refused) || refused.Code != sqlerr.CodeColumnNull {
		return err
	}
	for i, col := range tr.to.Columns {
		if tr.source[i] >= 0 && col.Generated == "" && col.Requires() && row[i].IsNull() {
			return sqlerr.New(sqlerr.CodeInvalidNull, sqlerr.NoPos, "Invalid use of NULL value: rows are NULL in column '%s'", col.Name)
		}
	}
	return err
}

// verify makes sure that every row has a form in the next definition. If a change makes a unique index together with other
// things, it also makes sure that no two rows have the same value in that index: taking back the index alone would not undo
// the rest.
func (x *definition) verify(ctx context.Context, t, next *schema.Table, change *define.Change) error {
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

// taken are the keys that rows have in new unique indexes, by their hashes.
type taken struct {
	table   *schema.Table
	indexes []*schema.Index
	keys    map[[16]byte]struct{}
	key     []byte
}

func newTaken(next *schema.Table, change *define.Change) *taken {
	k := &taken{table: next, keys: map[[16]byte]struct{}{}}
	for _, ix := range change.Fill {
		if ix.Unique && next.Fills() {
			k.indexes = append(k.indexes, ix)
		}
	}
	return k
}

func (k *taken) add(row []value.Value) (err error) {
	for _, ix := range k.indexes {
		if k.key, err = k.table.AppendEntryPartition(k.key[:0], ix, row); err != nil {
			return err
		}
		if k.key, err = k.table.AppendIndexKey(append(k.key, 0), ix, row); err != nil {
			return err
		}
		sum := sha256.Sum256(k.key)
		hash := [16]byte(sum[:16])
		if _, ok := k.keys[hash]; ok {
			return dml.DuplicateError(k.table, ix, row)
		}
		k.keys[hash] = struct{}{}
	}
	return nil
}

// rewriteWindow is how many rows are read before they are rewritten. rewriteTorn is that number if each row is written together with
// entries in other store partitions, so that all of them are one transaction.
const (
	rewriteWindow = 500
	rewriteTorn   = 50
)

// rewrite rewrites every row of a table with all its index entries: in the form of to, and so that the entries
// of indexes being built are made. A row that another process changes meanwhile is read again.
func (x *definition) rewrite(ctx context.Context, from, to *schema.Table, change *define.Change) error {
	tr, err := x.newTransform(from, to, change)
	if err != nil {
		return err
	}
	r := &rewriter{definition: x, transform: tr, rows: dml.NewRowWriter(to), last: time.Now()}
	most := rewriteWindow
	if slices.ContainsFunc(to.Indexes, func(ix *schema.Index) bool { return ix.Global > 0 && dml.Renews(ix) }) {
		most = rewriteTorn
	}
	err = x.eachStored(ctx, to, to.RowSpan(), nil, rowsOf(to, func(e *engine.Entity) error {
		r.number++
		row, err := tr.row(e, r.number)
		if err != nil {
			return err
		}
		r.window = append(r.window, dml.Stored{Row: row, Etag: e.ETag})
		if len(r.window) < most {
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

// rewriter rewrites rows, a window of them at a time.
type rewriter struct {
	*definition
	*transform
	rows   *dml.RowWriter
	window []dml.Stored
	number int
	last   time.Time
}

// noteEvery is how often the number of rewritten rows is noted.
const noteEvery = time.Second

func (r *rewriter) note(ctx context.Context) error {
	if time.Since(r.last) < noteEvery {
		return nil
	}
	r.last, r.noted = time.Now(), true
	return r.Catalog.SetProgress(ctx, r.to, r.number, r.meter)
}

// flush writes the window. Rows that other processes change at the same time are read and tried again, fewer at once each time, so that
// the other rows need not wait.
func (r *rewriter) flush(ctx context.Context) error {
	queue := r.window
	r.window = nil
	size := len(queue)
	w := r.writer(ctx)
	defer func() { w.End() }()
	tries := retry.Begin(ctx, retry.Race)
	for len(queue) > 0 {
		batch := queue[:min(size, len(queue))]
		w.End()
		w = r.writer(ctx)
		err := r.send(ctx, w, batch)
		if err == nil {
			queue, size = queue[len(batch):], 2*size
			tries.Progress()
			continue
		}
		duplicate := sqlerr.Is(err, sqlerr.CodeDuplicateEntry) && tries.Try < retry.BelieveDuplicates
		lost := engine.IsUnsure(err) && ctx.Err() == nil // written or not: reading again tells
		if !dml.IsRace(err) && !duplicate && !lost {
			return err
		}
		if tries.Try == retry.BelieveDuplicates {
			if err := w.ClaimedTwice(); err != nil {
				return err
			}
		}
		if end := tries.Again(err); end != nil {
			if lost {
				return err
			}
			return end
		}
		again, err := r.left(ctx, w, batch)
		if err != nil {
			return err
		}
		queue, size = append(again, queue[len(batch):]...), max(1, size/4)
	}
	return nil
}

// send rewrites rows.
func (r *rewriter) send(ctx context.Context, w *dml.Writer, batch []dml.Stored) error {
	for i := range batch {
		rw := &dml.RowWrite{Number: i, Resolved: true}
		if err := r.rows.Renew(ctx, w, rw, batch[i], nil); err != nil {
			return err
		}
		if err := w.Add(rw); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// left rereads the rows that were not written; those that are gone need no more work.
func (r *rewriter) left(ctx context.Context, w *dml.Writer, window []dml.Stored) ([]dml.Stored, error) {
	var again []dml.Stored
	for i := range window {
		if i < len(w.Rows) && w.Rows[i].Done {
			continue
		}
		partition, key, err := dml.RowPlace(r.rows.Table, window[i].Row)
		if err != nil {
			return nil, err
		}
		part, err := r.to.PartitionOf(window[i].Row)
		if err != nil {
			return nil, err
		}
		e, found, err := w.Get(ctx, engine.Get{Table: part.Physical, PartitionKey: partition, RowKey: key, Meter: r.meter})
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
		again = append(again, dml.Stored{Row: row, Etag: e.ETag})
	}
	return again, nil
}

// writer makes a writer of rows that come from no plan.
func (x *definition) writer(ctx context.Context) *dml.Writer {
	w := dml.NewWriter(ctx, x.Runtime, &exec.Execution{Plan: &planner.Plan{}, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter}, &dml.Written{})
	t, ok := x.Runtime.Engine.(engine.Transactor)
	w.Chunked = w.Chunked || !ok || !t.Snapshots() // a change resumes where it got to
	return w
}

// deleteEntries deletes all entries of an index that t no longer has: no statement reads or adds them any more.
func (x *definition) deleteEntries(ctx context.Context, t *schema.Table, ix *schema.Index) error {
	for _, part := range t.AllPartitions() {
		r := rangeOf(t, part, keymap.PrefixSpan(ix.KeyName+string(keymap.Separator)))
		err := engine.Clear(ctx, x.Runtime.Engine, r, x.Runtime.Parallel, x.meter)
		if t.IsDivided() && isGone(err) {
			continue // another process has dropped the partition
		}
		if err != nil {
			return err
		}
	}
	return nil
}
