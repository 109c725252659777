package ddl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// checkTies holds a table that is to be made against the tables that its foreign keys refer to, and those that wait for one of
// its name against it.
func (x *definition) checkTies(ctx context.Context, t *schema.Table) error {
	for i := range t.ForeignKeys {
		if err := x.checkForeignKey(ctx, t, &t.ForeignKeys[i]); err != nil {
			return err
		}
	}
	return x.checkWaiting(ctx, t)
}

// checkForeignKey refuses a foreign key of t that could not be kept.
func (x *definition) checkForeignKey(ctx context.Context, t *schema.Table, k *schema.ForeignKey) error {
	tables, err := x.tables(ctx)
	if err != nil {
		return err
	}
	for _, other := range tables {
		if other.Name != t.Name && (other.ForeignKey(k.Name) != nil || other.IsInterleaved() && strings.EqualFold(other.Interleaved.Name, k.Name)) {
			return sqlerr.New(sqlerr.CodeDuplicateForeignKey, sqlerr.NoPos, "Duplicate foreign key constraint name '%s' (table '%s' has it)", k.Name, other.Name)
		}
	}
	if k.NotEnforced {
		return nil
	}
	if _, ok := x.Runtime.Engine.(engine.Transactor); !ok {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "a foreign key to a table that is kept elsewhere is not supported here, because no transaction covers both tables: "+
			"let the primary key of '%s' begin with that of '%s' and declare it INTERLEAVE IN PARENT %s, or say NOT ENFORCED", t.Name, k.Parent, k.Parent)
	}
	parent := t
	if !strings.EqualFold(k.Parent, t.Name) {
		parent, err = x.known(ctx, dialect.TableName{Name: k.Parent, Pos: sqlerr.NoPos})
		if isNoTable(err) && x.session.KeysUnchecked {
			return nil // it is checked when such a table is made
		}
		if isNoTable(err) {
			return sqlerr.New(sqlerr.CodeNoReferencedTable, sqlerr.NoPos, "Failed to open the referenced table '%s'", k.Parent)
		}
		if err != nil {
			return err
		}
	}
	return define.CheckForeignKey(t, k, parent)
}

// checkWaiting holds the foreign keys that refer to the name of a table which is to be made against it.
func (x *definition) checkWaiting(ctx context.Context, t *schema.Table) error {
	tables, err := x.tables(ctx)
	if err != nil {
		return err
	}
	for _, child := range tables {
		for i := range child.ForeignKeys {
			k := &child.ForeignKeys[i]
			if !k.RefersTo(t.Name) || strings.EqualFold(child.Name, t.Name) {
				continue
			}
			if err := define.CheckForeignKey(child, k, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// tables gives all definitions. Where nobody keeps foreign keys it gives none, as none matter.
func (x *definition) tables(ctx context.Context) (tables []*schema.Table, err error) {
	if _, ok := x.Runtime.Engine.(engine.Transactor); !ok {
		return nil, nil
	}
	err = x.Catalog.With(ctx, func(s *catalog.Snapshot) (err error) {
		tables, err = s.Tables(ctx)
		return err
	})
	return tables, err
}

// here refuses a foreign key to a table of another database.
func (x *definition) here(f *dialect.ForeignKey) error {
	if f.Table.Database == "" || strings.EqualFold(f.Table.Database, x.session.Database) {
		return nil
	}
	return sqlerr.New(sqlerr.CodeNotSupported, f.Pos, "a foreign key to a table of another database (%s) is not supported: a connection has one", f.Table.Database)
}

// referrers gives the tables whose foreign keys refer to t, without t itself.
func (x *definition) referrers(ctx context.Context, t *schema.Table) (out []*schema.Table, err error) {
	for _, name := range t.Referrers {
		child, err := x.table(ctx, dialect.TableName{Name: name, Pos: sqlerr.NoPos})
		if isNoTable(err) {
			continue // declared by a process that did not live to make it
		}
		if err != nil {
			return nil, err
		}
		if child.RefersTo(t.Name) && !strings.EqualFold(name, t.Name) {
			out = append(out, child)
		}
	}
	return out, nil
}

// dropsReferrers refuses to drop a table that others refer to, but for those that are dropped with it.
func (x *definition) dropsReferrers(ctx context.Context, tables []*schema.Table) error {
	if x.session.KeysUnchecked {
		return nil
	}
	for _, t := range tables {
		referrers, err := x.referrers(ctx, t)
		if err != nil {
			return err
		}
		for _, child := range referrers {
			if !slices.ContainsFunc(tables, func(o *schema.Table) bool { return o.Name == child.Name }) {
				at := slices.IndexFunc(child.ForeignKeys, func(k schema.ForeignKey) bool { return k.RefersTo(t.Name) })
				return sqlerr.New(sqlerr.CodeDropReferenced, sqlerr.NoPos, "Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", t.Name, child.ForeignKeys[at].Name, child.Name)
			}
		}
	}
	return nil
}

// emptiesReferred refuses to empty a table that others refer to.
func (x *definition) emptiesReferred(ctx context.Context, t *schema.Table) error {
	if x.session.KeysUnchecked {
		return nil
	}
	referrers, err := x.referrers(ctx, t)
	if err != nil || len(referrers) == 0 {
		return err
	}
	child := referrers[0]
	at := slices.IndexFunc(child.ForeignKeys, func(k schema.ForeignKey) bool { return k.RefersTo(t.Name) })
	return sqlerr.New(sqlerr.CodeTruncateReferenced, sqlerr.NoPos, "Cannot truncate a table referenced in a foreign key constraint (`%s`, %s)",
		child.Name, sqlerr.Whole(child.ForeignKeySQL(&child.ForeignKeys[at])))
}

// keepsReferred refuses what would take from a table the key that foreign keys of others refer to. from is Change.From.
func (x *definition) keepsReferred(ctx context.Context, t, next *schema.Table, from []int) error {
	if len(t.Referrers) == 0 {
		return nil
	}
	children, err := x.referrers(ctx, t)
	if err != nil {
		return err
	}
	if t.RefersTo(t.Name) {
		children = append(children, next)
	}
	for _, child := range children {
		for i := range child.ForeignKeys {
			if k := &child.ForeignKeys[i]; k.RefersTo(t.Name) {
				if err := define.KeepsReferred(t, next, from, child, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// prepareActions gives the actions of ALTER TABLE with, before each foreign key that is added, the index that it needs and does not have, and
// with foreign keys dropped first, so that their indexes and columns may go with them. All are tried on the definition alone, and new
// foreign keys on the rows.
func (x *definition) prepareActions(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) ([]dialect.AlterAction, error) {
	drops := func(a dialect.AlterAction) bool {
		return a.Kind == dialect.DropForeignKey || a.Kind == dialect.DropConstraint && t.ForeignKey(a.Name) != nil
	}
	var out []dialect.AlterAction
	add := func(a dialect.AlterAction) error {
		if out = append(out, a); x.resumes(t, &a) != nil {
			return nil
		}
		next, _, err := x.next(ctx, t, &a)
		t = next
		return err
	}
	stored := t
	slices.SortStableFunc(actions, func(a, b dialect.AlterAction) int {
		if drops(a) == drops(b) {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[drops(a)]
	})
	for i := range actions {
		a := actions[i]
		if a.Kind != dialect.AddForeignKey {
			if err := add(a); err != nil {
				return nil, err
			}
			continue
		}
		if err := x.here(&a.ForeignKey); err != nil {
			return nil, err
		}
		index, err := define.NeededIndex(t, &a.ForeignKey)
		if err == nil && index != nil {
			err = add(dialect.AlterAction{Kind: dialect.AddIndex, Index: *index, Pos: a.Pos})
		}
		if err == nil {
			err = add(a)
		}
		if err == nil {
			err = x.tryForeignKey(ctx, stored, t, &a)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tryForeignKey looks whether the last foreign key of next can be added to t, before anything is done.
func (x *definition) tryForeignKey(ctx context.Context, t, next *schema.Table, a *dialect.AlterAction) error {
	k := &next.ForeignKeys[len(next.ForeignKeys)-1]
	if err := x.checkForeignKey(ctx, next, k); err != nil || k.NotEnforced || x.session.KeysUnchecked {
		return err
	}
	now, _, err := define.Alter(t, *a, x.options())
	if err != nil {
		return nil // its columns are still to be made
	}
	return x.verifyReferences(ctx, now, &now.ForeignKeys[len(now.ForeignKeys)-1])
}

// addForeignKey publishes a definition with one more foreign key, which whoever writes keeps from then on, looks for rows that break
// it, and makes it public. Where there are such rows it is taken back.
func (x *definition) addForeignKey(ctx context.Context, t, next *schema.Table) (*schema.Table, error) {
	name := next.ForeignKeys[len(next.ForeignKeys)-1].Name
	k := next.ForeignKey(name)
	if err := x.checkForeignKey(ctx, next, k); err != nil {
		return nil, err
	}
	if k.NotEnforced {
		return x.replace(ctx, t, next)
	}
	k.State = schema.WriteOnly
	t, err := x.replace(ctx, t, next)
	if err != nil {
		return nil, err
	}
	if !x.session.KeysUnchecked {
		err = x.verifyReferences(ctx, t, t.ForeignKey(name))
	}
	if err != nil {
		if _, backErr := x.giveUpForeignKeys(ctx, t); backErr != nil {
			return nil, errors.Join(err, backErr)
		}
		x.takenBack()
		return nil, err
	}
	next = t.Clone()
	next.ForeignKey(name).State = schema.Public
	return x.replace(ctx, t, next)
}

// giveUpForeignKeys takes back foreign keys that were added and not found to hold of all rows.
func (x *definition) giveUpForeignKeys(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	unsure := func(k schema.ForeignKey) bool { return k.State != schema.Public }
	if !slices.ContainsFunc(t.ForeignKeys, unsure) {
		return t, nil
	}
	next := t.Clone()
	next.ForeignKeys = slices.DeleteFunc(next.ForeignKeys, unsure)
	return x.replace(ctx, t, next)
}

// verifyReferences makes sure that the row is there that each row refers to.
func (x *definition) verifyReferences(ctx context.Context, t *schema.Table, k *schema.ForeignKey) error {
	return x.eachOrphan(ctx, t, k, func(*orphan) error {
		return sqlerr.New(sqlerr.CodeNoParentRow, sqlerr.NoPos, "Cannot add or update a child row: a foreign key constraint fails (`%s`, %s)", t.Name, sqlerr.Whole(t.ForeignKeySQL(k)))
	})
}

// orphan is a row that refers to a row which is not there.
type orphan struct{ partition, key string }

// eachOrphan gives the rows of t that refer to rows which are not there. It reads the store as it is at one moment.
func (x *definition) eachOrphan(ctx context.Context, t *schema.Table, k *schema.ForeignKey, do func(*orphan) error) error {
	parent := t
	if !strings.EqualFold(k.Parent, t.Name) {
		var err error
		if parent, err = x.table(ctx, dialect.TableName{Name: k.Parent, Pos: sqlerr.NoPos}); isNoTable(err) {
			parent = nil
		} else if err != nil {
			return err
		}
	}
	ref, err := schema.NewParentReference(t, k, parent)
	if err != nil {
		return err
	}
	store, release := x.moment()
	defer release()
	rows, w := dml.NewRowWriter(t), x.writer(ctx)
	defer w.End()
	found := &lookedUp{definition: x, store: store, ref: ref, there: map[string]bool{}}
	decoder := rows.Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	row := make([]value.Value, t.RowWidth())
	for _, part := range t.AllPartitions() {
		err := engine.EachIn(ctx, store, rangeOf(t, part, t.RowSpan()), nil, x.meter, rowsOf(t, func(e *engine.Entity) error {
			if err := decoder.DecodeRow(e, row); err != nil {
				return err
			}
			values, refers := ref.Of(row)
			if !refers {
				return nil
			}
			there, err := found.find(ctx, w, values)
			if err != nil || there {
				return err
			}
			return do(&orphan{e.PartitionKey, e.RowKey})
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// moment gives what is to be read together.
func (x *definition) moment() (engine.Reader, func()) {
	if t, ok := x.Runtime.Engine.(engine.Transactor); ok {
		m := t.Moment()
		return m, m.Release
	}
	return x.Runtime.Engine, func() {}
}

// lookedUp remembers which rows are there that others refer to.
type lookedUp struct {
	*definition
	store engine.Reader
	ref   *schema.Reference
	there map[string]bool
}

func (l *lookedUp) find(ctx context.Context, w *dml.Writer, values []value.Value) (bool, error) {
	if l.ref.Parent == nil {
		return false, nil
	}
	partition, key, err := l.ref.ParentPlace(values)
	if err != nil {
		return false, err
	}
	place := partition + "\x00" + key
	if there, known := l.there[place]; known {
		return there, nil
	}
	_, err = l.store.Get(ctx, engine.Get{Table: l.ref.Parent.Physical, PartitionKey: partition, RowKey: key, Select: []string{}, Meter: l.meter})
	var failed *engine.Error
	if l.there[place] = err == nil; err != nil && !(errors.As(err, &failed) && failed.Code == engine.CodeNotFound) {
		return false, err
	}
	return l.there[place], w.Charge(int64(len(place)+exec.BytesPerRow), "foreign key")
}

// dangling is the kind of a fault that is a row which refers to a row that is not there, as foreign_key_checks = 0 may leave it. It is
// left as it is: nobody knows what it should refer to.
const dangling = "dangling"

// addDangling adds the rows of t that refer to rows which are not there.
func (x *definition) addDangling(ctx context.Context, t *schema.Table, faults *[]*fault) error {
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		if k.NotEnforced || k.State != schema.Public {
			continue
		}
		err := x.eachOrphan(ctx, t, k, func(o *orphan) error {
			*faults = append(*faults, &fault{kind: dangling, part: t.AllPartitions()[0], partition: o.partition, key: o.key, row: k.Name})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
