package sqlite

import (
	databasesql "database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tableRows is how many rows the tables of the speeds have.
const tableRows = 100_000

// side is one of those that are compared, on tables of 100,000 rows of six columns in memory, or in a file.
type side struct {
	name string
	file string
	db   *databasesql.DB
	next int // of the ids that are not used yet
	tick int // counts what was done, so that each time is another row's turn
}

// names of the sides.
const (
	us     = "nearlyfree"
	lite   = "sqlite"
	noDone = "nothing"
)

// openSide opens an empty store, in memory where file is "". SQLite is made as durable as we are, or as careless.
func openSide(name, file string) (*side, error) {
	dsn := map[string]string{us: "mem://", lite: "file::memory:", noDone: "x"}[name]
	if file != "" {
		dsn = map[string]string{us: "file:" + file, lite: "file:" + file + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)"}[name]
	}
	db, err := databasesql.Open(name, dsn)
	if err != nil {
		return nil, err
	}
	if name == lite {
		db.SetMaxOpenConns(1)
	}
	return &side{name: name, file: file, db: db}, nil
}

// sides opens those that are to be compared, with their tables.
func sides(tb testing.TB, file bool, names ...string) map[string]*side {
	tb.Helper()
	all := map[string]*side{}
	for _, name := range names {
		path := ""
		if file {
			path = filepath.Join(tb.TempDir(), name)
		}
		s, err := openSide(name, path)
		if err == nil && name != noDone {
			err = s.fill()
		}
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		tb.Cleanup(func() { s.db.Close() })
		all[name] = s
	}
	return all
}

const columns = "(id VARCHAR(40) PRIMARY KEY, name VARCHAR(60), city VARCHAR(60), n BIGINT, x DOUBLE, created DATETIME)"

// definitions are of the tables: t is read, w is written and has a second index, c and o are joined.
var definitions = []string{
	"CREATE TABLE t " + columns, "CREATE INDEX t_name ON t (name)",
	"CREATE TABLE w " + columns, "CREATE INDEX w_name ON w (name)", "CREATE INDEX w_n ON w (n)",
	"CREATE TABLE c (id BIGINT PRIMARY KEY, surname VARCHAR(60))", "CREATE INDEX c_surname ON c (surname)",
	"CREATE TABLE o (id BIGINT PRIMARY KEY, customer BIGINT, total DOUBLE)", "CREATE INDEX o_customer ON o (customer)",
}

func (s *side) fill() error {
	for _, q := range definitions {
		if _, err := s.db.Exec(q); err != nil {
			return err
		}
	}
	for _, table := range []string{"t", "w"} {
		if err := s.load(table, 0, tableRows, rowText); err != nil {
			return err
		}
	}
	s.next = tableRows
	if s.file != "" {
		return nil
	}
	err := s.load("c", 0, tableRows/10, func(i int) string { return fmt.Sprintf("(%d, 'surname %05d')", i, scattered(i, tableRows/10)) })
	if err != nil {
		return err
	}
	return s.load("o", 0, tableRows, func(i int) string { return fmt.Sprintf("(%d, %d, %d.25)", i, scattered(i, tableRows/10), i%1000) })
}

// load inserts rows from to to-1 by statements of 1,000.
func (s *side) load(table string, from, to int, row func(int) string) error {
	for i := from; i < to; i += 1000 {
		if _, err := s.db.Exec(insertOf(table, i, min(i+1000, to), row)); err != nil {
			return err
		}
	}
	return nil
}

func insertOf(table string, from, to int, row func(int) string) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table + " VALUES ")
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(", ")
		}
		b.WriteString(row(i))
	}
	return b.String()
}

// scattered moves the numbers below n about: neighbours come far from each other.
func scattered(i, n int) int { return int(int64(i) * 7919 % int64(n)) }

// idOf is the id of row i, as random as a UUID.
func idOf(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}

var born = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func nameOf(i int) string { return fmt.Sprintf("name %05d of somebody", scattered(i, tableRows)) }
func cityOf(i int) string { return fmt.Sprintf("city %04d, somewhere far away", i%1000) }

// rowText is row i as SQL text.
func rowText(i int) string {
	return fmt.Sprintf("('%s', '%s', '%s', %d, %d.5, '%s')", idOf(i), nameOf(i), cityOf(i), i%100, i%5000,
		born.Add(time.Duration(i)*time.Minute).Format("2006-01-02 15:04:05"))
}

// rowArgs is row i as arguments.
func rowArgs(i int) []any {
	return []any{idOf(i), nameOf(i), cityOf(i), i % 100, float64(i%5000) + 0.5, born.Add(time.Duration(i) * time.Minute).Format("2006-01-02 15:04:05")}
}

// ids are those of the tables in random order.
var ids = func() []string {
	all := make([]string, tableRows)
	for i, to := range rand.New(rand.NewPCG(1, 2)).Perm(tableRows) {
		all[to] = idOf(i)
	}
	return all
}()

// id is the id of another row each time.
func (s *side) id() string {
	s.tick++
	return ids[s.tick%tableRows]
}

// bytes is how much the store's files hold.
func (s *side) bytes() (n float64) {
	files, _ := filepath.Glob(s.file + "*")
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += float64(info.Size())
		}
	}
	return n
}
