package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// silentFrom carries requests to a service that accepts the k-th one and all behind it, and answers none of these.
type silentFrom struct {
	azuretest.Transport
	k     atomic.Int64 // 0: it answers all
	does  bool         // it does what it is asked, all the same
	count atomic.Int64
}

func (s *silentFrom) Do(r *http.Request) (*http.Response, error) {
	n, k := s.count.Add(1), s.k.Load()
	if k == 0 || n < k {
		return s.Transport.Do(r)
	}
	if s.does {
		s.Transport.Do(r)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// silentPhases are transactions of several groups, and one of a single group: n is 100 in two rows, 101 in both when one is applied.
var silentPhases = []struct {
	name       string
	level      sql.IsolationLevel
	single     bool // the statement is one by itself
	statements []string
}{
	{"one group", 0, false, []string{"UPDATE a SET n = n + 1 WHERE id = 1", "UPDATE a SET n = n + 1 WHERE id = 9"}},
	{"two partitions", 0, false, []string{"UPDATE a SET n = n + 1 WHERE id = 1", "UPDATE a SET n = n + 1 WHERE id = 2"}},
	{"two tables", 0, false, []string{"UPDATE a SET n = n + 1 WHERE id = 1", "UPDATE b SET n = n + 1 WHERE id = 1"}},
	{"serializable", sql.LevelSerializable, false, []string{"UPDATE a SET n = n + 1 WHERE id = 1", "UPDATE b SET n = (SELECT 99 + MIN(n) FROM c) WHERE id = 1"}},
	{"a statement", 0, true, []string{"UPDATE a SET n = n + 1 WHERE id < 9"}},
	{"many groups", 0, false, []string{"UPDATE a SET n = n + 1 WHERE id < 8", "UPDATE b SET n = n + 1", "INSERT INTO c VALUES (11, 1), (12, 1), (13, 1)"}},
}

// TestSilentPhases: whichever request of a transaction is the first that the service does not answer, the transaction ends by its deadline
// and says what has come of it, or that nobody knows. Others can go on, and so can the process itself. No goroutine is left, as the test
// would not end.
func TestSilentPhases(t *testing.T) {
	t.Parallel()
	for _, c := range silentPhases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, does := range []bool{false, true} {
				requests := 1
				for k := 0; k <= requests && !t.Failed(); k += testrun.Of(1, 5) {
					synctest.Test(t, func(t *testing.T) {
						n := silentPhase(t, k, does, c.level, c.single, c.statements)
						if k == 0 {
							requests = n
						}
					})
				}
			}
		})
	}
}

func silentPhase(t *testing.T, k int, does bool, level sql.IsolationLevel, single bool, statements []string) (requests int) {
	shop := newShop(t)
	transport := &silentFrom{Transport: azuretest.Transport{Service: shop.service}, does: does}
	transport.SetFault(func(int, *http.Request) azuretest.Fault { return azuretest.Fault{Delay: time.Millisecond} })
	open := func(transport interface {
		Do(*http.Request) (*http.Response, error)
	}) *sql.DB {
		db, _ := openConfig(t, &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, Transport: transport, SchemaLease: shopLease})
		return db
	}
	db, other := open(transport), open(&transport.Transport)
	runAll(t, other, "CREATE TABLE a (id INT PRIMARY KEY, n INT NOT NULL, KEY (n)) PARTITION BY HASH (id) PARTITIONS 8", "CREATE TABLE b (id INT PRIMARY KEY, n INT NOT NULL)",
		"CREATE TABLE c (id INT PRIMARY KEY, n INT NOT NULL) PARTITION BY HASH (id) PARTITIONS 4", "INSERT INTO b VALUES (1, 100)", "INSERT INTO c VALUES (1, 2)")
	for id := range 9 {
		runAll(t, other, fmt.Sprintf("INSERT INTO a VALUES (%d, 100)", id+1))
	}
	runAll(t, db, "DO (SELECT COUNT(*) FROM a) + (SELECT COUNT(*) FROM b) + (SELECT COUNT(*) FROM c)")

	transport.count.Store(0)
	transport.k.Store(int64(k))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err := func() error {
		if single {
			_, err := db.ExecContext(ctx, statements[0])
			return err
		}
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return tx.Commit()
	}()
	requests = int(transport.count.Load())
	late := time.Duration(0)
	if deadline, _ := ctx.Deadline(); time.Now().After(deadline) {
		late = time.Since(deadline)
	}
	where := fmt.Sprintf("silent from request %d on, which it does: %v: %v", k, does, err)
	if late > 50*time.Millisecond {
		t.Errorf("%s: %v after the deadline", where, late)
	}
	changed := count(t, other, "SELECT (SELECT COUNT(*) FROM a WHERE n <> 100) + (SELECT COUNT(*) FROM b WHERE n <> 100) + (SELECT COUNT(*) FROM c WHERE id > 10)")
	var e *nearlyfree.Error
	switch {
	case err == nil:
		if changed == 0 {
			t.Errorf("%s: nothing is written", where)
		}
	case k == 0:
		t.Error(where)
	case errors.As(err, &e) && e.Applied == nearlyfree.AppliedUnknown:
		if !strings.Contains(err.Error(), "is not known") {
			t.Errorf("%s: it does not say that it is unknown", where)
		}
	default:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(where)
		}
		time.Sleep(time.Minute) // nor is it later
		if again := count(t, other, "SELECT (SELECT COUNT(*) FROM a WHERE n <> 100) + (SELECT COUNT(*) FROM b WHERE n <> 100) + (SELECT COUNT(*) FROM c WHERE id > 10)"); changed+again != 0 {
			t.Errorf("%s: %d, %d rows are written", where, changed, again)
		}
	}
	begun := time.Now()
	runAll(t, other, "UPDATE a SET n = 0", "UPDATE b SET n = 0", "DELETE FROM c WHERE id > 10")
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("%s: others wait for %v", where, took)
	}
	if err := nearlyfreetest.Check(other); err != nil {
		t.Errorf("%s: %v", where, err)
	}
	transport.k.Store(0)
	runAll(t, db, "UPDATE a SET n = 1", "UPDATE b SET n = 1")
	return requests
}
