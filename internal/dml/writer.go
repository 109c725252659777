package dml

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Writer is one try of a write: the rows to change, and how far they got.
type Writer struct {
	exec.Run
	frame   exec.Frame
	tx      *buffer.Buffer // nil outside a transaction
	Rows    []*RowWrite
	written *Written
	newest  *schema.Partition // see Result
	moved   bool              // a row moves from its partition to another one
	goes    map[string]bool   // by rowID: rows that a DELETE of several tables deletes, each separately
	Chunked bool              // Flush sends entity group transactions that are independent of each other

	inside    map[insideOf][]engine.Entity // rows interleaved in others that were read ahead; see readInside
	regather  bool                         // a row that is left out frees no key for others: they are gathered anew
	relations *relations                   // whose definitions must hold when the rows are written
	reads     *keyReads                    // nil before the first
	requires  []buffer.Requirement         // of foreign keys
}

// Written is what the tries of a statement have written so far.
type Written struct {
	ids     map[string]bool  // by rowWrite.id; rows that need no write are among them
	numbers []int            // of the rows that were sent
	refused map[string]error // by RowWrite.id: those that UPDATE IGNORE leaves unchanged because of a foreign key
}

// RowWrite is the change of one row: operations on the row's entity and on its index entries, which go into
// one entity group transaction.
type RowWrite struct {
	Number       int    // of the row in the statement, from 1
	id           string // the same in each try
	Table        *schema.Table
	interleaved  []*schema.Table   // whose rows are deleted with it
	Partition    *schema.Partition // of the table; nil if it has none
	PartitionKey string
	ops          []engine.Op
	keys         []*schema.Index // by ops: the index whose entry it is; nil for the row itself
	unit         string          // the key of the row whose operations are being added
	row          []value.Value   // as it will be; nil if it is deleted
	affected     int64
	returned     []value.Value
	next         string      // id that another run would give the row; "": the same
	auto         int64       // its AUTO_INCREMENT value; 0: none
	automatic    bool        // which was made for it
	Resolved     bool        // its keys were read and found free
	deletes      bool        // ops contains a Delete
	changes      []rowChange // of rows that foreign keys tie to others
	cascaded     bool        // it follows a change of the statement, and is not counted
	Done         bool
}

// physical is the physical table that the row is in.
func (r *RowWrite) physical() string { return r.Partition.Physical }

// NewWriter begins an execution that writes; sofar collects what it has written.
func NewWriter(ctx context.Context, rt *exec.Runtime, x *exec.Execution, sofar *Written) *Writer {
	w := &Writer{written: sofar, Chunked: rt.Chunked}
	w.Run.Init(ctx, rt, x)
	w.Run.SideBySide()
	w.Run.AtOneMoment()
	w.tx = x.Tx
	w.frame.InitEnv(&w.Run, nil)
	return w
}

// env is the environment of the statement's expressions.
func (w *Writer) env() *expr.Env { return &w.frame.Env }

// at says which row the statement's next warnings are about. There are hardly any in strict mode without IGNORE.
func (w *Writer) at(number int) {
	if d := &w.X.Session.Diagnostics; d.Adjust {
		d.Row(number)
	}
}

// Add adds a row's change to the next flush.
func (w *Writer) Add(r *RowWrite) error {
	if w.written.ids[r.id] {
		return nil
	}
	if i := slices.IndexFunc(r.keys, isGlobal); i >= 0 && !w.isWhole() {
		return noGlobal(r.keys[i].Name, r.Table.Name)
	}
	r.Done = len(r.ops) == 0
	w.Rows = append(w.Rows, r)
	return w.Charge(r.bytes(), "write")
}

// noGlobal refuses to write what no entity group transaction can cover.
func noGlobal(key, table string) error {
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "the key '%s' of table %s is GLOBAL: a row and its entry there lie in two store partitions, "+
		"and with transactions=group no transaction covers both; open the database without that to write", key, table)
}

// bytes is about how much memory the operations take.
func (r *RowWrite) bytes() (bytes int64) {
	for i := range r.ops {
		bytes += exec.BytesPerRow
		for _, v := range r.ops[i].Entity.Values {
			bytes += exec.BytesPerValue + int64(len(v.S))
		}
	}
	return bytes
}

// Flush writes all added rows: in one transaction, if the store can and the Writer is not Chunked.
func (w *Writer) Flush(ctx context.Context) error {
	if w.tx != nil {
		return w.apply(ctx)
	}
	limits := w.Rt.Engine.Limits()
	all, whole := w.Rt.Engine.(engine.Transactor)
	atOnce := whole && !w.Chunked && all.Snapshots() // what does not fit one commit goes in one transaction
	in := grouped{}
	if atOnce {
		in = w.groups(math.MaxInt, math.MaxInt)
	} else {
		in = w.groups(limits.BatchOps, limits.BatchBytes)
	}
	groups := in.groups
	several := len(groups) > 1 && whole && (in.torn || w.moved || !w.Chunked && (all.Snapshots() || !w.isDivided()))
	exceeds := slices.ContainsFunc(groups, func(g *group) bool { return g.exceeds(limits) })
	if whole && len(groups) > 0 && (several || exceeds || len(w.requires) > 0) {
		if !atOnce {
			groups = w.groups(math.MaxInt, math.MaxInt).groups
		}
		return w.transact(ctx, all, groups)
	}
	inTurn := temporaryFirst(groups)
	if in.linked || len(groups)-inTurn == 1 || w.Parallel() == 1 {
		inTurn = len(groups)
	}
	for _, g := range groups[:inTurn] {
		if err := w.send(ctx, g); err != nil {
			return err
		}
	}
	if inTurn == len(groups) {
		return nil
	}
	return w.sendAll(ctx, groups[inTurn:])
}

// isDivided says whether the rows are written group by group in a store without larger transactions of its own: those of a table with
// interleaved tables, because all that change must be in one group, and those of other programs' tables.
func (w *Writer) isDivided() bool {
	return slices.ContainsFunc(w.Rows, func(r *RowWrite) bool {
		return len(r.ops) > 0 && r.Table.IsExternal() || slices.ContainsFunc(r.ops, func(op engine.Op) bool { return op.Parent })
	})
}

// isWhole says whether the store writes any number of rows at once.
func (w *Writer) isWhole() bool {
	_, ok := w.Rt.Engine.(engine.Transactor)
	return ok
}

// apply puts the rows into the transaction's buffer, all or none. As outside a transaction, one row may take a key that another
// gives up.
func (w *Writer) apply(ctx context.Context) error {
	mark := w.tx.Mark()
	for _, g := range w.groups(math.MaxInt, math.MaxInt).groups {
		err := g.distinct()
		if err == nil {
			err = w.tx.Apply(ctx, engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops, Meter: w.X.Meter})
		}
		if err != nil {
			w.tx.RollbackTo(mark)
			return g.explain(err)
		}
	}
	for i := range w.requires {
		if err := w.tx.Require(w.requires[i]); err != nil {
			w.tx.RollbackTo(mark)
			return err
		}
	}
	if err := w.tx.Fit(); err != nil {
		w.tx.RollbackTo(mark)
		return err
	}
	for _, r := range w.Rows {
		r.Done = true
	}
	return nil
}

// stands says whether this try has written something.
func (w *Writer) stands() bool {
	return slices.ContainsFunc(w.Rows, func(r *RowWrite) bool { return r.Done && len(r.ops) > 0 })
}

// tally adds to the statement's result what this try has written, and the rows that needed no write.
func (w *Writer) tally(all *exec.Result) {
	all.Newest = w.newest
	for _, r := range w.Rows {
		if !r.Done || r.cascaded {
			continue
		}
		switch {
		case r.automatic && all.LastInsertID == 0:
			all.LastInsertID, all.InsertID = r.auto, r.auto
		case r.auto != 0 && r.affected > 0 && all.LastInsertID == 0:
			all.InsertID = r.auto
		}
		all.Affected += r.affected
		all.Found += r.affected
		if r.affected == 0 && !r.deletes {
			all.Found++
		}
		if r.returned != nil {
			all.Rows = append(all.Rows, r.returned)
		}
	}
}

// remember notes what this try has written, for the next one.
func (w *Writer) remember() {
	for _, r := range w.Rows {
		if !r.Done || r.cascaded {
			continue
		}
		put(&w.written.ids, r.id, true)
		w.written.ids[r.next] = true
		if len(r.ops) > 0 {
			w.written.numbers = append(w.written.numbers, r.Number)
		}
	}
}

// partial gives an error that says what was written when err ended the statement; err itself if nothing was.
func (w *Writer) partial(err error) error {
	done := len(w.written.numbers)
	if done == 0 || w.tx != nil {
		return err
	}
	total := done
	for _, r := range w.Rows {
		if len(r.ops) > 0 && !r.Done {
			total++
		}
	}
	slices.Sort(w.written.numbers)
	return &PartialError{Done: done, Total: total, Which: ranges(w.written.numbers), Cause: err}
}

// ranges writes ascending numbers as "1-49, 99".
func ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(numbers[j]))
		}
		i = j + 1
	}
	return "rows " + b.String()
}

// evaluate gives the values of a list of expressions over a row; nil for an empty list.
func (w *Writer) evaluate(list []expr.Func, row []value.Value) ([]value.Value, error) {
	if len(list) == 0 {
		return nil, nil
	}
	w.env().Row = row
	out := make([]value.Value, len(list))
	for i, f := range list {
		var err error
		if out[i], err = f(w.env()); err != nil {
			return nil, err
		}
	}
	return out, nil
}
