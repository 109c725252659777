package sqlite

import (
	databasesql "database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// The speeds are the same work done by this driver and by SQLite, or, for what database/sql itself takes, by a driver that does
// nothing. Only what one run measures can be compared. BenchmarkSpeed does it for profiles:
//
//	go test -run '^$' -bench 'Speed/filtered' -cpuprofile cpu.out .
//
// and TestSpeeds prints a table of ratios, in some minutes if nothing else runs:
//
//	go test -run TestSpeeds -speeds -v .
var speeds = flag.Bool("speeds", false, "print the table of speeds")

// work is a line of the table.
type work struct {
	name, against string
	file          bool
	writers       int // at work at once; 0: one
	// begin prepares the work for a side, and gives what does it once.
	begin func(*side) (func() error, error)
	// ready is done before n times of the work, and not measured.
	ready func(s *side, n int) error
	// figure is what is compared, where that is not a time.
	figure func(s *side, dir string) (float64, error)
}

// whole reads one row whole.
func whole(row *databasesql.Row) error {
	var id, name, city string
	var n int64
	var x float64
	var created time.Time
	return row.Scan(&id, &name, &city, &n, &x, &created)
}

// queryOf is a prepared query whose rows are all read.
func queryOf(query string, width int, args func(*side) []any) func(*side) (func() error, error) {
	return func(s *side) (func() error, error) {
		stmt, err := s.db.Prepare(query)
		if err != nil {
			return nil, err
		}
		values, into := make([]any, width), make([]any, width)
		for i := range values {
			into[i] = &values[i]
		}
		return func() error {
			rows, err := stmt.Query(args(s)...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return err
				}
			}
			return rows.Err()
		}, nil
	}
}

// done is a prepared statement that gives no rows.
func done(query string, args func(*side) []any) func(*side) (func() error, error) {
	return func(s *side) (func() error, error) {
		stmt, err := s.db.Prepare(query)
		if err != nil {
			return nil, err
		}
		return func() error {
			r, err := stmt.Exec(args(s)...)
			if err != nil {
				return err
			}
			if n, _ := r.RowsAffected(); n == 0 {
				return fmt.Errorf("%s changed no row", query)
			}
			return nil
		}, nil
	}
}

func noArgs(*side) []any { return nil }

// prefix gives the bounds of names of which there are so many.
func prefix(beginning string, rows int) func(*side) []any {
	return func(s *side) []any {
		s.tick++
		from := s.tick * rows % (tableRows / 10 * 9)
		return []any{fmt.Sprintf("%s %05d", beginning, from), fmt.Sprintf("%s %05d", beginning, from+rows)}
	}
}

const pointRead = "SELECT id, name, city, n, x, created FROM t WHERE id = "

var pointPrepared = func(s *side) (func() error, error) {
	stmt, err := s.db.Prepare(pointRead + "?")
	return func() error { return whole(stmt.QueryRow(s.id())) }, err
}

// insertOne inserts row by row, from as many goroutines as call what it gives.
var insertOne = func(s *side) (func() error, error) {
	stmt, err := s.db.Prepare("INSERT INTO w VALUES (?, ?, ?, ?, ?, ?)")
	var mu sync.Mutex
	return func() error {
		mu.Lock()
		args := rowArgs(s.next)
		s.next++
		mu.Unlock()
		_, err := stmt.Exec(args...)
		return err
	}, err
}

var works = []work{
	{name: "point read, prepared", against: noDone, begin: pointPrepared},
	{name: "point read, prepared", against: lite, begin: pointPrepared},
	{name: "point read, the same text each time", against: lite, begin: func(s *side) (func() error, error) {
		return func() error { return whole(s.db.QueryRow(pointRead+"?", s.id())) }, nil
	}},
	{name: "point read, other literals each time", against: lite, begin: func(s *side) (func() error, error) {
		return func() error { return whole(s.db.QueryRow(pointRead + "'" + s.id() + "'")) }, nil
	}},
	{name: "100 of 100 k rows by an index", against: lite,
		begin: queryOf("SELECT id, name, city, n, x, created FROM t WHERE name >= ? AND name < ?", 6, prefix("name", 100))},
	{name: "ten of them in order", against: lite,
		begin: queryOf("SELECT id, name, city, n, x, created FROM t WHERE name >= ? AND name < ? ORDER BY name LIMIT 10", 6, prefix("name", 100))},
	{name: "filtered scan, 1 % of 100 k rows", against: lite, begin: queryOf("SELECT id, name, x FROM t WHERE n = ?", 3,
		func(s *side) []any { s.tick++; return []any{s.tick % 100} })},
	{name: "COUNT, SUM, AVG of 100 k rows", against: lite, begin: queryOf("SELECT COUNT(*), SUM(n), AVG(x) FROM t", 3, noArgs)},
	{name: "GROUP BY of 100 k rows", against: lite, begin: queryOf("SELECT n, COUNT(*), SUM(x) FROM t GROUP BY n", 3, noArgs)},
	{name: "join of 100 with 100 k rows by an index", against: lite,
		begin: queryOf("SELECT c.surname, o.id, o.total FROM c JOIN o ON o.customer = c.id WHERE c.surname >= ? AND c.surname < ?", 3,
			func(s *side) []any { return prefix("surname", 100)(&side{tick: s.tick % 50}) })},
	{name: "UPDATE by id, a plain column", against: lite, begin: done("UPDATE w SET x = ? WHERE id = ?",
		func(s *side) []any { id := s.id(); return []any{float64(s.tick) + 0.75, id} })},
	{name: "UPDATE by id, an indexed column", against: lite, begin: done("UPDATE w SET n = ? WHERE id = ?",
		func(s *side) []any { id := s.id(); return []any{s.tick, id} })},
	{name: "DELETE by id", against: lite, begin: done("DELETE FROM w WHERE id = ?", func(s *side) []any { s.tick++; return []any{idOf(s.tick)} }),
		ready: func(s *side, n int) error {
			s.next, s.tick = s.next+n, s.next-1
			return s.load("w", s.next-n, s.next, rowText)
		}},
	{name: "INSERT, two indexes", against: lite, begin: insertOne},
	{name: "INSERT of 100 rows, two indexes", against: lite, begin: func(s *side) (func() error, error) {
		return func() error {
			s.next += 100
			_, err := s.db.Exec(insertOf("w", s.next-100, s.next, rowText))
			return err
		}, nil
	}},
	{name: "durable INSERT, two indexes, one writer", against: lite, file: true, begin: insertOne},
	{name: "durable INSERT, two indexes, 16 writers", against: lite, file: true, begin: insertOne, writers: 16},
	{name: "point read from the file", against: lite, file: true, begin: pointPrepared},
	{name: "open, create a table, first query", against: lite, file: true, figure: firstQuery},
	{name: "bytes of file for a row with two indexes", against: lite, file: true, figure: bytesOfRow},
	{name: "load of 100 k rows into a file", against: lite, file: true, figure: loadFile},
}

// firstQuery is the time until a new file has given its first row.
func firstQuery(s *side, dir string) (float64, error) {
	s.tick++
	began := time.Now()
	n, err := openSide(s.name, filepath.Join(dir, fmt.Sprint("new", s.tick)))
	if err != nil {
		return 0, err
	}
	defer n.db.Close()
	if _, err := n.db.Exec("CREATE TABLE t " + columns); err != nil {
		return 0, err
	}
	var rows int
	err = n.db.QueryRow("SELECT COUNT(*) FROM t").Scan(&rows)
	return time.Since(began).Seconds(), err
}

// loadFile is the time that rows take into a new file, by statements of 1,000; SQLite's are one transaction.
func loadFile(s *side, dir string) (float64, error) {
	n, err := loaded(s, dir, "load", tableRows)
	if err != nil {
		return 0, err
	}
	defer n.db.Close()
	return n.took.Seconds(), nil
}

// bytesOfRow is what a new file of rows takes on disk.
func bytesOfRow(s *side, dir string) (float64, error) {
	n, err := loaded(s, dir, "size", tableRows)
	if err != nil {
		return 0, err
	}
	if err := n.db.Close(); err != nil {
		return 0, err
	}
	return n.bytes(), nil
}

type loading struct {
	*side
	took time.Duration
}

func loaded(s *side, dir, name string, rows int) (loading, error) {
	s.tick++
	n, err := openSide(s.name, filepath.Join(dir, fmt.Sprint(name, s.tick)))
	if err != nil {
		return loading{}, err
	}
	for _, q := range []string{"CREATE TABLE w " + columns, "CREATE INDEX w_name ON w (name)", "CREATE INDEX w_n ON w (n)"} {
		if _, err := n.db.Exec(q); err != nil {
			return loading{}, err
		}
	}
	began := time.Now()
	err = n.transact(func() error { return n.load("w", 0, rows, rowText) })
	return loading{n, time.Since(began)}, err
}

// repeat does something n times, by so many goroutines.
func repeat(n, writers int, do func() error) error {
	if writers == 0 {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make(chan error, writers)
	for w := range writers {
		go func() { errs <- repeat((n+w)/writers, 0, do) }()
	}
	var first error
	for range writers {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}

// turn does the work n times, and gives the time of one.
func (w *work) turn(s *side, n int, do func() error) (time.Duration, error) {
	if w.ready != nil {
		if err := w.ready(s, n); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	err := repeat(n, w.writers, do)
	return time.Since(began) / time.Duration(n), err
}

func BenchmarkSpeed(b *testing.B) {
	stores := map[bool]map[string]*side{}
	for i := range works {
		w := &works[i]
		if w.figure != nil {
			continue
		}
		for _, name := range []string{us, w.against} {
			b.Run(w.name+"/"+name, func(b *testing.B) {
				if stores[w.file] == nil {
					stores[w.file] = map[string]*side{}
				}
				if stores[w.file][name] == nil {
					stores[w.file][name] = sides(outlives{b}, w.file, name)[name]
				}
				s := stores[w.file][name]
				do, err := w.begin(s)
				if err == nil && w.ready != nil {
					err = w.ready(s, b.N)
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				b.ResetTimer()
				if err := repeat(b.N, w.writers, do); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// outlives keeps what a benchmark opens for those behind it.
type outlives struct{ *testing.B }

func (outlives) Cleanup(func()) {}

func (o outlives) TempDir() string {
	dir, err := os.MkdirTemp("", "speed")
	if err != nil {
		o.Fatal(err)
	}
	return dir
}

// The time of a turn, about, and how many each side takes.
const (
	turnTime = 50 * time.Millisecond
	turns    = 7
)

// TestSpeeds prints the ratios of medians: the sides take turns at each work.
func TestSpeeds(t *testing.T) {
	if !*speeds {
		t.Skip("only with -speeds")
	}
	memory, file := sides(t, false, us, lite, noDone), sides(t, true, us, lite)
	fmt.Println("| work | against | ratio | here |\n|---|---|---|---|")
	for i := range works {
		w := &works[i]
		stores := memory
		if w.file {
			stores = file
		}
		ours, theirs, unit := w.compare(t, stores[us], stores[w.against])
		fmt.Printf("| %s | %s | %.2f | %s |\n", w.name, map[string]string{lite: "SQLite", noDone: "a driver that does nothing"}[w.against], ours/theirs, unit(ours))
	}
}

// compare gives the medians of both sides, and how they are written.
func (w *work) compare(t *testing.T, ours, theirs *side) (a, b float64, unit func(float64) string) {
	dir := t.TempDir()
	both := [2]*side{ours, theirs}
	var figures [2][]float64
	unit = func(seconds float64) string {
		return time.Duration(seconds * float64(time.Second)).Round(10 * time.Nanosecond).String()
	}
	measure := w.timed(t, both)
	rounds := turns
	runtime.GC()
	if w.figure != nil {
		rounds = 3
		measure = func(side int) (float64, error) {
			sub, err := os.MkdirTemp(dir, "")
			if err != nil {
				return 0, err
			}
			return w.figure(both[side], sub)
		}
	}
	for range rounds {
		for side := range both {
			f, err := measure(side)
			if err != nil {
				t.Fatalf("%s, %s: %v", w.name, both[side].name, err)
			}
			figures[side] = append(figures[side], f)
		}
	}
	for side := range figures {
		slices.Sort(figures[side])
	}
	if w.name == "bytes of file for a row with two indexes" {
		unit = func(bytes float64) string { return fmt.Sprintf("%.0f", bytes/tableRows) }
	}
	return figures[0][rounds/2], figures[1][rounds/2], unit
}

// timed gives what measures one turn of a side. A turn is as many times of the work for both.
func (w *work) timed(t *testing.T, both [2]*side) func(side int) (float64, error) {
	if w.figure != nil {
		return nil
	}
	var do [2]func() error
	var slowest time.Duration
	for i, s := range both {
		var err error
		if do[i], err = w.begin(s); err != nil {
			t.Fatalf("%s, %s: %v", w.name, s.name, err)
		}
		took, err := w.turn(s, max(1, w.writers), do[i])
		for n := max(1, w.writers); err == nil && took*time.Duration(n) < turnTime/4; {
			n *= 4
			took, err = w.turn(s, n, do[i])
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", w.name, s.name, err)
		}
		slowest = max(slowest, took)
	}
	n := max(1, w.writers, int(turnTime/slowest))
	return func(side int) (float64, error) {
		took, err := w.turn(both[side], n, do[side])
		return took.Seconds(), err
	}
}
