// Package definitions has several processes make, change, rename, empty and drop the same tables while all of them write to
// these and read from them, and holds every read against a model of what may be there.
//
// The processes are connectors of one store, which know nothing of each other but what is stored. The flag -rounds
// says how many rounds there are for each kind of table, -seed which.
package definitions

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

var (
	rounds     = flag.Int("rounds", testrun.Of(4, 1), "how often each kind of table is made")
	statements = flag.Int("statements", 10, "how many each process that changes definitions runs in a round")
	lease      = flag.Duration("lease", 5*time.Second, "how long a process trusts a definition")
	seed       = flag.Uint64("seed", 1, "of the first round of TestDefinitions; each round has the next one")
)

// processes is how many there are; all write and read, and all but one change definitions.
const processes = 3

// store is an empty one that several connectors share.
type store struct {
	config  *nearlyfree.Config
	weather *weather      // makes some of its answers fail; nil where nothing can
	within  engine.Engine // what it keeps; nil where nobody can look
}

// virtual runs a round in time that passes only while all its processes wait: how busy the machine is changes nothing.
// With a store of another process it is real time.
var virtual = synctest.Test

var newStore = func(t *testing.T, r *rand.Rand) store {
	w, memory := &weather{random: r}, embedded.OpenMemory(embedded.Options{})
	service := azuretest.NewService(memory)
	service.PageEntities = 7
	return store{&nearlyfree.Config{
		Store:     fmt.Sprintf("AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		Transport: &azuretest.Transport{Service: service, Fault: w.fault, After: w.after},
		Retry:     nearlyfree.RetryOptions{MaxTries: 10, FirstDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond},
	}, w, memory}
}

// weather gives each request some time on its way and back, and makes one of so many fail; none when that is 0.
type weather struct {
	oneOf  atomic.Int64
	mu     sync.Mutex
	random *rand.Rand
}

// slowest says how long a request takes on its way, and its answer, at most: with some tries that fail it ends within a lease.
func slowest() time.Duration { return *lease / 25 }

func (w *weather) delay() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.random.Int64N(int64(slowest())))
}

func (w *weather) after(*http.Request, int) { time.Sleep(w.delay()) }

func (w *weather) fault(int, *http.Request) azuretest.Fault {
	f := w.failure()
	f.Delay = w.delay()
	return f
}

func (w *weather) failure() azuretest.Fault {
	n := w.oneOf.Load()
	if n == 0 {
		return azuretest.Fault{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	faults := []azuretest.Fault{{LoseAnswer: true}, {LoseAnswer: true}, {Status: http.StatusServiceUnavailable, Code: "ServerBusy"}, {Tear: 30}}
	if i := w.random.Int64N(n * int64(len(faults))); i < int64(len(faults)) {
		return faults[i]
	}
	return azuretest.Fault{}
}

// kinds are the ways in which tables lie in the store.
var kinds = []kind{
	{name: "plain"},
	{name: "key", by: "PARTITION BY KEY (id)"},
	{name: "hash", by: "PARTITION BY HASH (id) PARTITIONS 3"},
	{name: "interval", by: "PARTITION BY RANGE (id) INTERVAL (10)"},
	{name: "inside", inside: true},
	{name: "beside", inside: true, withParent: true},
	{name: "inside interval", by: "PARTITION BY RANGE (id) INTERVAL (10)", inside: true},
	{name: "beside hash", by: "PARTITION BY HASH (id) PARTITIONS 3", inside: true, withParent: true},
}

type kind struct {
	name               string
	by                 string
	inside, withParent bool
}

// TestDefinitions has several processes make, change, rename, empty and drop the same tables while all of them write to
// and read from these. Every read is held against what was written, see contents.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i, k := range kinds {
		for j, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
			if testing.Short() && i%2 != j {
				continue
			}
			all.Go(func() { // all at once: most of the time they wait
				t.Run(fmt.Sprint(k.name, " ", layout), func(t *testing.T) {
					for n := range *rounds {
						if !t.Failed() {
							virtual(t, func(t *testing.T) { newRound(t, k, layout, *seed+uint64(n), uint64(2*i+j)<<32).run() })
						}
					}
				})
			})
		}
	}
	all.Wait()
}

// round is one run over one store.
type round struct {
	*testing.T
	kind
	store
	seed    uint64
	stream  uint64 // of random numbers: another one for each kind and layout
	dbs     []*sql.DB
	tables  []*table
	over    atomic.Bool // the definers have ended
	failed  atomic.Bool
	wrong   string
	unclean atomic.Bool // a change of a definition ended half-way: it may have left something behind
	began   time.Time
	mu      sync.Mutex
	log     []string
}

func newRound(t *testing.T, k kind, layout nearlyfree.Layout, seed, stream uint64) *round {
	r := &round{T: t, kind: k, seed: seed, stream: stream, began: time.Now()}
	r.store = newStore(t, r.random(99))
	r.config.Layout, r.config.SchemaLease = layout, *lease
	for range processes {
		c, err := nearlyfree.NewConnector(r.config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(c)
		t.Cleanup(func() { db.Close() })
		r.dbs = append(r.dbs, db)
	}
	h := &history{}
	columns := "v INT NOT NULL, w VARCHAR(20), x INT NOT NULL DEFAULT 5, KEY kept (w)"
	r.tables = []*table{{
		round: r, names: [2]string{"p", "p_"}, contents: newContents(h), gate: newGate(),
		sql: func() string { return "(id INT PRIMARY KEY, " + columns + ") " + k.by },
	}}
	if k.inside {
		parent := r.tables[0]
		with := map[bool]string{true: " WITH PARENT"}[k.withParent]
		parent.child = &table{
			round: r, names: [2]string{"c", "c_"}, contents: newContents(h), gate: newGate(), parent: parent,
			sql: func() string {
				p := parent.name()
				return "(id INT, k INT, " + columns + ", PRIMARY KEY (id, k), FOREIGN KEY (id) REFERENCES " + p + " (id) ON DELETE CASCADE) INTERLEAVE IN PARENT " + p + with
			},
		}
		r.tables = append(r.tables, parent.child)
	}
	return r
}

func (r *round) random(worker uint64) *rand.Rand {
	return rand.New(rand.NewPCG(r.seed, r.stream+worker))
}

// fail reports what must not be, with what happened before.
func (r *round) fail(format string, args ...any) {
	if !r.failed.CompareAndSwap(false, true) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.log[max(0, len(r.log)-1000):]
	r.wrong = fmt.Sprintf("seed %d: %s\nafter\n%s", r.seed, fmt.Sprintf(format, args...), strings.Join(last, "\n"))
}

// note keeps a line for fail.
func (r *round) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf("%8.1fms ", float64(time.Since(r.began).Microseconds())/1000)+fmt.Sprintf(format, args...))
}

func (r *round) run() {
	for _, t := range r.tables {
		if _, err := r.dbs[0].Exec(t.create()); err != nil {
			r.Fatal(err)
		}
	}
	if r.weather != nil && r.random(98).IntN(2) == 0 {
		r.weather.oneOf.Store(50)
	}
	var definers, others sync.WaitGroup
	for i, db := range r.dbs {
		if i > 0 { // the first process goes by what the others define
			definers.Go(func() { r.define(db, r.random(uint64(i))) })
		}
		others.Go(func() { r.work(&writer{db: db, round: r, random: r.random(uint64(10 + i)), number: i}) })
		others.Go(func() { r.work(&reader{db: db, round: r, random: r.random(uint64(20 + i)), number: i}) })
	}
	var longest time.Duration
	others.Go(func() { longest = r.pauses() })
	definers.Wait()
	r.over.Store(true)
	others.Wait()
	if r.weather != nil {
		r.weather.oneOf.Store(0)
	}
	r.conclude()
	switch {
	case r.wrong != "" && longest > *lease/2:
		r.Skipf("all stood still for %v, longer than a process may that trusts a definition for %v: %s", longest, *lease, r.wrong)
	case r.wrong != "":
		r.Error(r.wrong)
	}
}

// pauses gives how long the process stood still at a time.
func (r *round) pauses() (longest time.Duration) {
	const breath = 5 * time.Millisecond
	for !r.over.Load() {
		began := time.Now()
		time.Sleep(breath)
		longest = max(longest, time.Since(began)-breath)
	}
	return longest
}

// worker is a writer or a reader.
type worker interface{ step() }

// work goes on until the definers have ended. It leaves most of the machine to others.
func (r *round) work(w worker) {
	for !r.over.Load() && !r.failed.Load() {
		began := time.Now()
		w.step()
		time.Sleep(max(5*time.Millisecond, 4*time.Since(began)))
	}
}

// conclude reads everything once more, by each process and by one that knows nothing yet.
func (r *round) conclude() {
	for i, db := range r.dbs {
		last := &reader{db: db, round: r, random: r.random(50), number: i}
		for _, t := range r.tables {
			name, err := t.find(db)
			if err != nil {
				r.fail("%v", err)
			}
			t.second.Store(name == t.names[1])
			if name == "" {
				last.holds(t, query{text: "a table that is not there", keys: t.keys()}, t.contents.begin(), nil)
				continue
			}
			for i := range last.queries(t) {
				last.read(t, i)
			}
		}
		if err := nearlyfreetest.Check(db); err != nil {
			r.fail("%v", err)
		}
	}
	if !r.unclean.Load() {
		r.clean()
	}
}

// clean drops what is there: no entity of any table is left then, but those of the catalog. A physical table may be left,
// empty, that was made for a change which others came before.
func (r *round) clean() {
	for _, t := range slices.Backward(r.tables) {
		name, err := t.find(r.dbs[0])
		if err == nil && name != "" {
			_, err = r.dbs[0].Exec("DROP TABLE " + name)
		}
		if err != nil {
			r.fail("%v", err)
		}
	}
	if r.within == nil {
		return
	}
	tables, err := r.within.Tables(r.Context(), "", nil)
	if err != nil {
		r.Fatal(err)
	}
	for _, physical := range tables {
		if physical == keymap.CatalogTable("") {
			continue
		}
		err := engine.Each(r.Context(), r.within, engine.Scan{Table: physical, AllPartitions: true}, func(e *engine.Entity) error {
			r.fail("%s is left in partition %s of %s", e.RowKey, e.PartitionKey, physical)
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
	}
}
