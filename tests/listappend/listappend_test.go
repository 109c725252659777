package listappend

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

var (
	histories = flag.Int("histories", testrun.Of(1000, 24), "random histories to run")
	firstSeed = flag.Uint64("seed", 0, "the seed of the first history")
)

func TestMain(m *testing.M) { testrun.Main(m) }

// levels are at which level the transactions of a history run: all at one, or each at its own.
var levels = []func(rnd *rand.Rand) sql.IsolationLevel{
	func(*rand.Rand) sql.IsolationLevel { return sql.LevelSerializable },
	func(*rand.Rand) sql.IsolationLevel { return sql.LevelDefault },
	func(rnd *rand.Rand) sql.IsolationLevel {
		return []sql.IsolationLevel{sql.LevelSerializable, sql.LevelDefault}[rnd.IntN(2)]
	},
}

// run runs a history in virtual time.
var run = synctest.Test

// record runs a history.
func record(t *testing.T, seed uint64, start func(t *testing.T, rnd *rand.Rand, wrong *atomic.Int64) []*process, level func(rnd *rand.Rand) sql.IsolationLevel, wrong *atomic.Int64) *history {
	rnd := rand.New(rand.NewPCG(seed, 1))
	r := &recorder{}
	processes := start(t, rnd, wrong)
	first := processes[0].db
	for _, s := range definitions {
		if _, err := first.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	var clients sync.WaitGroup
	for p, process := range processes {
		for k := range 2 {
			c := &client{recorder: r, process: process, name: fmt.Sprintf("%d.%d", p, k), rnd: rand.New(rand.NewPCG(seed, uint64(10+2*p+k))), level: level}
			clients.Go(func() {
				if err := c.run(t.Context(), 10); err != nil {
					t.Error(err)
				}
			})
		}
	}
	clients.Wait()
	return &history{r.done, r.readAll(t, first)}
}

// readAll reads all lists at one moment, in a transaction of the history.
func (r *recorder) readAll(t *testing.T, db *sql.DB) map[int][]int {
	c := &client{recorder: r}
	var last *transaction
	begin := r.clock.Add(1)
	err := nearlyfree.RunTx(t.Context(), db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
		last = &transaction{name: "LAST", serializable: true, begin: begin, outcome: committed}
		return c.read(t.Context(), tx, last, "SELECT id, v FROM a UNION ALL SELECT id, v FROM b")
	})
	if err != nil {
		t.Fatal(err)
	}
	last.end = r.clock.Add(1)
	r.done = append(r.done, last)
	final := map[int][]int{}
	for _, o := range last.operations {
		final[o.list] = o.read
	}
	if len(final) != lists {
		t.Fatalf("there are %d lists", len(final))
	}
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
	return final
}

// TestHistories: whatever gets lost, comes late or twice, and whoever dies, transactions are strictly serializable where they ask for
// that. No append is lost at any level, nobody sees what was rolled back or half done, and what a client is told is true.
func TestHistories(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			told := map[outcome]int{}
			var wrong atomic.Int64
			count := max(1, *histories/s.part)
			for n := range uint64(count) {
				seed := *firstSeed + n
				run(t, func(t *testing.T) {
					h := record(t, seed, s.start, levels[seed%uint64(len(levels))], &wrong)
					for _, v := range violations(h) {
						t.Error(v)
					}
					for _, x := range h.transactions {
						told[x.outcome]++
					}
				})
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%v transactions, %d requests went wrong", told, wrong.Load())
			if told[committed] < 20*count || told[aborted] < count {
				t.Errorf("too little: %v", told)
			}
		})
	}
}

// TestWeakLevel: what the default level lets happen is found where it is held to more, so that the check can fail.
func TestWeakLevel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		found := false
		synctest.Test(t, func(t *testing.T) {
			h := record(t, seed, startInMemory, levels[1], nil)
			for _, x := range h.transactions {
				x.serializable = true
			}
			found = violations(h) != nil
		})
		if found {
			return
		}
	}
	t.Error("200 histories of read committed are strictly serializable")
}
