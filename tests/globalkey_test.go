package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

const globalTable = "CREATE TABLE account (tenant INT, id INT, mail VARCHAR(20), n INT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id), UNIQUE KEY mail (mail) GLOBAL, KEY n (n)) PARTITION BY KEY (tenant)"

// numberOf gives MySQL's number of an error, 0 of nil.
func numberOf(err error) uint16 {
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// TestGlobalKeyRace: of writers in several store partitions who insert the same value at once, one succeeds, and all others are told
// which key has it.
func TestGlobalKeyRace(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, globalTable)
		const writers = 8
		for round := range testrun.Of(20, 6) {
			var won atomic.Int64
			together(writers, func(i int) {
				s := "INSERT INTO account (tenant, id, mail) VALUES (?, 1, ?)"
				if i%2 == 1 { // a transaction looks first, and finds the key taken at COMMIT
					s = "INSERT INTO account (tenant, id, mail) VALUES (?, 2, ?)"
				}
				args := []any{round*writers + i, fmt.Sprint("r", round)}
				var err error
				if i%2 == 0 {
					_, err = db.Exec(s, args...)
				} else {
					err = nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
						_, err := tx.Exec(s, args...)
						return err
					})
				}
				switch {
				case err == nil:
					won.Add(1)
				case numberOf(err) != nearlyfree.CodeDuplicateEntry || !strings.Contains(err.Error(), "for key 'mail'"):
					t.Error(err)
				}
			})
			if n := won.Load(); n != 1 {
				t.Errorf("round %d: %d writers have inserted the same value", round, n)
			}
		}
		if err := nearlyfreetest.Check(db); err != nil {
			t.Error(err)
		}
	}, "memory", "file", "service", "service of tiny pages", "azurite")
}

// TestGlobalKeyBeside: writers in several store partitions insert, change, move, replace and delete rows with few values. At any time
// an index is what its rows say, and no value is there twice.
func TestGlobalKeyBeside(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, globalTable)
		together(6, func(i int) {
			rnd := rand.New(rand.NewPCG(uint64(i), 9))
			for range testrun.Of(120, 30) {
				tenant, id, mail := rnd.IntN(4), rnd.IntN(3), fmt.Sprint("m", rnd.IntN(6))
				var err error
				switch rnd.IntN(9) {
				case 0:
					_, err = db.Exec("INSERT INTO account VALUES (?, ?, ?, 0)", tenant, id, mail)
				case 1:
					_, err = db.Exec("REPLACE INTO account VALUES (?, ?, ?, 0)", tenant, id, mail)
				case 2:
					_, err = db.Exec("INSERT INTO account VALUES (?, ?, ?, 0) ON DUPLICATE KEY UPDATE n = n + 1, mail = ?", tenant, id, mail, fmt.Sprint("m", rnd.IntN(6)))
				case 3:
					_, err = db.Exec("UPDATE account SET mail = ? WHERE tenant = ? AND id = ?", mail, tenant, id)
				case 4:
					_, err = db.Exec("UPDATE account SET tenant = ?, id = ? WHERE mail = ?", tenant, id, mail)
				case 5:
					_, err = db.Exec("DELETE FROM account WHERE mail = ?", mail)
				case 6:
					_, err = db.Exec("INSERT IGNORE INTO account VALUES (?, ?, ?, 0), (?, ?, NULL, 1)", tenant, id, mail, rnd.IntN(4), id)
				case 7:
					err = nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
						if _, err := tx.Exec("DELETE FROM account WHERE mail = ?", mail); err != nil {
							return err
						}
						_, err := tx.Exec("INSERT INTO account VALUES (?, ?, ?, 5)", tenant, id, mail)
						return err
					})
				default:
					var n int
					if err := db.QueryRow("SELECT COUNT(*) FROM (SELECT mail FROM account FORCE INDEX (PRIMARY) WHERE mail IS NOT NULL GROUP BY mail HAVING COUNT(*) > 1) d").Scan(&n); err != nil {
						t.Error(err)
					}
				}
				if n := numberOf(err); err != nil && n != nearlyfree.CodeDuplicateEntry {
					t.Error(err)
				}
			}
		})
		if err := nearlyfreetest.Check(db); err != nil {
			t.Error(err)
		}
		for _, table := range []string{"account", "account FORCE INDEX (mail)"} {
			if n := count(t, db, "SELECT COUNT(mail) - COUNT(DISTINCT mail) FROM "+table+" WHERE mail >= 'm'"); n != 0 {
				t.Errorf("%d values are twice in %s", n, table)
			}
		}
		if rows, entries := count(t, db, "SELECT COUNT(mail) FROM account"), count(t, db, "SELECT COUNT(*) FROM account FORCE INDEX (mail) WHERE mail >= ''"); rows != entries {
			t.Errorf("%d rows have a value, %d are found by the index", rows, entries)
		}
	}, "memory", "file", "service", "service of tiny pages", "azurite")
}

// TestGlobalKeyRequests: what a key that is unique over all store partitions costs on an account.
func TestGlobalKeyRequests(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, overService(0, false))
	runAll(t, conn, globalTable, "CREATE TABLE spread (id INT PRIMARY KEY, mail VARCHAR(20), UNIQUE KEY (mail) GLOBAL) PARTITION BY HASH (id) PARTITIONS 1")
	for _, c := range []struct {
		statement string
		requests  int64
	}{
		{"INSERT INTO account VALUES (1, 1, 'a', 0)", 3},
		{"INSERT INTO account VALUES (1, 2, 'b', 0), (1, 3, 'c', 0)", 5},
		{"SELECT n FROM account WHERE mail = 'a'", 2},
		{"SELECT tenant, id FROM account WHERE mail = 'a'", 1},
		{"SELECT n FROM account WHERE mail = 'nobody'", 1},
		{"UPDATE account SET n = 1 WHERE tenant = 1 AND id = 1", 2},
		{"UPDATE account SET n = 2 WHERE mail = 'a'", 3},
		{"UPDATE account SET mail = 'd' WHERE tenant = 1 AND id = 1", 7},
		{"DELETE FROM account WHERE tenant = 1 AND id = 2", 5},
		{"INSERT INTO spread VALUES (1, 'a')", 1},
	} {
		before := connector.Stats()
		rows, err := conn.QueryContext(t.Context(), c.statement)
		if err != nil {
			t.Fatalf("%s: %v", c.statement, err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		cost := connector.Stats().Sub(before)
		if n := cost.Requests - cost.SchemaRequests; n != c.requests {
			t.Errorf("%s takes %d requests, want %d", c.statement, n, c.requests)
		}
	}
}

// TestGlobalKeyByGroups: where no transaction covers two store partitions no such key is made, and rows are read, and written as far as
// their entries stay.
func TestGlobalKeyByGroups(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, db *sql.DB, statement, why string) {
		t.Helper()
		if _, err := db.Exec(statement); numberOf(err) != nearlyfree.CodeNotSupported || !strings.Contains(err.Error(), "transactions=group") || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			config := s.config(t)
			config.Transactions = nearlyfree.TransactionsGroup
			db := nearlyfreetest.OpenConfig(t, config)
			runAll(t, db, "CREATE TABLE plain (a INT, b INT, PRIMARY KEY (a, b)) PARTITION BY KEY (a)")
			for _, statement := range []string{globalTable, "CREATE UNIQUE INDEX b ON plain (b) GLOBAL", "ALTER TABLE plain ADD COLUMN c INT UNIQUE GLOBAL"} {
				refused(t, db, statement, "GLOBAL")
			}
		})
	}
	config := overService(0, false)
	runAll(t, nearlyfreetest.OpenConfig(t, config), globalTable, "INSERT INTO account VALUES (1, 1, 'a', 0)")
	config.Transactions = nearlyfree.TransactionsGroup
	db := nearlyfreetest.OpenConfig(t, config)
	for _, statement := range []string{"INSERT INTO account VALUES (1, 2, 'b', 0)", "UPDATE account SET mail = 'c'", "DELETE FROM account", "REPLACE INTO account VALUES (2, 1, 'a', 7)"} {
		refused(t, db, statement, "")
	}
	runAll(t, db, "UPDATE account SET n = n + 1 WHERE mail = 'a'")
	if n := count(t, db, "SELECT n FROM account WHERE mail = 'a'"); n != 1 {
		t.Errorf("n is %d", n)
	}
}

// TestGlobalKeyDied: a process dies before each request of statements that write a row and its entry in another store partition, or when
// it was made. Whoever comes finds all of it or nothing, and may take what it left. All is in virtual time.
func TestGlobalKeyDied(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{
		"INSERT INTO account VALUES (2, 1, 'b', 0)", "UPDATE account SET mail = 'b' WHERE mail = 'a'", "UPDATE account SET tenant = 5 WHERE mail = 'a'",
		"REPLACE INTO account VALUES (3, 1, 'a', 0)", "DELETE FROM account WHERE mail = 'a'",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			for _, lost := range []bool{false, true} {
				for n, died := 1, true; died && !t.Failed(); n++ {
					synctest.Test(t, func(t *testing.T) { died = globalKeyDies(t, statement, n, lost) })
				}
			}
		})
	}
}

// globalKeyDies has the process die at its n-th request; lost: that one reaches the store.
func globalKeyDies(t *testing.T, statement string, n int, lost bool) (died bool) {
	s := newShop(t)
	other := s.enter(false)
	runAll(t, other, globalTable, "INSERT INTO account VALUES (1, 1, 'a', 0)")
	begun, sent := false, 0
	db := s.connectBy(1, func(r *http.Request) azuretest.Fault {
		if died {
			return azuretest.Fault{Refuse: true}
		}
		if begun && ofStatement(r) {
			sent++
			died = sent == n
		}
		return azuretest.Fault{Refuse: died && !lost, LoseAnswer: died && lost}
	})
	count(t, db, "SELECT COUNT(*) FROM account")
	begun = true
	if _, err := db.Exec(statement); err != nil && !died {
		t.Errorf("%s: %v", statement, err)
	}
	for i, mail := range []string{"a", "b"} {
		byKey, byRow := count(t, other.DB, "SELECT COUNT(n) FROM account WHERE mail = '"+mail+"'"), count(t, other.DB, "SELECT COUNT(*) FROM account FORCE INDEX (PRIMARY) WHERE mail = '"+mail+"'")
		if byKey != byRow {
			t.Errorf("died at request %d (its answer lost: %v): %d rows have %s, %d are found by the key", n, lost, byRow, mail, byKey)
		}
		_, err := other.Exec("INSERT INTO account VALUES (9, ?, ?, 0)", i, mail)
		if taken := numberOf(err) == nearlyfree.CodeDuplicateEntry; err != nil && !taken || taken != (byRow > 0) {
			t.Errorf("died at request %d (its answer lost: %v): %s is there %d times, and to insert it gives %v", n, lost, mail, byRow, err)
		}
	}
	if err := nearlyfreetest.Check(other.DB); err != nil {
		t.Errorf("died at request %d (its answer lost: %v): %v", n, lost, err)
	}
	return died
}

// TestGlobalKeyReferred: rows come to refer to others by such a key while these go and get other values. None is left without the row
// that it refers to, also where all lie in one store partition.
func TestGlobalKeyReferred(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"KEY (tenant)", "HASH (tenant) PARTITIONS 1"} {
		t.Run(by, func(t *testing.T) {
			overStores(t, func(t *testing.T, db *sql.DB) {
				runAll(t, db, strings.Replace(globalTable, "KEY (tenant)", by, 1),
					"CREATE TABLE login (id INT PRIMARY KEY, mail VARCHAR(20), KEY (mail), FOREIGN KEY (mail) REFERENCES account (mail) ON UPDATE CASCADE) PARTITION BY HASH (id) PARTITIONS 1",
					"CREATE TABLE badge (id INT PRIMARY KEY, mail VARCHAR(20), UNIQUE KEY mail (mail) GLOBAL, FOREIGN KEY (mail) REFERENCES account (mail) ON DELETE CASCADE) PARTITION BY HASH (id) PARTITIONS 1")
				var changed atomic.Int64
				together(6, func(i int) {
					rnd := rand.New(rand.NewPCG(uint64(i), 5))
					for range testrun.Of(80, 20) {
						id, mail, other := rnd.IntN(5), fmt.Sprint("m", rnd.IntN(3)), fmt.Sprint("m", rnd.IntN(3))
						var err error
						switch i {
						case 0:
							_, err = db.Exec("DELETE FROM account WHERE mail = ?", mail)
						case 1:
							_, err = db.Exec("UPDATE account SET mail = ? WHERE mail = ?", other, mail)
						case 2:
							_, err = db.Exec("INSERT INTO account VALUES (?, ?, ?, 0)", rnd.IntN(3), id, mail)
						case 3:
							_, err = db.Exec("REPLACE INTO badge VALUES (?, ?)", id, mail)
						case 4:
							_, err = db.Exec("DELETE FROM login WHERE id = ?", id)
						default:
							_, err = db.Exec("INSERT INTO login VALUES (?, ?) ON DUPLICATE KEY UPDATE mail = ?", id, mail, other)
						}
						switch numberOf(err) {
						case 0:
							changed.Add(1)
						case nearlyfree.CodeDuplicateEntry, nearlyfree.CodeNoParentRow, nearlyfree.CodeParentRow:
						default:
							t.Error(err)
						}
					}
				})
				if changed.Load() == 0 {
					t.Error("nothing was written")
				}
				if err := nearlyfreetest.Check(db); err != nil {
					t.Error(err)
				}
				if n := count(t, db, "SELECT COUNT(*) FROM (SELECT mail FROM login UNION ALL SELECT mail FROM badge) r WHERE mail NOT IN (SELECT mail FROM account WHERE mail IS NOT NULL)"); n != 0 {
					t.Errorf("%d rows refer to none", n)
				}
			}, "memory", "service", "service, single")
		})
	}
}

// TestGlobalKeyReferredBetween: a row comes to refer to another one behind the look for such rows, where one request deletes that one.
func TestGlobalKeyReferredBetween(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.Layout = nearlyfree.LayoutSingle
	other := nearlyfreetest.OpenConfig(t, config)
	runAll(t, other, strings.Replace(globalTable, "KEY (tenant)", "HASH (tenant) PARTITIONS 1", 1), "INSERT INTO account VALUES (1, 1, 'a', 0)",
		"CREATE TABLE login (id INT PRIMARY KEY, mail VARCHAR(20), KEY (mail), FOREIGN KEY (mail) REFERENCES account (mail)) PARTITION BY HASH (id) PARTITIONS 1")
	between := *config
	var begun, came atomic.Bool
	between.Transport = &azuretest.Transport{Service: config.Transport.(*azuretest.Transport).Service, Fault: func(_ int, r *http.Request) azuretest.Fault {
		if begun.Load() && ofStatement(r) && came.CompareAndSwap(false, true) {
			runAll(t, other, "INSERT INTO login VALUES (1, 'a')")
		}
		return azuretest.Fault{}
	}}
	db := nearlyfreetest.OpenConfig(t, &between)
	count(t, db, "SELECT COUNT(*) FROM login")
	begun.Store(true)
	if _, err := db.Exec("DELETE FROM account WHERE mail = 'a'"); numberOf(err) != nearlyfree.CodeParentRow || !came.Load() {
		t.Errorf("a row that came between (%v): %v", came.Load(), err)
	}
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
}

// TestGlobalKeyMade: such a key is made and dropped while others write rows with few values: either it is found that two rows have the
// same, and it is taken back, or it is there and whole.
func TestGlobalKeyMade(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE account (tenant INT, id INT, mail VARCHAR(20), PRIMARY KEY (tenant, id), KEY (mail)) PARTITION BY KEY (tenant)")
		var over atomic.Bool
		made, takenBack := 0, 0
		together(4, func(i int) {
			rnd := rand.New(rand.NewPCG(uint64(i), 3))
			for !over.Load() && i > 0 {
				tenant, id, mail := rnd.IntN(3), rnd.IntN(3), fmt.Sprint("m", rnd.IntN(40))
				var err error
				switch rnd.IntN(3) {
				case 0:
					_, err = db.Exec("DELETE FROM account WHERE mail = ?", mail)
				case 1:
					_, err = db.Exec("UPDATE account SET mail = ? WHERE tenant = ?", mail, tenant) // of all its rows: often the same value
				default:
					_, err = db.Exec("REPLACE INTO account VALUES (?, ?, ?)", tenant, id, mail)
				}
				if n := numberOf(err); err != nil && n != nearlyfree.CodeDuplicateEntry {
					t.Error(err)
					return
				}
			}
			for range testrun.Of(12, 2) {
				if i > 0 {
					break
				}
				_, err := db.Exec("ALTER TABLE account ADD UNIQUE KEY one (mail) GLOBAL")
				switch {
				case err == nil:
					made++
					if err := nearlyfreetest.Check(db); err != nil { // names rows of the same value, too
						t.Error(err)
					}
					_, err = db.Exec("DROP INDEX one ON account")
				case numberOf(err) == nearlyfree.CodeDuplicateEntry:
					takenBack++
					_, err = db.Exec("DELETE FROM account")
				}
				if err != nil {
					t.Error(err)
				}
			}
			over.Store(true)
		})
		t.Log(made, "times made,", takenBack, "times taken back")
		if n := count(t, db, "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE table_schema = DATABASE() AND INDEX_NAME = 'one'"); n != 0 {
			t.Errorf("%d columns of the key are left", n)
		}
	}, "memory", "service")
}
