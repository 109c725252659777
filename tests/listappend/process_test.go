package listappend

import (
	"database/sql"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// process is a program with a database of its own, on a store that it may share with others.
type process struct {
	db   *sql.DB
	dead atomic.Bool
}

func open(t *testing.T, config *nearlyfree.Config) *process {
	p := &process{}
	p.open(t, config)
	return p
}

func (p *process) open(t *testing.T, config *nearlyfree.Config) {
	t.Helper()
	c, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	p.db = sql.OpenDB(c)
	t.Cleanup(func() { p.db.Close() })
}

type store struct {
	name  string
	part  int // of the histories: 1 is all of them, 4 a quarter
	start func(t *testing.T, rnd *rand.Rand, wrong *atomic.Int64) []*process
}

// stores are the kinds of stores, each with a function that starts some processes on an empty one. The first process makes the tables and reads
// the lists in the end, and nothing ever goes wrong with its requests.
var stores = []store{
	{"memory", 1, startInMemory},
	{"file", 4, func(t *testing.T, rnd *rand.Rand, _ *atomic.Int64) []*process {
		p := open(t, &nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data"), Layout: layout(rnd)})
		return []*process{p, p, p}
	}},
	{"service", 1, startOverService},
}

func startInMemory(t *testing.T, rnd *rand.Rand, _ *atomic.Int64) []*process {
	p := open(t, &nearlyfree.Config{Store: "mem://", Layout: layout(rnd)})
	return []*process{p, p, p}
}

func layout(rnd *rand.Rand) nearlyfree.Layout {
	return []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle}[rnd.IntN(2)]
}

// startOverService starts processes over one simulated account.
func startOverService(t *testing.T, rnd *rand.Rand, wrong *atomic.Int64) []*process {
	memory := embedded.OpenMemory(embedded.Options{})
	t.Cleanup(func() { memory.Close() })
	service := azuretest.NewService(memory)
	service.PageEntities, service.EmptyPages, service.NoBatchETags = []int{0, 2, 7}[rnd.IntN(3)], rnd.IntN(2) == 0, rnd.IntN(2) == 0
	config := nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, Layout: layout(rnd), SchemaLease: time.Second}
	return startWrong(t, rnd, func(fault func() azuretest.Fault) *nearlyfree.Config {
		own := config
		own.Transport = &azuretest.Transport{Service: service, Fault: func(int, *http.Request) azuretest.Fault { return fault() }}
		return &own
	}, wrong)
}

// startWrong starts processes whose requests go wrong: of each fourth history nothing does, of each second one of the processes dies. It counts
// what goes wrong.
func startWrong(t *testing.T, rnd *rand.Rand, config func(fault func() azuretest.Fault) *nearlyfree.Config, wrong *atomic.Int64) []*process {
	percent := rnd.IntN(4) * 6
	var all []*process
	for n := range 4 {
		p := &process{}
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(rnd.Uint64(), 4))
		p.open(t, config(func() azuretest.Fault {
			mu.Lock()
			defer mu.Unlock()
			delay := time.Duration(1000+random.IntN(4000)) * time.Microsecond
			switch {
			case p.dead.Load():
				return azuretest.Fault{Delay: delay, Refuse: true}
			case n == 0 || random.IntN(100) >= percent:
				return azuretest.Fault{Delay: delay}
			}
			wrong.Add(1)
			f := []azuretest.Fault{{Lose: true}, {LoseAnswer: true}, {Late: 1 + random.IntN(6)}, {Twice: true}, {Twice: true, LoseAnswer: true},
				{Status: http.StatusServiceUnavailable, Code: "ServerBusy"}}[random.IntN(6)]
			f.Delay = delay
			return f
		}))
		all = append(all, p)
	}
	if rnd.IntN(2) == 0 {
		time.AfterFunc(time.Duration(rnd.IntN(300))*time.Millisecond, func() { all[1].dead.Store(true) })
	}
	return all
}
