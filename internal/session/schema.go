package session

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Schema is a database of the store as SQL names it. (Database is the whole store that sessions share.)
type Schema struct {
	Name    string           // as SQL knows it; "": none is selected
	Catalog *catalog.Catalog // the data source name's if it has none of its own
}

// home is the database of the data source name. It exists without having been created, unless it was dropped.
func (d *Database) home() *Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.own == nil {
		d.own = &Schema{d.Name, d.Catalog}
		d.none = &Schema{"", d.Catalog}
	}
	return d.own
}

// schema finds a database by its name.
func (d *Database) schema(ctx context.Context, name string) (*Schema, error) {
	home := d.home()
	if name == "" {
		return nil, show.ErrNoDatabase()
	}
	if strings.EqualFold(name, home.Name) {
		return home, nil
	}
	folded := strings.ToLower(name)
	d.mu.Lock()
	known := d.schemas[folded]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	var found *Schema
	if show.IsVirtual(name) {
		found = &Schema{folded, d.Catalog}
	} else {
		info, err := catalog.LookDatabase(ctx, d.Runtime.Engine, storedName(name), &d.Maintenance)
		if err != nil {
			return nil, err
		}
		if info == nil {
			return nil, &schema.NoDatabaseError{Name: name}
		}
		name = schema.DatabaseName(info.Database) // as it is spelled
		found = &Schema{name, d.Open(storedName(name))}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.schemas[folded]; known != nil {
		return known, nil // one per database: plans are kept by it
	}
	if d.schemas == nil {
		d.schemas = map[string]*Schema{}
	}
	d.schemas[folded] = found
	return found, nil
}

// existing is schema for a database that exists now.
func (d *Database) existing(ctx context.Context, name string) (*Schema, *catalog.Snapshot, error) {
	in, err := d.schema(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	now, err := d.now(ctx, in, name)
	return in, now, err
}

// now gives the definitions of an existing database, which a statement calls name.
func (d *Database) now(ctx context.Context, in *Schema, name string) (*catalog.Snapshot, error) {
	now, err := in.Catalog.Snapshot(ctx)
	if err == nil && !d.isThere(in, now) {
		now, err = in.Catalog.Latest(ctx) // perhaps it was created since
		if err == nil && !d.isThere(in, now) {
			err = &schema.NoDatabaseError{Name: name}
		}
	}
	return now, err
}

func (d *Database) isThere(in *Schema, now *catalog.Snapshot) bool {
	return now.Exists() || in.Catalog == d.Catalog && !now.IsDropped()
}

// storedName is the store's name of a database that SQL calls name.
func storedName(name string) string {
	if strings.EqualFold(name, schema.DefaultDatabase) {
		return ""
	}
	return name
}

// catalogOf is the catalog of the database that a table is in.
func (d *Database) catalogOf(t *schema.Table) *catalog.Catalog {
	if t.Database == d.Catalog.Database() {
		return d.Catalog
	}
	d.mu.Lock()
	for _, in := range d.schemas {
		if in.Catalog.Database() == t.Database {
			d.mu.Unlock()
			return in.Catalog
		}
	}
	d.mu.Unlock()
	return d.Open(t.Database)
}

// list gives the databases whose names pass accepts.
func (d *Database) list(ctx context.Context, pass func(name string) (bool, error)) (out []show.Database, err error) {
	home := d.home()
	if ok, err := pass(home.Name); err != nil {
		return nil, err
	} else if ok {
		now, err := d.Catalog.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		if d.isThere(home, now) {
			out = append(out, show.Database{Name: home.Name, Collation: d.collation(now.Collation())})
		}
	}
	var failed error
	isOther := func(name string) bool {
		ok, err := pass(schema.DatabaseName(name))
		if err != nil {
			failed = err
		}
		return ok && !strings.EqualFold(schema.DatabaseName(name), home.Name) && !d.Catalog.IsOf(name)
	}
	others, err := catalog.Databases(ctx, d.Runtime.Engine, isOther, max(d.Runtime.Parallel, 1), &d.Maintenance)
	if err == nil {
		err = failed
	}
	for _, info := range others {
		out = append(out, show.Database{Name: schema.DatabaseName(info.Database), Collation: d.collation(info.Collation)})
	}
	show.SortDatabases(out)
	return out, err
}

// collation is a database's collation for new tables.
func (d *Database) collation(name string) value.Collation {
	if c, ok := value.CollationNamed(name); ok && name != "" {
		return c
	}
	return d.Collation
}

// tables is the Sequences and Definitions of the Runtime: it passes each table to its catalog.
type tables struct{ *Database }

// Tables gives what writes need of the catalogs.
func (d *Database) Tables() interface {
	Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error)
	Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error
	Current(ctx context.Context, t *schema.Table) (bool, error)
} {
	return tables{d}
}

func (d tables) Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error) {
	return d.catalogOf(t).Next(ctx, t, n, m)
}

func (d tables) Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error {
	return d.catalogOf(t).Raise(ctx, t, v, m)
}

func (d tables) Current(ctx context.Context, t *schema.Table) (bool, error) {
	return d.catalogOf(t).Current(ctx, t)
}
