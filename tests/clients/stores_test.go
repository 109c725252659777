package clients

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// onStores runs a test on every kind of store: memory, a file, the table service played in this process, and Azurite where
// tests/azurite/run.sh has started it.
func onStores(t *testing.T, layout nearlyfree.Layout, test func(t *testing.T, db *sql.DB)) {
	t.Helper()
	configs := map[string]func(*testing.T) *nearlyfree.Config{
		"memory": func(*testing.T) *nearlyfree.Config { return &nearlyfree.Config{Store: "mem://"} },
		"file": func(t *testing.T) *nearlyfree.Config {
			return &nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data")}
		},
		"service": func(*testing.T) *nearlyfree.Config {
			return &nearlyfree.Config{
				Store:       "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
				Transport:   &azuretest.Transport{Service: azuretest.NewService(embedded.OpenMemory(embedded.Options{}))},
				SchemaLease: time.Millisecond,
			}
		},
	}
	if azurite := os.Getenv("NEARLYFREE_AZURITE"); azurite != "" {
		configs["azurite"] = func(*testing.T) *nearlyfree.Config {
			return &nearlyfree.Config{Store: azurite, Database: fmt.Sprintf("c%dx%d", time.Now().UnixNano()%1e9, databases.Add(1)), SchemaLease: 100 * time.Millisecond}
		}
	}
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			settings := config(t)
			settings.Layout = layout
			connector, err := nearlyfree.NewConnector(settings)
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			t.Cleanup(func() { db.Close() })
			test(t, db)
		})
	}
}

var databases atomic.Int64

// exec runs statements that must go well.
func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// must ends the test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal ends the test where two values differ.
func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
