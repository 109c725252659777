//go:build azurite

package online

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// With the build tag azurite the processes share an Azurite; tests/azurite/run.sh starts one.
func init() {
	location = func(t *testing.T) (store, database string) {
		if store = os.Getenv("NEARLYFREE_AZURITE"); store == "" {
			t.Fatal("NEARLYFREE_AZURITE does not say where Azurite is: run this through tests/azurite/run.sh")
		}
		return store, fmt.Sprintf("online%d", time.Now().UnixNano()%1e9)
	}
}
