package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestTwins runs the same random statements over a table that is stored in some way (its key's order, partitions, parts,
// indexes with what they copy, or as another program's) and over one of the same columns and keys that is stored as
// plainly as can be: but for what they cost, and what is refused of divided tables, nobody must be able to tell which is
// which.
func TestTwins(t *testing.T) {
	t.Parallel()
	for i, s := range stores {
		runs, steps := testrun.Few(60), 50
		if s.name != "memory" {
			runs, steps = testrun.Few(12), 30
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			rows, promised := 0, int64(0)
			for seed := i * runs; seed < (i+1)*runs; seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					w := newTwins(t, s, uint64(seed))
					w.run(steps)
					rows, promised = rows+w.rows, promised+w.promised
				})
			}
			if rows < 50*runs || promised < int64(runs) {
				t.Errorf("%d rows came of all queries, which were to take %d requests", rows, promised)
			}
		})
	}
}

// twins are the two tables, both called t.
type twins struct {
	*testing.T
	*rand.Rand
	columns       []twinColumn
	key           []int
	indexes       [][]int
	unique        []int // columns of unique keys
	split         []int // columns that divide the table; nil: it is one partition
	external      bool
	stored, plain *sql.Conn
	connector     *nearlyfree.Connector // of stored
	held          bool                  // in a transaction
	rows          int
	promised      int64 // requests, by EXPLAIN
	log           []string
}

func newTwins(t *testing.T, s store, seed uint64) *twins {
	w := &twins{T: t, Rand: rand.New(rand.NewPCG(seed, 9))}
	define := w.define
	if w.external = w.IntN(4) == 0; w.external {
		define = w.defineExternal
	}
	stored, plain := define()
	w.connector, w.stored = connect(t, s.config(t))
	_, w.plain = connect(t, stores[0].config(t))
	w.log = append(w.log, stored)
	for conn, create := range map[*sql.Conn]string{w.stored: stored, w.plain: plain} {
		if _, err := conn.ExecContext(context.Background(), create); err != nil {
			t.Fatalf("%s: %v", create, err)
		}
	}
	return w
}

func (w *twins) run(steps int) {
	for range 5 {
		w.write(w.insert("INSERT IGNORE", 1+w.IntN(6)))
	}
	for range steps {
		switch n := w.IntN(20); {
		case n == 0 && !w.held && w.split == nil && !w.external:
			w.held = true
			w.write("BEGIN")
		case n < 4 && w.held:
			w.held = false
			w.write(w.pick("COMMIT", "COMMIT", "ROLLBACK"))
		case n == 4 && !w.held && !w.external && len(w.columns) < 9:
			w.alter()
		case n < 9:
			w.write(w.change())
		default:
			w.query()
		}
		if w.Failed() {
			w.Fatalf("after\n%s", strings.Join(w.log, ";\n"))
		}
	}
	if w.held {
		w.held = false
		w.write("COMMIT")
	}
	if rows, err := w.answer(w.stored, "CHECK TABLE t"); err != nil || len(rows) != 1 || !strings.HasSuffix(rows[0], `"OK"`) {
		w.Errorf("CHECK TABLE: %v %v\nafter\n%s", rows, err, strings.Join(w.log, ";\n"))
	}
}

func (w *twins) pick(all ...string) string { return all[w.IntN(len(all))] }

func (w *twins) names(parts []int) string {
	var all []string
	for _, p := range parts {
		all = append(all, w.columns[p].name)
	}
	return strings.Join(all, ", ")
}

// write runs a statement on both, and compares what stands.
func (w *twins) write(text string) {
	w.log = append(w.log, text)
	a, errA := w.stored.ExecContext(context.Background(), text)
	b, errB := w.plain.ExecContext(context.Background(), text)
	switch {
	case errors.Is(errA, nearlyfree.ErrTooLarge): // a transaction of more entities, because of the indexes
		w.held = false
		w.rollback()
		w.sync()
		return
	case (w.split != nil || w.external) && errA != nil && (errB != nil || refusedOfDivided(errA)):
		w.sync() // it may have failed half-way
		return
	case (errA == nil) != (errB == nil) || numberOf(errA) != numberOf(errB):
		w.Errorf("%s\nstored: %v\nplain:  %v", text, errA, errB)
		return
	case errA == nil:
		n, err := a.RowsAffected() // an error where whole parts went
		if want, _ := b.RowsAffected(); err == nil && n != want {
			w.Errorf("%s\nstored: %d rows affected\nplain:  %d", text, n, want)
		}
	}
	w.compare("SELECT * FROM t", false)
}

// refusedOfDivided says whether only a table that is divided refuses it: to move a row, or one that has no part.
func refusedOfDivided(err error) bool { return numberOf(err) == 1235 || numberOf(err) == 1526 }

func (w *twins) rollback() {
	for _, conn := range []*sql.Conn{w.stored, w.plain} {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			w.Fatal(err)
		}
	}
}

// sync makes the plain table what the stored one is.
func (w *twins) sync() {
	columns := w.given()
	if _, err := w.plain.ExecContext(context.Background(), "DELETE FROM t"); err != nil {
		w.Fatal(err)
	}
	insert := fmt.Sprintf("INSERT INTO t (%s) VALUES (?%s)", w.names(columns), strings.Repeat(", ?", len(columns)-1))
	err := w.each(w.stored, "SELECT "+w.names(columns)+" FROM t", nil, func(row []any) {
		if _, err := w.plain.ExecContext(context.Background(), insert, row...); err != nil {
			w.Fatal(err)
		}
	})
	if err != nil {
		w.Fatal(err)
	}
	w.compare("SELECT * FROM t", false)
}

func (w *twins) each(conn *sql.Conn, text string, args []any, do func(row []any)) error {
	rows, err := conn.QueryContext(context.Background(), text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		row, pointers := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			pointers[i] = &row[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		do(row)
	}
	return rows.Err()
}

func (w *twins) answer(conn *sql.Conn, text string) (all []string, err error) {
	err = w.each(conn, text, nil, func(row []any) { all = append(all, cells(row)) })
	return all, err
}

func cells(row []any) string {
	var all []string
	for _, v := range row {
		if f, ok := v.(float64); ok {
			v = f + 0 // -0 is 0
		}
		all = append(all, fmt.Sprintf("%#v", v))
	}
	return strings.Join(all, "|")
}

// compare asks both, and gives the rows. The stored one must not take fewer requests than EXPLAIN says.
func (w *twins) compare(text string, ordered bool) []string {
	plan, _ := w.answer(w.stored, "EXPLAIN "+text)
	before := w.connector.Stats().Requests
	a, errA := w.answer(w.stored, text)
	sent := w.connector.Stats().Requests - before
	b, errB := w.answer(w.plain, text)
	if !ordered {
		slices.Sort(a)
		slices.Sort(b)
	}
	w.rows += len(a)
	if (errA == nil) != (errB == nil) || !slices.Equal(a, b) {
		w.Errorf("%s\nstored: %v %s\nplain:  %v %s\n%s", text, errA, strings.Join(a, "\n        "), errB, strings.Join(b, "\n        "), strings.Join(plan, "\n"))
	}
	var least int64
	if len(plan) > 0 {
		_, _ = fmt.Sscanf(strings.Trim(plan[len(plan)-1], `"`), "requests ≥ %d", &least)
	}
	w.promised += least
	if sent < least && !w.held && errA == nil {
		w.Errorf("%s\n%d requests, where EXPLAIN says %d or more\n%s", text, sent, least, strings.Join(plan, "\n"))
	}
	return a
}
