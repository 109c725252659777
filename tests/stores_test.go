package tests

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// store is a kind of store that the scripts run over.
type store struct {
	name string
	// config gives the settings of a fresh, empty store.
	config func(t *testing.T) *nearlyfree.Config
	// dear says that the same statements need more requests here.
	dear bool
	// shared says that the default database of this store is the same one for all tests.
	shared bool
	// variant names the answers that are others here, where a script has any.
	variant string
}

var stores = []store{
	{name: "memory", config: func(t *testing.T) *nearlyfree.Config { return &nearlyfree.Config{Store: "mem://"} }},
	{name: "file", config: func(t *testing.T) *nearlyfree.Config {
		return &nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data")}
	}},
	{name: "service", config: func(t *testing.T) *nearlyfree.Config { return overService(0, false) }},
	{name: "service of tiny pages", dear: true, config: func(t *testing.T) *nearlyfree.Config { return overService(2, true) }},
	{name: "memory, single", variant: "single", config: func(t *testing.T) *nearlyfree.Config {
		return &nearlyfree.Config{Store: "mem://", Layout: nearlyfree.LayoutSingle}
	}},
	{name: "service, single", variant: "single", config: func(t *testing.T) *nearlyfree.Config {
		config := overService(0, false)
		config.Layout = nearlyfree.LayoutSingle
		return config
	}},
}

// few is testrun.Few; a quarter of it where each statement goes over HTTP.
func (s *store) few(n int) int {
	if s.shared {
		n /= 4
	}
	return testrun.Few(n)
}

// plainStores are the stores without those that only cost more, or keep the same in another layout.
func plainStores() (plain []store) {
	for _, s := range stores {
		if !s.dear && s.variant == "" {
			plain = append(plain, s)
		}
	}
	return plain
}

// isAccount says whether a store is an account of the service, of whatever kind.
func isAccount(config *nearlyfree.Config) bool { return strings.Contains(config.Store, "AccountName=") }

// configInBubble gives a store that virtual time can be used with: that stands still while a connection is open, so those to a real service
// are closed after each request.
func (s store) configInBubble(t *testing.T) *nearlyfree.Config {
	config := s.config(t)
	if isAccount(config) && config.Transport == nil {
		config.Transport = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}
	return config
}

// overService gives the settings of a table service played in this process; see azuretest.Service.
func overService(page int, empty bool) *nearlyfree.Config {
	s := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
	s.PageEntities, s.EmptyPages, s.NoBatchETags = page, empty, empty
	return &nearlyfree.Config{
		Store:       "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport:   &azuretest.Transport{Service: s},
		SchemaLease: time.Millisecond,
	}
}

// bodyOf reads a request's body, which stays there for whoever carries the request.
func bodyOf(r *http.Request) (body []byte, err error) {
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err == nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
	}
	return body, err
}

// ofStatement says whether a request writes for a statement, and not to tell other processes of this one.
func ofStatement(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "members")
}

// connect opens one connection to a store, until the test ends; the Connector counts what it costs.
func connect(t *testing.T, config *nearlyfree.Config) (*nearlyfree.Connector, *sql.Conn) {
	t.Helper()
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return connector, conn
}
