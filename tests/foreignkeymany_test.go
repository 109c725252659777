package tests

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestForeignKeyManyRequests: many rows that others refer to are read, and made sure of, by ranges of keys where they lie close. It never
// takes more requests than reading each by itself, and EXPLAIN knows.
func TestForeignKeyManyRequests(t *testing.T) {
	t.Parallel()
	for layout, at := range map[nearlyfree.Layout]int{nearlyfree.LayoutSingle: 0, nearlyfree.LayoutTable: 1} {
		synctest.Test(t, func(t *testing.T) { manyReferred(t, layout, at) }) // a transaction that takes seconds says so by a request
	}
}

func manyReferred(t *testing.T, layout nearlyfree.Layout, at int) {
	config := overService(0, false)
	config.Layout = layout
	connector, conn := connect(t, config)
	runAll(t, conn, "CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE)", "CREATE TABLE child (id INT PRIMARY KEY, p INT, v INT, FOREIGN KEY (p) REFERENCES parent (id), FOREIGN KEY (v) REFERENCES parent (u))",
		"INSERT INTO parent VALUES "+rowsOf(3000, func(i int) string { return fmt.Sprintf("(%d, %d)", i, -i) }))
	id := 0
	for _, c := range []struct {
		rows, parents, step int
		column              string
		requests            [2]int64 // in one store partition, else
	}{
		{20, 16, 1, "p", [2]int64{17, 34}}, // few: one by one
		{20, 17, 1, "p", [2]int64{2, 4}},
		{20, 17, 2, "p", [2]int64{2, 4}},
		{20, 17, 100, "p", [2]int64{18, 36}}, // too far from each other
		{1000, 275, 1, "p", [2]int64{68, 65}},
		{1000, 275, 10, "p", [2]int64{72, 69}},
		{1000, 275, 1, "v", [2]int64{71, 65}}, // by an index
		{1000, 275, 10, "v", [2]int64{75, 69}},
	} {
		s := "INSERT INTO child (id, " + c.column + ") VALUES " + rowsOf(c.rows, func(i int) string {
			id++
			n := i % c.parents * c.step
			if c.column == "v" {
				n = -n
			}
			return fmt.Sprintf("(%d, %d)", id, n)
		})
		m := aboutRequests.FindStringSubmatch(answer(t.Context(), conn, "EXPLAIN "+s))
		if m == nil {
			t.Fatalf("layout %v: no estimate of %v", layout, c)
		}
		least, _ := strconv.ParseFloat(m[1], 64)
		about, _ := strconv.ParseFloat(m[2], 64)
		before := connector.Stats()
		runAll(t, conn, s)
		cost := connector.Stats().Sub(before)
		n := cost.Requests - cost.SchemaRequests
		if n != c.requests[at] {
			t.Errorf("layout %v: %v takes %d requests, want %d", layout, c, n, c.requests[at])
		}
		if real := float64(n); real < least || about < least || about > 2*real || real > 2*about {
			t.Errorf("layout %v: %v takes %v requests; EXPLAIN says about %v, and at least %v", layout, c, real, about, least)
		}
	}
	// Rows that the transaction has written itself are not read at all, and those that are not there are found missing.
	runAll(t, conn, "BEGIN", "INSERT INTO parent VALUES "+rowsOf(100, func(i int) string { return fmt.Sprintf("(%d, NULL)", 5000+i) }))
	before := connector.Stats()
	runAll(t, conn, "INSERT INTO child (id, p) VALUES "+rowsOf(100, func(i int) string { return fmt.Sprintf("(%d, %d)", 50000+i, 5000+i) }))
	if n := connector.Stats().Sub(before); n.Requests-n.SchemaRequests != 1 { // whether the keys are free
		t.Errorf("layout %v: %d requests for rows where the transaction has written what they refer to", layout, n.Requests-n.SchemaRequests)
	}
	runAll(t, conn, "COMMIT")
	runAll(t, conn, "DELETE FROM parent WHERE id = 2990")
	for _, other := range []int{2990, -5, 9999, 2995} {
		_, err := conn.ExecContext(t.Context(), "INSERT INTO child (id, p) VALUES "+rowsOf(40, func(i int) string {
			if i == 20 {
				return fmt.Sprintf("(%d, %d)", 60000+i, other)
			}
			return fmt.Sprintf("(%d, %d)", 60000+i, 2949+i)
		}))
		if there := other == 2995; there && err != nil || !there && !errors.Is(err, nearlyfree.ErrForeignKey) {
			t.Errorf("layout %v, a row that refers to %d: %v", layout, other, err)
		}
	}
	if got := answer(t.Context(), conn, "CHECK TABLE parent, child"); strings.Count(got, "OK") != 2 {
		t.Error(got)
	}
}

// TestForeignKeyManyGo: when many rows are deleted or get other keys, the rows that refer to them are looked up together, before the write and at
// the commit, and EXPLAIN knows.
func TestForeignKeyManyGo(t *testing.T) {
	t.Parallel()
	for layout, at := range map[nearlyfree.Layout]int{nearlyfree.LayoutSingle: 0, nearlyfree.LayoutTable: 1} {
		config := overService(0, false)
		config.Layout = layout
		connector, conn := connect(t, config)
		runAll(t, conn, "CREATE TABLE parent (id INT PRIMARY KEY, n INT)", "CREATE TABLE strict (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
			"CREATE TABLE loose (id INT PRIMARY KEY AUTO_INCREMENT, p INT, n INT, KEY (p) COPY KEYS, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE)",
			"INSERT INTO parent VALUES "+rowsOf(2000, func(i int) string { return fmt.Sprintf("(%d, %d)", i, i%100) }),
			"INSERT INTO strict VALUES "+rowsOf(100, func(i int) string { return fmt.Sprintf("(%d, %d)", i, 1900+i) }),
			"INSERT INTO loose (p) VALUES "+rowsOf(1000, func(i int) string { return fmt.Sprint("(", i, ")") }),
			"ANALYZE TABLE parent", "ANALYZE TABLE strict", "ANALYZE TABLE loose")
		for _, c := range []struct {
			statement string
			requests  [2]int64 // in one store partition, else
		}{
			{"DELETE FROM parent WHERE id >= 1000 AND id < 1016", [2]int64{34, 67}}, // few: one by one
			{"DELETE FROM parent WHERE id >= 1100 AND id < 1600", [2]int64{17, 17}},
			{"DELETE FROM parent WHERE n = 99 AND id > 1600 AND id < 1900", [2]int64{8, 15}},
			{"DELETE FROM parent WHERE id < 200", [2]int64{20, 23}},
			{"UPDATE parent SET id = id + 100000 WHERE id >= 200 AND id < 260", [2]int64{14, 15}},
		} {
			m := aboutRequests.FindStringSubmatch(answer(t.Context(), conn, "EXPLAIN "+c.statement))
			before := connector.Stats()
			runAll(t, conn, c.statement)
			n := connector.Stats().Sub(before)
			if n.Requests-n.SchemaRequests != c.requests[at] {
				t.Errorf("layout %v: %s takes %d requests, want %d", layout, c.statement, n.Requests-n.SchemaRequests, c.requests[at])
			}
			about, err := strconv.ParseFloat(m[2], 64)
			if real := float64(c.requests[at]); strings.HasPrefix(c.statement, "DELETE FROM parent WHERE id") && (err != nil || about > 2*real || real > 2*about) {
				t.Errorf("layout %v: EXPLAIN %s says about %v", layout, c.statement, m)
			}
		}
		if got := answer(t.Context(), conn, "SELECT COUNT(*), MAX(p) FROM loose"); got != "COUNT(*) | MAX(p)\n800 | 100259" && !strings.Contains(got, "800") {
			t.Error(got)
		}
		if _, err := conn.ExecContext(t.Context(), "DELETE FROM parent WHERE id >= 1850 AND id < 1950"); !errors.Is(err, nearlyfree.ErrForeignKey) {
			t.Errorf("layout %v: rows that others refer to were deleted: %v", layout, err)
		}
		if got := answer(t.Context(), conn, "CHECK TABLE parent, strict, loose"); strings.Count(got, "OK") != 3 {
			t.Error(got)
		}
	}
}

// TestForeignKeyManyGoRaces: some writers delete many rows at once and insert them again, others add rows that refer to these. No row ever refers to
// a missing one.
func TestForeignKeyManyGoRaces(t *testing.T) {
	t.Parallel()
	for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutSingle, nearlyfree.LayoutTable} {
		for _, action := range []string{"CASCADE", "SET NULL", "RESTRICT", "INTERLEAVED"} {
			config := overService(0, false)
			config.Layout = layout
			_, conn := connect(t, config)
			child := "CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, p INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE " + action + ")"
			if action == "INTERLEAVED" {
				child = "CREATE TABLE child (id INT AUTO_INCREMENT, p INT, PRIMARY KEY (p, id), FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE) INTERLEAVE IN PARENT parent"
			}
			runAll(t, conn, "CREATE TABLE parent (id INT PRIMARY KEY)", child,
				"INSERT INTO parent VALUES "+rowsOf(120, func(i int) string { return fmt.Sprintf("(%d)", i) }))
			var wg sync.WaitGroup
			var gone atomic.Int32
			for w := range 3 {
				do := func(n int, statements func(r *rand.Rand) []string) {
					wg.Go(func() {
						_, conn := connect(t, config)
						r := rand.New(rand.NewPCG(uint64(n), uint64(w)))
						for range n {
							for _, s := range statements(r) {
								result, err := conn.ExecContext(context.WithoutCancel(t.Context()), s)
								if err != nil && !errors.Is(err, nearlyfree.ErrForeignKey) && !errors.Is(err, nearlyfree.ErrConflict) {
									t.Errorf("layout %v: %s: %v", layout, s, err)
								}
								if err == nil && strings.HasPrefix(s, "DELETE FROM parent") {
									rows, _ := result.RowsAffected()
									gone.Add(int32(rows))
								}
							}
						}
					})
				}
				do(12, func(r *rand.Rand) []string {
					return []string{fmt.Sprintf("INSERT INTO child (p) VALUES (%d), (%d), (%d)", r.IntN(120), r.IntN(120), r.IntN(120))}
				})
				do(8, func(r *rand.Rand) []string {
					from := r.IntN(90)
					return []string{fmt.Sprintf("DELETE FROM parent WHERE id >= %d AND id < %d", from, from+30), "INSERT IGNORE INTO parent VALUES " + rowsOf(30, func(i int) string { return fmt.Sprintf("(%d)", from+i) })}
				})
			}
			wg.Wait()
			if got := answer(t.Context(), conn, "CHECK TABLE parent, child"); strings.Count(got, "OK") != 2 {
				t.Error(layout, action, got)
			}
			if got := answer(t.Context(), conn, "SELECT COUNT(*) FROM child LEFT JOIN parent ON parent.id = child.p WHERE parent.id IS NULL AND p IS NOT NULL"); !strings.Contains(got, "\n0") {
				t.Error(layout, action, got)
			}
			t.Logf("layout %v, %s: %d rows were deleted", layout, action, gone.Load())
		}
	}
}

// TestForeignKeyManyRaces: rows that refer to many others at once, beside those who delete some of these, and add them again: no row ever refers
// to none.
func TestForeignKeyManyRaces(t *testing.T) {
	t.Parallel()
	for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutSingle, nearlyfree.LayoutTable} {
		config := overService(0, false)
		config.Layout = layout
		_, conn := connect(t, config)
		runAll(t, conn, "CREATE TABLE parent (id INT PRIMARY KEY, n INT)", "CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
			"INSERT INTO parent VALUES "+rowsOf(120, func(i int) string { return fmt.Sprintf("(%d, 0)", i) }))
		var wg sync.WaitGroup
		var added, refused atomic.Int32
		for w := range 3 {
			wg.Go(func() {
				_, conn := connect(t, config)
				r := rand.New(rand.NewPCG(1, uint64(w)))
				for range 8 {
					from := r.IntN(60)
					_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "INSERT INTO child (p) VALUES "+rowsOf(40, func(i int) string { return fmt.Sprintf("(%d)", from+i) }))
					switch {
					case err == nil:
						added.Add(1)
					case errors.Is(err, nearlyfree.ErrForeignKey), errors.Is(err, nearlyfree.ErrConflict):
						refused.Add(1)
					default:
						t.Errorf("layout %v: %v", layout, err)
					}
				}
			})
			wg.Go(func() {
				_, conn := connect(t, config)
				r := rand.New(rand.NewPCG(2, uint64(w)))
				for range 20 {
					id := r.IntN(120)
					for _, s := range []string{fmt.Sprintf("DELETE FROM child WHERE p = %d", id), fmt.Sprintf("DELETE FROM parent WHERE id = %d", id), fmt.Sprintf("UPDATE parent SET n = n + 1 WHERE id = %d", id+1), fmt.Sprintf("INSERT IGNORE INTO parent VALUES (%d, 0)", id)} {
						if _, err := conn.ExecContext(context.WithoutCancel(t.Context()), s); err != nil && !errors.Is(err, nearlyfree.ErrForeignKey) && !errors.Is(err, nearlyfree.ErrConflict) {
							t.Errorf("layout %v: %s: %v", layout, s, err)
						}
					}
				}
			})
		}
		wg.Wait()
		if got := answer(t.Context(), conn, "CHECK TABLE parent, child"); strings.Count(got, "OK") != 2 {
			t.Error(got)
		}
		if got := answer(t.Context(), conn, "SELECT COUNT(*) FROM child LEFT JOIN parent ON parent.id = child.p WHERE parent.id IS NULL"); !strings.HasPrefix(got, "0") && !strings.Contains(got, "\n0") {
			t.Error(got)
		}
		t.Logf("layout %v: %d statements added rows, %d were refused", layout, added.Load(), refused.Load())
	}
}

// rowsOf writes the rows of VALUES.
func rowsOf(n int, row func(i int) string) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = row(i)
	}
	return strings.Join(rows, ", ")
}
