package definitions

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree"
)

// event is a statement that changes rows, with what is known of it: it took effect, if it did, at one time between its
// begin and its end.
type event struct {
	begin, end int64
	effect     effect
}

type effect uint8

const (
	possible effect = iota // it is under way, or its error does not say that nothing of it stands
	done
	none
)

// effectOf is what an error says of a statement.
func effectOf(err error) effect {
	var e *nearlyfree.Error
	switch {
	case err == nil:
		return done
	case errors.As(err, &e) && e.Applied == nearlyfree.AppliedNo:
		return none
	}
	return possible
}

// before says whether e was over when o began.
func (e *event) before(o *event) bool { return e.end < o.begin }

// write is an event that puts a row, or deletes it: row is nil then.
type write struct {
	event
	row *row
}

// row is what is kept of a row: v is another one in each write; the columns that come and go are there by name, where
// they were given a value.
type row struct {
	v     int
	given map[string]given
}

type given struct {
	value string
	by    *event
}

// clearing is an event that deletes all rows whose keys it matches.
type clearing struct {
	event
	matches func(key string) bool
}

// history is the order of the events of all tables of a store.
type history struct {
	mu    sync.Mutex
	clock int64
}

func (h *history) tick() int64 {
	h.clock++
	return h.clock
}

// contents is what may be in a table, whatever its name is: every key has one writer at a time, and anybody may clear
// the table, or give its columns back their defaults.
type contents struct {
	*history
	writes map[string][]*write
	clears []*clearing
	resets map[string][]*event // by column that comes and goes
}

func newContents(h *history) *contents {
	return &contents{history: h, writes: map[string][]*write{}, resets: map[string][]*event{}}
}

// begin gives an event that is under way. Nothing is noted of one that only reads.
func (c *contents) begin() *event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &event{begin: c.tick(), end: math.MaxInt64}
}

// end notes how an event has ended. While it is not known whether it took effect, other processes may go by what was
// before it or by what came of it.
func (c *contents) end(e *event, how effect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.effect = how
	if how != possible {
		e.end = c.tick()
	}
}

// endWrite is end for a write: it took effect by now or never.
func (c *contents) endWrite(w *write, how effect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.end, w.effect = c.tick(), how
}

func (c *contents) beginWrite(key string, r *row) *write {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &write{event{begin: c.tick(), end: math.MaxInt64}, r}
	for name, g := range r.columns() {
		if g.by == nil {
			r.given[name] = given{g.value, &w.event}
		}
	}
	c.writes[key] = append(c.writes[key], w)
	return w
}

func (r *row) columns() map[string]given {
	if r == nil {
		return nil
	}
	return r.given
}

func (c *contents) beginClear(matches func(key string) bool) *event {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &clearing{event{begin: c.tick(), end: math.MaxInt64}, matches}
	c.clears = append(c.clears, e)
	return &e.event
}

func (c *contents) beginReset(column string) *event {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &event{begin: c.tick(), end: math.MaxInt64}
	c.resets[column] = append(c.resets[column], e)
	return e
}

// at gives the rows that whoever looked during e may have found under a key; nil among them for none. sure is false when the
// key was written to meanwhile: then nothing is known. own is the write that looks, nil for a read.
func (c *contents) at(key string, e *event, own *write) (rows []*row, sure bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	late := false
	for _, w := range slices.Backward(c.writes[key]) {
		if w == own || w.effect == none || e.before(&w.event) {
			continue
		}
		if !w.before(e) {
			return nil, false
		}
		cleared := false
		for _, clear := range c.clears {
			if clear.effect == none || !clear.matches(key) || e.before(&clear.event) || clear.before(&w.event) {
				continue
			}
			if clear.effect == done && w.before(&clear.event) && clear.before(e) {
				cleared = true
				continue
			}
			rows = append(rows, nil)
			// Until a statement that empties the table has ended, some process may go by what was there before.
			late = late || clear.begin < w.end && !clear.before(e)
		}
		if cleared && !c.emptying(key, e) {
			return append(rows, nil), true
		}
		rows = append(rows, w.row)
		if w.effect == done && !late {
			return rows, true
		}
	}
	return append(rows, nil), true
}

// emptying says whether statements that empty a table overlapped before e, of which one had not ended when e began: a process
// that goes by what was there before it has not seen what the other one deleted.
func (c *contents) emptying(key string, e *event) bool {
	for _, late := range c.clears {
		if late.effect == none || !late.matches(key) || e.before(&late.event) || late.before(e) {
			continue
		}
		if slices.ContainsFunc(c.clears, func(o *clearing) bool {
			return o != late && o.effect != none && o.matches(key) && !o.before(&late.event)
		}) {
			return true
		}
	}
	return false
}

// fits says whether a row that was read during e, with its values by column, can be one of rows; "" when it can.
func (c *contents) fits(rows []*row, got map[string]string, e *event) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range rows {
		if r == nil || fmt.Sprint(r.v) != got["v"] {
			continue
		}
		if want := fmt.Sprintf("w%d", r.v); got["w"] != want {
			return fmt.Sprintf("w is %s in the row of v %d", got["w"], r.v)
		}
		if z, there := got["z"]; there && len(z) != len("6ccd780c-baba-1026-9564-5b8c656024db") {
			return fmt.Sprintf("z is %s in the row of v %d: the column is there, and the row has no value of its own", z, r.v)
		}
		for name, initial := range extras {
			value, there := got[name]
			if there && !slices.Contains(c.values(r, name, initial, e), value) {
				return fmt.Sprintf("%s is %s instead of %v in the row of v %d", name, value, c.values(r, name, initial, e), r.v)
			}
		}
		return ""
	}
	return fmt.Sprintf("v is %s", got["v"])
}

// values are what a column that comes and goes may hold.
func (c *contents) values(r *row, name, initial string, e *event) []string {
	g, ok := r.given[name]
	if !ok {
		return []string{initial}
	}
	values := []string{g.value}
	for _, reset := range c.resets[name] {
		switch {
		case reset.effect == none || e.before(reset) || reset.before(g.by):
		case reset.effect == done && g.by.before(reset) && reset.before(e):
			return []string{initial}
		default:
			values = append(values, initial)
		}
	}
	return values
}
