package ddl

import (
	"context"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// verifyReferences makes sure that every row refers to an existing row.
func (x *definition) verifyReferences(ctx context.Context, t *schema.Table, k *schema.ForeignKey) error {
	return x.eachOrphan(ctx, t, k, func(*orphan) error {
		return sqlerr.New(sqlerr.CodeNoParentRow, sqlerr.NoPos, "Cannot add or update a child row: a foreign key constraint fails (`%s`, %s)", t.Name, sqlerr.Whole(t.ForeignKeySQL(k)))
	})
}

// orphan is a row that refers to a missing row.
type orphan struct {
	part           *schema.Partition
	partition, key string
}

// eachOrphan gives the rows of t that refer to missing rows. It reads the store as of one moment, if the store supports
// that.
func (x *definition) eachOrphan(ctx context.Context, t *schema.Table, k *schema.ForeignKey, do func(*orphan) error) error {
	parent := t
	if !k.To().Is(schema.Own(t.Name)) {
		var err error
		if parent, err = x.named(ctx, k.To(), x.table); isNone(err) {
			parent = nil
		} else if err != nil {
			return err
		}
	}
	ref, err := schema.NewParentReference(t, k, parent)
	if err != nil {
		return err
	}
	store, release := x.moment()
	defer release()
	s := &orphanSearch{definition: x, ref: ref, decoder: dml.NewRowWriter(t).Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil), there: map[target]bool{{}: false}, do: do}
	plan := &planner.Plan{Most: planner.Most{Entities: -1}} // no limit of a statement applies to what a definition takes
	s.reads.Init(ctx, x.Runtime, &exec.Execution{Plan: plan, Session: x.session, Store: store, Meter: x.meter})
	s.reads.SideBySide()
	defer s.reads.End()
	row := make([]value.Value, t.RowWidth())
	for _, part := range t.AllPartitions() {
		err := engine.EachIn(ctx, store, rangeOf(t, part, t.RowSpan()), nil, x.meter, rowsOf(t, func(e *engine.Entity) error {
			if err := s.decoder.DecodeRow(e, row); err != nil {
				return err
			}
			return s.add(ctx, part, e, row)
		}))
		if err == nil {
			err = s.settle(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moment gives a reader for what is to be read together: a snapshot, if the store supports that.
func (x *definition) moment() (engine.Reader, func()) {
	if t, ok := x.Runtime.Engine.(engine.Transactor); ok && t.Snapshots() {
		m := t.Moment()
		return m, m.Release
	}
	return x.Runtime.Engine, func() {}
}

// searchedAtOnce is how many rows are gathered before the rows that they refer to are looked up, in parallel and by ranges.
const searchedAtOnce = 10_000

// orphanSearch looks for the rows that other rows refer to.
type orphanSearch struct {
	*definition
	ref     *schema.Reference
	reads   exec.Run
	decoder *codec.Decoder
	there   map[target]bool // what was looked up, and what waiting rows refer to
	unknown []target        // of these: what is still to be looked up
	waiting []referring
	do      func(*orphan) error
}

// target is the entity that exists if a row does. The zero target has no place, and so does not exist.
type target struct{ table, partition, key string }

func (t target) get() engine.Get {
	return engine.Get{Table: t.table, PartitionKey: t.partition, RowKey: t.key, Select: []string{}}
}

// referring is a row that refers to another one.
type referring struct {
	orphan
	etag string
	to   target
}

// add takes a row of the table.
func (s *orphanSearch) add(ctx context.Context, part *schema.Partition, e *engine.Entity, row []value.Value) error {
	to, refers, err := s.target(row)
	if err != nil || !refers {
		return err
	}
	there, known := s.there[to]
	if there {
		return nil
	}
	if !known {
		s.there[to] = false
		s.unknown = append(s.unknown, to)
		if err := s.reads.Charge(int64(len(to.partition)+len(to.key)+exec.BytesPerRow), "foreign key"); err != nil {
			return err
		}
	}
	s.waiting = append(s.waiting, referring{orphan{part, e.PartitionKey, e.RowKey}, e.ETag, to})
	if len(s.waiting) < searchedAtOnce {
		return nil
	}
	return s.settle(ctx)
}

// target gives what a row refers to, if anything.
func (s *orphanSearch) target(row []value.Value) (to target, refers bool, err error) {
	values, refers := s.ref.Of(row)
	if !refers || s.ref.Parent == nil {
		return to, refers, nil
	}
	part, err := s.ref.ParentPartition(values)
	if err != nil || part == nil {
		return to, true, err
	}
	to.table = part.Physical
	to.partition, to.key, err = s.ref.ParentPlace(values)
	return to, true, err
}

// settle looks up what the waiting rows refer to.
func (s *orphanSearch) settle(ctx context.Context) error {
	gets := make([]engine.Get, len(s.unknown))
	for i, to := range s.unknown {
		gets[i] = to.get()
		gets[i].Meter = s.meter
	}
	var mu sync.Mutex // guards there
	err := s.reads.GetEach(ctx, gets, func(i int, _ *engine.Entity, found bool) error {
		mu.Lock()
		defer mu.Unlock()
		s.there[s.unknown[i]] = found
		return nil
	})
	for i := 0; i < len(s.waiting) && err == nil; i++ {
		r := &s.waiting[i]
		if s.there[r.to] {
			continue
		}
		var sure bool
		if sure, err = s.confirm(ctx, r); sure {
			err = s.do(&r.orphan)
		}
	}
	s.unknown, s.waiting = s.unknown[:0], s.waiting[:0]
	return err
}

// confirm looks again at a row whose parent was not found, because other processes may be writing: it is an orphan if its parent is
// missing at a time at which the row is as it was read.
func (s *orphanSearch) confirm(ctx context.Context, r *referring) (bool, error) {
	row, etag := make([]value.Value, s.ref.Child.RowWidth()), r.etag
	for {
		now, found, err := s.reads.Get(ctx, engine.Get{Table: r.part.Physical, PartitionKey: r.partition, RowKey: r.key, Meter: s.meter})
		if err != nil || !found {
			return false, err
		}
		if now.ETag == etag {
			return true, nil
		}
		if err := s.decoder.DecodeRow(&now, row); err != nil {
			return false, err
		}
		to, refers, err := s.target(row)
		if err != nil || !refers {
			return false, err
		}
		if to != (target{}) {
			parent := to.get()
			parent.Meter = s.meter
			if _, there, err := s.reads.Get(ctx, parent); err != nil || there {
				return false, err
			}
		}
		etag = now.ETag
	}
}

// dangling is the kind of a fault in a row that refers to a missing row, as foreign_key_checks = 0 may leave it. The row is
// left as it is: what it should refer to cannot be known.
const dangling = "dangling"

// addDangling adds the rows of t that refer to missing rows.
func (x *definition) addDangling(ctx context.Context, t *schema.Table, faults *[]*fault) error {
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		if k.NotEnforced || k.State != schema.Public {
			continue
		}
		err := x.eachOrphan(ctx, t, k, func(o *orphan) error {
			*faults = append(*faults, &fault{kind: dangling, part: o.part, partition: o.partition, key: o.key, row: k.Name})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
