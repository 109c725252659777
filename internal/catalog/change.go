package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// ErrConflict says that another process changed the definitions at the same time; nothing was changed.
var ErrConflict = errors.New("another process changed the table definitions at the same time; try again")

// ExistsError says that a table of that name already exists.
type ExistsError struct{ Name string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("Table '%s' already exists", sqlerr.Brief(e.Name))
}

// errMoved says that the definitions changed since they were read, or while they were being read, and that nothing was changed
// here. Unlike any other ErrConflict, it goes away when the change is retried with the current definitions.
var errMoved = fmt.Errorf("the table definitions were changed meanwhile: %w", ErrConflict)

// changing applies f, a change, to the latest definitions. Within this process changes are made one at a time. If another
// process was faster, f returns errMoved without having changed anything, and is called again.
func (c *Catalog) changing(ctx context.Context, f func(s *Snapshot) error) error {
	return c.changingAny(ctx, func(s *Snapshot) error {
		if err := s.exists(); err != nil {
			return err
		}
		return f(s)
	})
}

// changingAny is changing for a database that may have been dropped.
func (c *Catalog) changingAny(ctx context.Context, f func(s *Snapshot) error) error {
	release, err := c.change.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	return c.with(ctx, c.Latest, func(s *Snapshot) error {
		if err := s.about.unwritable(); err != nil {
			return err
		}
		return f(s)
	})
}

// Create makes the physical table and stores the definition. It sets t.Database, t.Physical and t.Version. If the name is
// taken, the error is an *ExistsError. A physical table without a definition is used if it is empty, because its creator
// died half-way; otherwise it belongs to another program, and the name is taken.
func (c *Catalog) Create(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		return c.createBy(ctx, s, t, m, func() error {
			switch {
			case t.IsView():
				return nil
			case t.IsExternal():
				return c.createExternal(ctx, t, m)
			}
			t.Rehome("")
			return c.createPhysical(ctx, s, t, true, m)
		})
	})
}

// CreateShared is Create for a table without partitions that has no physical table of its own: all such tables of a database
// share one.
func (c *Catalog) CreateShared(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		return c.createBy(ctx, s, t, m, func() error { return c.shareTable(ctx, s, t, m) })
	})
}

// createBy stores the definition after place has set where the table is stored.
func (c *Catalog) createBy(ctx context.Context, s *Snapshot, t *schema.Table, m *engine.Meter, place func() error) error {
	if err := s.free(ctx, t.Name); err != nil {
		return err
	}
	t.Database, t.Temporary = c.database, c.IsTemporary()
	if err := place(); err != nil {
		return err
	}
	return c.insertBy(ctx, s, t, m)
}

// insertBy stores the definition of a new table.
func (c *Catalog) insertBy(ctx context.Context, s *Snapshot, t *schema.Table, m *engine.Meter) error {
	r := s.newRelatives()
	if err := r.retie(ctx, nil, t); err != nil {
		return err
	}
	var err error
	if t.Created, err = value.TicksFromTime(time.Now().Truncate(time.Second)); err != nil {
		return err
	}
	e, err := c.stamp(s, t)
	if err != nil {
		return err
	}
	relatives := r.list(nil)
	ops, err := c.replacing([]engine.Op{{Kind: engine.Insert, Entity: e}}, s, relatives)
	if err != nil {
		return err
	}
	return c.commit(ctx, s, m, ops, func(tables map[string]*definition) {
		tables[strings.ToLower(t.Name)] = &definition{table: t}
		learn(tables, relatives)
	})
}

// maxGenerations limits the search for a free physical name.
const maxGenerations = 100

// createPhysical makes a physical table for t, or one for each of its partitions. With adopt it may take an existing one
// if that is empty; otherwise it skips it.
func (c *Catalog) createPhysical(ctx context.Context, s *Snapshot, t *schema.Table, adopt bool, m *engine.Meter) error {
	if t.IsDivided() {
		t.Physical = ""
		for _, p := range t.Partitions.List {
			p.Physical = ""
		}
		return c.makePartitions(ctx, s, t, m)
	}
	if c.IsTemporary() {
		t.Physical = c.Temporary()
		return c.engine.CreateTable(ctx, t.Physical, m)
	}
	for generation, meter := 0, m; generation < maxGenerations; generation++ {
		t.Physical = keymap.TableGeneration(keymap.TableName(c.database, t.Name), generation)
		_, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: dropPrefix + t.Physical, Meter: meter})
		meter = c.meter // the cost of a name's history is maintenance
		if err == nil {
			continue // it holds rows of a dropped table, which some process is still deleting
		}
		if !engine.Is(err, engine.CodeNotFound) && !engine.Is(err, engine.CodeNoTable) {
			return err
		}
		err = c.engine.CreateTable(ctx, t.Physical, m)
		switch {
		case err == nil:
			return nil
		case engine.Is(err, engine.CodeDeleting):
			continue // the service reserves the name for a while: take the next one
		case engine.Is(err, engine.CodeExists) && !adopt:
			continue
		case engine.Is(err, engine.CodeExists):
			taken, err := s.nameTaken(ctx, t.Physical)
			if err != nil {
				return err
			}
			if taken {
				continue // by a table that was renamed
			}
			empty, err := c.isEmpty(ctx, t.Physical, m)
			if err != nil {
				return err
			}
			if empty {
				return nil
			}
			return &ExistsError{t.Name}
		default:
			return err
		}
	}
	return engine.Errorf(engine.CodeDeleting, "no free physical name for table %s: %d physical tables of that name are being deleted; try again in a minute", t.Name, maxGenerations)
}

// createExternal makes the physical table of an external table if it does not exist yet.
func (c *Catalog) createExternal(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	if keymap.OwnTable(t.Physical) {
		return engine.Errorf(engine.CodeBadInput, "the physical table '%s' holds rows of this driver: an EXTERNAL TABLE is for tables of other programs", t.Physical)
	}
	err := c.engine.CreateTable(ctx, t.Physical, m)
	if engine.Is(err, engine.CodeExists) {
		return nil
	}
	return err
}

func (c *Catalog) isEmpty(ctx context.Context, physical string, m *engine.Meter) (bool, error) {
	empty := true
	err := engine.Each(ctx, c.engine, engine.Scan{Table: physical, AllPartitions: true, Limit: 1, Select: []string{}, Meter: m},
		func(*engine.Entity) error { empty = false; return nil })
	return empty, err
}

// Replace stores next in place of old, which must be the current definition, and sets next.Version. A table is renamed by
// replacing it with one of another name; then an *ExistsError says that the new name is taken. Partitions created since old
// stay: only ReplacePartitions and Truncate change them. Replace refuses what Table.CheckStep does not allow.
func (c *Catalog) Replace(ctx context.Context, old, next *schema.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error { return c.replaceBy(ctx, s, old, next, m) })
}

func (c *Catalog) replaceBy(ctx context.Context, s *Snapshot, old, next *schema.Table, m *engine.Meter) error {
	d, err := s.definition(ctx, old.Name)
	if err != nil {
		return err
	}
	if d.table.WriteVersion != old.WriteVersion {
		return ErrConflict
	}
	next.KeepPartitions(d.table)
	if err := d.table.CheckStep(next); err != nil {
		return err
	}
	from, to := strings.ToLower(old.Name), strings.ToLower(next.Name)
	if from != to {
		if err := s.free(ctx, next.Name); err != nil {
			return err
		}
	}
	r := s.newRelatives()
	if from != to {
		if err := r.rename(ctx, d.table, next.Name); err != nil {
			return err
		}
	}
	if err := r.retie(ctx, d.table, next); err != nil {
		return err
	}
	e, err := c.stamp(s, next)
	if err != nil {
		return err
	}
	ops := []engine.Op{{Kind: engine.Replace, Entity: e}}
	if from != to {
		ops = []engine.Op{
			{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: tableKey(from)}},
			{Kind: engine.Insert, Entity: e},
		}
	}
	relatives := r.list(nil)
	if ops, err = c.replacing(ops, s, relatives); err != nil {
		return err
	}
	return c.commit(ctx, s, m, ops, func(tables map[string]*definition) {
		tables[from] = nil
		tables[to] = &definition{table: next}
		learn(tables, relatives)
	})
}

// Truncate gives t a new, empty physical table. A table that shares its physical table with others gets a new row name for its
// keys instead. Either takes two requests, however many rows there are. The old contents are deleted once no statement writes to
// them any more.
func (c *Catalog) Truncate(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	var old *schema.Table
	err := c.changing(ctx, func(s *Snapshot) (err error) {
		old, err = c.truncateBy(ctx, s, t, m)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.WaitCurrent(ctx); err != nil {
		return err
	}
	if err := c.dropSequence(ctx, old, m); err != nil {
		return err
	}
	tombstones := tombstonesOf([]*schema.Table{old})
	if !old.SharesPhysical() {
		return c.finishDrop(ctx, tombstones, m)
	}
	if err := c.empty(ctx, tombstones, m); err != nil {
		return err
	}
	others, err := c.notes(ctx, tombstones)
	if err != nil {
		return err
	}
	return c.conclude(ctx, tombstones, others, m)
}

// truncateBy makes one attempt at Truncate. It gives the former definition.
func (c *Catalog) truncateBy(ctx context.Context, s *Snapshot, t *schema.Table, m *engine.Meter) (*schema.Table, error) {
	d, err := s.definition(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	if d.table.Unwritable != nil {
		return nil, d.table.Unwritable
	}
	if err := s.childless(ctx, d.table, nil); err != nil {
		return nil, err
	}
	next := d.table.Clone()
	next.Statistics = nil
	if next.SharesPhysical() {
		err = c.shareTable(ctx, s, next, m)
	} else {
		err = c.createPhysical(ctx, s, next, false, m)
	}
	if err != nil {
		return nil, err
	}
	return d.table, c.publish(ctx, s, m, noteOps(tombstonesOf([]*schema.Table{d.table})), next)
}

// Latest gives definitions whose version was read just now. Changes start from them, and SHOW shows them.
func (c *Catalog) Latest(ctx context.Context) (*Snapshot, error) {
	if !c.engine.Shared() {
		return c.Snapshot(ctx)
	}
	return c.renew(ctx, func(*Snapshot) bool { return false })
}

// stamp gives t the version that the change will have.
func (c *Catalog) stamp(s *Snapshot, t *schema.Table) (engine.Entity, error) {
	t.WriteVersion = s.version + 1
	return c.stampGrown(s, t)
}

// stampGrown is stamp for a change that writers by the previous definition need not know of.
func (c *Catalog) stampGrown(s *Snapshot, t *schema.Table) (engine.Entity, error) {
	t.Version = s.version + 1
	if err := t.Init(); err != nil {
		return engine.Entity{}, err
	}
	return encodeDefinition(t)
}

// commit applies ops and raises the version atomically, and publishes the new definitions in this process.
func (c *Catalog) commit(ctx context.Context, s *Snapshot, m *engine.Meter, ops []engine.Op, apply func(map[string]*definition)) error {
	return c.commitAs(ctx, s, s.about, m, ops, apply)
}

// commitAs is commit that also changes what the version entity says about the database.
func (c *Catalog) commitAs(ctx context.Context, s *Snapshot, is about, m *engine.Meter, ops []engine.Op, apply func(map[string]*definition)) error {
	id := newChangeID()
	changes := addChange(s.changes, id)
	raise := engine.Op{Kind: engine.Replace, Entity: encodeVersion(s.version+1, changes, is), IfMatch: s.etag}
	if s.etag == "" {
		if err := c.engine.CreateTable(ctx, c.table, m); err != nil && !engine.Is(err, engine.CodeExists) {
			return err
		}
		raise = engine.Op{Kind: engine.Insert, Entity: raise.Entity}
	}
	err := c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: append([]engine.Op{raise}, ops...), Meter: m})
	if engine.IsUnsure(err) {
		if err = c.resolve(ctx, s, id, err); err == nil && m != nil {
			m.Written.Add(int64(len(ops) + 1))
		}
	}
	if err != nil {
		c.Forget()
		if engine.Is(err, engine.CodeStale, engine.CodeExists) || engine.Is(err, engine.CodeNotFound) {
			return errMoved
		}
		return err
	}
	retry.Progress(ctx)
	s.mu.RLock()
	next := &Snapshot{catalog: c, tables: map[string]*definition{}}
	for name, d := range s.tables {
		next.tables[name] = d
	}
	next.all = s.all
	s.mu.RUnlock()
	if c.engine.Shared() {
		// Read everything again: the new ETag is unknown, and other processes may have made further changes.
		c.changed(s.version+1, nil)
		return nil
	}
	e, err := c.getVersion(ctx)
	if err != nil {
		c.Forget()
		return err
	}
	next.version, next.etag, next.changes, next.about = s.version+1, e.ETag, changes, is
	apply(next.tables)
	c.changed(next.version, next)
	return nil
}

func isNoTable(err error) bool {
	var e *schema.NoTableError
	return errors.As(err, &e)
}

// free makes sure that no table has that name.
func (s *Snapshot) free(ctx context.Context, name string) error {
	_, err := s.Table(ctx, name)
	if err == nil {
		return &ExistsError{name}
	}
	if isNoTable(err) {
		return nil
	}
	return err
}

// unchanged gives the definition of a table, which must still be the caller's.
func (s *Snapshot) unchanged(ctx context.Context, t *schema.Table) (*definition, error) {
	d, err := s.definition(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	if d.table.Version != t.Version {
		return nil, ErrConflict
	}
	return d, nil
}

// publish stores new definitions of tables that keep their names, together with other operations.
func (c *Catalog) publish(ctx context.Context, s *Snapshot, m *engine.Meter, ops []engine.Op, tables ...*schema.Table) error {
	ops, err := c.replacing(ops, s, tables)
	if err != nil {
		return err
	}
	return c.commit(ctx, s, m, ops, func(known map[string]*definition) { learn(known, tables) })
}

// replacing appends the operations that store new definitions of tables that keep their names.
func (c *Catalog) replacing(ops []engine.Op, s *Snapshot, tables []*schema.Table) ([]engine.Op, error) {
	for _, t := range tables {
		e, err := c.stamp(s, t)
		if err != nil {
			return nil, err
		}
		ops = append(ops, engine.Op{Kind: engine.Replace, Entity: e})
	}
	return ops, nil
}

// learn adds new definitions to those of a snapshot.
func learn(known map[string]*definition, tables []*schema.Table) {
	for _, t := range tables {
		known[strings.ToLower(t.Name)] = &definition{table: t}
	}
}
