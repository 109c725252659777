package session

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// status is SHOW STATUS of a session, or of all if of is nil.
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

// live is what information_schema and SHOW tell about the sessions.
func (d *Database) live() show.Live {
	return show.Live{Processes: d.processes, Status: func() [][]value.Value { return d.status(nil) }}
}
