package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// update plans UPDATE, whose rows may come from a join.
func (b *builder) update(st *dialect.Update) error {
	sel := &dialect.Select{From: st.From, Where: st.Where, OrderBy: st.OrderBy, Limit: st.Limit, Hints: st.Hints}
	if st.From == nil {
		table := st.Table
		sel.From = &table
	} else if st.OrderBy != nil || st.Limit != nil {
		return sqlerr.New(sqlerr.CodeWrongUsage, sqlerr.NoPos, "Incorrect usage of multi-table UPDATE and ORDER BY or LIMIT")
	}
	if len(st.Set) == 0 {
		return sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "UPDATE sets nothing")
	}
	q, err := b.changedRows(sel, st.With)
	if err != nil {
		return err
	}
	c := q.context("field list")
	columns := make([]*field, len(st.Set))
	sources := make([]*source, len(st.Set))
	for i := range st.Set {
		if columns[i], err = c.assigned(st.Set[i].Column); err != nil {
			return err
		}
		if sources[i], err = q.updated(columns[i]); err != nil {
			return err
		}
	}
	if err := q.oneOfView(columns, sources); err != nil {
		return err
	}
	up := &Update{Ignore: st.Ignore}
	b.plan.Write = up
	if up.Targets, err = q.targets(sources, "UPDATE"); err != nil {
		return err
	}
	if up.Related, err = b.related(false, tablesOf(up.Targets)...); err != nil {
		return err
	}
	for i := range st.Set {
		at := slices.IndexFunc(up.Targets, func(t Target) bool { return t.Offset == columns[i].src.offset })
		t := &up.Targets[at]
		a, err := c.assign(t.Table, columns[i].ordinal, &st.Set[i])
		if err != nil {
			return err
		}
		t.Set = append(t.Set, a)
	}
	if err := keepsKeys(up.Targets); err != nil {
		return err
	}
	if up.Source, err = q.changedNode(); err != nil {
		return err
	}
	up.Returning, err = b.returningOf(up.Targets, st.Returning, "UPDATE")
	return err
}

// keepsKeys refuses to change the key of a row that is also changed under another alias.
func keepsKeys(targets []Target) error {
	for i := range targets {
		for j := range targets[:i] {
			if a, b := &targets[j], &targets[i]; a.Table == b.Table && (a.changes(a.Table.Key) || b.changes(b.Table.Key)) {
				return sqlerr.New(sqlerr.CodeMultiUpdateKey, sqlerr.NoPos,
					"Primary key/partition key update is not allowed since the table is updated both as '%s' and '%s'.", a.Alias, b.Alias)
			}
		}
	}
	return nil
}

// returningOf binds RETURNING, which is about the rows of one table.
func (b *builder) returningOf(targets []Target, list []dialect.SelectExpr, statement string) ([]expr.Node, error) {
	if len(targets) > 1 && len(list) > 0 {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "RETURNING of the %s of several tables is", statement)
	}
	t := &targets[0]
	to := t.view
	if to == nil {
		to = &rowTarget{table: t.Table, name: &dialect.TableName{Name: t.Table.Name, As: t.Alias}}
	}
	return b.returning(to, list)
}

// delete plans DELETE, whose rows may come from a join.
func (b *builder) delete(st *dialect.Delete) error {
	sel := &dialect.Select{From: st.From, Where: st.Where, OrderBy: st.OrderBy, Limit: st.Limit, Hints: st.Hints}
	if st.From == nil {
		table := st.Table
		sel.From = &table
	} else if st.OrderBy != nil || st.Limit != nil {
		return sqlerr.New(sqlerr.CodeWrongUsage, sqlerr.NoPos, "Incorrect usage of multi-table DELETE and ORDER BY or LIMIT")
	}
	q, err := b.changedRows(sel, st.With)
	if err != nil {
		return err
	}
	sources, err := q.deleted(st.Targets)
	if err != nil {
		return err
	}
	del := &Delete{Ignore: st.Ignore}
	b.plan.Write = del
	if del.Targets, err = q.targets(sources, "DELETE"); err != nil {
		return err
	}
	if del.Related, err = b.related(false, tablesOf(del.Targets)...); err != nil {
		return err
	}
	del.All = st.From == nil && st.Where == nil && st.Limit == nil && del.Targets[0].view == nil
	if del.Source, err = q.changedNode(); err != nil {
		return err
	}
	if st.From == nil && st.Limit == nil && len(st.Returning) == 0 && del.Related == nil {
		del.Whole = coverOf(del)
	}
	del.Returning, err = b.returningOf(del.Targets, st.Returning, "DELETE")
	return err
}

// deleted finds the tables that a DELETE deletes from: the only one, unless it names them.
func (q *selection) deleted(named []dialect.TableName) ([]*source, error) {
	var sources []*source
	if named == nil {
		if len(q.scope.names) == 0 {
			return nil, notUpdatable("dual", "DELETE")
		}
		src, err := q.deletedOf(q.scope.names[0])
		return append(sources, src), err
	}
	for i := range named {
		n := q.scope.named(&named[i])
		if n == nil {
			return nil, sqlerr.New(sqlerr.CodeUnknownMultiTable, named[i].Pos, "Unknown table '%s' in MULTI DELETE", named[i].Name)
		}
		src, err := q.deletedOf(n)
		if err != nil {
			return nil, err
		}
		if slices.Contains(sources, src) {
			return nil, sqlerr.New(sqlerr.CodeNonUniqueTable, named[i].Pos, "Not unique table/alias: '%s'", named[i].Name)
		}
		sources = append(sources, src)
	}
	return sources, nil
}
