package touched_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/touched"
)

// TestMemory, TestFile: a store that counts is one like any other.
func TestMemory(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine {
		return touched.Over(embedded.OpenMemory(embedded.Options{}))
	}, enginetest.ExactFilters, enginetest.CountsScanned, enginetest.Snapshots)
}

func TestFile(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		e, err := embedded.OpenFile(filepath.Join(t.TempDir(), "store.db"), embedded.FileOptions{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return touched.Over(e)
	}, enginetest.ExactFilters, enginetest.CountsScanned)
}

// TestKeepsAbilities: what a store can besides is not hidden.
func TestKeepsAbilities(t *testing.T) {
	e := touched.Over(embedded.OpenMemory(embedded.Options{}))
	if _, ok := e.(engine.Transactor); !ok {
		t.Error("no transactions")
	}
	if _, ok := touched.Over(engine.InGroups(e)).(engine.Transactor); ok {
		t.Error("transactions that the store does not have")
	}
	ctx, counted := touched.With(context.Background())
	if err := e.CreateTable(ctx, "table", nil); err != nil || len(counted.List()) > 0 {
		t.Error(err, counted.List())
	}
}
