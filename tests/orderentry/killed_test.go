package orderentry

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	process "os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var kills = flag.Int("kills", testrun.Of(12, 2), "processes to kill in the middle of their work")

// workedStore names the store that the test binary works on, instead of testing, when it is started as another process.
const workedStore = "NEARLYFREE_TEST_ORDERS"

// workForEver works, and tells of each order, until it is killed.
func workForEver(name string) error {
	db, err := sql.Open("nearlyfree", name)
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

// workUntilKilled starts a process, which is killed a moment after it has told of some orders, and gives all that it has told.
func workUntilKilled(t *testing.T, name string, done *orders) {
	c := process.Command(os.Args[0])
	c.Env = append(os.Environ(), workedStore+"="+name)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	defer c.Wait()
	defer c.Process.Kill()
	told := 0
	for lines := bufio.NewScanner(out); lines.Scan(); told++ {
		var o [3]int
		if _, err := fmt.Sscan(lines.Text(), &o[0], &o[1], &o[2]); err != nil {
			t.Errorf("the process says %q", lines.Text())
			return
		}
		if done.add(o[0], o[1], o[2]); told == 10 {
			time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { c.Process.Kill() })
		}
	}
}

// testKilled: processes that are killed in the middle of their work leave nothing half done, and what they were told is there. So many of them
// work side by side.
func testKilled(t *testing.T, name string, beside int) {
	use := func(do func(db *sql.DB)) {
		t.Helper()
		db, err := sql.Open("nearlyfree", name)
		if err != nil {
			t.Fatal(err)
		}
		do(db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	use(func(db *sql.DB) { start(t, db) })
	done := &orders{}
	for round := 0; round < *kills && !t.Failed(); round += beside {
		before := len(done.all)
		var all sync.WaitGroup
		for range beside {
			all.Go(func() { workUntilKilled(t, name, done) })
		}
		all.Wait()
		use(func(db *sql.DB) {
			(&orders{all: done.all[before:]}).check(t, db)
			checkConditions(t, db)
		})
	}
	use(func(db *sql.DB) { done.check(t, db) })
	t.Logf("%d kills, %d orders", *kills, len(done.all))
}

// TestKilled kills processes that work on a file.
func TestKilled(t *testing.T) {
	t.Parallel()
	testKilled(t, "file:"+filepath.Join(t.TempDir(), "data"), 1)
}
