package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree"
)

// MySQLDriver is the driver that sql.Open("mysql", dsn) uses.
type MySQLDriver struct{}

var driverName = "mysql" // go build -ldflags=-X may say another, or none

func init() {
	if driverName != "" {
		sql.Register(driverName, &MySQLDriver{})
	}
}

// Open opens one connection. database/sql does not call it; it uses OpenConnector.
func (d MySQLDriver) Open(dsn string) (driver.Conn, error) {
	k, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	c, err := k.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	c.(*conn).only = true
	return c, nil
}

// OpenConnector reads the data source name; nothing is opened before the first connection.
func (MySQLDriver) OpenConnector(dsn string) (driver.Connector, error) {
	c, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return &connector{config: c}, nil
}

// NewConnector takes a copy of a Config.
func NewConnector(c *Config) (driver.Connector, error) {
	c = c.Clone()
	if err := c.normalize(); err != nil {
		return nil, err
	}
	return &connector{config: c}, nil
}

// connector opens the store at its first connection, and again after Close: MySQL's connector has no Close, so two sql.DB may share one.
type connector struct {
	config *Config

	mu     sync.Mutex
	opened map[string]*nearlyfree.Connector // by the data source name, which BeforeConnect may change
}

func (k *connector) Driver() driver.Driver { return &MySQLDriver{} }

// Close closes the store. database/sql calls it when a sql.DB is closed.
func (k *connector) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	for _, store := range k.opened {
		err = errors.Join(err, store.Close())
	}
	k.opened = nil
	return err
}

// open gives the connector of the store.
func (k *connector) open(name string, c *Config) (*nearlyfree.Connector, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if store := k.opened[name]; store != nil {
		return store, nil
	}
	store, err := open(c)
	if err != nil {
		return nil, err
	}
	if k.opened == nil {
		k.opened = map[string]*nearlyfree.Connector{}
	}
	k.opened[name] = store
	return store, nil
}

// isOpen says whether the store is still open since open gave it.
func (k *connector) isOpen(name string, store *nearlyfree.Connector) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.opened[name] == store
}

func (k *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c := k.config
	if c.beforeConnect != nil {
		c = c.Clone()
		if err := k.config.beforeConnect(ctx, c); err != nil {
			return nil, err
		}
		if err := c.normalize(); err != nil {
			return nil, err
		}
	}
	name := c.FormatDSN()
	store, err := k.open(name, c)
	if err != nil {
		return nil, err
	}
	inner, err := store.Connect(ctx)
	if err != nil {
		return nil, translate(err)
	}
	out := &conn{session: inner.(session), config: c, connector: k, name: name, store: store}
	if err := out.begin(ctx); err != nil {
		_ = inner.Close()
		return nil, err
	}
	return out, nil
}

// begin applies the session settings of the data source name. As in MySQL there is no connection to a database that was dropped (1049).
func (c *conn) begin(ctx context.Context) error {
	if err := c.setNames(ctx); err != nil {
		return err
	}
	if c.config.DBName != "" {
		if err := c.run(ctx, "USE `"+strings.ReplaceAll(c.config.DBName, "`", "``")+"`"); err != nil {
			return err
		}
	}
	if len(c.config.Params) == 0 {
		return nil
	}
	var set []string
	for _, name := range slices.Sorted(maps.Keys(c.config.Params)) {
		v := c.config.Params[name]
		if name == "sql_mode" {
			v, _ = ansiMode(v)
		}
		set = append(set, name+" = "+v)
	}
	return c.run(ctx, "SET "+strings.Join(set, ", "))
}

// setNames tries each character set of the data source name until one is known.
func (c *conn) setNames(ctx context.Context) error {
	charsets := c.config.charsets
	if len(charsets) == 0 {
		if c.config.Collation == "" {
			return nil
		}
		charsets = []string{"utf8mb4"}
	}
	var err error
	for _, charset := range charsets {
		names := "SET NAMES " + charset
		if c.config.Collation != "" {
			names += " COLLATE " + c.config.Collation
		}
		if err = c.run(ctx, names); err == nil {
			return nil
		}
	}
	return err
}

// isolations are those that MySQL has.
var isolations = []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable}

func checkIsolation(level driver.IsolationLevel) error {
	if !slices.Contains(isolations, sql.IsolationLevel(level)) {
		return fmt.Errorf("mysql: unsupported isolation level: %v", level)
	}
	return nil
}

var errNamed = errors.New("mysql: driver does not support the use of Named Parameters")
