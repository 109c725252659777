package sqlite

import (
	"context"
	databasesql "database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// registers is how many there are; the state of all of them is what a history is checked against.
const registers = 4

type state [registers]int

// step is what a transaction asks and does: it reads some registers, then writes one.
type step struct {
	reads []int
	write int // -1: none
	value int
	add   bool // the value is added, in one UPDATE
	one   bool // two reads are one SELECT
}

// model says that each transaction is as if it happened at one moment between its begin and the end of its commit.
var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, in, out any) (bool, any) {
		now, do := s.(state), in.(step)
		for i, r := range do.reads {
			if now[r] != out.([]int)[i] {
				return false, s
			}
		}
		switch {
		case do.write >= 0 && do.add:
			now[do.write] += do.value
		case do.write >= 0:
			now[do.write] = do.value
		}
		return true, now
	},
	Equal: func(a, b any) bool { return a.(state) == b.(state) },
	DescribeOperation: func(in, out any) string {
		return fmt.Sprintf("%+v: %v", in, out)
	},
}

// TestHistories: transactions above read committed and those that only read are strictly serializable, in memory, in a file and on an account.
// Single statements are so in memory and in a file.
func TestHistories(t *testing.T) {
	histories := 150
	if testing.Short() {
		histories = 20
	}
	dropped := 0
	defer func() {
		if dropped > histories/5 {
			t.Errorf("%d of %d histories have writes of unknown outcome", dropped, histories)
		}
	}()
	for n := range histories {
		config := &nearlyfree.Config{Store: "mem://"}
		switch n % 5 {
		case 0:
			config.Store = "file:" + filepath.Join(t.TempDir(), "store")
		case 1, 2:
			config = account(uint64(n))
		}
		history := record(t, config, uint64(n), databasesql.LevelSerializable)
		if history == nil {
			dropped++
		}
		switch result := porcupine.CheckOperationsTimeout(model, history, 30*time.Second); result {
		case porcupine.Illegal:
			_, info := porcupine.CheckOperationsVerbose(model, history, 30*time.Second)
			path := filepath.Join(os.TempDir(), fmt.Sprintf("history%d.html", n))
			if err := porcupine.VisualizePath(model, info, path); err != nil {
				t.Log(err)
			}
			t.Fatalf("history %d over %s is not serializable: see %s", n, config.Store, path)
		case porcupine.Unknown:
			t.Errorf("history %d was not decided", n)
		}
	}
}

// TestHistoriesOfDefault: what the default level lets happen is found, so the check can fail.
func TestHistoriesOfDefault(t *testing.T) {
	for n := range 200 {
		if porcupine.CheckOperations(model, record(t, &nearlyfree.Config{Store: "mem://"}, uint64(n), databasesql.LevelReadCommitted)) {
			continue
		}
		return
	}
	t.Error("200 histories of read committed are serializable")
}

// account gives the settings of a simulated account, which loses answers, gets requests twice, or refuses them, after the tables are made.
func account(seed uint64) *nearlyfree.Config {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(seed, 99))
	return &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport: &azuretest.Transport{Service: azuretest.NewService(embedded.OpenMemory(embedded.Options{})), Fault: func(n int, _ *http.Request) azuretest.Fault {
			mu.Lock()
			defer mu.Unlock()
			if n < 60 || seed%2 == 0 || rnd.IntN(50) > 0 {
				return azuretest.Fault{}
			}
			return []azuretest.Fault{{LoseAnswer: true}, {Twice: true}, {Status: http.StatusServiceUnavailable, Code: "ServerBusy"}}[rnd.IntN(3)]
		}}}
}

// record has several clients run transactions at a level, and gives those that were committed; nil where the
// outcome of one is not known.
func record(t *testing.T, config *nearlyfree.Config, seed uint64, level databasesql.IsolationLevel) (history []porcupine.Operation) {
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := databasesql.OpenDB(connector)
	defer db.Close()
	isMoment := config.Transport == nil // one statement shows one moment
	for _, s := range []string{"CREATE TABLE a (id INT PRIMARY KEY, v INT NOT NULL)", "CREATE TABLE b (id INT PRIMARY KEY, v INT NOT NULL)",
		"INSERT INTO a VALUES (0, 0), (1, 0)", "INSERT INTO b VALUES (2, 0), (3, 0)"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var unknown atomic.Bool
	for client := range 5 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(client)))
			for n := range 12 {
				do := step{write: rnd.IntN(registers+2) - 2, value: 1000*client + n + 1}
				do.write = max(do.write, -1)
				for range 1 + rnd.IntN(3) {
					do.reads = append(do.reads, rnd.IntN(registers))
				}
				if rnd.IntN(4) == 0 {
					do.reads, do.add = nil, true
				}
				do.one = isMoment && do.write < 0 && len(do.reads) == 2
				call := time.Since(began)
				out, err := runStep(t.Context(), db, level, do)
				if errors.Is(err, nearlyfree.ErrConflict) {
					continue // nothing of it stands
				}
				var e *nearlyfree.Error
				if errors.As(err, &e) && e.Applied == nearlyfree.AppliedUnknown {
					unknown.Store(true)
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: do, Output: out, Call: int64(call), Return: int64(time.Since(began))})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if unknown.Load() { // the model has no step that may have been
		return nil
	}
	return history
}

func tableOf(register int) string { return []string{"a", "a", "b", "b"}[register] }

func runStep(ctx context.Context, db *databasesql.DB, level databasesql.IsolationLevel, do step) (out []int, err error) {
	if do.add {
		if do.write >= 0 {
			_, err = db.ExecContext(ctx, "UPDATE "+tableOf(do.write)+" SET v = v + ? WHERE id = ?", do.value, do.write)
		}
		return nil, err
	}
	if do.one {
		out = make([]int, 2)
		return out, db.QueryRowContext(ctx, fmt.Sprintf("SELECT (SELECT v FROM %s WHERE id = ?), (SELECT v FROM %s WHERE id = ?)",
			tableOf(do.reads[0]), tableOf(do.reads[1])), do.reads[0], do.reads[1]).Scan(&out[0], &out[1])
	}
	tx, err := db.BeginTx(ctx, &databasesql.TxOptions{Isolation: level, ReadOnly: do.write < 0})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	for _, r := range do.reads {
		var v int
		query := "SELECT v FROM " + tableOf(r) + " WHERE id = ?"
		if do.value%3 == 0 { // by a range
			query = "SELECT SUM(v) FROM " + tableOf(r) + " WHERE id >= ? AND id < 1 + ?"
		}
		args := []any{r}
		if do.value%3 == 0 {
			args = append(args, r)
		}
		if err := tx.QueryRowContext(ctx, query, args...).Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if do.write >= 0 {
		if _, err := tx.ExecContext(ctx, "UPDATE "+tableOf(do.write)+" SET v = ? WHERE id = ?", do.value, do.write); err != nil {
			return nil, err
		}
	}
	return out, tx.Commit()
}
