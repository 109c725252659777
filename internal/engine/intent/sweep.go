package intent

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// An intent older than leftAge by the store's clock was left behind. A record as old as keepAborted is not needed once there is no intent: no
// request of its transaction can still arrive.
const leftAge = time.Minute

// sweep is one Sweep.
type sweep struct {
	store   *Store
	dry     bool
	meter   *engine.Meter
	any     bool  // intents of any age
	clock   int64 // of the store, as ticks, when it began
	swept   engine.Swept
	intents []found
	records []found
}

// found is an entity that bears an intent, or is a record.
type found struct {
	table string
	engine.Entity
}

// What is read of such entities.
var sweeps = []string{markerProperty, stateProperty, groupsProperty, engine.Timestamp}

// Sweep implements engine.Sweeper. It settles the intents in tables and deletes old records: those in tables, and those of transactions over
// several tables. First it settles what a committed transaction has left in other tables.
func (s *Store) Sweep(ctx context.Context, tables []string, dry bool, m *engine.Meter) (engine.Swept, error) {
	w := &sweep{store: s, dry: dry, meter: m}
	for _, table := range tables {
		if !s.holds(table) {
			continue
		}
		if err := w.find(ctx, engine.Scan{Table: table, AllPartitions: true, Filter: &marked}); err != nil {
			return w.swept, err
		}
	}
	var records []string
	for _, table := range tables {
		if of := s.records(table); s.holds(table) && !slices.Contains(records, of) {
			records = append(records, of)
		}
	}
	for _, of := range records {
		several := severalHomes(of)
		several.Filter = &marked
		if err := w.find(ctx, several); err != nil {
			return w.swept, err
		}
	}
	if err := w.settleAll(ctx); err != nil || dry {
		w.swept.Records = len(w.records)
		return w.swept, err
	}
	return w.swept, w.deleteRecords(ctx)
}

// find notes what bears a marker.
func (w *sweep) find(ctx context.Context, scan engine.Scan) error {
	scan.Select, scan.Meter = sweeps, w.meter
	err := engine.Each(ctx, w.store.base, scan, func(e *engine.Entity) error {
		m, err := markerOf(e, nil)
		if err != nil {
			return err
		}
		isRecord := m.id == "" && isRecord(e, nil)
		if m.id == "" && !isRecord {
			return nil
		}
		age, err := w.age(ctx, scan.Table, e)
		if err != nil {
			return err
		}
		at := found{scan.Table, *e}
		at.Values = append([]engine.Value(nil), e.Values...)
		switch {
		case isRecord && age >= keepAborted:
			w.records = append(w.records, at)
		case !isRecord && (w.any || age >= leftAge):
			w.intents = append(w.intents, at)
		}
		return nil
	})
	if isCode(err, engine.CodeNoTable) {
		return nil // it was dropped
	}
	return err
}

// age is how long an entity has not changed, by the store's clock.
func (w *sweep) age(ctx context.Context, table string, e *engine.Entity) (time.Duration, error) {
	if w.clock == 0 {
		_, err := w.store.base.Get(ctx, engine.Get{Table: table, PartitionKey: e.PartitionKey, RowKey: e.RowKey, Select: []string{}, Meter: w.meter, Clock: &w.clock})
		if err != nil && !isCode(err, engine.CodeNotFound) {
			return 0, err
		}
	}
	if w.clock == 0 || e.Timestamp == 0 {
		return 0, nil // it is not known, so it stays
	}
	return time.Duration(w.clock-e.Timestamp) * 100, nil
}

// settleAll settles the intents that were found.
func (w *sweep) settleAll(ctx context.Context) error {
	w.swept.Entities += len(w.intents)
	if w.dry {
		return nil
	}
	type part struct{ table, partition, id string }
	parts := map[part][]string{} // RowKeys
	for i := range w.intents {
		at := &w.intents[i]
		m, err := markerOf(&at.Entity, nil)
		if err != nil {
			return err
		}
		of := part{at.table, at.PartitionKey, m.id}
		parts[of] = append(parts[of], at.RowKey)
	}
	all := slices.Collect(maps.Keys(parts))
	return engine.SideBySide(ctx, w.store.parallel, len(all), func(ctx context.Context, i int) error {
		of, keys := all[i], parts[all[i]]
		way, err := w.store.clearWay(ctx, place{of.table, of.partition, keys[0]}, "", w.meter)
		retry.Progress(ctx)
		for at := 1; err == nil && at < len(keys) && !(way.id == of.id && way.is.isDecided()); at++ { // another process has settled that one already
			way, err = w.store.clearWay(ctx, place{of.table, of.partition, keys[at]}, "", w.meter)
		}
		if err != nil || way.id != of.id || !way.is.isDecided() {
			return err
		}
		return w.store.clearLeft(ctx, way, of.table, of.partition, keys, w.meter)
	})
}

// deleteRecords deletes the records that were found, if it knows that no intent is left. A reader may have met an intent before it was settled;
// it asks for the record within its time.
func (w *sweep) deleteRecords(ctx context.Context) error {
	var free []found
	for i := range w.records {
		at := &w.records[i]
		isFree, err := w.isFree(ctx, at)
		if err != nil {
			return err
		}
		if isFree {
			free = append(free, *at)
		}
		retry.Progress(ctx)
	}
	if len(free) == 0 {
		return nil
	}
	if err := retry.Sleep(ctx, readersAge+leftAge/2); err != nil {
		return err
	}
	var deleted atomic.Int64
	err := engine.SideBySide(ctx, w.store.parallel, len(free), func(ctx context.Context, i int) error {
		at := &free[i]
		err := w.store.direct.Commit(ctx, engine.Commit{Table: at.table, PartitionKey: at.PartitionKey, Meter: w.meter,
			Ops: []engine.Op{{Kind: engine.Delete, IfMatch: at.ETag, Entity: engine.Entity{PartitionKey: at.PartitionKey, RowKey: at.RowKey}}}})
		retry.Progress(ctx)
		switch {
		case isCode(err, engine.CodeNotFound), isCode(err, engine.CodeStale), engine.IsUnsure(err):
			return nil // another process has deleted it already
		case err == nil:
			deleted.Add(1)
		}
		return err
	})
	w.swept.Records = int(deleted.Load())
	return err
}

// isFree settles what was left of a record's transaction, and then says whether the record is not needed. An intent of an aborted or undecided
// transaction comes to nothing without a record, too.
func (w *sweep) isFree(ctx context.Context, at *found) (bool, error) {
	id := at.RowKey[len(recordPrefix):]
	switch state(at.Values[1].S) {
	case aborted:
		return true, nil
	case pending:
		_, err := w.store.abort(ctx, home{at.table, at.PartitionKey}, id, at.ETag, w.meter)
		return false, err // the record is young again
	}
	return w.settlePlaces(ctx, id, at.Values[2].S)
}

// settlePlaces settles what a decided transaction has left in its places, which text names as JSON; false: the text does not name all of them.
func (w *sweep) settlePlaces(ctx context.Context, id, text string) (all bool, err error) {
	var places [][2]string
	if err := json.Unmarshal([]byte(text), &places); err != nil {
		return false, engine.Errorf(engine.CodeCorrupt, "the record of transaction %s says that it wrote to %q: %v", id, text, err)
	}
	defer func(any bool) { w.any = any }(w.any)
	w.any = true // it is decided, however young its intents look: a touch makes them young
	for _, place := range places {
		if place == andOthers {
			return false, nil
		}
		for range mostClearings {
			w.intents = nil
			if err := w.find(ctx, engine.Scan{Table: place[0], PartitionKey: place[1], Filter: intentsOf(id)}); err != nil {
				return false, err
			}
			if len(w.intents) == 0 {
				break
			}
			if err := w.settleAll(ctx); err != nil {
				return false, err
			}
		}
		if len(w.intents) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// intentsOf matches the entities that bear an intent of a transaction.
func intentsOf(id string) *engine.Filter {
	return &engine.Filter{Op: engine.And, Kids: []*engine.Filter{
		{Op: engine.Gt, Property: markerProperty, Value: text(id + " ")},
		{Op: engine.Lt, Property: markerProperty, Value: text(id + "!")},
	}}
}
