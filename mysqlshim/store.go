package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree"
)

// StoreVariable is the environment variable that names the store.
const StoreVariable = "NEARLYFREE_STORE"

var stores = struct {
	sync.Mutex
	rule func(*Config) (string, error)
	kept map[string]*nearlyfree.Connector // that keep memory from being given up, by Config.Store
}{kept: map[string]*nearlyfree.Connector{}}

// SetStore sets the function that finds the store of a data source name; nil restores the environment variable. MySQL's driver has no such
// function.
func SetStore(rule func(*Config) (string, error)) {
	stores.Lock()
	defer stores.Unlock()
	stores.rule = rule
}

// storeOf is the data source name of the store that c means.
func storeOf(c *Config) (string, error) {
	stores.Lock()
	rule := stores.rule
	stores.Unlock()
	if rule != nil {
		return rule(c)
	}
	return fromEnvironment(c)
}

func fromEnvironment(c *Config) (string, error) {
	text := strings.TrimSpace(os.Getenv(StoreVariable))
	if text == "" {
		return "", errors.New("mysqlshim: no store is named: set the environment variable " + StoreVariable + " to mem://NAME, file:PATH, or an Azure connection string")
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		host = c.Addr
	}
	return strings.NewReplacer("{host}", plain(host), "{port}", plain(port), "{addr}", plain(c.Addr), "{user}", plain(c.User), "{database}", plain(c.DBName)).Replace(text), nil
}

// plain has only characters that names of stores may have.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_.:", r):
			return r
		}
		return '_'
	}, text)
}

// open makes the connector of the store that c means.
func open(c *Config) (*nearlyfree.Connector, error) {
	name, err := storeOf(c)
	if err != nil {
		return nil, err
	}
	own, err := nearlyfree.ParseDSN(name)
	if err != nil {
		return nil, fmt.Errorf("mysqlshim: the store: %w", err)
	}
	if own.Store == "mem://" {
		own.Store = "mem://mysqlshim" // one server for all
	}
	if c.DBName != "" {
		own.Database = c.DBName
	}
	if own.Collation == "" {
		own.Collation = "utf8mb4_0900_ai_ci"
	}
	own.ClientFoundRows = c.ClientFoundRows
	if _, quotes := ansiMode(c.Params["sql_mode"]); quotes {
		own.ANSIQuotes = true
	}
	if err := keep(own); err != nil {
		return nil, err
	}
	return nearlyfree.NewConnector(own)
}

// keep keeps a memory store until the process ends.
func keep(c *nearlyfree.Config) error {
	if !strings.HasPrefix(c.Store, "mem://") {
		return nil
	}
	stores.Lock()
	defer stores.Unlock()
	if stores.kept[c.Store] != nil {
		return nil
	}
	k, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: c.Store})
	if err != nil {
		return err
	}
	conn, err := k.Connect(context.Background())
	if err != nil {
		return err
	}
	stores.kept[c.Store] = k
	return conn.Close()
}
