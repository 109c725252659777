package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Snapshot is the definitions at one version. Each is read when it is first asked for; a newer one is not among
// them: see With.
type Snapshot struct {
	catalog *Catalog
	version int64
	etag    string // of the version entity; "" when there is none yet
	changes string // the ids of the last changes; see changeID
	about   about
	fresh   time.Time

	mu     sync.RWMutex
	tables map[string]*definition // by folded name; nil: known not to exist
	all    bool                   // tables holds every definition
}

type definition struct {
	table *schema.Table
	etag  string
}

// Valid says whether tables, which a plan was made against, are still the definitions of s, as far as they belong to its database.
func (s *Snapshot) Valid(tables []*schema.Table) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, t := range tables {
		if t.Virtual != nil {
			return false // made of the definitions at that time
		}
		if t.Database != s.catalog.database || t.Temporary != s.catalog.IsTemporary() {
			continue
		}
		d, known := s.tables[strings.ToLower(t.Name)]
		if t.IsUndeclared() {
			if d != nil || !known && !s.all || !s.catalog.isOpen(t) {
				return false
			}
			continue
		}
		if d == nil || d.table != t {
			return false
		}
	}
	return true
}

// Readable says whether columns of a table can still be read by its former definition t, through one of its indexes (nil: through
// its rows). The index must still exist, and every row must have the properties in which t keeps the columns.
func (s *Snapshot) Readable(ctx context.Context, t *schema.Table, ix *schema.Index, columns []int) (bool, error) {
	if t.IsUndeclared() || t.Virtual != nil {
		return true, nil
	}
	now, err := s.Table(ctx, t.Name)
	if isGone(err) {
		return ix == nil, nil // its rows have not moved, or their physical table is gone
	}
	if err != nil || now == t {
		return true, err
	}
	for _, i := range columns {
		if i >= len(t.Columns) {
			continue // not a column: the ETag
		}
		col := t.Columns[i]
		if !slices.ContainsFunc(now.Columns, func(c *schema.Column) bool { return c.Property == col.Property }) {
			return false, nil
		}
	}
	return ix == nil || slices.ContainsFunc(now.Indexes, func(i *schema.Index) bool {
		return i.KeyName == ix.KeyName && i.State == schema.Public
	}), nil
}

// Defines says whether t is the definition of its table.
func (s *Snapshot) Defines(ctx context.Context, t *schema.Table) (bool, error) {
	if t.IsUndeclared() {
		return true, nil // of what is there, there is none
	}
	now, err := s.Table(ctx, t.Name)
	if isGone(err) {
		return false, nil
	}
	return err == nil && now.Version == t.Version, err
}

// Version rises with each change of definitions. A newer definition has another version in its Table.Version.
func (s *Snapshot) Version() int64 { return s.version }

// Database is the name of the database; "" if it has none.
func (s *Snapshot) Database() string { return s.catalog.database }

// Table gives a definition, or a *schema.NoTableError if there is none.
func (s *Snapshot) Table(ctx context.Context, name string) (*schema.Table, error) {
	d, err := s.definition(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.table, nil
}

// Find gives a definition, or what is known of a physical table that another program made; see Catalog.Undeclared.
func (s *Snapshot) Find(ctx context.Context, name string) (*schema.Table, error) {
	t, err := s.Table(ctx, name)
	if !isNoTable(err) {
		return t, err
	}
	if !s.catalog.knowsOpen(name) {
		// Another process may have defined it since.
		next, err := s.catalog.Newer(ctx, s)
		if err != nil {
			return nil, err
		}
		if next != nil {
			if _, err := next.Table(ctx, name); err == nil {
				return nil, errMoved
			} else if !isNoTable(err) {
				return nil, err
			}
		}
	}
	return s.catalog.Undeclared(ctx, name)
}

func (s *Snapshot) definition(ctx context.Context, name string) (*definition, error) {
	if err := s.exists(); err != nil {
		return nil, err
	}
	folded := strings.ToLower(name)
	s.mu.RLock()
	d, known := s.tables[folded]
	known = known || s.all
	s.mu.RUnlock()
	if !known {
		var err error
		if d, err = s.load(ctx, folded); err != nil {
			return nil, err
		}
		s.mu.Lock()
		if have, raced := s.tables[folded]; raced {
			d = have // one pointer per definition: plans are compared by it
		} else {
			s.tables[folded] = d
		}
		s.mu.Unlock()
	}
	if d == nil {
		return nil, &schema.NoTableError{Database: s.catalog.database, Name: name}
	}
	return d, nil
}

// load reads one definition; nil if there is none.
func (s *Snapshot) load(ctx context.Context, folded string) (*definition, error) {
	c := s.catalog
	if s.etag == "" {
		return nil, nil // no catalog existed
	}
	e, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: tableKey(folded), Meter: c.meter})
	if engine.Is(err, engine.CodeNotFound, engine.CodeNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.read(&e)
}

// read decodes a definition that was read just now.
func (s *Snapshot) read(e *engine.Entity) (*definition, error) {
	d, err := s.catalog.read(e)
	if err == nil {
		d.table.Database = s.catalog.database // as this process spells it
		d.table.Temporary = s.catalog.IsTemporary()
	}
	if err == nil && d.table.Version > s.version {
		return nil, errMoved
	}
	if err == nil && d.table.Unwritable == nil {
		d.table.Unwritable = s.about.unwritable()
	}
	return d, err
}

// Tables gives all definitions, sorted by folded name.
func (s *Snapshot) Tables(ctx context.Context) ([]*schema.Table, error) {
	if err := s.exists(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	all := s.all
	s.mu.RUnlock()
	if !all && s.etag != "" {
		if err := s.loadAll(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return sortedTables(s.tables), nil
}

// Known is Tables without the definitions that only a newer version of the program can read.
func (s *Snapshot) Known(ctx context.Context) ([]*schema.Table, error) {
	tables, err := s.Tables(ctx)
	var newer *feature.Error
	if !errors.As(err, &newer) {
		return tables, err
	}
	tables = nil
	err = s.eachDefinition(ctx, func(e *engine.Entity) error {
		d, err := s.read(e)
		switch {
		case err == nil:
			tables = append(tables, d.table)
		case errors.As(err, &newer):
			err = nil
		}
		return err
	})
	return sortTables(tables), err
}

// eachDefinition reads the definitions' entities.
func (s *Snapshot) eachDefinition(ctx context.Context, do func(e *engine.Entity) error) error {
	c, span := s.catalog, keymap.PrefixSpan(tablePrefix)
	err := engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Meter: c.meter}, do)
	if engine.Is(err, engine.CodeNoTable) {
		return nil
	}
	return err
}

func (s *Snapshot) loadAll(ctx context.Context) error {
	found := map[string]*definition{}
	err := s.eachDefinition(ctx, func(e *engine.Entity) error {
		d, err := s.read(e)
		if err == nil {
			found[strings.ToLower(d.table.Name)] = d
		}
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, d := range found {
		if s.tables[name] == nil {
			s.tables[name] = d
		}
	}
	s.all = true
	return nil
}
