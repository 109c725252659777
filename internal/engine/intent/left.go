package intent

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// hasLeft says whether a decided transaction that was met has probably left more intents in the way: a process that died may have left any
// number.
func (s *Store) hasLeft(w way) bool {
	return w.is.isDecided() && !w.waited && s.met.isLeft(w.id, 1)
}

// clearLeft settles a decided transaction's intents on entities of a partition, many with each request.
func (s *Store) clearLeft(ctx context.Context, w way, table, partition string, rowKeys []string, meter *engine.Meter) error {
	l := &left{store: s, way: w, table: table, partition: partition, meter: meter, found: map[string]*engine.Entity{}}
	if w.is != committed { // what they hold is not needed
		l.sel = []string{markerProperty, unitProperty}
	}
	if err := l.find(ctx, slices.Sorted(slices.Values(rowKeys))); err != nil {
		return err
	}
	return l.settle(ctx)
}

// left holds intents of a decided transaction in a partition.
type left struct {
	store            *Store
	way              way
	table, partition string
	sel              []string
	found            map[string]*engine.Entity // by RowKey
	meter            *engine.Meter
}

// find finds the intents on the keys, and others between them. It reads the range of the keys, since these are often close together. If that
// takes too many pages, it asks for each key.
func (l *left) find(ctx context.Context, rowKeys []string) error {
	if len(rowKeys) == 0 {
		return nil
	}
	c := l.store.base.Scan(ctx, engine.Scan{Table: l.table, PartitionKey: l.partition, From: rowKeys[0], To: withGuard(rowKeys[len(rowKeys)-1] + "\x00"),
		Select: l.sel, Meter: l.meter})
	defer c.Close()
	read := 0
	for range 2 + len(rowKeys)/100 {
		chunk, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range chunk {
			l.note(&chunk[i])
		}
		read, _ = slices.BinarySearch(rowKeys, chunk[len(chunk)-1].RowKey+"\x00")
	}
	rest := rowKeys[read:]
	got := make([]*engine.Entity, len(rest))
	err := engine.SideBySide(ctx, l.store.parallel, len(rest), func(ctx context.Context, i int) error {
		e, err := l.store.base.Get(ctx, engine.Get{Table: l.table, PartitionKey: l.partition, RowKey: rest[i], Select: l.sel, Meter: l.meter})
		if isCode(err, engine.CodeNotFound) {
			return nil
		}
		got[i] = &e
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range got {
		if e != nil {
			l.note(e)
		}
	}
	return nil
}

func (l *left) note(e *engine.Entity) {
	if bears(e, l.way.id) {
		own := *e
		own.Values = slices.Clone(e.Values)
		l.found[e.RowKey] = &own
	}
}

// settle settles what was found: units that were found whole, many with each request, and others one by one.
func (l *left) settle(ctx context.Context) error {
	limits := l.store.base.Limits()
	var batches []engine.Commit
	var alone []*engine.Entity
	octets := 0
	for _, key := range slices.Sorted(maps.Keys(l.found)) {
		e := l.found[key]
		unit, whole := l.unit(e)
		if !whole {
			alone = append(alone, e)
			continue
		}
		if unit == nil {
			continue // its row stands for it
		}
		c := engine.Commit{Table: l.table, PartitionKey: l.partition, Meter: l.meter}
		for _, in := range unit {
			m, err := markerOf(in, nil)
			if err != nil {
				return err
			}
			op, err := m.settlingOf(in, l.way.is == committed)
			if err != nil {
				return err
			}
			c.Ops = append(c.Ops, op)
		}
		size := engine.CommitBytes(&c, 0)
		if n := len(batches) - 1; n >= 0 && len(batches[n].Ops)+len(c.Ops) <= limits.BatchOps && octets+size <= groupBytes {
			batches[n].Ops = append(batches[n].Ops, c.Ops...)
			octets += size
		} else {
			batches, octets = append(batches, c), size
		}
	}
	err := engine.SideBySide(ctx, l.store.parallel, len(batches), func(ctx context.Context, i int) error {
		err := l.store.direct.Commit(ctx, batches[i])
		if isCode(err, engine.CodeStale) || isCode(err, engine.CodeNotFound) || engine.IsUnsure(err) {
			return l.settleEach(ctx, batches[i].Ops) // other writers have settled some already
		}
		return mayNot(err, place{l.table, l.partition, batches[i].Ops[0].Entity.RowKey})
	})
	if err != nil {
		return err
	}
	return engine.SideBySide(ctx, l.store.parallel, len(alone), func(ctx context.Context, i int) error { return l.settleOne(ctx, alone[i]) })
}

// unit gives the entities of a row's unit. It is nil for an entry, since its row stands for it. whole is false if part of the unit was not
// found.
func (l *left) unit(e *engine.Entity) (unit []*engine.Entity, whole bool) {
	m, err := markerOf(e, nil)
	if err != nil || l.found[m.row] == nil {
		return nil, false
	}
	if m.row != e.RowKey {
		return nil, true
	}
	unit = []*engine.Entity{e}
	for _, key := range unitKeys(property(e, unitProperty)) {
		entry := l.found[key]
		if entry == nil {
			return nil, false
		}
		unit = append(unit, entry)
	}
	return unit, true
}

func (l *left) settleEach(ctx context.Context, ops []engine.Op) error {
	return engine.SideBySide(ctx, l.store.parallel, len(ops), func(ctx context.Context, i int) error {
		return l.settleOne(ctx, l.found[ops[i].Entity.RowKey])
	})
}

func (l *left) settleOne(ctx context.Context, e *engine.Entity) error {
	m, err := markerOf(e, nil)
	if err == nil {
		_, err = l.store.settle(ctx, l.table, e, &m, l.way.is, l.meter)
	}
	return err
}
