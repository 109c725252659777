package nearlyfree

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/once"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// store is an open engine with its catalogs, shared by all Connectors of this process that name the same
// memory or file: their definitions are then never stale.
type store struct {
	engine   engine.Engine
	direct   engine.Engine // below it: sends each request of a protocol once
	name     string        // in shared; "" for one that is not
	readOnly bool          // a file that was opened for reading only
	users    int
	locks    session.Locks
	lines    exec.Lines
	group    exec.Group
	counts   exec.Counts

	mu       sync.Mutex
	catalogs map[string]*catalog.Catalog // by their physical tables, folded
	intents  *intent.Store               // over engine, if that has no transactions of any size; nil: not needed so far
}

var shared = struct {
	sync.Mutex
	stores map[string]*store
}{stores: map[string]*store{}}

// openStore opens a store, or a copy of a file that another process writes to and this one is to read.
func openStore(ctx context.Context, c *Config) (*store, error) {
	s, err := openShared(c)
	if !c.ReadOnly || !isFile(c.Store) || !isLocked(err) {
		return s, err
	}
	e, err := embedded.OpenCopy(ctx, filePath(c.Store), embedded.FileOptions{})
	if err != nil {
		return nil, err
	}
	return newStore(e, e), nil // not shared: a connection that opens the file later sees a later moment
}

func newStore(e, direct engine.Engine) *store {
	return &store{engine: e, direct: direct, users: 1, catalogs: map[string]*catalog.Catalog{}}
}

func isLocked(err error) bool {
	return engine.Is(err, engine.CodeLocked)
}

// openShared opens a store, or gives the one with its name that is open in this process.
func openShared(c *Config) (*store, error) {
	switch name := shareName(c.Store); {
	case name == "":
		e, direct, err := openEngine(c)
		if err != nil {
			return nil, err
		}
		return newStore(e, direct), nil
	default:
		shared.Lock()
		defer shared.Unlock()
		if s := shared.stores[name]; s != nil {
			if s.readOnly && !c.ReadOnly {
				return nil, engine.Errorf(engine.CodeLocked, "file %s is open with readonly in this process: close that before it is opened for writing", filePath(c.Store))
			}
			s.users++ // a store that only reads sees what a writing one writes
			return s, nil
		}
		e, direct, err := openEngine(c)
		if err != nil {
			return nil, err
		}
		s := newStore(e, direct)
		s.name, s.readOnly = name, c.ReadOnly && isFile(c.Store)
		shared.stores[name] = s
		return s, nil
	}
}

// shareName is the name under which a memory or file store is shared in the process; "" for others.
func shareName(location string) string {
	switch {
	case location == "mem://":
		return ""
	case strings.HasPrefix(location, "mem://"):
		return location
	case isFile(location):
		path, err := embedded.ResolvePath(filePath(location))
		if err != nil {
			return "" // opening it says what is wrong
		}
		return "file:" + path
	}
	return ""
}

func isFile(location string) bool { return strings.HasPrefix(location, "file:") }

func openEngine(c *Config) (e, direct engine.Engine, err error) {
	switch {
	case strings.HasPrefix(c.Store, "mem://"):
		e = embedded.OpenMemory(embedded.Options{})
		return e, e, nil
	case isFile(c.Store):
		e, err = embedded.OpenFile(filePath(c.Store), embedded.FileOptions{ReadOnly: c.ReadOnly})
		return e, e, err
	}
	opts, err := azureOptions(c.Store)
	if err != nil {
		return nil, nil, err
	}
	if c.Credential != nil {
		opts.Credential = c.Credential
	}
	opts.Transport = c.Transport
	opts.Retry = azure.Retry(c.Retry)
	opts.Logger = c.Logger
	opts.ReadOnly = c.ReadOnly
	if direct, err = azure.Open(opts); err != nil {
		return nil, nil, err
	}
	return once.Over(direct), direct, nil
}

func azureOptions(location string) (azure.Options, error) {
	if isConnectionString(location) {
		return azure.ParseConnectionString(location)
	}
	return azure.ParseURL(location)
}

func checkConnectionString(location string) error {
	if _, err := azure.ParseConnectionString(location); err != nil {
		return configError("%v", err)
	}
	return nil
}

func (s *store) catalog(database string, lease time.Duration, parallel int, m *engine.Meter) *catalog.Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := engine.FoldTable(keymap.CatalogTable(database))
	c := s.catalogs[key]
	if c == nil {
		c = catalog.Open(s.engine, database, lease, m)
		c.Parallel = parallel
		if _, ok := s.engine.(engine.Transactor); !ok {
			c.Rows = s.transactorOf(parallel, m)
		}
		s.catalogs[key] = c
	}
	return c
}

// transactor gives the store with transactions of any size, if the engine has none.
func (s *store) transactor(parallel int) *intent.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transactorOf(parallel, nil)
}

// transactorOf is transactor for a caller that holds the lock.
func (s *store) transactorOf(parallel int, m *engine.Meter) *intent.Store {
	if s.intents == nil {
		s.intents = intent.New(s.engine, intent.Options{Records: keymap.CatalogOf, Parallel: parallel, Direct: s.direct, Meter: m, Holds: keymap.HoldsRows})
	}
	return s.intents
}

// releaseTimeout bounds the requests that leave a store. If none of them arrives, some AUTO_INCREMENT values are skipped, and other processes
// count this one for two more leases.
const releaseTimeout = time.Second

// release closes the engine when nothing uses it any more.
func (s *store) release() error {
	if s.name != "" {
		shared.Lock()
		defer shared.Unlock()
	}
	s.users--
	if s.users > 0 {
		return nil
	}
	if s.name != "" {
		delete(shared.stores, s.name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	for _, c := range s.catalogs {
		_ = c.Close(ctx) // a gap in AUTO_INCREMENT values is not an error
	}
	if s.intents != nil {
		s.intents.Leave(ctx)
		_ = s.intents.Close()
	}
	return s.engine.Close()
}
