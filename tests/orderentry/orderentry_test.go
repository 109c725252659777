package orderentry

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var transactions = flag.Int("transactions", testrun.Of(2000, 120), "transactions to run over each store")

func TestMain(m *testing.M) {
	if name := os.Getenv(workedStore); name != "" {
		fmt.Println("failed:", workForEver(name))
		return
	}
	testrun.Main(m)
}

func open(t *testing.T, config *nearlyfree.Config) *sql.DB {
	t.Helper()
	c, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	t.Cleanup(func() { db.Close() })
	return db
}

// entered is told of each order that is acknowledged.
type entered func(warehouse, district, order int)

// work runs a transaction of one of the five kinds, as often as TPC-C does, but for more deliveries.
func (t *terminal) work(ctx context.Context, tell entered) error {
	switch n := t.rnd.IntN(100); {
	case n < 42:
		order, district, err := t.newOrder(ctx)
		if errors.Is(err, errUnusedItem) {
			return nil
		}
		if err == nil {
			tell(t.home, district, order)
		}
		return err
	case n < 80:
		return t.payment(ctx)
	case n < 84:
		return t.orderStatus(ctx)
	case n < 96:
		return t.delivery(ctx)
	}
	return t.stockLevel(ctx)
}

// orders is the orders that were acknowledged.
type orders struct {
	mu  sync.Mutex
	all [][3]int
}

func (o *orders) add(warehouse, district, order int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, [3]int{warehouse, district, order})
}

// check says which orders are not there.
func (o *orders) check(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, a := range o.all {
		n := 0
		if err := db.QueryRow("SELECT COUNT(*) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", a[0], a[1], a[2]).Scan(&n); err != nil || n != 1 {
			t.Errorf("order %v was acknowledged, and is not there (%v)", a, err)
		}
	}
}

// workAll has terminals at all databases work, so many transactions together. Where a database is dead its terminals go home.
func workAll(t *testing.T, dbs []*sql.DB, dead func(db int) bool, seed uint64) *orders {
	t.Helper()
	done := &orders{}
	var all sync.WaitGroup
	const terminals = 4
	for n := range terminals {
		of := n % len(dbs)
		x := &terminal{db: dbs[of], rnd: rand.New(rand.NewPCG(seed, uint64(n))), home: 1 + n/2%warehouses}
		all.Go(func() {
			for range *transactions / terminals {
				if dead(of) {
					return
				}
				if err := x.work(t.Context(), done.add); err != nil && !dead(of) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if len(done.all) < *transactions/8 {
		t.Errorf("only %d orders", len(done.all))
	}
	return done
}

func nobody(int) bool { return false }

// TestOneProcess works in memory and over a file.
func TestOneProcess(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"mem://", "file:" + filepath.Join(t.TempDir(), "data")} {
		for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
			if layout == nearlyfree.LayoutSingle && store != "mem://" {
				store += ".single"
			}
			db := open(t, &nearlyfree.Config{Store: store, Layout: layout})
			start(t, db)
			begun := time.Now()
			done := workAll(t, []*sql.DB{db}, nobody, 1)
			worked := time.Since(begun)
			done.check(t, db)
			checkConditions(t, db)
			t.Logf("%s, %v: %d transactions in %v, the conditions in %v", store[:4], layout, *transactions, worked, time.Since(begun)-worked)
		}
	}
}

// TestProcesses works in two processes over a simulated account. Some answers get lost, and in the end one of the processes dies.
func TestProcesses(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Of(6, 2)) {
		synctest.Test(t, func(t *testing.T) {
			memory := embedded.OpenMemory(embedded.Options{})
			t.Cleanup(func() { memory.Close() })
			service := azuretest.NewService(memory)
			config := nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, SchemaLease: time.Second}
			var dbs []*sql.DB
			var died, working atomic.Bool
			var writes atomic.Int64
			for n := range 3 {
				var mu sync.Mutex
				random := rand.New(rand.NewPCG(seed, uint64(100+n)))
				transport := &azuretest.Transport{Service: service}
				transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
					mu.Lock()
					defer mu.Unlock()
					f := azuretest.Fault{Delay: time.Duration(1000+random.IntN(2000)) * time.Microsecond}
					if n == 0 || !working.Load() {
						return f
					}
					if n == 1 && r.Method != http.MethodGet && writes.Add(1) > int64(*transactions) {
						died.Store(true)
					}
					f.Refuse = n == 1 && died.Load()
					f.LoseAnswer = random.IntN(50) == 0
					return f
				})
				own := config
				own.Transport = transport
				dbs = append(dbs, open(t, &own))
			}
			start(t, dbs[0])
			working.Store(true)
			done := workAll(t, dbs[1:], func(db int) bool { return db == 0 && died.Load() }, seed)
			if !died.Load() {
				t.Error("no process died")
			}
			done.check(t, dbs[0])
			checkConditions(t, dbs[0])
		})
	}
}
