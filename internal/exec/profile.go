package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Profile is what each operator of an execution has done. The zero value is empty.
type Profile struct {
	mu        sync.Mutex
	operators map[planner.Node]*Done
}

// Done is what an operator has done in all of its runs: the inner side of a join and a correlated subquery run more than once.
type Done struct {
	Runs  atomic.Int64
	Rows  atomic.Int64 // that it gave
	Time  atomic.Int64 // nanoseconds in it and in its inputs; the sum over parallel reads
	Meter engine.Meter // of a scan: what it has read

	mu    sync.Mutex
	reads access.Reads
	more  int
}

// read notes what a scan reads in all of its runs, up to planner.MostReads keys and spans.
func (d *Done) read(r *access.Reads) {
	d.mu.Lock()
	defer d.mu.Unlock()
	room := planner.MostReads - len(d.reads.Points) - len(d.reads.Spans)
	points := min(room, len(r.Points))
	d.reads.Points = append(d.reads.Points, r.Points[:points]...)
	spans := min(room-points, len(r.Spans))
	d.reads.Spans = append(d.reads.Spans, r.Spans[:spans]...)
	d.more += len(r.Points) - points + len(r.Spans) - spans
}

// Read gives what a scan has read, and how much more there was.
func (d *Done) Read() (reads access.Reads, more int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return access.Reads{Points: slices.Clone(d.reads.Points), Spans: slices.Clone(d.reads.Spans)}, d.more
}

// Of gives what an operator has done.
func (p *Profile) Of(n planner.Node) *Done {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.operators[n]
	if d == nil {
		if p.operators == nil {
			p.operators = map[planner.Node]*Done{}
		}
		d = &Done{}
		p.operators[n] = d
	}
	return d
}

// AddTo adds what all operators have read to a meter.
func (p *Profile) AddTo(m *engine.Meter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.operators {
		m.Add(&d.Meter)
	}
}

// operator is a Node with the plan node that it was compiled from.
type operator struct {
	Node
	plan planner.Node
}

func (o operator) Open(f *Frame) Iterator { return watch(o.Node.Open(f), f, o.plan) }

// watch gives it, with its work noted under an operator of the plan if there is a profile.
func watch(it Iterator, f *Frame, plan planner.Node) Iterator {
	if f.X.Profile == nil {
		return it
	}
	done := f.X.Profile.Of(plan)
	done.Runs.Add(1)
	return &watched{it, done}
}

// watched notes what an operator does.
type watched struct {
	Iterator
	done *Done
}

func (w *watched) Next(ctx context.Context) ([]value.Value, error) {
	begun := time.Now()
	row, err := w.Iterator.Next(ctx)
	w.done.Time.Add(int64(time.Since(begun)))
	if err == nil {
		w.done.Rows.Add(1)
	}
	return row, err
}

// meter is what the reads of a scan are counted by.
func (r *Run) meter(scan planner.Node) *engine.Meter {
	if r.X.Profile == nil {
		return r.X.Meter
	}
	return &r.X.Profile.Of(scan).Meter
}

// noteRows notes how many rows a scan has given.
func (r *Run) noteRows(scan planner.Node, rows int) {
	if r.X.Profile != nil {
		r.X.Profile.Of(scan).Rows.Add(int64(rows))
	}
}

// noteReads notes what a scan reads.
func (r *Run) noteReads(scan planner.Node, reads *access.Reads) {
	if r.X.Profile != nil {
		r.X.Profile.Of(scan).read(reads)
	}
}

// note notes that a scan was read for left rows.
func (r *Run) note(scan planner.Node, begun time.Time) {
	done := r.X.Profile.Of(scan)
	done.Runs.Add(1)
	done.Time.Add(int64(time.Since(begun)))
}
