package embedded

import (
	"context"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// fileMoment is a file at one moment: a read transaction of bbolt with what was pending, begun by the first read. Many goroutines may read in it
// at the same time, because bbolt keeps no state in a transaction that only reads.
type fileMoment struct {
	file   *File
	tables fileTables

	mu    sync.RWMutex // held for writing to begin or end state, under moments.mu
	db    *bolt.DB     // of state
	state fileState    // without a transaction before the first read, and once it is over
	over  error        // why nothing can be read any more

	before, after *fileMoment // in moments.open
}

// moments are the open moments of a file. bbolt's writer waits for all read transactions when the file outgrows its map, and so does closing it:
// so it must be possible to end them.
type moments struct {
	mu     sync.Mutex
	open   *fileMoment
	ended  int              // how often all were ended, or the file was replaced by a compacted one
	former map[*bolt.DB]int // replaced files, and how many open moments they have
}

// Moment implements engine.Transactor.
func (f *File) Moment() engine.Moment {
	return &fileMoment{file: f, tables: *f.tables.Load()}
}

// Get implements engine.Moment.
func (m *fileMoment) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	return viewer{m.file, m}.get(ctx, g, m.tables)
}

// Scan implements engine.Moment.
func (m *fileMoment) Scan(_ context.Context, s engine.Scan) engine.Cursor {
	return viewer{m.file, m}.scan(s, m.tables)
}

// view is viewer.view.
func (m *fileMoment) view(t *fileTable, fn func(s *fileState) error) (err error) {
	defer careful()()
	defer m.file.guard(t, &err)
	m.mu.RLock()
	for m.state.Tx == nil {
		err := m.over
		m.mu.RUnlock()
		if err == nil {
			err = m.begin()
		}
		if err != nil {
			return errFile(m.file.path, err)
		}
		m.mu.RLock()
	}
	defer m.mu.RUnlock()
	return m.file.reading(t, fn(&m.state))
}

// begin begins the transaction, unless another goroutine has done so. No lock is held while bbolt begins one: it may have to wait for a writer
// that grows the map, and that writer for a goroutine that ends moments.
func (m *fileMoment) begin() error {
	all := &m.file.moments
	for {
		all.mu.Lock()
		ended := all.ended
		all.mu.Unlock()
		if m.file.closed.Load() { // before all moments were ended
			return errClosed()
		}
		db := m.file.db.Load()
		state, err := m.file.begin()
		if err != nil {
			return err
		}
		all.mu.Lock()
		m.mu.Lock()
		ok, done := ended == all.ended && state.DB() == db, m.state.Tx != nil || m.over != nil
		if ok && !done {
			m.db, m.state = db, state
			all.add(m)
		}
		m.mu.Unlock()
		all.mu.Unlock()
		if ok && !done {
			return nil
		}
		state.Rollback()
		if done {
			return nil
		}
	}
}

// Begin implements engine.Moment.
func (m *fileMoment) Begin() error { return m.view(nil, func(*fileState) error { return nil }) }

// Release implements engine.Moment.
func (m *fileMoment) Release() { m.file.moments.release(m, errReleased()) }

func errReleased() error {
	return engine.Errorf(engine.CodeClosed, "what is read has been let go of")
}

// add adds a moment to the list. The caller has the lock.
func (all *moments) add(m *fileMoment) {
	m.after = all.open
	if m.after != nil {
		m.after.before = m
	}
	all.open = m
}

// release ends a moment for a reason.
func (all *moments) release(m *fileMoment, why error) {
	all.mu.Lock()
	idle := all.finish(m, why)
	all.mu.Unlock()
	if idle != nil {
		idle.Close()
	}
}

// finish ends a moment for a reason, and gives the replaced file if that has no more readers. The caller has the lock.
func (all *moments) finish(m *fileMoment, why error) (idle *bolt.DB) {
	m.mu.Lock() // waits for reads under way, which wait for nothing
	defer m.mu.Unlock()
	if m.over != nil {
		return nil
	}
	m.over = why
	if m.state.Tx == nil {
		return nil
	}
	m.state.Rollback()
	m.state = fileState{}
	if m.before != nil {
		m.before.after = m.after
	} else {
		all.open = m.after
	}
	if m.after != nil {
		m.after.before = m.before
	}
	m.before, m.after = nil, nil
	if n, former := all.former[m.db]; former && n > 1 {
		all.former[m.db] = n - 1
	} else if former {
		delete(all.former, m.db)
		return m.db
	}
	return nil
}

// end ends all moments for a reason.
func (all *moments) end(why error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.ended++
	for all.open != nil {
		if idle := all.finish(all.open, why); idle != nil {
			idle.Close()
		}
	}
}

// replaced notes that another file has replaced old, which is closed when its last moment is released.
func (all *moments) replaced(old *bolt.DB) error {
	all.mu.Lock()
	all.ended++ // a goroutine that is beginning a transaction of the old file begins another
	n := 0
	for m := all.open; m != nil; m = m.after {
		if m.db == old {
			n++
		}
	}
	if n > 0 {
		if all.former == nil {
			all.former = map[*bolt.DB]int{}
		}
		all.former[old] = n
	}
	all.mu.Unlock()
	if n > 0 {
		return nil
	}
	return old.Close()
}
