package session

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// kind is what SHOW STATUS counts a statement as.
type kind uint8

const (
	kindOther kind = iota
	kindSelect
	kindInsert
	kindReplace
	kindUpdate
	kindDelete
	kindBegin
	kindCommit
	kindRollback
	kindSet
	kindShow
	kindExplain
	kindCreateTable
	kindAlterTable
	kindDropTable
	kindCreateIndex
	kindDropIndex
	kindTruncate
	kindAnalyze
	kinds
)

// comNames are MySQL's names of the counters. Com_show is all of its Com_show_….
var comNames = [kinds]string{
	kindSelect: "Com_select", kindInsert: "Com_insert", kindReplace: "Com_replace", kindUpdate: "Com_update", kindDelete: "Com_delete",
	kindBegin: "Com_begin", kindCommit: "Com_commit", kindRollback: "Com_rollback", kindSet: "Com_set_option", kindShow: "Com_show",
	kindExplain: "Com_explain_other", kindCreateTable: "Com_create_table", kindAlterTable: "Com_alter_table", kindDropTable: "Com_drop_table",
	kindCreateIndex: "Com_create_index", kindDropIndex: "Com_drop_index", kindTruncate: "Com_truncate", kindAnalyze: "Com_analyze",
}

// Call is what database/sql asks for without a text.
type Call struct {
	text string
	kind kind
}

// The calls.
var (
	CallBegin    = &Call{"BEGIN", kindBegin}
	CallCommit   = &Call{"COMMIT", kindCommit}
	CallRollback = &Call{"ROLLBACK", kindRollback}
)

func kindOf(s dialect.Statement) kind {
	switch s := s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.SelectInto:
		return kindSelect
	case *dialect.Insert:
		if s.Replace {
			return kindReplace
		}
		return kindInsert
	case *dialect.Update:
		return kindUpdate
	case *dialect.Delete:
		return kindDelete
	case *dialect.Transaction:
		switch s.Kind {
		case dialect.Begin:
			return kindBegin
		case dialect.Commit:
			return kindCommit
		case dialect.Rollback:
			return kindRollback
		}
	case *dialect.Set:
		return kindSet
	case *dialect.Show:
		return kindShow
	case *dialect.Explain:
		return kindExplain
	case *dialect.CreateTable:
		return kindCreateTable
	case *dialect.AlterTable:
		return kindAlterTable
	case *dialect.DropTable:
		return kindDropTable
	case *dialect.CreateIndex:
		return kindCreateIndex
	case *dialect.DropIndex:
		return kindDropIndex
	case *dialect.Truncate:
		return kindTruncate
	case *dialect.MaintainTable:
		if s.Verb == "ANALYZE" {
			return kindAnalyze
		}
	}
	return kindOther
}

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

// activity is what others may see of a session while it is at work.
type activity struct {
	text  atomic.Pointer[string]       // of the statement under way; nil: none
	since atomic.Int64                 // ticks, of the statement, or of the end of the last one
	meter atomic.Pointer[engine.Meter] // what the statement has cost so far; nil: nothing yet
}

// slowTicks is long_query_time, as MySQL has it.
const slowTicks = int64(10 * time.Second / value.Tick)

// begins notes that a statement begins.
func (s *Session) begins(text *string, k kind) {
	t := s.tally.Load()
	t.questions.Add(1)
	t.kinds[k].Add(1)
	s.at.since.Store(s.state.Now)
	s.at.text.Store(text)
}

// costs shows others what the statement costs while it runs.
func (s *Session) costs(m *engine.Meter) { s.at.meter.Store(m) }

// ends notes that the statement is over. A point read is too short to look at the clock for it.
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

// leave takes a session off them. What it still does counts as the database's.
func (d *Database) leave(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[s.state.ConnectionID] == nil {
		return
	}
	delete(d.sessions, s.state.ConnectionID)
	d.ended.add(s.tally.Swap(&d.ended))
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

// all are the sessions, by their ids.
func (d *Database) all() []*Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.sessions), func(a, b *Session) int { return cmp.Compare(a.state.ConnectionID, b.state.ConnectionID) })
}

// status is SHOW STATUS of a session, or of all where it is nil.
func (d *Database) status(of *tally) [][]value.Value {
	sessions, maintenance := d.all(), &engine.Meter{}
	if of == nil {
		of = &tally{}
		for _, one := range sessions {
			of.add(one.tally.Load())
		}
		of.add(&d.ended)
		maintenance = &d.Maintenance
	}
	running := 0
	for _, one := range sessions {
		if one.at.text.Load() != nil {
			running++
		}
	}
	m := &engine.Meter{}
	m.Add(&of.meter)
	m.Add(maintenance)
	rows := map[string]string{}
	number := func(name string, n int64) { rows[name] = strconv.FormatInt(n, 10) }
	for k, name := range comNames {
		if name != "" {
			number(name, of.kinds[k].Load())
		}
	}
	number("Questions", of.questions.Load())
	number("Queries", of.questions.Load())
	number("Slow_queries", of.slow.Load())
	number("Connections", d.ids.Load())
	number("Threads_connected", int64(len(sessions)))
	number("Threads_running", int64(running))
	d.mu.Lock()
	number("Max_used_connections", int64(d.most))
	number("Uptime", int64(time.Since(d.begun).Seconds()))
	d.mu.Unlock()
	number("Nearlyfree_requests", m.Requests.Load())
	number("Nearlyfree_schema_requests", maintenance.Requests.Load())
	number("Nearlyfree_retries", m.Retries.Load())
	number("Nearlyfree_entities_scanned", of.meter.Scanned.Load())
	number("Nearlyfree_entities_read", of.meter.Returned.Load())
	number("Nearlyfree_entities_written", of.meter.Written.Load())
	number("Nearlyfree_bytes_received", m.BytesIn.Load())
	number("Nearlyfree_bytes_sent", m.BytesOut.Load())
	rows["Nearlyfree_dollars"] = strconv.FormatFloat(float64(m.Requests.Load())*d.Runtime.Price, 'f', 8, 64)
	var out [][]value.Value
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, []value.Value{value.FromString(name), value.FromString(rows[name])})
	}
	return out
}

// live is what information_schema and SHOW tell of the sessions.
func (d *Database) live() show.Live {
	return show.Live{Processes: d.processes, Status: func() [][]value.Value { return d.status(nil) }}
}

// processes are the sessions of this process and what they do.
func (d *Database) processes() []show.Process {
	var out []show.Process
	at := now()
	for _, one := range d.all() {
		p := show.Process{ID: one.state.ConnectionID, Database: d.Name, Ticks: at - one.at.since.Load()}
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
