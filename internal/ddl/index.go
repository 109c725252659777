package ddl

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// dropIndex is DROP INDEX name [ON table]. SQLite and PostgreSQL write it without a table: it then means the only table that has an
// index of the name.
func (x *definition) dropIndex(ctx context.Context, s *dialect.DropIndex) error {
	table := s.Table
	if table.Name == "" {
		t, err := x.ownerOfIndex(ctx, s.Name)
		if err != nil {
			return err
		}
		if t == nil && s.IfExists {
			return nil
		}
		if t == nil {
			return sqlerr.New(sqlerr.CodeCantDropField, sqlerr.NoPos, "Can't DROP '%s'; check that column/key exists", s.Name)
		}
		table.Name = t.Name
	}
	return x.alter(ctx, table, []dialect.AlterAction{{Kind: dialect.DropIndexAction, Name: s.Name, IfExists: s.IfExists, Pos: table.Pos, Options: s.Options}})
}

// covers refuses indexes whose entries no transaction could cover together with their rows.
func (x *definition) covers(indexes []*schema.Index) error {
	at := slices.IndexFunc(indexes, func(ix *schema.Index) bool { return ix.Global > 0 })
	if at < 0 {
		return nil
	}
	if _, whole := x.Runtime.Engine.(engine.Transactor); whole {
		return nil
	}
	return sqlerr.NotSupported(sqlerr.NoPos, "the key '%s', which is GLOBAL, together with transactions=group, where no transaction covers a row and its entry in another store partition, is", indexes[at].Name)
}

// ownerOfIndex finds the only table that has an index of the name; nil if none has.
func (x *definition) ownerOfIndex(ctx context.Context, name string) (*schema.Table, error) {
	var tables []*schema.Table
	err := x.Catalog.With(ctx, func(s *catalog.Snapshot) (err error) {
		tables, err = s.Tables(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	var owner *schema.Table
	for _, t := range tables {
		if t.Index(name) == nil {
			continue
		}
		if owner != nil {
			return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "tables '%s' and '%s' have an index '%s': write DROP INDEX %s ON table", owner.Name, t.Name, name, name)
		}
		owner = t
	}
	return owner, nil
}
