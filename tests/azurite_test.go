//go:build azurite

package tests

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

var databases atomic.Int64

// With the build tag azurite, the tests of this package that go over all stores go over Azurite instead;
// tests/azurite/run.sh starts one and says where it is.
func init() {
	stores = []store{{name: "azurite", shared: true, config: onAzurite}, {name: "azurite, single", shared: true, variant: "single", config: func(t *testing.T) *nearlyfree.Config {
		config := onAzurite(t)
		config.Layout = nearlyfree.LayoutSingle
		return config
	}}}
}

func onAzurite(t *testing.T) *nearlyfree.Config {
	location := os.Getenv("NEARLYFREE_AZURITE")
	if location == "" {
		t.Fatal("NEARLYFREE_AZURITE does not say where Azurite is: run this through tests/azurite/run.sh")
	}
	return &nearlyfree.Config{
		Store:    location,
		Database: fmt.Sprintf("t%dx%d", time.Now().UnixNano()%1e9, databases.Add(1)),
		// Long, so that reading definitions anew does not show in the requests that are counted; short enough for
		// CREATE INDEX, which waits for it.
		SchemaLease: 100 * time.Millisecond,
	}
}
