package session

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/aside"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// temporary are the temporary tables of a session: in memory, next to the store, and with definitions of their own. A session that
// has made none has no temporary, and runs as if there were no such tables.
type temporary struct {
	tables   *aside.Tables
	catalogs map[string]*catalog.Catalog // by the folded name of the database, as the store calls it
	runtime  *exec.Runtime               // over the store together with the tables
	memory   *exec.Run                   // holds what they take

	// plans are those made while the tables exist: a statement's own plan, which all sessions share, does not know of them.
	plans map[planKey]*atomic.Pointer[plannedAt]
}

type planKey struct {
	p     *Prepared
	zoned bool
}

// mostPlans is how many statements have a plan that knows temporary tables.
const mostPlans = cachedStatements

// beside gives the session's temporary tables; there are none before the first call.
func (s *Session) beside() *temporary {
	if s.temporary != nil {
		return s.temporary
	}
	t := &temporary{catalogs: map[string]*catalog.Catalog{}, plans: map[planKey]*atomic.Pointer[plannedAt]{},
		memory: &exec.Run{Rt: &exec.Runtime{Account: s.db.Runtime.Account}}}
	t.tables = aside.New(embedded.OpenMemory(embedded.Options{}), keymap.IsTemporary, func(octets int64) error {
		if octets < 0 {
			t.memory.Release(-octets)
			return nil
		}
		return t.memory.Charge(octets, "temporary table")
	})
	t.runtime = s.db.Runtime.With(aside.Over(s.db.Runtime.Engine, t.tables), definitions{s}, definitions{s})
	s.temporary = t
	if s.tx != nil {
		s.tx.Beside(t.tables)
	}
	return t
}

// endTemporary drops the temporary tables.
func (s *Session) endTemporary() {
	if t := s.temporary; t != nil {
		s.temporary, s.lostTables = nil, t.names()
		_ = t.tables.Close()
		t.memory.End()
	}
}

// mostLost is how many names of temporary tables dropped by Leave a session remembers.
const mostLost = 16

// names are the names of some tables.
func (t *temporary) names() (names []string) {
	for _, c := range t.catalogs {
		now, err := c.Snapshot(context.Background())
		if err != nil {
			continue
		}
		tables, _ := now.Tables(context.Background())
		for _, table := range tables[:min(len(tables), mostLost)] {
			names = append(names, table.Name)
		}
	}
	return names
}

// whereLost adds to the error of a missing table that it was a temporary one, and how to keep one.
func (s *Session) whereLost(err error) error {
	var e *sqlerr.Error
	if len(s.lostTables) == 0 || !errors.As(err, &e) || e.Code != sqlerr.CodeNoSuchTable {
		return err
	}
	for _, name := range s.lostTables {
		if strings.HasSuffix(strings.ToLower(e.Message), "."+strings.ToLower(name)+"' doesn't exist") {
			e.Message += " (a temporary table of this name was dropped when its connection went back to the pool of the sql.DB: make and use it on one sql.Conn or sql.Tx)"
			break
		}
	}
	return err
}

// runtime is the Runtime of the session's executions.
func (s *Session) runtime() *exec.Runtime {
	if s.temporary != nil {
		return s.temporary.runtime
	}
	return s.db.Runtime
}

// physicals counts the physical tables of the sessions of this process.
var physicals atomic.Int64

// catalog gives the definitions of the tables in a database, which the store calls database.
func (t *temporary) catalog(database string) *catalog.Catalog {
	folded := strings.ToLower(database)
	c := t.catalogs[folded]
	if c == nil {
		c = catalog.Open(t.tables, database, 0, nil)
		c.Temporary = func() string { return keymap.TemporaryTable(physicals.Add(1)) }
		t.catalogs[folded] = c
	}
	return c
}

// find gives the definitions of the temporary tables in a database, if one has the name; else nil.
func (t *temporary) find(ctx context.Context, database, name string) (*catalog.Snapshot, error) {
	if t == nil {
		return nil, nil
	}
	c := t.catalogs[strings.ToLower(storedName(database))]
	if c == nil {
		return nil, nil
	}
	now, err := c.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var none *schema.NoTableError
	if _, err = now.Table(ctx, name); errors.As(err, &none) {
		return nil, nil
	}
	return now, err
}

// catalogOf is the catalog with the definition of a table.
func (s *Session) catalogOf(t *schema.Table) *catalog.Catalog {
	if t.Temporary && s.temporary != nil {
		return s.temporary.catalog(t.Database)
	}
	return s.db.catalogOf(t)
}

// stored are the tables among tables that are not temporary.
func stored(tables []*schema.Table) []*schema.Table {
	for i, t := range tables {
		if !t.Temporary {
			continue
		}
		out := tables[:i:i]
		for _, t := range tables[i+1:] {
			if !t.Temporary {
				out = append(out, t)
			}
		}
		return out
	}
	return tables
}

// kept is where the plan of a statement is kept. With temporary tables it is the session's own.
func (s *Session) kept(p *Prepared) *atomic.Pointer[plannedAt] {
	if s.temporary == nil {
		if s.state.Zone != nil {
			return &p.zoned
		}
		return &p.plan
	}
	plans, key := s.temporary.plans, planKey{p, s.state.Zone != nil}
	if plans[key] == nil {
		if len(plans) >= mostPlans {
			clear(plans)
		}
		plans[key] = &atomic.Pointer[plannedAt]{}
	}
	return plans[key]
}

// writesTemporary says whether a statement writes only to temporary tables, which a read-only transaction may do, too.
func (s *Session) writesTemporary(ctx context.Context, p *Prepared) bool {
	if s.temporary == nil {
		return false
	}
	planned, err := s.plan(ctx, p)
	if err != nil {
		return false
	}
	return len(stored(planner.Written(planned.plan.Write))) == 0
}

// within gives a reader for what a query that fills a new temporary table reads of some tables in the transaction.
func (s *Session) within(ctx context.Context, tables []*schema.Table) (engine.Reader, error) {
	if err := s.checkMoment(ctx, tables); err != nil {
		return nil, err
	}
	s.begun = true
	if s.tx.IsOfOneMoment() && !s.readsOnly() {
		s.saw = with(s.saw, tables)
	}
	return s.tx.Over(nil, false), nil
}

// definitions is the Sequences and Definitions of a Runtime with temporary tables: it passes each table to its catalog.
type definitions struct{ *Session }

func (d definitions) Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error) {
	if t.Temporary {
		m = nil
	}
	return d.catalogOf(t).Next(ctx, t, n, m)
}

func (d definitions) Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error {
	if t.Temporary {
		m = nil
	}
	return d.catalogOf(t).Raise(ctx, t, v, m)
}

func (d definitions) Current(ctx context.Context, t *schema.Table) (bool, error) {
	return d.catalogOf(t).Current(ctx, t)
}
