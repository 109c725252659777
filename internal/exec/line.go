package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// Lines are where writers of a store wait for one another, one line per table. A statement that met another writer takes
// a turn alone: other writers to the table wait behind it, in order of arrival. So it gets through, and statements that often
// meet others do not starve. As long as no writers meet, none waits.
type Lines struct {
	busy   atomic.Int64 // lines that are not empty
	mu     sync.Mutex
	byName map[string]*line
}

// Group is the transactions of a store, as far as they wait for each other's rows.
type Group = buffer.Group

// line is the writers to a table, and those that wait, since a writer has asked for a turn alone.
type line struct {
	writing int  // number of writers
	alone   bool // the only writer has its turn alone
	waiting []*place
}

// place is a waiting writer.
type place struct {
	alone bool
	turn  chan struct{} // closed when its turn comes
}

// Turn is the right to write to a table until it is ended. The zero Turn is no right at all.
type Turn struct {
	lines *Lines
	name  string
	alone bool
}

// IsAlone says whether no other writer has a turn at the table.
func (t *Turn) IsAlone() bool { return t.alone }

// AreBusy says whether any line is not empty.
func (l *Lines) AreBusy() bool { return l != nil && l.busy.Load() > 0 }

// Join waits for a turn at a table if there is a line; it costs nothing if there is none.
func (l *Lines) Join(ctx context.Context, table string, t *Turn) error {
	if !l.AreBusy() || t.lines != nil {
		return nil
	}
	return l.enter(ctx, table, false, t)
}

// Alone waits for a turn alone, which replaces the turn that t has.
func (l *Lines) Alone(ctx context.Context, table string, t *Turn) error {
	if l == nil || t.alone {
		return nil
	}
	t.End()
	return l.enter(ctx, table, true, t)
}

func (l *Lines) enter(ctx context.Context, table string, alone bool, t *Turn) error {
	l.mu.Lock()
	in := l.byName[table]
	switch {
	case in == nil && !alone:
		l.mu.Unlock()
		return nil
	case in == nil:
		in = &line{}
		if l.byName == nil {
			l.byName = map[string]*line{}
		}
		l.byName[table] = in
		l.busy.Add(1)
	}
	p := &place{alone, make(chan struct{})}
	in.waiting = append(in.waiting, p)
	in.next()
	l.mu.Unlock()
	select {
	case <-p.turn:
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(in.waiting, p); i >= 0 {
			in.waiting = slices.Delete(in.waiting, i, i+1)
		} else {
			in.leave()
		}
		l.advance(table, in)
		return ctx.Err()
	}
	*t = Turn{l, table, alone}
	return nil
}

// next gives turns to the next in line: one alone, or all up to the next that wants to be alone.
func (in *line) next() {
	for len(in.waiting) > 0 && !in.alone && (in.writing == 0 || !in.waiting[0].alone) {
		p := in.waiting[0]
		in.waiting = in.waiting[1:]
		in.writing++
		in.alone = p.alone
		close(p.turn)
	}
}

func (in *line) leave() {
	in.writing--
	in.alone = false
}

// advance moves on a line that a writer has left, and removes it if it is empty.
func (l *Lines) advance(table string, in *line) {
	in.next()
	if in.writing == 0 && len(in.waiting) == 0 && l.byName[table] == in {
		delete(l.byName, table)
		l.busy.Add(-1)
	}
}

// End lets the next writer go on. It may be called more than once.
func (t *Turn) End() {
	if t.lines == nil {
		return
	}
	l, table := t.lines, t.name
	*t = Turn{}
	l.mu.Lock()
	defer l.mu.Unlock()
	in := l.byName[table]
	in.leave()
	l.advance(table, in)
}
