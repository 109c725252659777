package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// Lines are where writers of a store wait for one another, a line for each table. A statement that met another writer takes
// its turn alone: whoever wants to write to the table meanwhile waits behind it, in the order in which they came. So it gets
// through, and those that meet often do not starve. Where nobody has met anybody nobody waits.
type Lines struct {
	busy   atomic.Int64 // lines that somebody stands in
	mu     sync.Mutex
	byName map[string]*line
}

// Group is the transactions of a store, as far as they wait for rows of each other.
type Group = buffer.Group

// line is those who write, and those who wait, since somebody has taken his turn alone.
type line struct {
	writing int  // how many
	alone   bool // the one who writes has his turn alone
	waiting []*place
}

// place is one who waits.
type place struct {
	alone bool
	turn  chan struct{} // closed when it is his
}

// Turn is the right to write to a table until it is ended. The zero Turn is nobody's.
type Turn struct {
	lines *Lines
	name  string
	alone bool
}

// IsAlone says whether nobody else has a turn at the table.
func (t *Turn) IsAlone() bool { return t.alone }

// AreBusy says whether anybody is in line.
func (l *Lines) AreBusy() bool { return l != nil && l.busy.Load() > 0 }

// Join waits for a turn at a table, if somebody is in line there; it costs nothing where nobody is.
func (l *Lines) Join(ctx context.Context, table string, t *Turn) error {
	if !l.AreBusy() || t.lines != nil {
		return nil
	}
	return l.enter(ctx, table, false, t)
}

// Alone waits for a turn alone, in place of the one that t has.
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

// next gives their turns to those who come next: one alone, or all up to the next who wants to be alone.
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

// advance goes on with a line that somebody has left, and takes away one that nobody stands in.
func (l *Lines) advance(table string, in *line) {
	in.next()
	if in.writing == 0 && len(in.waiting) == 0 && l.byName[table] == in {
		delete(l.byName, table)
		l.busy.Add(-1)
	}
}

// End lets the next one go on. It may be called more than once.
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
