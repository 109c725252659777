package tests

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// anomaly is something that a program can meet because others write at the same time. provoke brings it about, if the
// store lets it.
type anomaly struct {
	name    string
	provoke func(t *testing.T, r *race) (happened bool)
}

// race is a fresh database with accounts 1 and 2 of 50 each in table account, one in table other, and, where they are
// asked for, 3,000 rows of 1 in table many.
type race struct {
	t      *testing.T
	db     *sql.DB
	level  sql.IsolationLevel
	many   bool          // with the 3,000 rows
	suffix string        // of what is read before it is written: "" or " FOR UPDATE"
	pages  *betweenPages // of a query FOR UPDATE on an account, whose rows are held back until it has all; else nil
}

// betweenPages does something once, before a query asks for its third page: the next page is asked for ahead, and the query has the rows of
// the first then.
type betweenPages struct {
	policy.Transporter
	asked atomic.Int64
	next  atomic.Pointer[func()]
}

func (b *betweenPages) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Has("NextRowKey") && b.asked.Add(1) == 2 {
		if do := b.next.Swap(nil); do != nil {
			(*do)()
		}
	}
	return b.Transporter.Do(r)
}

func (r *race) begin() *sql.Tx {
	r.t.Helper()
	tx, err := r.db.BeginTx(r.t.Context(), &sql.TxOptions{Isolation: r.level})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { tx.Rollback() })
	return tx
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (r *race) number(q queryer, query string) (n int) {
	r.t.Helper()
	if err := q.QueryRowContext(r.t.Context(), query).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// meanwhile begins to read in a transaction. Where that waits for another one, to read FOR UPDATE, its end comes later.
func (r *race) meanwhile(read func() int) (n func() int) {
	if r.suffix == "" {
		n := read()
		return func() int { return n }
	}
	got := make(chan int)
	go func() {
		defer close(got) // also where read ends the test
		got <- read()
	}()
	return func() int { return <-got }
}

func (r *race) must(_ sql.Result, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// committed says whether a transaction was committed; if not, it was for a conflict.
func (r *race) committed(tx *sql.Tx) bool {
	r.t.Helper()
	err := tx.Commit()
	if err != nil && !errors.Is(err, nearlyfree.ErrConflict) {
		r.t.Fatal(err)
	}
	return err == nil
}

var anomalies = []anomaly{
	{"dirty read", func(t *testing.T, r *race) bool {
		tx := r.begin()
		r.must(tx.Exec("UPDATE account SET n = 0 WHERE id = 1"))
		return r.number(r.db, "SELECT n FROM account WHERE id = 1") == 0
	}},
	{"lost update, UPDATE … SET n = n + 1", func(t *testing.T, r *race) bool {
		a, b := r.begin(), r.begin()
		r.must(a.Exec("UPDATE account SET n = n + 1 WHERE id = 1"))
		r.must(b.Exec("UPDATE account SET n = n + 1 WHERE id = 1"))
		return r.committed(a) && r.committed(b) && r.number(r.db, "SELECT n FROM account WHERE id = 1") != 52
	}},
	{"lost update, SELECT then UPDATE", func(t *testing.T, r *race) bool {
		a, b := r.begin(), r.begin()
		read := "SELECT n FROM account WHERE id = 1" + r.suffix
		of := r.number(a, read)
		ob := r.meanwhile(func() int { return r.number(b, read) })
		r.must(a.Exec("UPDATE account SET n = ? WHERE id = 1", of+1))
		done := r.committed(a)
		r.must(b.Exec("UPDATE account SET n = ? WHERE id = 1", ob()+1))
		return r.committed(b) && done && r.number(r.db, "SELECT n FROM account WHERE id = 1") != 52
	}},
	{"another value when read twice", func(t *testing.T, r *race) bool {
		tx := r.begin()
		read := "SELECT n FROM account WHERE id = 1" + r.suffix
		before := r.number(tx, read)
		r.must(r.db.Exec("UPDATE account SET n = 7 WHERE id = 1"))
		after := r.number(tx, read)
		return before != after && r.committed(tx)
	}},
	{"write skew", func(t *testing.T, r *race) bool {
		a, b := r.begin(), r.begin()
		both := func(tx *sql.Tx) int {
			return r.number(tx, "SELECT n FROM account WHERE id = 1"+r.suffix) + r.number(tx, "SELECT n FROM account WHERE id = 2"+r.suffix)
		}
		both(a)
		ofB := r.meanwhile(func() int { return both(b) })
		r.must(a.Exec("UPDATE account SET n = n - 100 WHERE id = 1"))
		if r.suffix != "" { // b reads when a is over
			ca, sum := r.committed(a), ofB()
			r.must(b.Exec("UPDATE account SET n = n - 100 WHERE id = 2"))
			return r.committed(b) && ca && sum == 100
		}
		r.must(b.Exec("UPDATE account SET n = n - 100 WHERE id = 2"))
		ca, cb := r.committed(a), r.committed(b)
		return ca && cb
	}},
	{"phantom", func(t *testing.T, r *race) bool {
		a, b := r.begin(), r.begin()
		for i, tx := range []*sql.Tx{a, b} {
			rows, err := tx.Query("SELECT id FROM account WHERE id > 10" + r.suffix)
			if err != nil {
				t.Fatal(err)
			}
			if rows.Next() {
				t.Fatal("there is a row already")
			}
			rows.Close()
			r.must(tx.Exec("INSERT INTO account VALUES (?, 1)", 11+i))
		}
		ca, cb := r.committed(a), r.committed(b)
		return ca && cb
	}},
	{"rows of two moments, of one table", func(t *testing.T, r *race) bool {
		return r.twoMoments("SELECT n FROM many ORDER BY id"+r.suffix,
			"UPDATE many SET n = n - 1 WHERE id = 1", "UPDATE many SET n = n + 1 WHERE id = 3000")
	}},
	{"rows of two moments, of several tables", func(t *testing.T, r *race) bool {
		return r.twoMoments("SELECT n FROM account UNION ALL SELECT n FROM other",
			"UPDATE account SET n = n - 1 WHERE id = 1", "UPDATE other SET n = n + 1 WHERE id = 1")
	}},
}

// twoMoments reads a query in a transaction, while another one writes, all or nothing, after its first row. The sum is
// the same before and after that, so another one is of two moments.
func (r *race) twoMoments(query, from, to string) bool {
	tx := r.begin()
	meanwhile := func() {
		other := r.begin()
		r.must(other.Exec(from))
		r.must(other.Exec(to))
		if !r.committed(other) {
			r.t.Fatal("the writer met a conflict")
		}
	}
	if r.pages != nil {
		r.pages.next.Store(&meanwhile)
	}
	rows, err := tx.Query(query)
	if err != nil {
		r.t.Fatal(err)
	}
	sum, first := 0, r.pages == nil
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			r.t.Fatal(err)
		}
		sum += n
		if first {
			meanwhile()
		}
		first = false
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	before, after := r.number(r.db, "SELECT COALESCE(SUM(n), 0) FROM many"), r.number(r.db, "SELECT (SELECT SUM(n) FROM account) + (SELECT SUM(n) FROM other)")
	return sum != before && sum != after && (r.suffix == "" || r.committed(tx))
}

// TestAnomalies provokes what can happen between transactions, and holds the table of the package's documentation to it.
func TestAnomalies(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range anomalies {
		said := documented(string(doc), a.name)
		for _, s := range plainStores() {
			levels := map[int]sql.IsolationLevel{0: sql.LevelDefault, 1: sql.LevelSerializable} // by column
			if s.name == "service" || s.name == "azurite" {
				levels = map[int]sql.IsolationLevel{2: sql.LevelDefault}
			}
			for column, level := range levels {
				got := a.cell(t, s, level)
				if !t.Failed() && (len(said) != 3 || said[column] != got) {
					t.Errorf("%s on %s, level %s: %s; doc.go says %q", a.name, s.name, level, got, said)
				}
			}
		}
	}
}

// documented gives what the table of the documentation says of an anomaly: by default, where it is serializable, and on Azure.
func documented(doc, name string) []string {
	_, rest, ok := strings.Cut(doc, "//\t"+name+"  ")
	if !ok {
		return nil
	}
	line, _, _ := strings.Cut(rest, "\n")
	var cells []string
	for cell := range strings.SplitSeq(line, "  ") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

// cell is what the table is to say of an anomaly on a store.
func (a *anomaly) cell(t *testing.T, s store, level sql.IsolationLevel) string {
	var happened [2]bool
	for i, suffix := range []string{"", " FOR UPDATE"} {
		t.Run(a.name+suffix+"/"+s.name+"/"+level.String(), func(t *testing.T) {
			config := s.config(t)
			config.Layout = nearlyfree.LayoutSingle
			r := &race{t: t, level: level, many: strings.HasSuffix(a.name, "of one table"), suffix: suffix}
			if isAccount(config) && suffix != "" && r.many {
				r.pages = &betweenPages{Transporter: cmp.Or[policy.Transporter](config.Transport, http.DefaultClient)}
				config.Transport = r.pages
			}
			r.db = nearlyfreetest.OpenConfig(t, config)
			r.fill()
			happened[i] = a.provoke(t, r)
		})
	}
	switch happened {
	case [2]bool{true, true}:
		return "yes"
	case [2]bool{true, false}:
		return "unless FOR UPDATE"
	}
	return "no"
}

func (r *race) fill() {
	r.t.Helper()
	for _, table := range []string{"account", "other", "many"} {
		r.must(r.db.Exec("CREATE TABLE " + table + " (id INT PRIMARY KEY, n INT)"))
	}
	r.must(r.db.Exec("INSERT INTO account VALUES (1, 50), (2, 50)"))
	r.must(r.db.Exec("INSERT INTO other VALUES (1, 50)"))
	if !r.many {
		return
	}
	for from := 1; from <= 3000; from += 1000 {
		var values []string
		for id := from; id < from+1000; id++ {
			values = append(values, fmt.Sprintf("(%d, 1)", id))
		}
		r.must(r.db.Exec("INSERT INTO many VALUES " + strings.Join(values, ", ")))
	}
}
