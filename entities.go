package nearlyfree

import (
	"context"
	"errors"
	"iter"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
)

// Entity is an entity as it lies in the store: a row, an entry of an index, or a copy of a parent's row.
type Entity = session.Entity

// EntityPlace is where an entity lies.
type EntityPlace = session.EntityPlace

// Property is a property of an Entity.
type Property = session.Property

// EntityRange says which entities Connector.Entities reads.
type EntityRange struct {
	Database string // "": the one in the data source name
	Table    string
	From     EntityPlace // the zero place is the first one
	KeysOnly bool        // without properties and sizes
}

// Entities returns the contents of a table's physical tables, in key order: rows, index entries, interleaved rows, copies of parents' rows; if
// tables share a physical table, the entities of the others, too. It shows how a table is stored; use SELECT to read its rows. A request reads a
// thousand entities, and is sent only when you ask for them.
func (k *Connector) Entities(ctx context.Context, r EntityRange) iter.Seq2[*Entity, error] {
	return func(yield func(*Entity, error) bool) {
		c, err := k.Connect(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer c.Close()
		m := &engine.Meter{}
		err = k.database.Entities(ctx, r.Database, r.Table, r.From, r.KeysOnly, m, func(e *session.Entity) error {
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		})
		k.database.Maintenance.Add(m)
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, translate(err, ""))
		}
	}
}

var errEnough = errors.New("nobody wants more")
