package sqlite

import (
	"context"
	databasesql "database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"
)

// The benchmarks run the same work side by side on this driver, on SQLite and, for what database/sql itself costs,
// on a driver that does nothing. Compare within one run:
//
//	go test -run '^$' -bench . -count 5 .

// nothing is a driver that does nothing: each query gives one row of three columns.
type nothing struct{}

type nothingRows struct{ done bool }

func (nothing) Open(string) (driver.Conn, error)           { return nothing{}, nil }
func (nothing) Prepare(string) (driver.Stmt, error)        { return nothing{}, nil }
func (nothing) Close() error                               { return nil }
func (nothing) Begin() (driver.Tx, error)                  { return nil, driver.ErrSkip }
func (nothing) NumInput() int                              { return -1 }
func (nothing) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (nothing) Query([]driver.Value) (driver.Rows, error)  { return &nothingRows{}, nil }
func (nothing) CheckNamedValue(*driver.NamedValue) error   { return nil }
func (nothing) QueryContext(context.Context, []driver.NamedValue) (driver.Rows, error) {
	return &nothingRows{}, nil
}
func (nothing) ExecContext(context.Context, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

var nothingColumns = []string{"id", "name", "n"}

func (*nothingRows) Columns() []string { return nothingColumns }
func (*nothingRows) Close() error      { return nil }
func (r *nothingRows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	dest[0], dest[1], dest[2] = int64(7), "name 7", int64(700)
	return nil
}

var register sync.Once

// rivals are what the work is done on. pragma makes SQLite as durable, or as careless, as the other.
func rivals(b *testing.B, file bool) map[string]*databasesql.DB {
	b.Helper()
	register.Do(func() { databasesql.Register("nothing", nothing{}) })
	ours, lite := "mem://", "file::memory:"
	if file {
		dir := b.TempDir()
		ours = "file:" + filepath.Join(dir, "ours")
		lite = "file:" + filepath.Join(dir, "lite") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)"
	}
	all := map[string]*databasesql.DB{}
	for name, dsn := range map[string]string{"nearlyfree": ours, "sqlite": lite, "nothing": "x"} {
		db, err := databasesql.Open(name, dsn)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		if name == "sqlite" {
			db.SetMaxOpenConns(1)
		}
		all[name] = db
	}
	return all
}

// order is the order in which rivals take turns.
var order = []string{"nothing", "nearlyfree", "sqlite"}

func each(b *testing.B, all map[string]*databasesql.DB, do func(b *testing.B, db *databasesql.DB)) {
	for _, name := range order {
		if db := all[name]; db != nil {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				do(b, db)
			})
		}
	}
}

const benchRows = 1000

func fill(b *testing.B, db *databasesql.DB, rows int, ddl ...string) {
	b.Helper()
	for _, s := range ddl {
		if _, err := db.Exec(s); err != nil {
			b.Fatal(err)
		}
	}
	tx, err := db.Begin()
	var run interface {
		Exec(string, ...any) (databasesql.Result, error)
	} = db
	if err == nil && db.Driver() != nil && fmt.Sprintf("%T", db.Driver()) != "nearlyfree.Driver" {
		run = tx
		defer tx.Commit()
	} else if err == nil {
		tx.Rollback()
	}
	for i := 0; i < rows; i += 100 {
		q := "INSERT INTO t VALUES "
		for j := i; j < i+100; j++ {
			if j > i {
				q += ", "
			}
			q += fmt.Sprintf("(%d, 'name %05d', %d)", j, j*7919%rows, j%97)
		}
		if _, err := run.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPointReadPrepared(b *testing.B) {
	all := rivals(b, false)
	for _, name := range []string{"nearlyfree", "sqlite"} {
		fill(b, all[name], benchRows, "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(40), n BIGINT)")
	}
	each(b, all, func(b *testing.B, db *databasesql.DB) {
		s, err := db.Prepare("SELECT id, name, n FROM t WHERE id = ?")
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		for i := 0; b.Loop(); i++ {
			var id, n int64
			var name string
			if err := s.QueryRow(int64(i%benchRows)).Scan(&id, &name, &n); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPointReadText(b *testing.B) {
	all := rivals(b, false)
	delete(all, "nothing")
	for _, db := range all {
		fill(b, db, benchRows, "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(40), n BIGINT)")
	}
	each(b, all, func(b *testing.B, db *databasesql.DB) {
		for i := 0; b.Loop(); i++ {
			var id, n int64
			var name string
			if err := db.QueryRow("SELECT id, name, n FROM t WHERE id = ?", int64(i%benchRows)).Scan(&id, &name, &n); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkInsertTwoIndexes(b *testing.B) {
	all := rivals(b, false)
	delete(all, "nothing")
	next := 0
	for _, db := range all {
		fill(b, db, 0, "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(40), n BIGINT)", "CREATE INDEX a ON t (name)", "CREATE INDEX c ON t (n)")
	}
	each(b, all, func(b *testing.B, db *databasesql.DB) {
		for b.Loop() {
			next++
			if _, err := db.Exec("INSERT INTO t VALUES (?, ?, ?)", next, fmt.Sprintf("name %d", next*7919%100000), next%97); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchQuery(b *testing.B, rows int, query string, args []any, ddl ...string) {
	all := rivals(b, false)
	delete(all, "nothing")
	for _, db := range all {
		fill(b, db, rows, ddl...)
	}
	each(b, all, func(b *testing.B, db *databasesql.DB) {
		s, err := db.Prepare(query)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		for b.Loop() {
			rows, err := s.Query(args...)
			if err != nil {
				b.Fatal(err)
			}
			var x, y, z any
			for rows.Next() {
				if err := rows.Scan(&x, &y, &z); err != nil {
					b.Fatal(err)
				}
			}
			if err := rows.Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

const (
	benchTable = "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(40), n BIGINT)"
	benchIndex = "CREATE INDEX a ON t (name)"
)

func BenchmarkPrefix100Of100k(b *testing.B) {
	benchQuery(b, 100_000, "SELECT id, name, n FROM t WHERE name >= ? AND name < ?", []any{"name 00100", "name 00200"}, benchTable, benchIndex)
}

func BenchmarkScan1PercentOf100k(b *testing.B) {
	benchQuery(b, 100_000, "SELECT id, name, n FROM t WHERE n = 13", nil, benchTable)
}

func BenchmarkGroupBy100k(b *testing.B) {
	benchQuery(b, 100_000, "SELECT n, COUNT(*), SUM(id) FROM t GROUP BY n", nil, benchTable)
}

func BenchmarkJoin100kWith1k(b *testing.B) {
	insert := "INSERT INTO u VALUES (0, 0)"
	for i := 1; i < 1000; i++ {
		insert += fmt.Sprintf(", (%d, %d)", i, i%7)
	}
	benchQuery(b, 100_000, "SELECT u.kind, COUNT(*), SUM(t.id) FROM t JOIN u ON u.code = t.n GROUP BY u.kind", nil,
		benchTable, "CREATE TABLE u (code BIGINT, kind BIGINT)", insert)
}

func BenchmarkDurableInsert(b *testing.B) {
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			all := rivals(b, true)
			delete(all, "nothing")
			for _, db := range all {
				fill(b, db, 0, benchTable)
			}
			var mu sync.Mutex
			next := 0
			each(b, all, func(b *testing.B, db *databasesql.DB) {
				b.SetParallelism(max(writers/2, 1))
				insert := func() error {
					mu.Lock()
					next++
					id := next
					mu.Unlock()
					_, err := db.Exec("INSERT INTO t VALUES (?, 'x', 1)", id)
					return err
				}
				if writers == 1 {
					for b.Loop() {
						if err := insert(); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := insert(); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		})
	}
}
