package tests

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var throughput = flag.Duration("throughput", testrun.Of(2*time.Second, 300*time.Millisecond), "how long each load of TestThroughput lasts, in virtual time")

// partitions lets a request travel for 5 to 15 ms, and have its partition for half a millisecond for each entity: a partition does
// 2,000 operations a second, as the service's do.
type partitions struct {
	mu   sync.Mutex
	busy map[string]time.Time // until when, by table and partition
}

var partitionOf = regexp.MustCompile(`PartitionKey(?:=|%3D|":|%20eq%20)(?:'|%27|")([^'"%]*)`)

// take gives how long a request waits for its partition, and has it.
func (p *partitions) take(r *http.Request, body []byte) time.Duration {
	where := append([]byte(r.URL.String()), body...)
	partition := ""
	if m := partitionOf.FindSubmatch(where); m != nil {
		partition = string(m[1])
	}
	entities := max(1, bytes.Count(body, []byte(" HTTP/1.1")))
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.busy[partition]
	if until.Before(now) {
		until = now
	}
	p.busy[partition] = until.Add(time.Duration(entities) * 500 * time.Microsecond)
	return p.busy[partition].Sub(now)
}

// farService is a Transport to a service that is some way off.
type farService struct {
	azuretest.Transport
	partitions *partitions
	requests   *atomic.Int64
}

func (f *farService) Do(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	f.requests.Add(1)
	way := 2500*time.Microsecond + time.Duration(rand.IntN(5000))*time.Microsecond
	if err := retry.Sleep(r.Context(), way); err != nil {
		return nil, err
	}
	if err := retry.Sleep(r.Context(), f.partitions.take(r, body)); err != nil {
		return nil, err
	}
	answer, err := f.Transport.Do(r)
	if err := retry.Sleep(r.Context(), way); err != nil {
		return nil, err
	}
	return answer, err
}

// loads are transactions of 20 processes. Each has two rows of its own in each partition, and all have one hot row there.
var loads = []struct {
	name string
	rows func(rnd *rand.Rand, writer, partitions int) [][2]int // partition and id; nil: there are too few partitions
}{
	{"one group, own rows", func(rnd *rand.Rand, writer, partitions int) [][2]int {
		p := rnd.IntN(partitions)
		return [][2]int{{p, 1 + writer*10}, {p, 2 + writer*10}}
	}},
	{"two groups, own rows", func(rnd *rand.Rand, writer, partitions int) [][2]int {
		if partitions == 1 {
			return nil
		}
		p := rnd.IntN(partitions)
		return [][2]int{{p, 1 + writer*10}, {(p + 1 + rnd.IntN(partitions-1)) % partitions, 1 + writer*10}}
	}},
	{"one group, hot rows", func(rnd *rand.Rand, writer, partitions int) [][2]int {
		p := rnd.IntN(partitions)
		return [][2]int{{p, 0}, {p, 2 + writer*10}}
	}},
	{"two groups, hot rows", func(rnd *rand.Rand, writer, partitions int) [][2]int {
		if partitions == 1 {
			return nil
		}
		p := rnd.IntN(partitions)
		return [][2]int{{p, 0}, {(p + 1 + rnd.IntN(partitions-1)) % partitions, 0}}
	}},
}

// TestThroughput prints the table of docs/patterns.md: go test ./tests -run TestThroughput -v -throughput 20s
func TestThroughput(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	for _, load := range loads {
		fmt.Fprintf(&table, "| %s |", load.name)
		for _, partitions := range []int{1, 4, 16} {
			if load.rows(rand.New(rand.NewPCG(1, 1)), 0, partitions) == nil {
				table.WriteString(" |")
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				done, requests, took := carry(t, load.rows, partitions)
				if done == 0 {
					t.Errorf("%s, %d: nothing is done", load.name, partitions)
				}
				fmt.Fprintf(&table, " %.0f; %.1f |", float64(done)/took.Seconds(), float64(requests)/float64(max(1, done)))
			})
		}
		table.WriteString("\n")
	}
	t.Logf("transactions a second, and requests of each, with 1, 4, 16 partitions:\n%s", &table)
}

// carry has 20 processes work.
func carry(t *testing.T, rows func(rnd *rand.Rand, writer, partitions int) [][2]int, number int) (done, requests int64, took time.Duration) {
	memory := embedded.OpenMemory(embedded.Options{})
	t.Cleanup(func() { memory.Close() })
	service, busy, count := azuretest.NewService(memory), &partitions{busy: map[string]time.Time{}}, &atomic.Int64{}
	const writers = 20
	var dbs []*sql.DB
	for range writers {
		db, _ := openConfig(t, &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
			Transport: &farService{azuretest.Transport{Service: service}, busy, count}})
		dbs = append(dbs, db)
	}
	runAll(t, dbs[0], "CREATE TABLE t (p INT, id INT, n INT, PRIMARY KEY (p, id)) PARTITION BY KEY (p)")
	for p := range number {
		values := []string{fmt.Sprintf("(%d, 0, 0)", p)}
		for w := range writers {
			values = append(values, fmt.Sprintf("(%d, %d, 0), (%d, %d, 0)", p, 1+w*10, p, 2+w*10))
		}
		runAll(t, dbs[0], "INSERT INTO t VALUES "+strings.Join(values, ", "))
	}
	together(writers, func(i int) { runAll(t, dbs[i], "DO (SELECT n FROM t WHERE p = 0 AND id = 0)") })
	begun, before := time.Now(), count.Load()
	ctx, cancel := context.WithTimeout(t.Context(), *throughput)
	defer cancel()
	var transactions atomic.Int64
	together(writers, func(i int) {
		rnd := rand.New(rand.NewPCG(uint64(i), 9))
		for ctx.Err() == nil {
			these := rows(rnd, i, number)
			err := nearlyfree.RunTx(ctx, dbs[i], nil, func(tx *sql.Tx) error {
				for _, row := range these {
					if _, err := tx.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE p = ? AND id = ?", row[0], row[1]); err != nil {
						return err
					}
				}
				return nil
			})
			switch {
			case err == nil:
				transactions.Add(1)
			case !errors.Is(err, context.DeadlineExceeded):
				var e *nearlyfree.Error
				if !errors.As(err, &e) || e.Applied != nearlyfree.AppliedUnknown {
					t.Error(err)
					return
				}
			}
		}
	})
	return transactions.Load(), count.Load() - before, time.Since(begun)
}
