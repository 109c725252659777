package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestColumnsBesideAnIndex has another process change a table's columns while one goes on with an index that
// another one only announced: it is filled with what the columns hold then.
func TestColumnsBesideAnIndex(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = 100 * time.Millisecond
	a, b := nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, config)
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, old INT, v INT)")
	var values []string
	for i := range 300 {
		values = append(values, fmt.Sprintf("(%d, 1, %d)", i, i%7))
	}
	exec(t, a, "INSERT INTO t VALUES "+strings.Join(values, ", "))
	const index = "CREATE INDEX i ON t (v)"
	halfway(t, a, config.Transport.(*azuretest.Transport), index, 1)
	made := make(chan struct{})
	go func() {
		defer close(made)
		retried(t, func() error {
			_, err := a.Exec(index)
			return err
		})
	}()
	time.Sleep(20 * time.Millisecond) // of the 200 in which it waits, as its maker may have died just now
	retried(t, func() error {
		_, err := b.Exec("ALTER TABLE t ADD COLUMN z INT")
		return err
	})
	repeated(t, b, "UPDATE t SET z = 5 WHERE id % 3 = 0")
	<-made
	if n := count(t, a, "SELECT COUNT(*) FROM t WHERE z = 5"); n != 100 {
		t.Errorf("%d rows have the new column", n)
	}
	if n := count(t, a, "SELECT COUNT(z) FROM t FORCE INDEX (i) WHERE v >= 0 AND v < 7"); n != 100 {
		t.Errorf("%d entries have the new column", n)
	}
	if err := nearlyfreetest.Check(a); err != nil {
		t.Error(err)
	}
}
