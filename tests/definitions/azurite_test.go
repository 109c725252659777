//go:build azurite

package definitions

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// With the build tag azurite the processes share an Azurite, which has one thread: few kinds of tables are made at a time.
// tests/azurite/run.sh starts one.
func init() {
	kinds = slices.DeleteFunc(kinds, func(k kind) bool { return k.name != "interval" && k.name != "beside" })
	*rounds, *statements, *lease = 1, 5, 200*time.Millisecond // long beside what a busy machine takes for a breath
	virtual = func(t *testing.T, round func(*testing.T)) { round(t) }
	newStore = func(t *testing.T, _ *rand.Rand) store {
		at := os.Getenv("NEARLYFREE_AZURITE")
		if at == "" {
			t.Fatal("NEARLYFREE_AZURITE does not say where Azurite is: run this through tests/azurite/run.sh")
		}
		return store{config: &nearlyfree.Config{Store: at, Database: fmt.Sprintf("definitions%d", time.Now().UnixNano()%1e9)}}
	}
}
