package exec

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// writer is one try of a write: the rows that are to be changed, and how far they got.
type writer struct {
	run
	frame   frame
	tx      *buffer.Buffer // nil outside a transaction
	rows    []*rowWrite
	written *written
	newest  *planner.Part // see Result
}

// written is what the tries of a statement have written so far.
type written struct {
	ids     map[string]bool // by rowWrite.id; rows that need no write are among them
	numbers []int           // of the rows that were sent
}

// rowWrite is the change of one row: operations on the row's entity and on its index entries, which go into
// one entity group transaction.
type rowWrite struct {
	number    int    // of the row in the statement, from 1
	id        string // the same in each try
	table     *planner.Table
	inside    []*planner.Table // other tables whose rows are deleted with it
	part      *planner.Part    // of the table, nil where it has none
	partition string
	ops       []engine.Op
	keys      []*planner.Index // by ops: the index whose entry it is, nil for the row itself
	row       []value.Value    // as it will be; nil when it is deleted
	affected  int64
	returned  []value.Value
	next      string // id under which another run would find the row; "" for the same
	auto      int64  // its AUTO_INCREMENT value; 0 without one
	automatic bool   // which was made for it
	resolved  bool   // its keys were read and found free
	deletes   bool   // there is a Delete among ops
	done      bool
}

// physical is the physical table that the row is in.
func (r *rowWrite) physical() string { return r.table.PhysicalOf(r.part) }

func newWriter(ctx context.Context, rt *Runtime, x *Execution, sofar *written) *writer {
	w := &writer{written: sofar}
	w.run.init(ctx, rt, x)
	w.run.sideBySide()
	w.tx, _ = x.Store.(*buffer.Buffer)
	w.frame.initEnv(&w.run, nil)
	return w
}

// env is the environment of the statement's expressions.
func (w *writer) env() *expr.Env { return &w.frame.env }

// add takes a row's change for the next flush.
func (w *writer) add(r *rowWrite) error {
	if w.written.ids[r.id] {
		return nil
	}
	r.done = len(r.ops) == 0
	w.rows = append(w.rows, r)
	var bytes int64
	for i := range r.ops {
		bytes += bytesPerRow
		for _, v := range r.ops[i].Entity.Values {
			bytes += bytesPerValue + int64(len(v.S))
		}
	}
	return w.hold(bytes, "write")
}

// flush writes all rows that were added.
func (w *writer) flush(ctx context.Context) error {
	if w.tx != nil {
		return w.apply(ctx)
	}
	limits := w.rt.Engine.Limits()
	groups, linked := w.groups(limits.BatchOps, limits.BatchBytes)
	if len(groups) == 1 || linked || w.parallel() == 1 {
		for _, g := range groups {
			if err := w.send(ctx, g); err != nil {
				return err
			}
		}
		return nil
	}
	return w.sendAll(ctx, groups)
}

// apply puts the rows into the transaction's buffer, all or none. As outside a transaction, what one row gives up
// another may take.
func (w *writer) apply(ctx context.Context) error {
	mark := w.tx.Mark()
	groups, _ := w.groups(math.MaxInt, math.MaxInt)
	for _, g := range groups {
		err := g.distinct()
		if err == nil {
			err = w.tx.Apply(ctx, engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops, Meter: w.x.Meter})
		}
		if err != nil {
			w.tx.RollbackTo(mark)
			return g.explain(err)
		}
	}
	for _, r := range w.rows {
		r.done = true
	}
	return nil
}

// group is the rows of one entity group transaction.
type group struct {
	table     string
	partition string
	rows      []*rowWrite
	ops       []engine.Op
	at        map[string]int // by RowKey: the operation on it, where there is more than one row
	bytes     int
}

// groups distributes the rows over as few transactions of at most so many operations and bytes as they fit, in
// their order. linked says that two of them touch the same entity, so that they must be sent in turn.
func (w *writer) groups(mostOps, mostBytes int) (groups []*group, linked bool) {
	open := map[string]*group{}
	touched := map[string]*group{}
	for _, r := range w.rows {
		if len(r.ops) == 0 {
			continue
		}
		place := r.physical() + "\x00" + r.partition
		bytes := engine.CommitBytes(&engine.Commit{Table: r.physical(), PartitionKey: r.partition, Ops: r.ops}, 0)
		g := open[place]
		if g == nil || len(g.ops)+len(r.ops) > mostOps || g.bytes+bytes > mostBytes {
			g = &group{table: r.physical(), partition: r.partition}
			open[place] = g
			groups = append(groups, g)
		}
		g.rows = append(g.rows, r)
		g.bytes += bytes
		if len(w.rows) == 1 {
			g.ops = r.ops
			break
		}
		for i := range r.ops {
			key := place + "\x00" + r.ops[i].Entity.RowKey
			before := touched[key]
			touched[key] = g
			linked = linked || before != nil && before != g
			g.add(r.ops[i])
		}
	}
	return groups, linked
}

// add takes an operation of one more row.
func (g *group) add(op engine.Op) {
	if i, has := g.at[op.Entity.RowKey]; has && fold(&g.ops[i], &op) {
		return
	}
	if g.at == nil {
		g.at = map[string]int{}
	}
	g.at[op.Entity.RowKey] = len(g.ops)
	g.ops = append(g.ops, op)
}

// fold makes one operation of two on the same entity, because a transaction names each entity once: what one row
// gives up another may take. It says no where there is no such one.
func fold(have, op *engine.Op) bool {
	switch {
	case have.Kind == engine.Merge && op.Kind == engine.Merge: // two touches of a parent
	case have.Kind == engine.Delete && op.Kind != engine.Delete:
		*have = engine.Op{Kind: engine.Replace, Entity: op.Entity, IfMatch: have.IfMatch}
	case (have.Kind == engine.Insert || have.Kind == engine.Upsert) && op.Kind == engine.Delete:
		*have = engine.Op{Kind: engine.Replace, Entity: have.Entity, IfMatch: op.IfMatch}
	default:
		return false
	}
	return true
}

// send commits one group.
func (w *writer) send(ctx context.Context, g *group) error {
	if err := g.distinct(); err != nil {
		return g.explain(err)
	}
	if err := w.rt.checkCurrent(ctx, g.rows[0].table); err != nil {
		return err
	}
	for _, r := range g.rows {
		for _, t := range r.inside {
			if err := w.rt.checkCurrent(ctx, t); err != nil {
				return err
			}
		}
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	err := w.rt.Engine.Commit(ctx, engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops, Meter: w.x.Meter})
	w.run.done()
	if err != nil {
		return g.explain(err)
	}
	for _, r := range g.rows {
		r.done = true
	}
	return nil
}

// distinct makes sure that there is one operation an entity. Where two rows of the statement have the same key, the
// error is that of the later one's operation.
func (g *group) distinct() error {
	if len(g.rows) < 2 || len(g.at) == len(g.ops) {
		return nil
	}
	seen := make(map[string]bool, len(g.ops))
	for i := range g.ops {
		if seen[g.ops[i].Entity.RowKey] {
			return &engine.Error{Code: engine.CodeExists, Op: i, Message: "the statement has this key twice"}
		}
		seen[g.ops[i].Entity.RowKey] = true
	}
	return nil
}

// sendAll commits groups side by side. After an error no further one is begun; those under way are waited for,
// so that it is known what stands. Of several errors the first by its rows is given, but one that leaves open
// whether its rows were written comes before all others: the statement must not run again then.
func (w *writer) sendAll(ctx context.Context, groups []*group) error {
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		next   int
		failed error
		at     = len(groups)
		unsure bool
	)
	for range min(len(groups), w.parallel()) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := failed != nil || i >= len(groups)
				mu.Unlock()
				if stop {
					return
				}
				if err := w.send(ctx, groups[i]); err != nil {
					mu.Lock()
					if u := engine.IsUnsure(err); u && !unsure || u == unsure && i < at {
						failed, at, unsure = err, i, u
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// opOf gives the index of the operation that a commit failed at, or -1.
func opOf(err error) int {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Op
	}
	return -1
}

// explain makes MySQL's error of a commit's failure, where it is that a key is taken.
func (g *group) explain(err error) error {
	at := opOf(err)
	if at < 0 || at >= len(g.ops) {
		return err
	}
	key := g.ops[at].Entity.RowKey
	for _, r := range slices.Backward(g.rows) { // of two rows with the same key the later one is at fault
		if j := slices.IndexFunc(r.ops, func(o engine.Op) bool { return o.Entity.RowKey == key }); j >= 0 {
			return r.explain(err, j)
		}
	}
	return err
}

// explain is group.explain for the row's j-th operation.
func (r *rowWrite) explain(err error, j int) error {
	if j < 0 || j >= len(r.ops) || r.row == nil {
		return err
	}
	if r.ops[j].Kind == engine.Merge && isCode(err, engine.CodeNotFound) {
		return NoParentError(r.table)
	}
	if !isCode(err, engine.CodeExists) {
		return err
	}
	if r.resolved || r.automatic && r.table.IsAutoKey(r.keys[j]) {
		// Read as free, or made for this row, and taken meanwhile: the next try sees it.
		return &engine.Error{Code: engine.CodeStale, Op: j, Message: "another writer took a key that was free", Cause: err}
	}
	return duplicateError(r.table, r.keys[j], r.row)
}

// duplicateCode is MySQL's number of the error that a key is taken.
const duplicateCode = 1062

// duplicateError says that the key of a row is taken: key nil is the primary key.
func duplicateError(t *planner.Table, key *planner.Index, row []value.Value) error {
	name, parts := "PRIMARY", t.Key
	if key != nil {
		name, parts = key.Name, key.Parts
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = value.Text(row[p.Column])
	}
	entry := strings.Join(texts, "-")
	const most = 200
	if len(entry) > most {
		entry = strings.ToValidUTF8(entry[:most], "") + "…"
	}
	return &Error{Code: duplicateCode, State: "23000", Message: "Duplicate entry '" + entry + "' for key '" + name + "'"}
}

// stands says whether something of this try was written.
func (w *writer) stands() bool {
	return slices.ContainsFunc(w.rows, func(r *rowWrite) bool { return r.done && len(r.ops) > 0 })
}

// settle adds what this try has written, and found to be right as it is, to the statement's result.
func (w *writer) settle(all *Result) {
	all.Newest = w.newest
	for _, r := range w.rows {
		if !r.done {
			continue
		}
		w.written.ids[r.id] = true
		w.written.ids[r.next] = true
		switch {
		case r.automatic && all.LastInsertID == 0:
			all.LastInsertID, all.InsertID = r.auto, r.auto
		case r.auto != 0 && all.LastInsertID == 0:
			all.InsertID = r.auto
		}
		all.Matched++
		all.Affected += r.affected
		if r.returned != nil {
			all.Rows = append(all.Rows, r.returned)
		}
		if len(r.ops) > 0 {
			w.written.numbers = append(w.written.numbers, r.number)
		}
	}
}

// partial tells what stands when err ended the statement; err itself when nothing does.
func (w *writer) partial(err error) error {
	done := len(w.written.numbers)
	if done == 0 || w.tx != nil {
		return err
	}
	total := done
	for _, r := range w.rows {
		if len(r.ops) > 0 && !r.done {
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
func (w *writer) evaluate(list []expr.Func, row []value.Value) ([]value.Value, error) {
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
