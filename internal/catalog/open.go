package catalog

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// openTables caches what was seen of physical tables without a definition.
type openTables struct {
	mu       sync.Mutex               // never held during a request
	tables   map[string]*openTable    // by folded name
	sampling map[string]chan struct{} // tables being looked at now; closed when that is over
}

type openTable struct {
	table *schema.Table
	seen  time.Time
}

// sampleAge is how long a sample is used. Properties that appear later are found by their names meanwhile.
const sampleAge = time.Minute

// Undeclared gives a physical table without a definition, made by another program. Its columns are the
// keys, the Timestamp and the properties in one page of its entities, in the order of their first appearance.
// The error is a *schema.NoTableError if there is no such table, or it is one of the driver's own. Only the default
// database has such tables.
func (c *Catalog) Undeclared(ctx context.Context, name string) (*schema.Table, error) {
	missing := &schema.NoTableError{Database: c.database, Name: name}
	if c.database != "" || keymap.OwnTable(name) || c.engine.Limits().CheckTable(name) != nil {
		return nil, missing
	}
	folded := engine.FoldTable(name)
	known, sampled, err := c.open.join(ctx, folded)
	if err != nil || known != nil {
		return known, err
	}
	t, err := c.sample(ctx, name)
	gone := engine.Is(err, engine.CodeNoTable, engine.CodeDeleting)
	t = c.open.leave(folded, sampled, t, gone)
	if gone {
		return nil, missing
	}
	return t, err
}

// join gives what is known of a table. If that is nothing, or too old, the caller must look at the table and then call leave, for
// which other callers wait.
func (o *openTables) join(ctx context.Context, folded string) (known *schema.Table, sampled chan struct{}, err error) {
	for {
		known, sampled, mine := o.joined(folded)
		if known != nil || mine {
			return known, sampled, nil
		}
		select {
		case <-sampled:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// joined gives what is known of a table, or the channel of the caller that is looking at it now.
func (o *openTables) joined(folded string) (known *schema.Table, sampled chan struct{}, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known := o.tables[folded]; known != nil && time.Since(known.seen) < sampleAge {
		return known.table, nil, false
	}
	if sampled := o.sampling[folded]; sampled != nil {
		return nil, sampled, false
	}
	if o.tables == nil {
		o.tables, o.sampling = map[string]*openTable{}, map[string]chan struct{}{}
	}
	sampled = make(chan struct{})
	o.sampling[folded] = sampled
	return nil, sampled, true
}

// leave keeps what was seen of a table; t is nil if reading it failed. It gives the table as plans know it.
func (o *openTables) leave(folded string, sampled chan struct{}, t *schema.Table, gone bool) *schema.Table {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(sampled)
	if o.sampling[folded] != sampled {
		return t // the table was given a new property meanwhile
	}
	delete(o.sampling, folded)
	if gone {
		delete(o.tables, folded)
	}
	if t == nil {
		return nil
	}
	if known := o.tables[folded]; known != nil && sameColumns(known.table, t) {
		t = known.table // plans are compared by it
	}
	o.tables[folded] = &openTable{t, time.Now()}
	return t
}

// undeclared gives other programs' physical tables, which have no definition, without their properties. It sends one
// request per thousand tables of the account.
func (s *Snapshot) undeclared(ctx context.Context) ([]*schema.Table, error) {
	c := s.catalog
	if c.database != "" {
		return nil, nil
	}
	names, err := c.engine.Tables(ctx, "", c.meter)
	if err != nil {
		return nil, err
	}
	var out []*schema.Table
	for _, name := range names {
		if keymap.OwnTable(name) || c.engine.Limits().CheckTable(name) != nil {
			continue
		}
		if _, err := s.Table(ctx, name); !isNoTable(err) {
			if err != nil {
				return nil, err
			}
			continue
		}
		t, err := schema.NewUndeclaredTable(name, nil, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// Everything gives all tables that a statement can name, including those without a definition, sorted by folded name.
func (s *Snapshot) Everything(ctx context.Context) ([]*schema.Table, error) {
	tables, err := s.Tables(ctx)
	if err != nil {
		return nil, err
	}
	open, err := s.undeclared(ctx)
	if err != nil {
		return nil, err
	}
	return sortTables(append(tables, open...)), nil
}

// Seen is Everything with the properties of the tables that have no definition: it reads a page of each.
func (s *Snapshot) Seen(ctx context.Context) ([]*schema.Table, error) {
	tables, err := s.Everything(ctx)
	if err != nil {
		return nil, err
	}
	for i, t := range tables {
		if !t.IsUndeclared() {
			continue
		}
		switch sampled, err := s.catalog.Undeclared(ctx, t.Name); {
		case err == nil:
			tables[i] = sampled
		case !isNoTable(err): // deleted since it was listed
			return nil, err
		}
	}
	return tables, nil
}

// Unsee makes the next use of an undeclared table look at its entities again, because it was given a new property.
func (c *Catalog) Unsee(t *schema.Table) {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	delete(c.open.tables, engine.FoldTable(t.Name))
	delete(c.open.sampling, engine.FoldTable(t.Name)) // a look under way may have missed the property
}

// knowsOpen says whether a table of that name was looked at recently.
func (c *Catalog) knowsOpen(name string) bool {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	known := c.open.tables[engine.FoldTable(name)]
	return known != nil && time.Since(known.seen) < sampleAge
}

// isOpen says whether t is what is now known of an undeclared table.
func (c *Catalog) isOpen(t *schema.Table) bool {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	known := c.open.tables[engine.FoldTable(t.Name)]
	return known != nil && known.table == t && time.Since(known.seen) < sampleAge
}

// sample reads a page of entities.
func (c *Catalog) sample(ctx context.Context, name string) (*schema.Table, error) {
	var names, edms []string
	at := map[string]int{}
	cursor := c.engine.Scan(ctx, engine.Scan{Table: name, AllPartitions: true, Limit: c.engine.Limits().PageEntities, Meter: c.meter})
	defer cursor.Close()
	for {
		chunk, err := cursor.Next(ctx)
		if errors.Is(err, io.EOF) {
			return schema.NewUndeclaredTable(name, names, edms)
		}
		if err != nil {
			return nil, err
		}
		for i := range chunk {
			for j, property := range chunk[i].Names {
				edm := chunk[i].Values[j].Type
				if edm == engine.Absent {
					continue
				}
				known, has := at[property]
				if !has {
					at[property] = len(names)
					names, edms = append(names, strings.Clone(property)), append(edms, edm.String())
				} else if edms[known] != edm.String() {
					edms[known] = ""
				}
			}
		}
	}
}

func sameColumns(a, b *schema.Table) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y *schema.Column) bool {
		return x.Name == y.Name && x.Edm == y.Edm
	})
}
