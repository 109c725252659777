package ddl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// dropTables drops all of the tables or, if one is missing, none; up to dropsAtOnce of them in one change.
func (x *definition) dropTables(ctx context.Context, s *dialect.DropTable) error {
	return x.dropFound(ctx, func(ctx context.Context) ([]*schema.Table, []string, error) { return x.toDrop(ctx, s) })
}

// dropFound drops what find finds, and notes what is missing.
func (x *definition) dropFound(ctx context.Context, find func(context.Context) (found []*schema.Table, missing []string, err error)) error {
	tries := retry.Begin(ctx, retry.Race)
	for {
		found, missing, err := find(tries.Context)
		if err != nil {
			return err
		}
		err = x.dropAll(tries.Context, found)
		for i := 0; err == nil && i < len(found); i++ {
			err = x.releaseElsewhere(tries.Context, found[i])
		}
		if err == nil {
			for _, name := range missing {
				x.note(unknownTables([]string{name}))
			}
		}
		if !isNoTable(err) && !errors.Is(err, catalog.ErrConflict) || x.stands() {
			return err
		}
		// Another process has dropped or renamed one of them since they were found, or made another table refer to one.
		if err := tries.Again(err); err != nil {
			return err
		}
	}
}

func unknownTables(names []string) error {
	return sqlerr.New(sqlerr.CodeUnknownTable, sqlerr.NoPos, "Unknown table '%s'", strings.Join(names, ","))
}

func (x *definition) dropAll(ctx context.Context, tables []*schema.Table) error {
	for some := range slices.Chunk(tables, dropsAtOnce) {
		if err := x.Catalog.Drop(ctx, some, x.meter); err != nil {
			return err
		}
	}
	return nil
}

// toDrop finds the tables that DROP TABLE names and, with IF EXISTS, which of them do not exist. It retires the stored parent copies
// among their rows.
func (x *definition) toDrop(ctx context.Context, s *dialect.DropTable) (tables []*schema.Table, missing []string, err error) {
	for _, name := range s.Tables {
		t, err := x.declared(ctx, name, "DROP TABLE")
		if isNoTable(err) || err == nil && t.IsView() {
			missing = append(missing, x.Database+"."+name.Name)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		tables = append(tables, t)
	}
	if len(missing) > 0 && !s.IfExists {
		return nil, nil, unknownTables(missing)
	}
	if err := dropsChildren(tables); err != nil {
		return nil, nil, err
	}
	if err := x.dropsReferrers(ctx, tables); err != nil {
		return nil, nil, err
	}
	for _, t := range tables {
		if err := x.retireCopies(ctx, t, tables); err != nil {
			return nil, nil, err
		}
	}
	return tables, missing, nil
}

// dropsAtOnce is how many tables one change drops: each takes up to three of its operations.
const dropsAtOnce = 30

func (x *definition) truncate(ctx context.Context, name dialect.TableName) error {
	t, err := x.base(ctx, name, "TRUNCATE")
	if err != nil {
		return err
	}
	if len(t.Children) > 0 {
		return sqlerr.New(sqlerr.CodeTruncateReferenced, sqlerr.NoPos, "Cannot truncate a table referenced in a foreign key constraint (`%s`): use DELETE", t.Children[0])
	}
	if err := x.emptiesReferred(ctx, t); err != nil {
		return err
	}
	if t.IsInterleaved() {
		return x.empty(ctx, t)
	}
	if t.IsExternal() {
		return notOfExternal("TRUNCATE", t)
	}
	return x.Catalog.Truncate(ctx, t, x.meter)
}

// DropDatabase drops the database with all of its tables; see catalog.DropDatabase.
func (d *Definer) DropDatabase(ctx context.Context, session *expr.Session, m *engine.Meter) (count int, did bool, err error) {
	x := &definition{Definer: d, session: session, meter: m}
	var tables []*schema.Table
	count, did, err = d.Catalog.DropDatabase(ctx, func(all []*schema.Table) error {
		tables = all
		return x.dropsReferrers(ctx, all)
	}, m)
	for i := 0; did && err == nil && i < len(tables); i++ {
		err = x.releaseElsewhere(ctx, tables[i])
	}
	return count, did, err
}
