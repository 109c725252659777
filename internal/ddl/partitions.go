package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// changesPartitions says whether an action changes only partitions.
func changesPartitions(a *dialect.AlterAction) bool {
	return a.Kind == dialect.AddPartition || a.Kind == dialect.DropPartition || a.Kind == dialect.TruncatePartition
}

// changesForeignKeys says whether an action adds or drops a foreign key. That is a change of its own: an index that the foreign key
// needs is made before it, and dropped after it.
func changesForeignKeys(t *schema.Table, a *dialect.AlterAction) bool {
	return a.Kind == dialect.AddForeignKey || a.Kind == dialect.DropForeignKey || a.Kind == dialect.DropConstraint && t.ForeignKey(a.Name) != nil
}

// changePartitions publishes a definition with other partitions and opens the new ones. Rows interleaved in rows of partitions that
// are dropped or emptied go with them.
func (x *definition) changePartitions(ctx context.Context, t, next *schema.Table, a *dialect.AlterAction) (*schema.Table, error) {
	if a.Kind != dialect.AddPartition {
		if err := x.cascades(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := x.Catalog.ReplacePartitions(ctx, t, next, x.meter); err != nil {
		return nil, err
	}
	return x.openPartitions(ctx, next)
}

// cascades makes sure that rows of a table, and of all tables interleaved in it, may be deleted without being looked at.
func (x *definition) cascades(ctx context.Context, t *schema.Table) error {
	if err := x.emptiesReferred(ctx, t); err != nil {
		return err
	}
	for _, name := range t.Children {
		child, err := x.table(ctx, dialect.TableName{Name: name, Pos: -1})
		if isNoTable(err) {
			continue // declared by a process that died before making it
		}
		if err != nil {
			return err
		}
		if !child.Interleaved.Cascade {
			return sqlerr.New(sqlerr.CodeTruncateReferenced, sqlerr.NoPos, "Cannot truncate a table referenced in a foreign key constraint (`%s`, %s) without ON DELETE CASCADE: use DELETE", child.Name, sqlerr.Whole(child.ForeignKeySQL(child.InterleavedKey())))
		}
		if err := x.cascades(ctx, child); err != nil {
			return err
		}
	}
	return nil
}

// openPartitions lets rows be written to new partitions once every process reads them. Until two leases are over, a process may
// use a definition without them, and would miss their rows.
func (x *definition) openPartitions(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	t, err := x.reload(ctx, t)
	if err != nil || !slices.ContainsFunc(t.AllPartitions(), func(p *schema.Partition) bool { return p.Opening }) {
		return t, err
	}
	if err := x.Catalog.WaitOpen(ctx, t); err != nil {
		return nil, err
	}
	next := t.Clone()
	for _, p := range next.Partitions.List {
		p.Opening = false
	}
	if err := x.Catalog.ReplacePartitions(ctx, t, next, x.meter); err != nil {
		return nil, err
	}
	return x.reload(ctx, next)
}

// MakePartitions makes and opens the partitions that rows were found to need. The statement can then be run again.
func (d *Definer) MakePartitions(ctx context.Context, need *schema.NoPartitionError, session *expr.Session, m *engine.Meter) error {
	x := &definition{Definer: d, session: session, meter: m}
	tries := retry.Begin(ctx, retry.Race)
	for {
		err := x.makePartitions(tries.Context, need)
		if !errors.Is(err, catalog.ErrConflict) {
			return err
		}
		if err := tries.Again(err); err != nil {
			return err
		}
	}
}

func (x *definition) makePartitions(ctx context.Context, need *schema.NoPartitionError) error {
	t, err := x.reload(ctx, need.Table)
	if err != nil {
		return err
	}
	if !t.IsDivided() || len(need.Missing) > 0 && !t.Grows() {
		return nil // changed meanwhile: the statement finds out
	}
	if len(need.Missing) > 0 {
		next := t.Clone()
		if err := next.GrowPartitions(need.Missing, x.Runtime.Engine.Shared()); err != nil {
			return err
		}
		if len(next.Partitions.List) > len(t.Partitions.List) {
			if err := x.Catalog.ReplacePartitions(ctx, t, next, x.meter); err != nil {
				return err
			}
		}
	}
	_, err = x.openPartitions(ctx, t)
	return err
}

// MakeAhead makes the partition after the newest one of t, or opens it when it is time. It is called when rows were written to
// the newest one, so that later rows find the next one open. It does not wait: what cannot be done yet, or was done by another
// process, is left to the next row.
func (d *Definer) MakeAhead(ctx context.Context, t *schema.Table, newest *schema.Partition, session *expr.Session, m *engine.Meter) error {
	x := &definition{Definer: d, session: session, meter: m}
	t, err := x.reload(ctx, t)
	if err != nil || !t.IsDivided() {
		return err
	}
	next, err := t.GrowAhead(newest.Physical, x.Runtime.Engine.Shared(), x.Catalog.MayOpen)
	if err != nil || next == nil {
		return err
	}
	return x.Catalog.ReplacePartitions(ctx, t, next, x.meter)
}

// DeletePartitions empties whole partitions, given by name, by deleting their physical tables. done says whether the rows are
// gone. They may be gone even with an error, if only the deletion of physical tables that nothing refers to any more failed.
func (d *Definer) DeletePartitions(ctx context.Context, t *schema.Table, names []string, session *expr.Session, m *engine.Meter) (done bool, err error) {
	x := &definition{Definer: d, session: session, meter: m}
	next := t.Clone()
	next.EmptyPartitions(names)
	err = x.Catalog.ReplacePartitions(ctx, t, next, x.meter)
	var left *catalog.LeftError
	return err == nil || errors.As(err, &left), err
}
