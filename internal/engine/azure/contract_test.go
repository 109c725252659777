package azure_test

import (
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
)

// newService gives a service of its own, on memory.
func newService() *azuretest.Service {
	return azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
}

// optionsOf are those to reach a service by a transport. Retries come fast.
func optionsOf(transport *azuretest.Transport) azure.Options {
	return azure.Options{
		Endpoint: azuretest.Endpoint, Account: azuretest.Account, Key: azuretest.Key, Transport: transport,
		Retry: azure.Retry{FirstDelay: time.Microsecond, MaxDelay: 10 * time.Millisecond},
	}
}

func open(t testing.TB, o azure.Options) *azure.Engine {
	t.Helper()
	e, err := azure.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestContract runs the contract without a network: pages of one entity, and of many.
func TestContract(t *testing.T) {
	for name, page := range map[string]int{"TinyPages": 3, "PagesOfOne": 1, "Pages": 0} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine {
				o := optionsOf(&azuretest.Transport{Service: newService()})
				o.PageEntities = page
				return open(t, o)
			})
		})
	}
}
