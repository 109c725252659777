// Package dktest takes the place of github.com/dhui/dktest in the tests of golang-migrate: what it starts is no container but a
// store in memory, each with an address of its own.
package dktest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql" // which mysqlshim takes the place of
)

// DefaultCleanupTimeout is dktest's.
const DefaultCleanupTimeout = time.Minute

// Options are those of dktest that its users set.
type Options struct {
	PullTimeout, PullRegistryAuth, Timeout, ReadyTimeout, CleanupTimeout time.Duration
	CleanupImage, PortRequired, LogStdout, LogStderr                     bool
	ReadyFunc                                                            func(context.Context, ContainerInfo) bool
	Env                                                                  map[string]string
	Entrypoint, Cmd                                                      []string
}

// ContainerInfo is the address of a store.
type ContainerInfo struct{ port int }

// FirstPort is the only one.
func (c ContainerInfo) FirstPort() (ip, port string, err error) {
	return "127.0.0.1", strconv.Itoa(c.port), nil
}

// Port is that of every service.
func (c ContainerInfo) Port(uint16) (ip, port string, err error) { return c.FirstPort() }

var started = struct {
	sync.Mutex
	stores map[string]string // by address
}{stores: map[string]string{}}

func init() {
	mysql.SetStore(func(c *mysql.Config) (string, error) {
		started.Lock()
		defer started.Unlock()
		return started.stores[c.Addr], nil
	})
}

// Run runs a test on a store of its own.
func Run(t *testing.T, _ string, o Options, test func(*testing.T, ContainerInfo)) {
	started.Lock()
	c := ContainerInfo{40_000 + len(started.stores)}
	store := "mem://" + strconv.Itoa(c.port)
	if slices.Contains(o.Cmd, "--sql-mode=ANSI_QUOTES") {
		store += "?ansi_quotes=true&sql_mode=ANSI_QUOTES"
	}
	started.stores["127.0.0.1:"+strconv.Itoa(c.port)] = store
	started.Unlock()
	if !o.ReadyFunc(t.Context(), c) {
		t.Fatal("the store is not ready")
	}
	test(t, c)
}
