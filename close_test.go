package nearlyfree_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestCloseWithoutAnswer: closing a database waits two seconds at most for a store that does not answer, though there are locks
// and numbers to give back.
func TestCloseWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		service := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
		k, err := nearlyfree.NewConnector(&nearlyfree.Config{
			Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
			Transport: &azuretest.Transport{Service: service, Fault: func(int, *http.Request) (f azuretest.Fault) {
				if silent.Load() {
					f.Delay = time.Hour
				}
				return f
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(k)
		db.SetMaxIdleConns(4)
		var conns []*sql.Conn
		for i := range 4 {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
			for _, query := range []string{
				"CREATE TABLE IF NOT EXISTS t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)", "INSERT INTO t (v) VALUES (1), (2)", fmt.Sprintf("DO GET_LOCK('l%d', 0)", i),
			} {
				if _, err := conn.ExecContext(t.Context(), query); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, conn := range conns {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		}
		silent.Store(true)
		start := time.Now()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("closing took %v", took)
		}
	})
}
