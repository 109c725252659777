package orderentry

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	process "os/exec"
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

// workedFile names the file that the test binary works on, instead of testing, when it is started as another process.
const workedFile = "NEARLYFREE_TEST_ORDERS"

func TestMain(m *testing.M) {
	if path := os.Getenv(workedFile); path != "" {
		fmt.Println("failed:", workForEver(path))
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
			done := workAll(t, []*sql.DB{db}, nobody, 1)
			done.check(t, db)
			checkConditions(t, db)
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
				transport.Fault = func(_ int, r *http.Request) azuretest.Fault {
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
				}
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

// workForEver works on a file, and tells of each order, until it is killed.
func workForEver(path string) error {
	db, err := sql.Open("nearlyfree", "file:"+path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	var mu sync.Mutex
	for n := range 3 {
		x := &terminal{db: db, rnd: rand.New(rand.NewPCG(rand.Uint64(), 1)), home: 1 + n%warehouses}
		go func() {
			for {
				err := x.work(context.Background(), func(warehouse, district, order int) {
					mu.Lock()
					defer mu.Unlock()
					fmt.Println(warehouse, district, order)
				})
				if err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

// TestKilled: a process that is killed in the middle of its work leaves nothing half done, and what it was told is there.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data")
	db := open(t, &nearlyfree.Config{Store: "file:" + path})
	start(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	done := &orders{}
	for range testrun.Of(12, 3) {
		before := len(done.all)
		c := process.Command(os.Args[0])
		c.Env = append(os.Environ(), workedFile+"="+path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var o [3]int
			if _, err := fmt.Sscan(lines.Text(), &o[0], &o[1], &o[2]); err != nil {
				t.Fatalf("the process says %q", lines.Text())
			}
			if done.add(o[0], o[1], o[2]); len(done.all) == before+10 {
				time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { c.Process.Kill() })
			}
		}
		c.Wait()
		again := open(t, &nearlyfree.Config{Store: "file:" + path})
		done.check(t, again)
		checkConditions(t, again)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
