package nearlyfreetest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// Template is a store that is filled once, and of which each test gets its own copy. A copy takes microseconds, however much the store holds:
// copies share everything that none of them has changed. It is a variable of a package:
//
//	var shop = nearlyfreetest.Template{Fill: func(t testing.TB, db *sql.DB) {
//		nearlyfreetest.SeedFS(t, db, os.DirFS("testdata"), "schema.sql", "*.csv")
//	}}
//
//	func TestOrder(t *testing.T) {
//		db := shop.Open(t)
type Template struct {
	// Fill makes the tables and their rows. The first Open calls it, with its test; if that test failed in it, the next Open calls it again.
	Fill func(t testing.TB, db *sql.DB)
	// Config has the settings of all copies; its Store is "mem://" or "". nil: the default ones.
	Config *nearlyfree.Config
	// Unchecked omits the check at the end of a test that has written. It reads everything: 3 ms for each thousand rows and entries.
	Unchecked bool

	mu     sync.Mutex
	filled *nearlyfree.Connector
}

// Open gives a database with everything that Fill has made, and that no other test writes to. When the test ends it is checked, as with Open, if
// anything was written.
func (p *Template) Open(t testing.TB) *sql.DB {
	t.Helper()
	filled := p.fill(t)
	c, watch := watched(p.config())
	fork, err := filled.Fork(context.Background(), c)
	if err != nil {
		t.Fatalf("nearlyfreetest: %v", err)
	}
	check := checkAll
	if p.Unchecked {
		check = nil
	}
	return open(t, fork, watch, check)
}

func (p *Template) config() *nearlyfree.Config {
	var c nearlyfree.Config
	if p.Config != nil {
		c = *p.Config
	}
	if c.Store == "" {
		c.Store = "mem://"
	}
	return &c
}

// unclosed is a Connector that is still open after its sql.DB was closed.
type unclosed struct{ driver.Connector }

// fill gives the Connector that all copies begin from.
func (p *Template) fill(t testing.TB) *nearlyfree.Connector {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.filled != nil {
		return p.filled
	}
	c, watch := watched(p.config())
	connector, err := nearlyfree.NewConnector(c)
	if err != nil {
		t.Fatalf("nearlyfreetest: %v", err)
	}
	db := sql.OpenDB(unclosed{connector})
	defer db.Close()
	watches.Store(db, watch)
	defer watches.Delete(db)
	p.Fill(t, db)
	if err := checkAll(db); err != nil && !p.Unchecked {
		t.Fatalf("nearlyfreetest: the template: %v", err)
	}
	p.filled = connector
	return connector
}
