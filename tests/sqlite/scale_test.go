package sqlite

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
)

// TestScale prints how the processor time that a statement takes grows with its table, in a file, and how that compares with SQLite: tables
// of 10³ rows to 10 to the power of -scale-to. What the disk takes, where a file is not in memory, is not in it.
//
//	go test -run TestScale -scale-to 7 -v -timeout 2h .
//
// takes some ten minutes and 4 GB of disk; 6 takes one.
var growTo = flag.Int("scale-to", 0, "print how speeds grow up to tables of 10 to this power of rows")

const scaleColumns = "(id BIGINT PRIMARY KEY, name VARCHAR(60), n BIGINT, x DOUBLE)"

func scaleRow(i int) string {
	return fmt.Sprintf("(%d, 'name %09d of somebody', %d, %d.5)", i, i, i%1000, i%5000)
}

// scaled is a side with a table that grows.
type scaled struct {
	*side
	rows   int
	random *rand.Rand
}

// grow makes the table as long as said, and gives the time of one more row. SQLite's are one transaction.
func (s *scaled) grow(rows int) (time.Duration, error) {
	began, more := processorTime(), rows-s.rows
	if err := s.transact(func() error { return s.load("t", s.rows, rows, scaleRow) }); err != nil {
		return 0, err
	}
	s.rows = rows
	return (processorTime() - began) / time.Duration(more), nil
}

// transact does something in one transaction of SQLite.
func (s *side) transact(do func() error) error {
	if s.name != lite {
		return do()
	}
	if _, err := s.db.Exec("BEGIN"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	_, err := s.db.Exec("COMMIT")
	return err
}

// growth is what is measured at each length of the table: it gives the time of one.
type growth struct {
	name    string
	measure func(s *scaled) (time.Duration, error)
}

var growths = []growth{
	{"point read", (&ranged{query: "SELECT id, name, n, x FROM t WHERE id = ?", times: 1000, args: func(s *scaled) []any { return []any{s.random.IntN(s.rows)} }}).measure},
	{"100 by an index", (&ranged{query: "SELECT id, name, n, x FROM t WHERE name >= ? AND name < ?", times: 50, args: func(s *scaled) []any {
		from := s.random.IntN(s.rows - 100)
		return []any{fmt.Sprintf("name %09d", from), fmt.Sprintf("name %09d", from+100)}
	}}).measure},
	{"ten in order", (&ranged{query: "SELECT id, name, n, x FROM t WHERE name >= ? ORDER BY name LIMIT 10", times: 200, args: func(s *scaled) []any {
		return []any{fmt.Sprintf("name %09d", s.random.IntN(s.rows-10))}
	}}).measure},
}

// ranged is a prepared query of some rows, other ones each time.
type ranged struct {
	query string
	times int
	args  func(*scaled) []any
}

// measure gives the median of turns.
func (r *ranged) measure(s *scaled) (time.Duration, error) {
	do, err := queryOf(r.query, 4, func(*side) []any { return r.args(s) })(s.side)
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, turns)
	for i := range took {
		began := processorTime()
		if err := repeat(r.times, 0, do); err != nil {
			return 0, err
		}
		took[i] = (processorTime() - began) / time.Duration(r.times)
	}
	slices.Sort(took)
	return took[turns/2], nil
}

// scan reads all rows, and gives the time of one, and the most octets that were in use more than before.
func (s *scaled) scan() (time.Duration, int64, error) {
	runtime.GC()
	before := heap()
	most, began, n := before, processorTime(), 0
	rows, err := s.db.Query("SELECT id, n, x FROM t")
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	var id, number int64
	var x float64
	for ; rows.Next(); n++ {
		if err := rows.Scan(&id, &number, &x); err != nil {
			return 0, 0, err
		}
		if n%(s.rows/10) == 0 {
			paused := processorTime()
			runtime.GC()
			most = max(most, heap())
			began += processorTime() - paused
		}
	}
	if n != s.rows {
		return 0, 0, fmt.Errorf("%d rows of %d, %w", n, s.rows, rows.Err())
	}
	return (processorTime() - began) / time.Duration(n), most - before, rows.Err()
}

// heap is how many octets its objects take.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

func TestScale(t *testing.T) {
	if *growTo == 0 {
		t.Skip("only with -scale")
	}
	both := [2]*scaled{}
	for i, name := range []string{us, lite} {
		s, err := openSide(name, filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.db.Close() })
		for _, q := range []string{"CREATE TABLE t " + scaleColumns, "CREATE INDEX t_name ON t (name)"} {
			if _, err := s.db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		both[i] = &scaled{side: s, random: rand.New(rand.NewPCG(5, 6))}
	}
	fmt.Println("| rows | a row more | SQLite | point read | SQLite | 100 by an index | SQLite | ten in order | SQLite | scan, a row | SQLite | heap of the scan |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for power, rows := 3, 1000; power <= *growTo; power, rows = power+1, rows*10 {
		var line [2][]string
		var most [2]int64
		for i, s := range both {
			note := func(what string, took time.Duration, err error) {
				if err != nil {
					t.Fatalf("%s, %s of %d rows: %v", s.name, what, rows, err)
				}
				line[i] = append(line[i], took.Round(10*time.Nanosecond).String())
			}
			took, err := s.grow(rows)
			note("load", took, err)
			for _, g := range growths {
				took, err := g.measure(s)
				note(g.name, took, err)
			}
			took, most[i], err = s.scan()
			note("scan", took, err)
		}
		fmt.Printf("| 10^%d |", power)
		for i := range line[0] {
			fmt.Printf(" %s | %s |", line[0][i], line[1][i])
		}
		fmt.Printf(" %.1f MB |\n", float64(most[0])/1e6)
	}
}

// TestLoad prints what a load of -load rows into the table of speeds takes beside SQLite, by statements of 1,000. A million rows
// take a minute or two.
//
//	go test -run TestLoad -load 1000000 -v -timeout 1h .
var loadRows = flag.Int("load", 0, "print how long the load of so many rows takes")

func TestLoad(t *testing.T) {
	if *loadRows == 0 {
		t.Skip("only with -load")
	}
	var took [2]time.Duration
	for i, name := range []string{us, lite} {
		n, err := loaded(&side{name: name}, t.TempDir(), "load", *loadRows)
		if err != nil {
			t.Fatal(err)
		}
		n.db.Close()
		took[i] = n.took
	}
	fmt.Printf("| load of %d rows into a file | SQLite | %.2f | %s |\n", *loadRows, took[0].Seconds()/took[1].Seconds(), took[0].Round(time.Millisecond))
}
