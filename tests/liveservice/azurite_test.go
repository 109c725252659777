//go:build azurite

package main

import (
	"os"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
)

// TestAzurite: tests/azurite/run.sh says where it is.
func TestAzurite(t *testing.T) {
	o, err := azure.ParseConnectionString(os.Getenv("NEARLYFREE_AZURITE"))
	if err != nil {
		t.Fatalf("NEARLYFREE_AZURITE: %v", err)
	}
	store, err := azure.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	bad, out := asked(t, store)
	if t.Log(out); bad > 0 {
		t.Errorf("%d answers are not yes", bad)
	}
}
