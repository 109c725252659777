package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
)

func TestMemory(t *testing.T) {
	for name, page := range map[string]int{"TinyPages": 3, "PagesOfOne": 1, "Pages": 0} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(*testing.T) engine.Engine {
				return embedded.OpenMemory(embedded.Options{PageEntities: page})
			}, enginetest.ExactFilters, enginetest.CountsScanned, enginetest.Snapshots)
		})
	}
}

func TestFile(t *testing.T) {
	for name, page := range map[string]int{"TinyPages": 3, "PagesOfOne": 1, "Pages": 0} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine {
				return openFile(t, filepath.Join(t.TempDir(), "store.db"), embedded.FileOptions{
					Options: embedded.Options{PageEntities: page}, NoSync: name != "Pages"})
			}, enginetest.ExactFilters, enginetest.CountsScanned)
		})
	}
}

func openFile(t testing.TB, path string, o embedded.FileOptions) engine.Engine {
	t.Helper()
	e, err := embedded.OpenFile(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}
