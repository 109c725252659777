package definitions

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// table is one that definers change. There is never more than one of its two names.
type table struct {
	*round
	names    [2]string
	contents *contents
	sql      func() string // what stands behind CREATE TABLE name
	parent   *table
	child    *table
	gate     gate        // one is alone within who makes the table; renaming it goes beside renaming it
	second   atomic.Bool // it was renamed to the second name
}

// gate is a sync.RWMutex which those who wait for it do so in virtual time.
type gate struct {
	alone chan struct{} // of one
	all   chan struct{} // of as many as there are processes
}

func newGate() gate { return gate{make(chan struct{}, 1), make(chan struct{}, processes)} }

func (g gate) share() (leave func()) {
	g.all <- struct{}{}
	return func() { <-g.all }
}

func (g gate) enter() (leave func()) {
	g.alone <- struct{}{}
	for range processes {
		g.all <- struct{}{}
	}
	return func() {
		for range processes {
			<-g.all
		}
		<-g.alone
	}
}

// name is the one that the table has, as far as is known.
func (t *table) name() string {
	if t.second.Load() {
		return t.names[1]
	}
	return t.names[0]
}

func (t *table) create() string {
	t.second.Store(false)
	return "CREATE TABLE " + t.names[0] + " " + t.sql()
}

// extras are the columns that come and go, with what they hold where nobody said.
var extras = map[string]string{"x": "5", "y": "NULL"}

// ids is how many rows a table has at most, kids how many each of them has inside it.
const (
	parents = 30
	kids    = 3
)

// key is that of a row: its id, or that of its parent and its own.
func key(id, k int) string {
	if k < 0 {
		return strconv.Itoa(id)
	}
	return fmt.Sprintf("%d/%d", id, k)
}

// expected says whether an error is one that others' changes of definitions, or the weather, may cause.
func (r *round) expected(err error, numbers ...uint16) bool {
	var e *nearlyfree.Error
	if !errors.As(err, &e) {
		return false
	}
	return slices.Contains(numbers, e.Number) || errors.Is(err, nearlyfree.ErrNoTable) || errors.Is(err, nearlyfree.ErrConflict) || errors.Is(err, nearlyfree.ErrSchemaChanged) ||
		r.weather != nil && r.weather.oneOf.Load() > 0 && (errors.Is(err, nearlyfree.ErrUnreachable) || errors.Is(err, nearlyfree.ErrThrottled))
}

const (
	tableExists   = 1050
	unknownColumn = 1054
	duplicate     = 1062
	noParent      = 1452
)

// writer is a process that writes to keys which no other one writes to.
type writer struct {
	*round
	db     *sql.DB
	random *rand.Rand
	number int
	last   int
}

func (w *writer) step() {
	t := w.tables[w.random.IntN(len(w.tables))]
	id, k := w.random.IntN(parents/3)*3+w.number, -1
	if t.parent != nil {
		k = w.random.IntN(kids)
	}
	w.last += 3
	v := w.last + w.number
	fresh := &row{v: v, given: map[string]given{}}
	names, marks, args := []string{"id"}, []string{"?"}, []any{id}
	if k >= 0 {
		names, marks, args = append(names, "k"), append(marks, "?"), append(args, k)
	}
	names, marks, args = append(names, "v", "w"), append(marks, "?", "?"), append(args, v, fmt.Sprint("w", v))
	where, which := " WHERE id = ?", []any{id}
	if k >= 0 {
		where, which = " WHERE id = ? AND k = ?", append(which, k)
	}
	give := ""
	if w.random.IntN(3) == 0 {
		give = []string{"x", "y"}[w.random.IntN(2)]
	}
	insert := func(verb string) {
		if give != "" {
			names, marks, args = append(names, give), append(marks, "?"), append(args, v)
			fresh.given[give] = given{value: strconv.Itoa(v)}
		}
		w.write(t, id, k, fresh, verb, fmt.Sprintf("%s INTO %s (%s) VALUES (%s)", verb, t.name(), strings.Join(names, ", "), strings.Join(marks, ", ")), args)
	}
	rows, sure := t.contents.at(key(id, k), t.contents.begin(), nil)
	switch n := w.random.IntN(8); {
	case n == 0:
		w.write(t, id, k, nil, "DELETE", "DELETE FROM "+t.name()+where, which)
	case n == 1 && t.child == nil: // of a parent it would delete the children
		insert("REPLACE")
	case sure && len(rows) == 1 && rows[0] != nil:
		maps.Copy(fresh.given, rows[0].given)
		set, args := "v = ?, w = ?", []any{v, fmt.Sprint("w", v)}
		if give != "" {
			set, args = set+", "+give+" = ?", append(args, v)
			fresh.given[give] = given{value: strconv.Itoa(v)}
		}
		w.write(t, id, k, fresh, "UPDATE", "UPDATE "+t.name()+" SET "+set+where, append(args, which...))
	default:
		insert("INSERT")
	}
}

// write runs a statement that puts a row, or deletes it and its children, and holds what it says against what it found.
func (w *writer) write(t *table, id, k int, r *row, verb, query string, args []any) {
	self := t.contents.beginWrite(key(id, k), r)
	var gone []*write
	if t.child != nil && r == nil {
		for k := range kids {
			gone = append(gone, t.child.contents.beginWrite(key(id, k), nil))
		}
	}
	result, err := w.db.Exec(query, args...)
	var affected int64
	if err == nil {
		affected, _ = result.RowsAffected()
	}
	how := effectOf(err)
	if how == done && affected == 0 {
		how = none
	}
	t.contents.endWrite(self, how)
	for _, g := range gone {
		t.child.contents.endWrite(g, how)
	}
	w.note("%d: %s %v: %d, %v", w.number, query, args, affected, err)
	if err != nil && !w.expected(err, unknownColumn, duplicate, noParent) {
		w.fail("%s %v: %v", query, args, err)
		return
	}
	var e *nearlyfree.Error
	errors.As(err, &e)
	found := 0 // 1: a row was there, -1: none was
	switch {
	case verb == "INSERT" && err == nil, (verb == "UPDATE" || verb == "DELETE") && err == nil && affected == 0:
		found = -1
	case e != nil && e.Number == duplicate && how == none, (verb == "UPDATE" || verb == "DELETE") && err == nil:
		found = 1
	}
	w.holds(t, key(id, k), self, found, query)
	if t.parent != nil && r != nil {
		switch {
		case err == nil:
			w.holds(t.parent, key(id, -1), self, 1, query)
		case e != nil && e.Number == noParent && how == none:
			w.holds(t.parent, key(id, -1), self, -1, query)
		}
	}
}

// holds checks whether a statement can have found a row, or none.
func (w *writer) holds(t *table, key string, self *write, found int, query string) {
	if found == 0 {
		return
	}
	rows, sure := t.contents.at(key, &self.event, self)
	if sure && !slices.ContainsFunc(rows, func(r *row) bool { return (r != nil) == (found > 0) }) {
		w.fail("process %d: %s found %s under %s of %s", w.number, query, map[int]string{1: "a row", -1: "no row"}[found], key, t.names[0])
	}
}

// reader is a process that reads.
type reader struct {
	*round
	db     *sql.DB
	random *rand.Rand
	number int
	began  time.Time // the query that is under way
}

// fail says who read, and when that began.
func (r *reader) fail(format string, args ...any) {
	r.round.fail("process %d, reading since %.1fms: "+format, append([]any{r.number, float64(r.began.Sub(r.round.began).Microseconds()) / 1000}, args...)...)
}

func (r *reader) step() {
	t := r.tables[r.random.IntN(len(r.tables))]
	if t.child != nil && r.random.IntN(3) == 0 {
		r.join(t)
		return
	}
	r.read(t, r.random.IntN(len(r.queries(t))))
}

// query is a SELECT, with the keys of the rows that it finds if they are there; nil: all.
type query struct {
	text string
	args []any
	keys []string
}

func (r *reader) queries(t *table) []query {
	from := "SELECT * FROM " + t.name()
	all := t.keys()
	id := r.random.IntN(parents)
	few := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return idOf(key) < id || idOf(key) > id+4 })
	one := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return idOf(key) != id })
	return []query{
		{from, nil, all},
		{from + " ORDER BY id DESC", nil, all},
		{from + " WHERE id BETWEEN ? AND ?", []any{id, id + 4}, few},
		{from + " WHERE id = ?", []any{id}, one},
		{from + " WHERE w LIKE 'w%'", nil, all},
		{from + " FORCE INDEX (kept) WHERE w >= 'w'", nil, all},
		{from + " WHERE v >= 0", nil, all},
		{from + " WHERE v >= 0 ORDER BY v", nil, all},
		{from + " WHERE v >= 0 AND w >= 'w'", nil, all},
	}
}

func (t *table) keys() []string {
	var keys []string
	for id := range parents {
		if t.parent == nil {
			keys = append(keys, key(id, -1))
			continue
		}
		for k := range kids {
			keys = append(keys, key(id, k))
		}
	}
	return keys
}

func idOf(key string) int {
	id, _, _ := strings.Cut(key, "/")
	n, _ := strconv.Atoi(id)
	return n
}

// read runs a query and holds what it gives against what was written.
func (r *reader) read(t *table, number int) {
	q := r.queries(t)[number]
	e := t.contents.begin()
	found, err := r.rows(q)
	t.contents.end(e, none)
	if err != nil {
		const noIndex = 1176
		if !r.expected(err, unknownColumn, noIndex) {
			r.fail("%s %v: %v", q.text, q.args, err)
		}
		return
	}
	r.holds(t, q, e, found)
}

// holds holds the rows that a query gave against what was written.
func (r *reader) holds(t *table, q query, e *event, found []map[string]string) {
	known := map[string]map[string]string{}
	for _, got := range found {
		k := -1
		if t.parent != nil {
			k, _ = strconv.Atoi(got["k"])
		}
		id, _ := strconv.Atoi(got["id"])
		at := key(id, k)
		rows, sure := t.contents.at(at, e, nil)
		switch {
		case !slices.Contains(q.keys, at):
			r.fail("%s %v gave %v", q.text, q.args, got)
		case !sure:
		case known[at] != nil:
			r.fail("%s %v gave %v twice", q.text, q.args, got)
		default:
			if wrong := t.contents.fits(rows, got, e); wrong != "" {
				r.fail("%s %v gave %v under %s: %s, and there may be %s", q.text, q.args, got, at, wrong, show(rows))
			}
		}
		known[at] = got
	}
	for _, at := range q.keys {
		rows, sure := t.contents.at(at, e, nil)
		if sure && known[at] == nil && !slices.Contains(rows, nil) {
			r.fail("%s %v did not give the row %s: %s", q.text, q.args, at, show(rows))
		}
	}
}

// join reads rows with those inside them, and holds them against what was written.
func (r *reader) join(t *table) {
	q := query{text: "SELECT p.id, p.v AS pv, c.k, c.v AS cv FROM " + t.name() + " p JOIN " + t.child.name() + " c ON c.id = p.id"}
	e := t.contents.begin()
	found, err := r.rows(q)
	t.contents.end(e, none)
	if err != nil {
		if !r.expected(err) {
			r.fail("%s: %v", q.text, err)
		}
		return
	}
	known := map[string]map[string]string{}
	for _, got := range found {
		known[got["id"]+"/"+got["k"]] = got
	}
	for _, at := range t.child.keys() {
		above, sureAbove := t.contents.at(key(idOf(at), -1), e, nil)
		rows, sure := t.child.contents.at(at, e, nil)
		if !sure || !sureAbove {
			continue
		}
		is := func(v string) func(*row) bool { return func(r *row) bool { return r != nil && strconv.Itoa(r.v) == v } }
		got := known[at]
		switch {
		case got == nil && !slices.Contains(above, nil) && !slices.Contains(rows, nil):
			r.fail("%s did not give %s in %s: %s", q.text, show(rows), show(above), at)
		case got != nil && !(slices.ContainsFunc(above, is(got["pv"])) && slices.ContainsFunc(rows, is(got["cv"]))):
			r.fail("%s gave %v, and there may be %s in %s", q.text, got, show(rows), show(above))
		}
	}
}

func show(rows []*row) string {
	var out []string
	for _, r := range rows {
		if r == nil {
			out = append(out, "none")
		} else {
			out = append(out, fmt.Sprint("v ", r.v))
		}
	}
	return strings.Join(out, " or ")
}

// rows runs a query, and gives rows with their values by column.
func (r *reader) rows(q query) ([]map[string]string, error) {
	r.began = time.Now()
	rows, err := r.db.Query(q.text, q.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []map[string]string
	for rows.Next() {
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]string{}
		for i, v := range values {
			row[names[i]] = v.String
			if !v.Valid {
				row[names[i]] = "NULL"
			}
		}
		out = append(out, row)
	}
	return out, rows.Err()
}
