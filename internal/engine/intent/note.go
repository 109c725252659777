package intent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A note points to the record of a transaction over several tables, if that record is in one of them because the home group has to be: before
// that table is dropped, what was decided must be settled in the other tables. A note lies where the records of other such transactions lie,
// under the transaction's own key.
const elsewhere state = "elsewhere"

// homeProperty says where the record is that a note points to: table and partition, as JSON.
const homeProperty = "nf_h"

// noteHome says where the note of a transaction is whose record is in a table.
func (s *Store) noteHome(table, id string) home {
	return home{s.records(table), severalHome(id[len(id)-1] % homes)}
}

// needsNote says whether the record is in a table that does not hold all of the transaction.
func (x *transaction) needsNote() bool {
	return !x.store.isRecords(x.home.table) && slices.ContainsFunc(x.groups, func(g *group) bool {
		return engine.FoldTable(g.table) != engine.FoldTable(x.home.table)
	})
}

// note writes the note.
func (x *transaction) note(ctx context.Context) error {
	at := x.store.noteHome(x.home.table, x.id)
	op := recordOp(engine.Insert, at, x.id, elsewhere, x.places(), "")
	is, _ := json.Marshal([2]string{engine.FoldTable(x.home.table), x.home.partition})
	op.Entity.Names, op.Entity.Values = append(op.Entity.Names, homeProperty), append(op.Entity.Values, text(string(is)))
	x.noted = true
	return x.store.direct.Commit(ctx, engine.Commit{Table: at.table, PartitionKey: at.partition, Meter: x.meter, Ops: []engine.Op{op}})
}

// DeleteTable implements engine.Engine. First it settles elsewhere what records in the table have decided.
func (s *Store) DeleteTable(ctx context.Context, table string, m *engine.Meter) error {
	if err := s.base.Limits().CheckTable(table); err != nil {
		return err
	}
	if s.holds(table) && !s.isRecords(table) {
		if err := s.settleBefore(ctx, table, s.meter); err != nil {
			return err
		}
	}
	return s.base.DeleteTable(ctx, table, m)
}

// settleBefore settles the transactions whose records are in a table, wherever else they have written.
func (s *Store) settleBefore(ctx context.Context, table string, m *engine.Meter) error {
	var notes []engine.Entity
	scan := severalHomes(s.records(table))
	scan.Filter, scan.Select, scan.Meter = &engine.Filter{Op: engine.Gt, Property: homeProperty, Value: text("")}, []string{groupsProperty, homeProperty}, m
	err := engine.Each(ctx, s.base, scan, func(e *engine.Entity) error {
		note := *e
		note.Values = slices.Clone(e.Values)
		notes = append(notes, note)
		return nil
	})
	if isCode(err, engine.CodeNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range notes {
		var at [2]string
		if notes[i].Values[1].S == "" {
			continue // a filter is a hint
		}
		if err := json.Unmarshal([]byte(notes[i].Values[1].S), &at); err != nil {
			return engine.Errorf(engine.CodeCorrupt, "the note %s says that its record is at %q: %v", notes[i].RowKey, notes[i].Values[1].S, err)
		}
		if at[0] != engine.FoldTable(table) {
			continue
		}
		id := notes[i].RowKey[len(recordPrefix):]
		h := home{table, at[1]}
		is, etag, err := s.look(ctx, h, id, m)
		if err == nil && !is.isDecided() {
			_, err = s.abort(ctx, h, id, etag, m)
		}
		if isCode(err, engine.CodeNoTable) {
			return nil // it is deleted already
		}
		if err != nil {
			return err
		}
		w := &sweep{store: s, meter: m, any: true}
		if all, err := w.settlePlaces(ctx, id, notes[i].Values[0].S); err != nil {
			return err
		} else if all {
			s.forget.delete(ctx, s, s.noteHome(table, id), []string{id}, m)
		}
	}
	return nil
}

// isRecords says whether a table holds records.
func (s *Store) isRecords(table string) bool {
	return engine.FoldTable(s.records(table)) == engine.FoldTable(table)
}

// severalHomes are the partitions of a table of records.
func severalHomes(records string) engine.Scan {
	return engine.Scan{Table: records, AllPartitions: true, FromPartition: severalHome(0), ToPartition: severalHome(homes-1) + "\x00"}
}
