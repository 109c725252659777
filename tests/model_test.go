package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestModel holds random writes against a map: what they change, what they refuse, what can be read after each of
// them by the key and by every index, inside and outside of transactions.
func TestModel(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		runs := testrun.Few(60)
		if s.name != "memory" {
			runs = testrun.Few(8)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for seed := range runs {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { newModel(t, s, uint64(seed)).run(120) })
			}
		})
	}
}

// modelRow is a row of table m: its key, and three columns of which u and v may be NULL (the zero opt).
type modelRow struct {
	a, b string
	u    opt[int]
	v    opt[string]
	n    int
}

type opt[T comparable] struct {
	value T
	ok    bool
}

func some[T comparable](v T) opt[T] { return opt[T]{v, true} }

func (o opt[T]) arg() any {
	if !o.ok {
		return nil
	}
	return o.value
}

func (o opt[T]) String() string {
	if !o.ok {
		return "NULL"
	}
	return fmt.Sprint(o.value)
}

func (r modelRow) String() string { return fmt.Sprintf("%s|%s|%v|%v|%d", r.a, r.b, r.u, r.v, r.n) }

type modelKey struct{ a, b string }

// model is a database and what should be in it.
type model struct {
	*testing.T
	*rand.Rand
	db       *sql.DB
	conn     *sql.Conn
	compound bool
	uniques  []string // of u, uv
	rows     map[modelKey]modelRow
	before   map[modelKey]modelRow // in a transaction: what was there when it began
	log      []string
}

func newModel(t *testing.T, s store, seed uint64) *model {
	m := &model{T: t, Rand: rand.New(rand.NewPCG(seed, 77)), rows: map[modelKey]modelRow{}}
	m.db = nearlyfreetest.OpenConfig(t, s.config(t))
	m.compound = m.IntN(2) == 0
	columns := []string{"a VARCHAR(20) NOT NULL", "b VARCHAR(20) NOT NULL", "u INT", "v VARCHAR(20)", "n INT NOT NULL"}
	if m.compound {
		columns = append(columns, "PRIMARY KEY (a, b)")
	} else {
		columns = append(columns, "PRIMARY KEY (a)")
	}
	indexes := []string{"UNIQUE KEY u (u)", "UNIQUE KEY uv (v, u)", "KEY v (v)", "KEY n (n, v)", "KEY bare (v) COPY KEYS", "KEY more (n) INCLUDE (u)", "KEY down (u DESC)"}
	m.Shuffle(len(indexes), func(i, j int) { indexes[i], indexes[j] = indexes[j], indexes[i] })
	for _, ix := range indexes[:m.IntN(4)] {
		columns = append(columns, ix)
		if name, ok := strings.CutPrefix(ix, "UNIQUE KEY "); ok {
			m.uniques = append(m.uniques, strings.Fields(name)[0])
		}
	}
	create := "CREATE TABLE m (" + strings.Join(columns, ", ") + ")"
	m.log = append(m.log, create)
	exec(t, m.db, create)
	conn, err := m.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m.conn = conn
	t.Cleanup(func() { conn.Close() })
	return m
}

func (m *model) run(steps int) {
	for range steps {
		if m.IntN(8) == 0 {
			m.transaction()
		} else {
			m.step()
		}
		m.compare()
		if m.Failed() {
			m.Fatalf("after\n%s", strings.Join(m.log[max(0, len(m.log)-12):], "\n"))
		}
	}
	if m.before != nil {
		m.end("ROLLBACK")
	}
}

// transaction begins one, or ends it.
func (m *model) transaction() {
	switch {
	case m.before == nil:
		m.exec("BEGIN")
		m.before = maps.Clone(m.rows)
	case m.IntN(3) == 0:
		m.end("ROLLBACK")
	default:
		m.end("COMMIT")
	}
}

func (m *model) end(how string) {
	_, err := m.exec(how)
	if how == "ROLLBACK" || errors.Is(err, nearlyfree.ErrTooLarge) {
		m.rows = m.before
	} else if err != nil {
		m.Errorf("%s: %v", how, err)
	}
	m.before = nil
}

func (m *model) exec(query string, args ...any) (sql.Result, error) {
	m.log = append(m.log, fmt.Sprintf("%s %v", query, args))
	return m.conn.ExecContext(context.Background(), query, args...)
}

// key gives the key of a row: in a table whose key is a, b does not count.
func (m *model) key(r modelRow) modelKey {
	if m.compound {
		return modelKey{r.a, r.b}
	}
	return modelKey{r.a, ""}
}

func (m *model) random() modelRow {
	r := modelRow{a: fmt.Sprint("k", m.IntN(5)), b: fmt.Sprint("b", m.IntN(3)), n: m.IntN(4)}
	if m.IntN(4) > 0 {
		r.u = some(m.IntN(8))
	}
	if m.IntN(4) > 0 {
		r.v = some([]string{"", "x", "X y", "z!"}[m.IntN(4)])
	}
	return r
}

// met gives the keys of the rows that have a unique key of r, that of the primary key first.
func (m *model) met(rows map[modelKey]modelRow, r modelRow) []modelKey {
	var keys []modelKey
	if _, ok := rows[m.key(r)]; ok {
		keys = append(keys, m.key(r))
	}
	for _, name := range m.uniques {
		for k, other := range rows {
			if m.same(name, r, other) && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

func (m *model) same(unique string, a, b modelRow) bool {
	if !a.u.ok || !b.u.ok || a.u != b.u {
		return false
	}
	return unique == "u" || a.v.ok && a.v == b.v
}

// distinct says whether no two of the rows have the same unique key.
func (m *model) distinct(rows map[modelKey]modelRow) bool {
	for k, r := range rows {
		if others := m.met(rows, r); len(others) != 1 || others[0] != k {
			return false
		}
	}
	return true
}

// did holds a statement's outcome against what it should do; next nil: it should be refused as a duplicate.
func (m *model) did(r sql.Result, err error, next map[modelKey]modelRow, affected int64) {
	if next == nil {
		if !errors.Is(err, nearlyfree.ErrDuplicateKey) {
			m.Errorf("%v, and it should be refused as a duplicate", err)
		}
		return
	}
	if err != nil {
		m.Error(err)
		return
	}
	if got, _ := r.RowsAffected(); got != affected {
		m.Errorf("%d rows affected, and it should be %d", got, affected)
	}
	m.rows = next
}

func (m *model) step() {
	switch m.IntN(10) {
	case 0, 1, 2:
		m.insert("INSERT INTO m")
	case 3:
		m.insert("INSERT IGNORE INTO m")
	case 4:
		m.insert("REPLACE INTO m")
	case 5:
		m.insert("INSERT INTO m", "n = n + VALUES(n), v = VALUES(v)", "u = VALUES(u)", "n = n")
	case 6:
		m.delete()
	default:
		m.update()
	}
}

func (m *model) insert(verb string, onDup ...string) {
	var list []modelRow
	var values []string
	var args []any
	for range 1 + m.IntN(3) {
		r := m.random()
		list = append(list, r)
		values = append(values, "(?, ?, ?, ?, ?)")
		args = append(args, r.a, r.b, r.u.arg(), r.v.arg(), r.n)
	}
	query, set := verb+" VALUES "+strings.Join(values, ", "), ""
	if len(onDup) > 0 {
		set = onDup[m.IntN(len(onDup))]
		query += " ON DUPLICATE KEY UPDATE " + set
	}
	next := maps.Clone(m.rows)
	var affected int64
	for _, r := range list {
		met := m.met(next, r)
		switch {
		case len(met) == 0:
			next[m.key(r)] = r
			affected++
		case strings.HasPrefix(verb, "INSERT IGNORE"):
		case strings.HasPrefix(verb, "REPLACE"):
			for _, k := range met {
				if same := next[k] == r && len(m.uniques) == 0; !same { // MySQL overwrites the one that it can meet
					affected++
				}
				delete(next, k)
			}
			next[m.key(r)] = r
			affected++
		case set == "":
			next = nil
		default:
			old := next[met[0]]
			changed := old
			switch set {
			case "u = VALUES(u)":
				changed.u = r.u
			case "n = n":
			default:
				changed.n, changed.v = old.n+r.n, r.v
			}
			if changed != old {
				affected += 2
			}
			next[met[0]] = changed
			if !m.distinct(next) {
				next = nil
			}
		}
		if next == nil {
			break
		}
	}
	result, err := m.exec(query, args...)
	m.did(result, err, next, affected)
}

// where gives a condition and what it means.
func (m *model) where() (string, []any, func(modelRow) bool) {
	x := m.random()
	switch m.IntN(7) {
	case 0:
		return "a = ? AND b = ?", []any{x.a, x.b}, func(r modelRow) bool { return r.a == x.a && r.b == x.b }
	case 1:
		return "u >= ?", []any{x.n}, func(r modelRow) bool { return r.u.ok && r.u.value >= x.n }
	case 2:
		return "v <=> ?", []any{x.v.arg()}, func(r modelRow) bool { return r.v == x.v }
	case 3:
		return "u IS NULL OR n = ?", []any{x.n}, func(r modelRow) bool { return !r.u.ok || r.n == x.n }
	case 4:
		return "n IN (0, ?)", []any{x.n}, func(r modelRow) bool { return r.n == 0 || r.n == x.n }
	case 5:
		return "u = ?", []any{x.n}, func(r modelRow) bool { return r.u == some(x.n) }
	}
	return "1 = 1", nil, func(modelRow) bool { return true }
}

func (m *model) delete() {
	where, args, matches := m.where()
	next := maps.Clone(m.rows)
	maps.DeleteFunc(next, func(_ modelKey, r modelRow) bool { return matches(r) })
	result, err := m.exec("DELETE FROM m WHERE "+where, args...)
	m.did(result, err, next, int64(len(m.rows)-len(next)))
}

func (m *model) update() {
	x := m.random()
	var set string
	var setArgs []any
	var change func(*modelRow)
	switch m.IntN(5) {
	case 0:
		set, setArgs, change = "n = n + 1, v = ?", []any{x.v.arg()}, func(r *modelRow) { r.n, r.v = r.n+1, x.v }
	case 1:
		set, change = "u = u + 1", func(r *modelRow) {
			if r.u.ok {
				r.u.value++
			}
		}
	case 2:
		set, setArgs, change = "u = ?", []any{x.u.arg()}, func(r *modelRow) { r.u = x.u }
	case 3:
		set, setArgs, change = "a = ?, n = 0", []any{x.a}, func(r *modelRow) { r.a, r.n = x.a, 0 }
	default:
		set, change = "n = n, b = CONCAT(b, '')", func(*modelRow) {}
	}
	where, args, matches := m.where()
	next := map[modelKey]modelRow{}
	var affected int64
	clash := false
	for k, r := range m.rows {
		if matches(r) {
			changed := r
			change(&changed)
			if changed != r {
				affected++
			}
			r, k = changed, m.key(changed)
		}
		_, taken := next[k]
		clash = clash || taken
		next[k] = r
	}
	if clash || !m.distinct(next) {
		next = nil
	}
	result, err := m.exec("UPDATE m SET "+set+" WHERE "+where, append(setArgs, args...)...)
	m.did(result, err, next, affected)
}

// compare reads the table in several ways.
func (m *model) compare() {
	x := m.random()
	for _, q := range []struct {
		where string
		args  []any
		wants func(modelRow) bool
	}{
		{"1 = 1", nil, func(modelRow) bool { return true }},
		{"u = ?", []any{x.n}, func(r modelRow) bool { return r.u == some(x.n) }},
		{"v <=> ?", []any{x.v.arg()}, func(r modelRow) bool { return r.v == x.v }},
		{"n = ?", []any{x.n}, func(r modelRow) bool { return r.n == x.n }},
		{"a = ?", []any{x.a}, func(r modelRow) bool { return r.a == x.a }},
	} {
		var want []string
		for _, r := range m.rows {
			if q.wants(r) {
				want = append(want, r.String())
			}
		}
		slices.Sort(want)
		got := m.read("SELECT a, b, u, v, n FROM m WHERE "+q.where, q.args...)
		if !slices.Equal(got, want) {
			m.Errorf("WHERE %s %v gives\n%s\nand should give\n%s", q.where, q.args, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func (m *model) read(query string, args ...any) []string {
	rows, err := m.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		m.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var r modelRow
		var u sql.NullInt64
		var v sql.NullString
		if err := rows.Scan(&r.a, &r.b, &u, &v, &r.n); err != nil {
			m.Fatal(err)
		}
		r.u, r.v = opt[int]{int(u.Int64), u.Valid}, opt[string]{v.String, v.Valid}
		all = append(all, r.String())
	}
	if err := rows.Err(); err != nil {
		m.Fatal(err)
	}
	slices.Sort(all)
	return all
}
