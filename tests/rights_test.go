package tests

import (
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestReadOnlyBehindTheDead: a process dies in the middle of a transaction. One that may not write reads what was there before; that it was so at
// one moment it cannot say before somebody has aborted the transaction, and it says so.
func TestReadOnlyBehindTheDead(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"readonly", "a signature for reading"} {
		synctest.Test(t, func(t *testing.T) {
			shop := newShop(t)
			dying, reader := shop.enter(false), shop.enter(false)
			if how == "readonly" {
				reader.DB, _ = openConfig(t, &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
					Transport: &azuretest.Transport{Service: shop.service}, ReadOnly: true})
			}
			runAll(t, dying, "CREATE TABLE a (id INT PRIMARY KEY, n INT)", "CREATE TABLE b (id INT PRIMARY KEY, n INT)", "INSERT INTO a VALUES (1, 1)", "INSERT INTO b VALUES (1, 1)")
			tx, err := dying.Begin()
			if err != nil {
				t.Fatal(err)
			}
			runAll(t, tx, "UPDATE a SET n = 2", "UPDATE b SET n = 2")
			var writes atomic.Int64
			dying.watch(func(r *http.Request) {
				if ofStatement(r) {
					if writes.Add(1) > 2 { // both tables have their intents
						dying.dead.Store(true)
					}
				}
			})
			if err := tx.Commit(); err == nil {
				t.Fatal("the transaction was committed")
			}
			reader.reader.Store(true)
			sum := func(db *sql.DB) (n int, err error) {
				tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
				if err != nil {
					return 0, err
				}
				defer tx.Rollback()
				if err := tx.QueryRow("SELECT (SELECT SUM(n) FROM a) + (SELECT SUM(n) FROM b)").Scan(&n); err != nil {
					return 0, err
				}
				return n, tx.Commit()
			}
			for range 2 {
				n, err := sum(reader.DB)
				if n != 2 || !errors.Is(err, nearlyfree.ErrReadOnly) && !errors.Is(err, nearlyfree.ErrAuth) || !strings.Contains(err.Error(), "the right to add, update and delete") {
					t.Errorf("%s: %d, %v", how, n, err)
				}
			}
			if n, err := sum(shop.enter(false).DB); n != 2 || err != nil {
				t.Errorf("%s: where it may write: %d, %v", how, n, err)
			}
			if n, err := sum(reader.DB); n != 2 || err != nil {
				t.Errorf("%s: %d, %v", how, n, err)
			}
		})
	}
}

// mayNotDelete carries requests to a service that refuses what deletes entities.
type mayNotDelete struct{ azuretest.Transport }

func (m *mayNotDelete) Do(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	refusing := azuretest.Transport{Service: m.Service}
	refusing.SetFault(func(int, *http.Request) azuretest.Fault {
		return azuretest.Fault{Status: http.StatusForbidden, Code: "AuthorizationPermissionMismatch"}
	})
	if r.Method == http.MethodDelete || bytes.Contains(body, []byte("\nDELETE http")) {
		return refusing.Do(r)
	}
	return m.Transport.Do(r)
}

// TestNoRightToDelete: who may not delete is told so, and what he leaves because of that is in nobody else's way.
func TestNoRightToDelete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := newShop(t)
		open := func(transport interface {
			Do(*http.Request) (*http.Response, error)
		}) *sql.DB {
			db, _ := openConfig(t, &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, Transport: transport, SchemaLease: shopLease})
			return db
		}
		all, some := open(&azuretest.Transport{Service: shop.service}), open(&mayNotDelete{azuretest.Transport{Service: shop.service}})
		runAll(t, all, "CREATE TABLE a (id INT PRIMARY KEY, n INT, KEY (n)) PARTITION BY HASH (id) PARTITIONS 8", "CREATE TABLE b (id INT PRIMARY KEY, n INT)")
		transact := func(db *sql.DB, between, statements string) error {
			tx, err := db.Begin()
			if err != nil {
				return err
			}
			defer tx.Rollback()
			for s := range strings.SplitSeq(statements, "; ") {
				if _, err := tx.Exec(s); err != nil {
					return err
				}
			}
			if between != "" {
				runAll(t, all, between)
			}
			return tx.Commit()
		}
		for _, c := range []struct {
			statements, between string
			want                error
			says                string
		}{
			{"INSERT INTO a VALUES (1, 1), (2, 1), (3, 1)", "", nil, ""},
			{"INSERT INTO a VALUES (4, 1); INSERT INTO b VALUES (4, 1)", "", nil, ""},
			{"UPDATE a SET n = 5 WHERE id IN (1, 2)", "", nearlyfree.ErrAuth, "403"},
			{"DELETE FROM a WHERE id IN (1, 2)", "", nearlyfree.ErrAuth, "the right to add, update and delete"}, // these could not be taken back
			{"DELETE FROM a WHERE id = 4; DELETE FROM b WHERE id = 4", "", nil, ""},                             // as intents on both, which do it
			{"INSERT INTO a VALUES (4, 1)", "", nearlyfree.ErrAuth, "the right to add, update and delete"},
			{"INSERT INTO a VALUES (11, 1), (12, 1), (13, 1); INSERT INTO b VALUES (11, 1)", "INSERT INTO a VALUES (12, 2)", nearlyfree.ErrDuplicateKey, ""},
			{"INSERT INTO a VALUES (13, 1)", "", nearlyfree.ErrAuth, "the right to add, update and delete"},
		} {
			begun := time.Now()
			if err := transact(some, c.between, c.statements); !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) || time.Since(begun) > time.Second {
				t.Errorf("%s: %v after %v", c.statements, err, time.Since(begun))
			}
		}
		if n := count(t, some, "SELECT (SELECT COUNT(*) FROM a) * 10 + (SELECT COUNT(*) FROM b)"); n != 40 {
			t.Errorf("there are %d rows", n)
		}
		runAll(t, all, "INSERT INTO a VALUES (11, 1), (13, 1), (4, 1)", "UPDATE a SET n = n + 1", "INSERT INTO b VALUES (11, 1)")
		if err := nearlyfreetest.Check(all); err != nil {
			t.Error(err)
		}
		if err := transact(some, "", "UPDATE b SET n = 9; INSERT INTO a VALUES (20, 1), (21, 1)"); err != nil {
			t.Error(err)
		}
	})
}
