package tests

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// FuzzStatement: no statement takes more than 256 MB or goes on for long after its deadline, whatever it says.
func FuzzStatement(f *testing.F) {
	for _, s := range []string{
		"WITH a AS (SELECT n FROM t) SELECT a.n, COUNT(DISTINCT s) OVER () FROM a JOIN t USING (n) GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 3, 4",
		"INSERT INTO u VALUES (NULL, 'x'), (3, CONCAT('a', 5)) ON DUPLICATE KEY UPDATE s = VALUES(s)", "UPDATE t SET s = LPAD(s, 9, 'é') WHERE n BETWEEN 2 AND 5",
		"SELECT JSON_SET('{\"a\": [1, 2]}', '$.a[last]', JSON_ARRAY(1, NULL)), '2024-01-31' + INTERVAL 1 MONTH, CAST(-1.5 AS UNSIGNED), 0xFF & b'101'",
		"SELECT * FROM t WHERE s LIKE 'x%' AND n IN (1, 2, 3) OR NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.n) UNION ALL SELECT id, s FROM u",
		"CREATE TABLE x (a INT, b ENUM('q', 'r'), PRIMARY KEY (a, b), KEY (b DESC)) PARTITION BY HASH (a) PARTITIONS 4", "DROP TABLE IF EXISTS x",
	} {
		f.Add(s)
	}
	for _, s := range greedy() {
		f.Add(s)
	}
	run := bounded(f)
	f.Fuzz(func(t *testing.T, statement string) {
		if up := strings.ToUpper(statement); strings.Contains(up, "SLEEP") || strings.Contains(up, "BENCHMARK") || strings.Contains(up, "GET_LOCK") {
			return // they take as long as they are told to
		}
		_ = run(t, statement)
	})
}

// FuzzCalls: the same of statements that have a meaning, made of every function there is and of arguments that make much of
// little. Octets that are changed at random seldom make such a statement.
func FuzzCalls(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(randomOctets(seed))
	}
	run := bounded(f)
	f.Fuzz(func(t *testing.T, octets []byte) {
		w := wild{octets: octets}
		_ = run(t, w.statement())
	})
}

func randomOctets(seed uint64) []byte {
	r, octets := rand.New(rand.NewPCG(seed, 7)), make([]byte, 60)
	for i := range octets {
		octets[i] = byte(r.Uint32())
	}
	return octets
}

// TestWild: a good part of the statements of FuzzCalls do something, and all are bounded.
func TestWild(t *testing.T) {
	run := bounded(t)
	done := 0
	for seed := range uint64(testrun.Few(400)) {
		w := wild{octets: randomOctets(seed)}
		if run(t, w.statement()) == nil {
			done++
		}
	}
	if done < testrun.Few(400)/4 {
		t.Errorf("only %d were done", done)
	}
}

// bounded gives what runs a statement, for 2 s at most, and holds it to 256 MB and, when it fuzzes, to 5 s: go test takes an input
// of more than 10 s for a process that hangs. The seeds, which run beside all other tests, have 30 s: a busy machine makes much of
// little. The environment's NEARLYFREE_WORST names a file for the worst statements so far.
func bounded(f testing.TB) func(*testing.T, string) error {
	const most, patience = 256 << 20, 2 * time.Second
	longest := 30 * time.Second
	if flag.Lookup("test.fuzz").Value.String() != "" {
		longest = 5 * time.Second
	}
	db := nearlyfreetest.OpenConfig(f, &nearlyfree.Config{Store: "mem://", MaxMemory: 20 << 20})
	limit := debug.SetMemoryLimit(128 << 20) // so that what is garbage goes soon
	runtime.GC()                             // what other tests have left
	ended := make(chan struct{})
	f.Cleanup(func() {
		close(ended)
		debug.SetMemoryLimit(limit)
	})
	for _, s := range []string{"CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(10))", "CREATE TABLE u (id INT AUTO_INCREMENT PRIMARY KEY, s TEXT)"} {
		if _, err := db.Exec(s); err != nil {
			f.Fatal(err)
		}
	}
	for i := range 100 {
		if _, err := db.Exec("INSERT INTO t VALUES (?, 'x')", i); err != nil {
			f.Fatal(err)
		}
	}
	var peak atomic.Uint64
	held := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		peak.Store(max(peak.Load(), stats.HeapAlloc))
		return stats.HeapAlloc
	}
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
				held()
			}
		}
	}()
	var worstTook time.Duration
	var worstGrown uint64
	return func(t *testing.T, statement string) error {
		peak.Store(0)
		before := held()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		start := time.Now()
		err := drain(ctx, db, statement)
		took := time.Since(start)
		held()
		grown := peak.Load() - before
		if took > longest {
			t.Errorf("it took %v: %s", took, statement)
		}
		if peak.Load() > most {
			t.Errorf("it took %d MB: %s", peak.Load()>>20, statement)
		}
		if path := os.Getenv("NEARLYFREE_WORST"); path != "" && (took > worstTook || grown > worstGrown) {
			worstTook, worstGrown = max(took, worstTook), max(grown, worstGrown)
			if file, failed := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); failed == nil {
				fmt.Fprintf(file, "%.1f MB more, %.1f MB in all, %v: %q: %.100v\n", float64(grown)/(1<<20), float64(peak.Load())/(1<<20), took, statement, err)
				file.Close()
			}
		}
		_ = drain(t.Context(), db, "TRUNCATE TABLE u")
		return err
	}
}
