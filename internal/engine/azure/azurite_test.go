//go:build azurite

package azure_test

import (
	"os"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
)

// TestAzurite runs the contract over a real emulator: tests/azurite/run.sh go test -tags azurite ./…
func TestAzurite(t *testing.T) {
	for name, page := range map[string]int{"TinyPages": 3, "PagesOfOne": 1, "Pages": 0} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine { return openAzurite(t, page) },
				enginetest.TableCase)
		})
	}
}

func openAzurite(t *testing.T, page int) engine.Engine {
	t.Helper()
	o, err := azure.ParseConnectionString(os.Getenv("NEARLYFREE_AZURITE"))
	if err != nil {
		t.Fatalf("NEARLYFREE_AZURITE: %v", err)
	}
	o.PageEntities = page
	e, err := azure.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
