package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// createInside makes a table that lives inside another one.
func (x *definition) createInside(ctx context.Context, s *dialect.CreateTable, parent string) error {
	p, err := x.table(ctx, dialect.TableName{Name: parent, Pos: s.Table.Pos})
	if isNoTable(err) {
		return &Error{Code: 1824, State: "HY000", Message: fmt.Sprintf("Failed to open the referenced table '%s'", parent)}
	}
	if err != nil {
		return err
	}
	t, err := planner.DefineInside(s, p, "")
	if err != nil {
		return err
	}
	err = x.Catalog.CreateInside(ctx, t, p, x.meter)
	var exists *catalog.ExistsError
	if s.IfNotExists && errors.As(err, &exists) {
		return nil
	}
	return err
}

// dropsChildren puts tables that live inside others before those, and refuses to drop a table without all that
// live inside it.
func dropsChildren(tables []*planner.Table) error {
	for _, t := range tables {
		for _, child := range t.Children {
			if !slices.ContainsFunc(tables, func(o *planner.Table) bool { return strings.EqualFold(o.Name, child) }) {
				return &Error{Code: 3730, State: "HY000", Message: fmt.Sprintf("Cannot drop table '%s' referenced by a foreign key constraint on table '%s'.", t.Name, child)}
			}
		}
	}
	depth := func(t *planner.Table) int {
		n := 0
		for t != nil && t.Inside != nil {
			at := slices.IndexFunc(tables, func(o *planner.Table) bool { return strings.EqualFold(o.Name, t.Inside.Parent) })
			n++
			if at < 0 {
				break
			}
			t = tables[at]
		}
		return n
	}
	slices.SortStableFunc(tables, func(a, b *planner.Table) int { return depth(b) - depth(a) })
	return nil
}

// empty is TRUNCATE of a table that lives inside another one, whose physical table it cannot give up: a DELETE of
// all rows.
func (x *definition) empty(ctx context.Context, t *planner.Table) error {
	schema, err := x.Schema(ctx)
	if err != nil {
		return err
	}
	stmt := &dialect.Delete{Table: dialect.TableName{Name: t.Name, Pos: -1}}
	plan, err := planner.Build(&dialect.Parsed{Statement: stmt}, schema, planner.Options{})
	if err != nil {
		return err
	}
	if _, err = x.Runtime.Write(ctx, &Execution{Plan: plan, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter}); err != nil {
		return err
	}
	return x.Catalog.Reset(ctx, t, x.meter)
}
