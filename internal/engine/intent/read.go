package intent

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Get implements engine.Engine. If the entity bears an intent, it takes one more request.
func (s *Store) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, _, err := s.get(ctx, g, asReader, "")
	return e, err
}

// reading says how to treat intents that are not decided yet.
type reading uint8

const (
	asReader    reading = iota // what they do is not seen
	asWriter                   // they are waited for
	asValidator                // they are a conflict: a waiting transaction would hold intents, too
)

// undecidedError says that an intent is not decided yet.
type undecidedError struct {
	at    place
	cause *engine.Error
}

func (e *undecidedError) Error() string { return e.cause.Error() }

// Unwrap gives the engine's error.
func (e *undecidedError) Unwrap() error { return e.cause }

// find says what became of the transaction of an intent.
func (s *Store) find(ctx context.Context, at place, m *marker, as reading, meter *engine.Meter) (is state, err error) {
	if as == asWriter {
		is, _, err = s.await(ctx, at, m, meter)
		return is, err
	}
	is, _, err = s.look(ctx, m.home, m.id, meter)
	if err == nil && as == asValidator && !is.isDecided() {
		err = &undecidedError{at, engine.Errorf(engine.CodeStale, "entity %q, %q of table %q is being changed by a transaction", at.partitionKey, at.rowKey, at.table)}
	}
	return is, err
}

// get is Get; version is what the entity is compared by later, "" if there is none. Intents of the transaction self are not seen.
func (s *Store) get(ctx context.Context, g engine.Get, as reading, self string) (e engine.Entity, version string, err error) {
	if !s.holds(g.Table) {
		e, err = s.base.Get(ctx, g)
		return e, e.ETag, err
	}
	sel := g.Select
	g.Select = selected(sel)
	for {
		asked := time.Now()
		e, err = s.base.Get(ctx, g)
		if err != nil {
			return engine.Entity{}, "", err
		}
		m, err := markerOf(&e, sel)
		if err != nil {
			return engine.Entity{}, "", err
		}
		if m.id == "" {
			if isRecord(&e, sel) {
				return engine.Entity{}, "", errNotThere(&g)
			}
			hide(&e, sel)
			return e, e.ETag, nil
		}
		is := committed
		if m.id == self {
			is = undecided
		} else if !s.known.before(m.id, s.known.now()) {
			if is, err = s.find(ctx, place{g.Table, g.PartitionKey, g.RowKey}, &m, as, g.Meter); err != nil {
				return engine.Entity{}, "", err
			}
		}
		switch {
		case is == gone, time.Since(asked) > readersAge && m.id != self:
			continue
		case m.isCut(is, sel):
			g.Select = nil
			e, version, err = s.get(ctx, g, as, self)
			if err == nil {
				e.Names, e.Values = sel, engine.Gather(e.Names, e.Values, sel)
			}
			return e, version, err
		}
		version = m.version(&e, is)
		there, err := m.resolve(&e, is, sel)
		if err == nil && !there {
			err = errNotThere(&g)
		}
		if err != nil {
			return engine.Entity{}, "", err
		}
		return e, version, nil
	}
}

func errNotThere(g *engine.Get) error {
	return engine.Errorf(engine.CodeNotFound, "no entity %q, %q in table %q", g.PartitionKey, g.RowKey, g.Table)
}
