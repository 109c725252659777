package show

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Process is a session, and what it is doing.
type Process struct {
	ID                 int64
	Database           string
	Text               string // of the statement under way; "": it waits for one
	Ticks              int64  // that this has taken so far
	Requests, Entities int64  // that the statement has made and read so far
}

// mostInfo is how many characters of a statement SHOW PROCESSLIST shows unless it is FULL.
const mostInfo = 100

// command and state are what MySQL's columns of these names say.
func (p *Process) command() string {
	if p.Text == "" {
		return "Sleep"
	}
	return "Query"
}

func (p *Process) state() string {
	if p.Text == "" {
		return ""
	}
	return fmt.Sprintf("%s, %s read", sqlerr.Count(int(p.Requests), "request"), entities(p.Entities))
}

func entities(n int64) string {
	if n == 1 {
		return "1 entity"
	}
	return fmt.Sprintf("%d entities", n)
}

func (p *Process) duration() time.Duration { return time.Duration(p.Ticks) * value.Tick }

// Processes gives the rows of SHOW PROCESSLIST.
func Processes(all []Process, full bool) [][]value.Value {
	v := newVirtual("processlist", "Id#", "User", "Host", "db", "Command", "Time#", "State", "Info")
	for i := range all {
		p := &all[i]
		var info any
		if text := []rune(p.Text); len(text) > mostInfo && !full {
			info = string(text[:mostInfo])
		} else if p.Text != "" {
			info = p.Text
		}
		v.add(p.ID, userName, userHost, p.Database, p.command(), int64(p.duration()/time.Second), p.state(), info)
	}
	return v.rows
}

// Live gives information about the process's sessions at the moment a statement asks.
type Live struct {
	Processes func() []Process
	Status    func() [][]value.Value // names and values, of all
}

// isLive says whether a table tells of sessions.
func isLive(database, name string) bool {
	switch strings.ToLower(database) {
	case "information_schema":
		return strings.EqualFold(name, "PROCESSLIST")
	case "performance_schema":
		return strings.EqualFold(name, "global_status")
	}
	return false
}

// table makes such a table. Its plan may be reused, so its rows are made when they are read.
func (l Live) table(database, name string) (*schema.Table, error) {
	var v *virtual
	rows := l.Status
	if strings.EqualFold(name, "PROCESSLIST") {
		v, rows = infoProcesses(nil), func() [][]value.Value { return infoProcesses(l.Processes()).rows }
	} else {
		v = newVirtual("global_status", "VARIABLE_NAME", "VARIABLE_VALUE")
	}
	v.table.Database = strings.ToLower(database)
	t, err := v.done()
	t.Virtual = func(context.Context, schema.Wanted) ([][]value.Value, error) { return rows(), nil }
	return t, err
}

// infoProcesses is MariaDB's PROCESSLIST, as far as it is supported, with what each statement costs.
func infoProcesses(all []Process) *virtual {
	v := newVirtual("PROCESSLIST", "ID#", "USER", "HOST", "DB", "COMMAND", "TIME#", "STATE", "INFO", "TIME_MS#", "REQUESTS#", "ENTITIES#")
	for i := range all {
		p := &all[i]
		var info any
		if p.Text != "" {
			info = p.Text
		}
		v.add(p.ID, userName, userHost, p.Database, p.command(), int64(p.duration()/time.Second), p.state(), info,
			p.duration().Milliseconds(), p.Requests, p.Entities)
	}
	return v
}
