package dml

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// group is the rows of one entity group transaction.
type group struct {
	table     string
	partition string
	rows      []*RowWrite
	ops       []engine.Op
	at        map[string]int // by RowKey: the operation on it, if there is more than one row
	bytes     int            // if groups are limited
	most      int            // operations that it is likely to get
}

// grouped is what Writer.groups gives.
type grouped struct {
	groups []*group
	linked bool // two of them touch the same entity, so they must be sent one after another
	torn   bool // a row is in several of them, with entries in other store partitions, so they must be sent together
}

// groups distributes the rows, in their order, over as few transactions as the limits allow.
func (w *Writer) groups(mostOps, mostBytes int) (out grouped) {
	if len(w.Rows) == 1 && w.Rows[0].isInOnePlace() {
		r := w.Rows[0]
		out.groups = []*group{{table: r.physical(), partition: r.ops[0].Entity.PartitionKey, rows: w.Rows, ops: r.ops}}
		return out
	}
	open := map[string]*group{}
	var touched map[[2]string]*group // by place and key
	for _, r := range w.Rows {
		parts := r.byPartition()
		out.torn = out.torn || len(parts) > 1
		for _, ops := range parts {
			partition := ops[0].Entity.PartitionKey
			place := entityID(r.physical(), partition)
			bytes := 0
			if mostBytes < math.MaxInt {
				bytes = engine.CommitBytes(&engine.Commit{Table: r.physical(), PartitionKey: partition, Ops: ops}, 0)
			}
			g := open[place]
			if g == nil || len(g.ops)+len(ops) > mostOps || g.bytes+bytes > mostBytes {
				g = &group{table: r.physical(), partition: partition, most: min(mostOps, len(w.Rows)*len(ops))}
				open[place] = g
				out.groups = append(out.groups, g)
			}
			g.rows = append(g.rows, r)
			g.bytes += bytes
			if len(w.Rows) == 1 {
				g.ops = ops
				continue
			}
			for i := range ops {
				if mostOps < math.MaxInt { // there may be another group of the place
					key := [2]string{place, ops[i].Entity.RowKey}
					before := touched[key]
					put(&touched, key, g)
					out.linked = out.linked || before != nil && before != g
				}
				g.add(ops[i])
			}
		}
	}
	return out
}

// byPartition gives the operations of each store partition: usually there is only one.
func (r *RowWrite) byPartition() [][]engine.Op {
	switch {
	case len(r.ops) == 0:
		return nil
	case r.isInOnePlace():
		return [][]engine.Op{r.ops}
	}
	var out [][]engine.Op
	at := map[string]int{}
	for i := range r.ops {
		partition := r.ops[i].Entity.PartitionKey
		n, known := at[partition]
		if !known {
			n = len(out)
			at[partition], out = n, append(out, nil)
		}
		out[n] = append(out[n], r.ops[i])
	}
	return out
}

// isInOnePlace says whether there are operations, all in one store partition.
func (r *RowWrite) isInOnePlace() bool {
	for i := range r.ops {
		if r.ops[i].Entity.PartitionKey != r.ops[0].Entity.PartitionKey {
			return false
		}
	}
	return len(r.ops) > 0
}

// exceeds says whether the group is too large for an entity group transaction, as a row can be together with its children.
func (g *group) exceeds(l engine.Limits) bool {
	return len(g.ops) > l.BatchOps ||
		engine.CommitBytes(&engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops}, l.BatchBytes) > l.BatchBytes
}

// add adds an operation of one more row.
func (g *group) add(op engine.Op) {
	if i, has := g.at[op.Entity.RowKey]; has && fold(&g.ops[i], &op) {
		return
	}
	if g.at == nil {
		g.at, g.ops = make(map[string]int, g.most), make([]engine.Op, 0, g.most)
	}
	g.at[op.Entity.RowKey] = len(g.ops)
	g.ops = append(g.ops, op)
}

// fold merges two operations on the same entity into one, because a transaction names each entity once: one row may
// take what another gives up. It says whether that is possible.
func fold(have, op *engine.Op) bool {
	taken := have.Taken || op.Taken || have.Row != op.Row
	switch {
	case have.Kind == engine.Merge && op.Kind == engine.Merge: // two touches of a parent
	case have.Kind == engine.Delete && op.Kind == engine.Delete: // a row is deleted with two others
		have.IfMatch, have.Taken = cmp.Or(have.IfMatch, op.IfMatch), taken
	case have.Kind == engine.Delete && op.Kind != engine.Delete:
		*have = engine.Op{Kind: engine.Replace, Entity: op.Entity, IfMatch: have.IfMatch, Row: op.Row, Taken: taken, Parent: have.Parent || op.Parent}
	case (have.Kind == engine.Insert || have.Kind == engine.Upsert) && op.Kind == engine.Delete:
		*have = engine.Op{Kind: engine.Replace, Entity: have.Entity, IfMatch: op.IfMatch, Row: have.Row, Taken: taken, Parent: have.Parent || op.Parent}
	default:
		return false
	}
	return true
}

// send commits one group.
func (w *Writer) send(ctx context.Context, g *group) error {
	if err := w.ready(ctx, g); err != nil {
		return err
	}
	if err := w.X.Budget.Take(requests([]*group{g})); err != nil {
		return err
	}
	if err := w.Begin(ctx); err != nil {
		return err
	}
	err := w.Rt.Engine.Commit(ctx, engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops, Meter: w.X.Meter})
	w.Run.Done()
	if err != nil {
		return g.explain(err)
	}
	g.done()
	return nil
}

// requests is how many requests it takes to send groups one by one. Rows of temporary tables are not sent.
func requests(groups []*group) (n int64) {
	for _, g := range groups {
		if !g.rows[0].Table.Temporary {
			n++
		}
	}
	return n
}

// temporaryFirst moves groups of temporary tables to the front and says how many there are. If such a row is refused, nothing has
// been sent yet.
func temporaryFirst(groups []*group) (n int) {
	for i, g := range groups {
		if g.rows[0].Table.Temporary {
			copy(groups[n+1:i+1], groups[n:i])
			groups[n] = g
			n++
		}
	}
	return n
}

// transact commits groups of different places in one transaction.
func (w *Writer) transact(ctx context.Context, store engine.Transactor, groups []*group) error {
	if w.X.Budget != nil {
		l := w.Rt.Engine.Limits()
		if err := w.X.Budget.Take(requests(w.groups(l.BatchOps, l.BatchBytes).groups)); err != nil {
			return err
		}
	}
	t := engine.Transaction{Meter: w.X.Meter}
	for i := range w.requires {
		t.Requires = append(t.Requires, w.requires[i].Requirement)
	}
	t.Requires = engine.DistinctRequirements(t.Requires)
	t.Current = func(ctx context.Context) error {
		if err := w.relationsHold(ctx); err != nil {
			return err
		}
		for _, g := range groups {
			if err := w.ready(ctx, g); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.Current(ctx); err != nil {
		return err
	}
	for _, g := range groups {
		t.Commits = append(t.Commits, engine.Commit{Table: g.table, PartitionKey: g.partition, Ops: g.ops})
	}
	if err := store.Transact(ctx, t); err != nil {
		at := opOf(err)
		for _, g := range groups {
			if at < len(g.ops) {
				return g.explainAt(err, at)
			}
			at -= len(g.ops)
		}
		return err
	}
	for _, g := range groups {
		g.done()
	}
	return nil
}

// ready makes sure that a group can be sent: no entity is in it twice, and the definitions by which it was made still hold.
func (w *Writer) ready(ctx context.Context, g *group) error {
	if err := g.distinct(); err != nil {
		return g.explain(err)
	}
	if err := checkCurrent(ctx, w.Rt, g.rows[0].Table); err != nil {
		return err
	}
	for _, r := range g.rows {
		for _, t := range r.interleaved {
			if err := checkCurrent(ctx, w.Rt, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// relationsHold makes sure that the definitions of the tables tied to the rows by foreign keys still hold.
func (w *Writer) relationsHold(ctx context.Context) error {
	if w.relations == nil {
		return nil
	}
	for _, r := range w.relations.all {
		if err := checkCurrent(ctx, w.Rt, r.table); err != nil {
			return err
		}
	}
	return nil
}

// done notes that the group is written.
func (g *group) done() {
	for _, r := range g.rows {
		r.Done = true
	}
}

// distinct makes sure that there is one operation per entity. If two rows of the statement have the same key, the
// error is about the later row's operation.
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

// sendAll commits groups in parallel. After an error no further one is begun, but it waits for those under way,
// so that it knows what was written. Of several errors it gives the first in row order, except that an error that leaves
// open whether its rows were written comes before all others: the statement must not run again then.
func (w *Writer) sendAll(ctx context.Context, groups []*group) error {
	var (
		mu     sync.Mutex
		failed error
		at     = len(groups)
		unsure bool
	)
	engine.UntilStopped(w.Parallel(), len(groups), func(i int) (stop bool) {
		err := w.send(ctx, groups[i])
		if err == nil {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if u := engine.IsUnsure(err); u && !unsure || u == unsure && i < at {
			failed, at, unsure = err, i, u
		}
		return true
	})
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

// explain turns a commit's failure into MySQL's error if the reason is that a key is taken.
func (g *group) explain(err error) error { return g.explainAt(err, opOf(err)) }

// explainAt is explain for a failure of the group's operation at.
func (g *group) explainAt(err error, at int) error {
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
func (r *RowWrite) explain(err error, j int) error {
	if j < 0 || j >= len(r.ops) || r.row == nil {
		return err
	}
	if r.ops[j].Kind == engine.Merge && engine.Is(err, engine.CodeNotFound) {
		return NoParentError(r.Table)
	}
	if !engine.Is(err, engine.CodeExists) {
		return err
	}
	if r.Resolved || r.automatic && r.Table.IsAutoKey(r.keys[j]) {
		// It was free when it was read or made for this row, and was taken since: the next try sees that.
		return &engine.Error{Code: engine.CodeStale, Op: j, Message: "another writer took a key that was free", Cause: err}
	}
	return DuplicateError(r.Table, r.keys[j], r.row)
}

// DuplicateError says that a key of a row is taken; a nil key is the primary key.
func DuplicateError(t *schema.Table, key *schema.Index, row []value.Value) *sqlerr.Error {
	name, parts := "PRIMARY", t.Key
	if key != nil {
		name, parts = key.Name, key.Key
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
	return sqlerr.New(sqlerr.CodeDuplicateEntry, sqlerr.NoPos, "Duplicate entry '%s' for key '%s'", entry, name)
}
