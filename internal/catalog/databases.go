package catalog

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// A database is a catalog and the tables that it defines. It exists as soon as the catalog has its version entity, and until that
// entity says that it was dropped. The catalog itself stays for good: it holds the notes of what is still to be deleted, and its
// version continues if the database is created again.

// DatabaseExistsError says that a database of that name already exists.
type DatabaseExistsError struct{ Name string }

func (e *DatabaseExistsError) Error() string {
	return "Can't create database '" + e.Name + "'; database exists"
}

// DatabaseInfo is what is known of a database without its definitions.
type DatabaseInfo struct {
	Database  string // its name in Config, in lower case if it was never created by CREATE DATABASE
	Collation string // of new tables; "": unspecified
}

// Databases lists the databases of a store, except those whose names pass refuses. It sends one request per thousand physical
// tables and one per database, at most parallel at once.
func Databases(ctx context.Context, e engine.Engine, pass func(database string) bool, parallel int, m *engine.Meter) ([]DatabaseInfo, error) {
	tables, err := e.Tables(ctx, "", m)
	if err != nil {
		return nil, err
	}
	var catalogs []string
	for _, table := range tables {
		if name, known, ok := keymap.CatalogDatabase(table); ok && (!known || pass(name)) {
			catalogs = append(catalogs, table)
		}
	}
	found := make([]*DatabaseInfo, len(catalogs))
	err = engine.SideBySide(ctx, parallel, len(catalogs), func(ctx context.Context, i int) (err error) {
		found[i], err = look(ctx, e, catalogs[i], m)
		return err
	})
	var out []DatabaseInfo
	for _, info := range found {
		if info != nil && pass(info.Database) {
			out = append(out, *info)
		}
	}
	return out, err
}

// LookDatabase gives what is known of a database; nil if there is none.
func LookDatabase(ctx context.Context, e engine.Engine, database string, m *engine.Meter) (*DatabaseInfo, error) {
	info, err := look(ctx, e, keymap.CatalogTable(database), m)
	if info != nil && info.Database == "" {
		info.Database = database
	}
	return info, err
}

func look(ctx context.Context, e engine.Engine, table string, m *engine.Meter) (*DatabaseInfo, error) {
	entity, err := e.Get(ctx, engine.Get{Table: table, PartitionKey: partition, RowKey: versionKey, Meter: m})
	if engine.Is(err, engine.CodeNotFound, engine.CodeNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, of, err := decodeVersion(&entity)
	var newer *feature.Error
	if errors.As(err, &newer) {
		err = nil // the database exists; a statement that asks for its tables gets the error
	}
	if err != nil || of.isDropped() {
		return nil, err
	}
	name, _, _ := keymap.CatalogDatabase(table)
	if of.name != "" {
		name = of.name
	}
	return &DatabaseInfo{Database: name, Collation: of.collation}, nil
}

// IsOf says whether the catalog belongs to the database of that name.
func (c *Catalog) IsOf(database string) bool {
	return engine.FoldTable(keymap.CatalogTable(database)) == engine.FoldTable(c.table)
}

// exists gives an error if the database was dropped.
func (s *Snapshot) exists() error {
	if s.about.isDropped() {
		return &schema.NoDatabaseError{Name: schema.DatabaseName(s.catalog.database)}
	}
	return nil
}

// Name is what SQL calls the database: its name as it was created, else in lower case, however it was opened.
func (s *Snapshot) Name() string {
	if s.about.name != "" {
		return s.about.name
	}
	return schema.DatabaseName(strings.ToLower(s.catalog.database))
}

// Exists says whether the database exists: it, or a table in it, was created, and it was not dropped.
func (s *Snapshot) Exists() bool { return s.etag != "" && !s.about.isDropped() }

// IsDropped says whether the database was dropped.
func (s *Snapshot) IsDropped() bool { return s.about.isDropped() }

// Collation is the collation of the database's new tables; "": unspecified.
func (s *Snapshot) Collation() string { return s.about.collation }

// Catalog is the catalog of the database.
func (s *Snapshot) Catalog() *Catalog { return s.catalog }

// Forget makes the next statement read the definitions again, if they are still those of s.
func (s *Snapshot) Forget() { s.catalog.current.CompareAndSwap(s, nil) }

// IsMoved says whether err is that definitions were changed while they were read.
func IsMoved(err error) bool { return errors.Is(err, errMoved) }

// isGone says whether err is that a table, or its database, does not exist.
func isGone(err error) bool {
	var none *schema.NoDatabaseError
	return isNoTable(err) || errors.As(err, &none)
}

// sameDefinitions is the apply of a change that leaves the database's definitions as they are.
func sameDefinitions(map[string]*definition) {}

// CreateDatabase creates the database under name as written. If a process died while dropping it, CreateDatabase first finishes that.
func (c *Catalog) CreateDatabase(ctx context.Context, name, collation string, m *engine.Meter) error {
	s, err := c.Latest(ctx)
	if err == nil && s.IsDropped() {
		err = c.finishDatabase(ctx, m)
	}
	if err != nil {
		return err
	}
	return c.changingAny(ctx, func(s *Snapshot) error {
		if s.Exists() {
			return &DatabaseExistsError{name}
		}
		return c.commitAs(ctx, s, described(name, collation), m, nil, sameDefinitions)
	})
}

// AlterDatabase gives the database another collation for its new tables.
func (c *Catalog) AlterDatabase(ctx context.Context, collation string, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		name := cmp.Or(s.about.name, schema.DatabaseName(c.database))
		return c.commitAs(ctx, s, described(name, collation), m, nil, sameDefinitions)
	})
}

// DropDatabase drops the database with all of its tables. Its first change already ends the database. If this process dies, the
// rest is finished by the next process that drops or creates a database of that name. It gives how many tables the database had,
// and false if there was none. check may refuse the tables that it has.
func (c *Catalog) DropDatabase(ctx context.Context, check func([]*schema.Table) error, m *engine.Meter) (count int, did bool, err error) {
	var left bool
	err = c.changingAny(ctx, func(s *Snapshot) error {
		if left = s.IsDropped(); left {
			return nil
		}
		tables, err := s.Tables(ctx)
		if err != nil {
			return err
		}
		count = len(tables)
		for _, t := range tables {
			if t.Unwritable != nil {
				return t.Unwritable
			}
		}
		if err := check(tables); err != nil {
			return err
		}
		return c.commitAs(ctx, s, dropped(), m, nil, sameDefinitions)
	})
	if err != nil {
		return 0, false, err
	}
	if left {
		if left, err = c.isLeft(ctx); err != nil || !left {
			return 0, false, err
		}
	}
	return count, true, c.finishDatabase(ctx, m)
}

// isLeft says whether anything is left of a database that was dropped.
func (c *Catalog) isLeft(ctx context.Context) (bool, error) {
	left := false
	span := keymap.PrefixSpan(tablePrefix)
	err := engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Limit: 1, Select: []string{}, Meter: c.meter},
		func(*engine.Entity) error { left = true; return nil })
	if err != nil || left {
		return left, err
	}
	notes, err := c.notes(ctx, nil)
	for _, note := range notes {
		left = left || !note.deleted
	}
	return left, err
}

// definitionsAtOnce is how many definitions one change removes: each takes one of its operations, and its notes up to two.
const definitionsAtOnce = 30

// finishDatabase removes what is left of a dropped database: the definitions, which leave notes, then what the notes name.
func (c *Catalog) finishDatabase(ctx context.Context, m *engine.Meter) error {
	for more := true; more; {
		var gone []*schema.Table
		err := c.changingAny(ctx, func(s *Snapshot) (err error) {
			if !s.IsDropped() {
				return ErrConflict // it was created again
			}
			gone, more, err = c.dropSome(ctx, s, m)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.dropSequences(ctx, gone, m); err != nil {
			return err
		}
	}
	notes, err := c.notes(ctx, nil)
	if err != nil {
		return err
	}
	var ours, others []*tombstone
	for _, note := range notes {
		if note.deleted {
			others = append(others, note)
		} else {
			ours = append(ours, note)
		}
	}
	if len(ours) > 0 {
		if err := c.WaitCurrent(ctx); err != nil {
			return err
		}
	}
	if err := c.empty(ctx, ours, m); err != nil {
		return err
	}
	for len(ours) > 0 {
		n := min(len(ours), 50)
		if err := c.conclude(ctx, ours[:n], nil, m); err != nil {
			return err
		}
		ours = ours[n:]
	}
	return c.collectGarbage(ctx, others)
}

// dropSome removes some of the definitions of a dropped database, and says whether there are more.
func (c *Catalog) dropSome(ctx context.Context, s *Snapshot, m *engine.Meter) (gone []*schema.Table, more bool, err error) {
	var ops []engine.Op
	span := keymap.PrefixSpan(tablePrefix)
	err = engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Limit: definitionsAtOnce, Meter: c.meter}, func(e *engine.Entity) error {
		d, err := s.read(e)
		if err != nil {
			return err
		}
		ops = append(ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: e.RowKey}})
		if t := d.table; !t.IsExternal() && !t.IsView() {
			gone = append(gone, t)
		}
		return nil
	})
	if err != nil || len(ops) == 0 {
		return nil, false, err
	}
	more = len(ops) == definitionsAtOnce
	ops = append(ops, noteOps(tombstonesOf(gone))...)
	return gone, more, c.commit(ctx, s, m, ops, func(known map[string]*definition) { clear(known) })
}

// VersionAt gives the version of the definitions as another reader of the store sees it, such as a transaction at its moment.
func (c *Catalog) VersionAt(ctx context.Context, reader engine.Reader, m *engine.Meter) (int64, error) {
	e, err := reader.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: versionKey, Meter: m})
	if engine.Is(err, engine.CodeNotFound, engine.CodeNoTable) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	version, _, err := decodeVersion(&e)
	return version, err
}

// KnownCollation is the Collation of the definitions that this process read last; "" if it has not read any.
func (c *Catalog) KnownCollation() string {
	if now := c.current.Load(); now != nil {
		return now.about.collation
	}
	return ""
}
