package session

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// tally counts what sessions have done.
type tally struct {
	questions atomic.Int64
	slow      atomic.Int64
	kinds     [kinds]atomic.Int64
	meter     engine.Meter
}

func (t *tally) add(of *tally) {
	t.questions.Add(of.questions.Load())
	t.slow.Add(of.slow.Load())
	for i := range of.kinds {
		t.kinds[i].Add(of.kinds[i].Load())
	}
	t.meter.Add(&of.meter)
}

// activity is what other sessions may see of a session while it is at work.
type activity struct {
	in    atomic.Pointer[string]       // the current database
	text  atomic.Pointer[string]       // of the statement under way; nil: none
	since atomic.Int64                 // ticks: the start of the statement, or the end of the last one
	meter atomic.Pointer[engine.Meter] // what the statement has cost so far; nil: nothing yet

	killed  atomic.Bool
	mu      sync.Mutex
	running []*interruptible // statements whose rows are not closed yet
}

// slowTicks is MySQL's default long_query_time.
const slowTicks = int64(10 * time.Second / value.Tick)

// begins notes that a statement begins.
func (s *Session) begins(text *string, k kind) {
	t := s.tally.Load()
	t.questions.Add(1)
	t.kinds[k].Add(1)
	s.at.since.Store(s.state.Now)
	s.at.text.Store(text)
}

// costs lets other sessions see what the statement costs while it runs.
func (s *Session) costs(m *engine.Meter) { s.at.meter.Store(m) }

// ends notes that the statement is over. A point read is too short to be worth a look at the clock.
func (s *Session) ends(point bool) {
	s.at.text.Store(nil)
	if point {
		return
	}
	s.at.meter.Store(nil)
	t := now()
	if t-s.at.since.Load() > slowTicks {
		s.tally.Load().slow.Add(1)
	}
	s.at.since.Store(t)
}

// enter adds a session to those of the database.
func (d *Database) enter(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions == nil {
		d.sessions, d.begun = map[int64]*Session{}, time.Now()
	}
	d.sessions[s.state.ConnectionID] = s
	d.most = max(d.most, len(d.sessions))
}

// leave removes a session from them. What it still does counts as the database's.
func (d *Database) leave(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[s.state.ConnectionID] == nil {
		return
	}
	delete(d.sessions, s.state.ConnectionID)
	d.ended.add(s.tally.Swap(&d.ended))
}

// session finds a session by its id; nil: there is none.
func (d *Database) session(id int64) *Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sessions[id]
}

// AddTo adds to m what all statements have cost.
func (d *Database) AddTo(m *engine.Meter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m.Add(&d.ended.meter)
	for _, s := range d.sessions {
		m.Add(&s.tally.Load().meter)
	}
}

// all gives the sessions, ordered by id.
func (d *Database) all() []*Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.sessions), func(a, b *Session) int { return cmp.Compare(a.state.ConnectionID, b.state.ConnectionID) })
}

// processes gives the sessions of this process and what they do.
func (d *Database) processes() []show.Process {
	var out []show.Process
	at := now()
	for _, one := range d.all() {
		p := show.Process{ID: one.state.ConnectionID, Database: *one.at.in.Load(), Ticks: at - one.at.since.Load()}
		if text := one.at.text.Load(); text != nil {
			p.Text = *text
		}
		if m := one.at.meter.Load(); m != nil {
			p.Requests, p.Entities = m.Requests.Load(), m.Returned.Load()
		}
		out = append(out, p)
	}
	return out
}
