package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// Fork returns a Connector to a new store, which begins with everything that the store of k holds at this moment. From then on neither
// sees writes to the other. Forking takes microseconds however large the store is, because nothing is copied before it changes: a test
// fills a store once, and forks it for each case. Only a store in memory can be forked. c has the settings of the fork; its Store is
// "mem://". nil: the settings of k.
//
// The fork does not include what transactions have not committed.
func (k *Connector) Fork(ctx context.Context, c *Config) (*Connector, error) {
	if c == nil {
		own := *k.config
		c, own.Store = &own, "mem://"
	}
	if c.Store != "mem://" {
		return nil, configError("a fork has a store of its own: Config.Store must be mem://, not %s", Config{Store: c.Store})
	}
	fork, err := NewConnector(c)
	if err != nil {
		return nil, err
	}
	conn, err := k.Connect(ctx) // which opens the store
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s, err := k.store.fork(ctx)
	if err != nil {
		return nil, translate(err, "")
	}
	fork.use(s)
	return fork, nil
}

// fork is a separate store that begins with the contents of s.
func (s *store) fork(ctx context.Context) (*store, error) {
	memory, ok := s.engine.(*embedded.Memory)
	if !ok {
		return nil, notSupported("only a store in memory can be forked: open mem://, or copy the file by BackupFile")
	}
	// The rest of AUTO_INCREMENT values that were reserved together is here, not in what the fork can see.
	for _, c := range s.opened() {
		if err := c.GiveBack(ctx); err != nil {
			return nil, err
		}
	}
	copied := memory.Fork()
	return newStore(copied, copied), nil
}

// opened gives the catalogs that are open.
func (s *store) opened() []*catalog.Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*catalog.Catalog
	for _, c := range s.catalogs {
		all = append(all, c)
	}
	return all
}
