package intent_test

import (
	"path/filepath"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// over lays a Store over an engine, which is closed with it.
type over struct {
	*intent.Store
	base engine.Engine
}

func (o over) Close() error {
	o.Store.Close()
	return o.base.Close()
}

const records = "Records"

func inRecords(string) string { return records }

func newStore(t testing.TB, base engine.Engine) over {
	t.Helper()
	base = engine.InGroups(base)
	if err := base.CreateTable(t.Context(), records, nil); err != nil {
		t.Fatal(err)
	}
	return over{intent.New(base, intent.Options{Records: inRecords, Parallel: 4}), base}
}

// TestContract: memory tells the ETags of what a commit writes; the file does not, as Azurite.
func TestContract(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) engine.Engine{
		"memory": func(*testing.T) engine.Engine { return embedded.OpenMemory(embedded.Options{PageEntities: 3}) },
		"file": func(t *testing.T) engine.Engine {
			e, err := embedded.OpenFile(filepath.Join(t.TempDir(), "store.db"), embedded.FileOptions{Options: embedded.Options{PageEntities: 3}, NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine { return newStore(t, open(t)) }, enginetest.Intents)
		})
	}
}
