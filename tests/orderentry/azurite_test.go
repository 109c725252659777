//go:build azurite

package orderentry

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestKilledOnAzurite kills processes two by two that work on one account. tests/azurite/run.sh starts it; the flag -kills says how many.
func TestKilledOnAzurite(t *testing.T) {
	at := os.Getenv("NEARLYFREE_AZURITE")
	if at == "" {
		t.Fatal("NEARLYFREE_AZURITE does not say where Azurite is: run this through tests/azurite/run.sh")
	}
	testKilled(t, fmt.Sprintf("%sdatabase=orders%d;schema_lease=1s", at, time.Now().UnixNano()%1e9), 2)
}
