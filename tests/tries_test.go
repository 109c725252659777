package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// TestTriesEnd: loops that try again nest, and do not multiply what a statement sends, nor how long it takes. See internal/retry.
func TestTriesEnd(t *testing.T) {
	t.Parallel()
	busy := azuretest.Fault{Status: http.StatusServiceUnavailable, Code: "ServerBusy"}
	stale := func(r *http.Request) azuretest.Fault {
		if r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "/Tables") {
			return azuretest.Fault{}
		}
		return azuretest.Fault{Status: http.StatusPreconditionFailed, Code: "UpdateConditionNotSatisfied"}
	}
	const request = 3100 * time.Millisecond // the pauses between the tries of one
	// A statement that writes rows goes on for MaxTime where others seem to get on.
	const rowTries = int(retry.MaxTime/(100*time.Millisecond)) + 10
	for _, day := range []struct {
		name  string
		fault func(try int, r *http.Request) azuretest.Fault
		sent  func(first, each int) int        // of a statement with so many requests once, and so many in all tries
		took  func(requests int) time.Duration // at most, where one try has so many
	}{
		{"busy", func(int, *http.Request) azuretest.Fault { return busy }, func(int, int) int { return retry.Request.Tries }, func(int) time.Duration { return request }},
		{"stale", func(_ int, r *http.Request) azuretest.Fault { return stale(r) }, func(first, each int) int { return first + each }, func(int) time.Duration { return 3 * time.Second }},
		{"both", func(try int, r *http.Request) azuretest.Fault {
			if try%retry.Request.Tries != 0 {
				return busy
			}
			return stale(r)
		}, func(first, each int) int { return retry.Request.Tries * (first + each) }, func(n int) time.Duration { return retry.MaxTime + time.Duration(n)*request }},
	} {
		for _, s := range []struct {
			text        string
			first, each int
			rows        bool
		}{
			{"SELECT * FROM t WHERE id = 1", 5, 0, false},
			{"SELECT * FROM t", 5, 0, false},
			{"INSERT INTO t VALUES (2, 2)", 5, 1, true},
			{"UPDATE t SET n = n + 1 WHERE id = 1", 5, 2, true},
			{"DELETE FROM t", 5, 2, true},
			{"INSERT INTO a (n) VALUES (1)", 5, 5, false}, // each time it looks whether an intent is in the way
			{"INSERT INTO grown VALUES ('2030-01-01')", 5, 3, false},
			{"CREATE TABLE new (id INT PRIMARY KEY)", 5, 7, false},
			{"CREATE INDEX n ON t (n)", 5, 3, false},
			{"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7, ADD INDEX x (x)", 5, 3, false},
			{"DROP TABLE t", 5, 3, false},
			{"TRUNCATE TABLE t", 5, 18, false},
			{"SELECT GET_LOCK('l', 1)", 5, 2, false},
			{"CHECK TABLE t", 5, 0, false},
			{"REPAIR TABLE t", 5, 0, false},
		} {
			t.Run(day.name+"/"+s.text, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					db, w := newShop(t).enterWeather(day.fault)
					for _, make := range []string{
						"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 1)", "CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, n INT)",
						"CREATE TABLE grown (d DATE, PRIMARY KEY (d)) PARTITION BY RANGE (d) INTERVAL (1 YEAR)",
					} {
						mustExec(t, db, make)
					}
					w.begin()
					began := time.Now()
					err := runOnce(db, s.text)
					took, sent := time.Since(began), w.sent
					tries, longest := retry.Race.Tries, day.took(s.first+s.each)
					if s.rows && day.name != "busy" {
						tries, longest = rowTries, max(longest, retry.MaxTime+time.Second)
					}
					if want := day.sent(s.first, s.each*tries); sent > want || took > longest {
						t.Errorf("%d requests in %v, want at most %d in %v", sent, took, want, longest)
					}
					if (day.name == "busy" || s.each > 0) == (err == nil) {
						t.Error(err)
					}
					if s.each > 0 && day.name == "stale" && (!errors.Is(err, nearlyfree.ErrConflict) || sent < retry.Race.Tries) {
						t.Errorf("given up after %d requests: %v", sent, err)
					}
				})
			})
		}
	}
}

// badWeather gives faults to requests, but for those by which the process says that it is there.
type badWeather struct {
	mu    sync.Mutex
	begun bool
	sent  int
	tries map[string]int // by method and address
}

func (s *shop) enterWeather(fault func(try int, r *http.Request) azuretest.Fault) (*sql.DB, *badWeather) {
	w := &badWeather{tries: map[string]int{}}
	db, _ := openConfig(s.T, &nearlyfree.Config{
		Store:       fmt.Sprintf("AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		SchemaLease: time.Hour, // so that the statement alone sends requests
		Transport: &azuretest.Transport{Service: s.service, Fault: func(_ int, r *http.Request) azuretest.Fault {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.begun || strings.Contains(r.URL.Path, "members") {
				return azuretest.Fault{}
			}
			w.sent++
			w.tries[r.Method+r.URL.Path]++
			return fault(w.tries[r.Method+r.URL.Path], r)
		}},
	})
	return db, w
}

func (w *badWeather) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = true
}

// runOnce runs a statement and reads its rows.
func runOnce(db *sql.DB, text string) error {
	rows, err := db.Query(text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
