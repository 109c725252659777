package intent

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// mark gives the group's operations their markers, and each unit its head: the row, if it bears an intent.
func (x *transaction) mark(g *group) {
	heads := map[string]*operation{}
	units := map[string][]*operation{}
	for i := range g.ops {
		o := &g.ops[i]
		if isTouch(&o.Op) {
			continue
		}
		key := unitOf(&o.Op)
		if heads[key] == nil || o.Row == "" {
			heads[key] = o
		}
		units[key] = append(units[key], o)
	}
	for key, unit := range units {
		head := heads[key]
		var others []string
		for _, o := range unit {
			o.marker = marker{id: x.id, kind: kindOf(o, unit), home: x.home, base: o.IfMatch, row: head.intentKey()}
			if o != head {
				others = append(others, o.Entity.RowKey)
			}
		}
		head.unit = unitText(others)
	}
}

// kindOf gives the kind of an operation's intent. For an Upsert it is a guess unless the caller said that the entity exists: an entry of a new
// row is new, and so is one of a row that gives up another entry.
func kindOf(o *operation, unit []*operation) kind {
	switch o.Kind {
	case engine.Insert:
		if o.isGuarded() {
			return guards
		}
		return inserts
	case engine.Replace:
		return replaces
	case engine.Merge:
		return merges
	case engine.Delete:
		return deletes
	}
	isNew := func(other *operation) bool { return other.Kind == engine.Insert || other.Kind == engine.Delete }
	if !o.There && slices.ContainsFunc(unit, isNew) {
		return inserts
	}
	return replaces
}

// intent makes the operation that puts an operation's intent on its entity.
func (o *operation) intent(l engine.Limits) engine.Op {
	if o.marker.id == "" {
		return o.Op
	}
	op := engine.Op{Kind: engine.Merge, IfMatch: o.IfMatch, Entity: engine.Entity{PartitionKey: o.Entity.PartitionKey, RowKey: o.intentKey()}}
	e := &op.Entity
	switch o.marker.kind {
	case guards:
		op.Kind = engine.Insert
	case inserts:
		op.Kind = engine.Insert
		e.Names, e.Values = append(e.Names, o.Entity.Names...), append(e.Values, o.Entity.Values...)
	case replaces, merges:
		e.Names, e.Values, o.marker.images = putImage(e.Names, e.Values, appendImage(nil, o.Entity.Names, o.Entity.Values), l.BinaryBytes)
	}
	e.Names, e.Values = append(e.Names, markerProperty), append(e.Values, text(o.marker.text()))
	if o.unit != "" {
		e.Names, e.Values = append(e.Names, unitProperty), append(e.Values, text(o.unit))
	}
	return op
}

// prepare puts the intents of a group on its entities, all or none. failed is the operation that could not be made.
func (x *transaction) prepare(ctx context.Context, g *group) (failed *operation, err error) {
	x.mark(g)
	if failed, err = x.condition(ctx, g); err == nil {
		failed, err = x.sendIntents(ctx, g)
	}
	switch guessed := isCode(err, engine.CodeExists) || isCode(err, engine.CodeNotFound); {
	case failed == nil || failed.Kind != engine.Upsert || !guessed:
	case failed.free: // it was as read
		err = engine.StaleRead(g.table, g.partition, failed.Entity.RowKey)
	default:
		if err := x.lookUpserts(ctx, g); err != nil {
			return nil, err
		}
		failed, err = x.sendIntents(ctx, g)
	}
	switch {
	case failed == nil:
	case failed.marker.id != "" && isCode(err, engine.CodeTooLarge):
		err = noRoom(g, failed, err)
	default:
		err = failed.fault(err)
	}
	return failed, err
}

func (x *transaction) sendIntents(ctx context.Context, g *group) (failed *operation, err error) {
	l := x.store.base.Limits()
	c, from := g.commit(x.meter, func(o *operation) (engine.Op, bool) {
		return o.intent(l), !isPin(&o.Op) && (g != x.atHome || !isTouch(&o.Op) || x.touchesFirst(o))
	})
	if len(c.Ops) == 0 {
		return nil, nil
	}
	c.ETags = make([]string, len(c.Ops))
	if err := x.store.direct.Commit(ctx, c); err != nil {
		g.unsure = engine.IsUnsure(err) || ctx.Err() != nil
		if at := opOf(err); at >= 0 && at < len(from) {
			failed = from[at]
		}
		return failed, err
	}
	g.prepared = true
	for i, o := range from {
		o.etag = c.ETags[i]
	}
	return nil, nil
}

// condition reads entities that no condition in the group's request covers, and makes the operations conditional on what was read: otherwise
// their intents might replace those of others. Such entities are units without any condition, which rows written by SQL have, and entries that
// belonged to another row, if that row may be in another group.
func (x *transaction) condition(ctx context.Context, g *group) (failed *operation, err error) {
	has := map[string]bool{}
	for i := range g.ops {
		if o := &g.ops[i]; !isTouch(&o.Op) {
			has[unitOf(&o.Op)] = has[unitOf(&o.Op)] || o.Kind == engine.Insert || o.IfMatch != ""
		}
	}
	divided := slices.ContainsFunc(x.groups, func(other *group) bool { return other != g && other.table == g.table && other.partition == g.partition })
	var all []*operation
	for i := range g.ops {
		o := &g.ops[i]
		if !isTouch(&o.Op) && (!has[unitOf(&o.Op)] || divided && o.Taken && o.IfMatch == "") {
			o.free = true
			all = append(all, o)
		}
	}
	err = engine.SideBySide(ctx, x.store.parallel, len(all), func(ctx context.Context, i int) error {
		err := x.conditionOf(ctx, g, all[i])
		if isCode(err, engine.CodeNotFound) || isCode(err, engine.CodeStale) {
			err = asOp(err, i)
		}
		return err
	})
	if at := opOf(err); at >= 0 {
		return all[at], err
	}
	return nil, err
}

// conditionOf does what condition does, for one operation.
func (x *transaction) conditionOf(ctx context.Context, g *group, o *operation) error {
	e, err := x.store.base.Get(ctx, engine.Get{Table: g.table, PartitionKey: g.partition, RowKey: o.Entity.RowKey, Select: []string{markerProperty}, Meter: x.meter})
	switch {
	case isCode(err, engine.CodeNotFound) && o.Kind == engine.Upsert:
		o.marker.kind = inserts
	case err != nil:
		return err
	case e.Values[0].S != "":
		return engine.StaleRead(g.table, g.partition, o.Entity.RowKey)
	default:
		o.IfMatch, o.marker.base = e.ETag, e.ETag
		if o.Kind == engine.Upsert {
			o.marker.kind = replaces
		}
	}
	return nil
}

// lookUpserts finds out for which of the group's Upserts an entity exists.
func (x *transaction) lookUpserts(ctx context.Context, g *group) error {
	var all []*operation
	for i := range g.ops {
		if g.ops[i].Kind == engine.Upsert && !g.ops[i].free {
			all = append(all, &g.ops[i])
		}
	}
	return engine.SideBySide(ctx, x.store.parallel, len(all), func(ctx context.Context, i int) error {
		o := all[i]
		_, err := x.store.base.Get(ctx, engine.Get{Table: g.table, PartitionKey: g.partition, RowKey: o.Entity.RowKey, Select: []string{}, Meter: x.meter})
		switch {
		case err == nil:
			o.marker.kind = replaces
		case isCode(err, engine.CodeNotFound):
			o.marker.kind = inserts
		default:
			return err
		}
		return nil
	})
}

// readBack finds the ETags of the group's intents if the store has not given them.
func (x *transaction) readBack(ctx context.Context, g *group) error {
	var all []*operation
	for i := range g.ops {
		if o := &g.ops[i]; o.marker.id != "" && o.etag == "" {
			all = append(all, o)
		}
	}
	return engine.SideBySide(ctx, x.store.parallel, len(all), func(ctx context.Context, i int) error {
		o := all[i]
		e, err := x.store.base.Get(ctx, engine.Get{Table: g.table, PartitionKey: g.partition, RowKey: o.intentKey(), Select: []string{markerProperty}, Meter: x.meter})
		if isCode(err, engine.CodeNotFound) || err == nil && !bears(&e, x.id) {
			return engine.StaleRead(g.table, g.partition, o.Entity.RowKey)
		}
		o.etag = e.ETag
		return err
	})
}
