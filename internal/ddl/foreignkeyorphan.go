package ddl

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// verifyReferences makes sure that the row is there that each row refers to.
func (x *definition) verifyReferences(ctx context.Context, t *schema.Table, k *schema.ForeignKey) error {
	return x.eachOrphan(ctx, t, k, func(*orphan) error {
		return sqlerr.New(sqlerr.CodeNoParentRow, sqlerr.NoPos, "Cannot add or update a child row: a foreign key constraint fails (`%s`, %s)", t.Name, sqlerr.Whole(t.ForeignKeySQL(k)))
	})
}

// orphan is a row that refers to a row which is not there.
type orphan struct {
	part           *schema.Partition
	partition, key string
}

// eachOrphan gives the rows of t that refer to rows which are not there. It reads the store as it is at one moment, where the store has
// such.
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
	rows, w := dml.NewRowWriter(t), x.writer(ctx)
	defer w.End()
	found := &lookedUp{definition: x, store: store, ref: ref, there: map[string]bool{}}
	decoder := rows.Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	row := make([]value.Value, t.RowWidth())
	for _, part := range t.AllPartitions() {
		err := engine.EachIn(ctx, store, rangeOf(t, part, t.RowSpan()), nil, x.meter, rowsOf(t, func(e *engine.Entity) error {
			if err := decoder.DecodeRow(e, row); err != nil {
				return err
			}
			values, refers := ref.Of(row)
			if !refers {
				return nil
			}
			there, err := found.find(ctx, w, values)
			if err != nil || there {
				return err
			}
			if sure, err := found.confirm(ctx, part, e, decoder, values); err != nil || !sure {
				return err
			}
			return do(&orphan{part, e.PartitionKey, e.RowKey})
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// moment gives what is to be read together: a snapshot, where the store has any.
func (x *definition) moment() (engine.Reader, func()) {
	if t, ok := x.Runtime.Engine.(engine.Transactor); ok && t.Snapshots() {
		m := t.Moment()
		return m, m.Release
	}
	return x.Runtime.Engine, func() {}
}

// lookedUp remembers which rows are there that others refer to.
type lookedUp struct {
	*definition
	store engine.Reader
	ref   *schema.Reference
	there map[string]bool
}

func (l *lookedUp) find(ctx context.Context, w *dml.Writer, values []value.Value) (bool, error) {
	if l.ref.Parent == nil {
		return false, nil
	}
	partition, key, err := l.ref.ParentPlace(values)
	if err != nil {
		return false, err
	}
	place := partition + "\x00" + key
	if there, known := l.there[place]; known {
		return there, nil
	}
	there, err := l.parent(ctx, values)
	if err != nil {
		return false, err
	}
	l.there[place] = there
	return there, w.Charge(int64(len(place)+exec.BytesPerRow), "foreign key")
}

// get reads an entity; found says whether it is there.
func (l *lookedUp) get(ctx context.Context, g engine.Get) (e engine.Entity, found bool, err error) {
	g.Meter = l.meter
	e, err = l.store.Get(ctx, g)
	if engine.Is(err, engine.CodeNotFound) {
		return e, false, nil
	}
	return e, err == nil, err
}

// parent says whether the row is there that values refer to.
func (l *lookedUp) parent(ctx context.Context, values []value.Value) (bool, error) {
	if l.ref.Parent == nil {
		return false, nil
	}
	part, err := l.ref.ParentPartition(values)
	if err != nil || part == nil {
		return false, err
	}
	partition, key, err := l.ref.ParentPlace(values)
	if err != nil {
		return false, err
	}
	_, found, err := l.get(ctx, engine.Get{Table: part.Physical, PartitionKey: partition, RowKey: key, Select: []string{}})
	return found, err
}

// confirm looks again at a row that seems to refer to none, as others may be writing: it is so where that one is not there at a time
// at which the row is as it was read.
func (l *lookedUp) confirm(ctx context.Context, part *schema.Partition, e *engine.Entity, decoder *codec.Decoder, values []value.Value) (bool, error) {
	row, etag := make([]value.Value, l.ref.Child.RowWidth()), e.ETag
	partition, key := e.PartitionKey, e.RowKey // the entity is the cursor's
	for {
		if there, err := l.parent(ctx, values); err != nil || there {
			return false, err
		}
		now, found, err := l.get(ctx, engine.Get{Table: part.Physical, PartitionKey: partition, RowKey: key})
		if err != nil || !found {
			return false, err
		}
		if now.ETag == etag {
			return true, nil
		}
		if err := decoder.DecodeRow(&now, row); err != nil {
			return false, err
		}
		var refers bool
		if values, refers = l.ref.Of(row); !refers {
			return false, nil
		}
		etag = now.ETag
	}
}

// dangling is the kind of a fault that is a row which refers to a row that is not there, as foreign_key_checks = 0 may leave it. It is
// left as it is: nobody knows what it should refer to.
const dangling = "dangling"

// addDangling adds the rows of t that refer to rows which are not there.
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
