package intent

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// settling makes the operation that takes an intent off its entity: forward, or back.
func (m *marker) settling(e engine.Entity, names []string, values []engine.Value, forward bool) engine.Op {
	op := engine.Op{IfMatch: e.ETag, Entity: engine.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey}}
	switch {
	case m.kind == guards, m.kind == deletes && forward, m.kind == inserts && !forward:
		op.Kind = engine.Delete
	case m.kind == merges && forward:
		op.Kind, op.Entity.Names, op.Entity.Values = engine.Merge, append([]string(nil), names...), append([]engine.Value(nil), values...)
		m.clear(&op.Entity)
	case forward:
		op.Kind, op.Entity.Names, op.Entity.Values = engine.Replace, names, values
	default:
		op.Kind = engine.Merge
		m.clear(&op.Entity)
	}
	return op
}

// clear makes a Merge empty the properties of the intent, since a Merge cannot remove them.
func (m *marker) clear(e *engine.Entity) {
	e.Names, e.Values = append(e.Names, markerProperty, unitProperty), append(e.Values, text(""), text(""))
	for i := range m.images {
		e.Names, e.Values = append(e.Names, imageName(i)), append(e.Values, engine.Value{Type: engine.Binary})
	}
}

// settlingOf is settling for an entity that was read whole.
func (m *marker) settlingOf(e *engine.Entity, forward bool) (engine.Op, error) {
	names, values := without(e)
	if forward && (m.kind == replaces || m.kind == merges) {
		var err error
		if names, values, err = imageOf(e, m); err != nil {
			return engine.Op{}, err
		}
	}
	return m.settling(*e, names, values, forward), nil
}

// change is how settling has changed an ETag.
type change struct{ before, now string }

// settle takes the intents off the unit of an entity whose transaction is decided. Others may be doing the same. It gives the ETags of the
// unit's entities by their RowKeys, as far as they are known.
func (s *Store) settle(ctx context.Context, table string, e *engine.Entity, m *marker, is state, meter *engine.Meter) (etags map[string]change, err error) {
	get := func(ctx context.Context, rowKey string) (*engine.Entity, error) {
		got, err := s.base.Get(ctx, engine.Get{Table: table, PartitionKey: e.PartitionKey, RowKey: rowKey, Meter: meter})
		if isCode(err, engine.CodeNotFound) || err == nil && !bears(&got, m.id) {
			return nil, nil
		}
		return &got, err
	}
	unit, err := s.unitOf(ctx, e.RowKey, m, get)
	if err != nil || unit == nil {
		return nil, err
	}
	c := engine.Commit{Table: table, PartitionKey: e.PartitionKey, Meter: meter, ETags: make([]string, len(unit))}
	for _, in := range unit {
		its, err := parseMarker(property(in, markerProperty))
		if err != nil {
			return nil, err
		}
		op, err := its.settlingOf(in, is == committed)
		if err != nil {
			return nil, err
		}
		c.Ops = append(c.Ops, op)
	}
	err = s.direct.Commit(ctx, c)
	switch {
	case isCode(err, engine.CodeStale), isCode(err, engine.CodeNotFound), engine.IsUnsure(err):
		return nil, nil // so it was settled, or the next writer that meets it will settle it
	case err != nil:
		return nil, mayNot(err, place{table, e.PartitionKey, e.RowKey})
	}
	etags = map[string]change{}
	for i := range c.Ops {
		if c.Ops[i].Kind != engine.Delete && c.ETags[i] != "" {
			etags[c.Ops[i].Entity.RowKey] = change{c.Ops[i].IfMatch, c.ETags[i]}
		}
	}
	return etags, nil
}

// unitOf reads the entities of a unit that bear intents; nil: the unit was settled meanwhile. The result may lack what was deleted without a
// look, such as all entries of a dropped index or all rows of a table.
func (s *Store) unitOf(ctx context.Context, rowKey string, m *marker, get func(ctx context.Context, rowKey string) (*engine.Entity, error)) (unit []*engine.Entity, err error) {
	row, err := get(ctx, m.row)
	if err != nil {
		return nil, err
	}
	if row == nil {
		if alone, err := get(ctx, rowKey); err != nil || alone == nil {
			return nil, err
		} else {
			return []*engine.Entity{alone}, nil // it would have lost its intent with the row
		}
	}
	keys := unitKeys(property(row, unitProperty))
	unit = append(make([]*engine.Entity, len(keys)), row)
	if err := engine.SideBySide(ctx, s.parallel, len(keys), func(ctx context.Context, i int) (err error) {
		unit[i], err = get(ctx, keys[i])
		return err
	}); err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(unit, func(e *engine.Entity) bool { return e == nil })
	if len(left) <= len(keys) {
		if now, err := get(ctx, m.row); err != nil || now == nil || now.ETag != row.ETag {
			return nil, err
		}
	}
	return left, nil
}

// bears says whether an entity bears an intent of a transaction.
func bears(e *engine.Entity, id string) bool {
	text := property(e, markerProperty)
	return len(text) > len(id) && text[:len(id)] == id
}

// way is what was found in the way of an operation.
type way struct {
	id     string            // of the transaction
	bore   bool              // an intent, which is settled
	waited bool              // for its transaction to be decided
	is     state             // what it came to
	etags  map[string]change // of its unit, by RowKey, as far as they are known
}

// clearWay settles the intent on an entity, if there is one, once its transaction is decided. etag is the one that the entity must have; "":
// any.
func (s *Store) clearWay(ctx context.Context, at place, etag string, meter *engine.Meter) (way, error) {
	e, err := s.base.Get(ctx, engine.Get{Table: at.table, PartitionKey: at.partitionKey, RowKey: at.rowKey, Meter: meter})
	if isCode(err, engine.CodeNotFound) {
		return way{}, nil
	}
	if err != nil {
		return way{}, err
	}
	m, err := markerOf(&e, nil)
	if err != nil || m.id == "" || etag != "" && e.ETag != etag {
		return way{}, err
	}
	w := way{id: m.id, bore: true}
	if w.is, w.waited, err = s.await(ctx, at, &m, meter); err != nil || w.is == gone {
		return w, err
	}
	w.etags, err = s.settle(ctx, at.table, &e, &m, w.is, meter)
	return w, err
}

// asOp says that operation i is at fault.
func asOp(err error, i int) error {
	var e *engine.Error
	if errors.As(err, &e) {
		at := *e
		at.Op = i
		return &at
	}
	return err
}
