package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// update plans UPDATE of one table, whose rows may come from a join.
func (b *builder) update(st *dialect.Update) error {
	sel := &dialect.Select{From: st.From, Where: st.Where, OrderBy: st.OrderBy, Limit: st.Limit, Hints: st.Hints}
	if st.From == nil {
		table := st.Table
		sel.From = &table
	} else if st.OrderBy != nil || st.Limit != nil {
		return sqlerr.New(sqlerr.CodeWrongUsage, sqlerr.NoPos, "Incorrect usage of multi-table UPDATE and ORDER BY or LIMIT")
	}
	var columns []*field
	rows, err := b.targetRows(sel, st.With, func(q *selection) (*source, error) {
		c := q.context("field list")
		columns = nil
		for i := range st.Set {
			f, err := c.assigned(st.Set[i].Column)
			if err != nil {
				return nil, err
			}
			if f.src.table == nil {
				return nil, sqlerr.New(sqlerr.CodeNonUpdatable, sqlerr.NoPos, "The target table %s of the UPDATE is not updatable", f.src.name)
			}
			columns = append(columns, f)
			if f.src != columns[0].src {
				return nil, sqlerr.NotSupported(sqlerr.NoPos, "an UPDATE that sets columns of several tables is")
			}
		}
		if len(columns) == 0 {
			return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "UPDATE sets nothing")
		}
		return columns[0].src, writable(columns[0].src.table, "UPDATE")
	})
	if err != nil {
		return err
	}
	up := &Update{Table: rows.src.table, Offset: rows.src.offset, Ignore: st.Ignore}
	b.plan.Write = up
	if up.Children, err = b.family(up.Table); err != nil {
		return err
	}
	if up.Related, err = b.related(up.Table, false); err != nil {
		return err
	}
	c := rows.context("field list")
	for i := range st.Set {
		a, err := c.assign(up.Table, columns[i].ordinal, &st.Set[i])
		if err != nil {
			return err
		}
		up.Set = append(up.Set, a)
	}
	if up.Source, err = rows.node(); err != nil {
		return err
	}
	up.Returning, err = b.returning(up.Table, &dialect.TableName{Name: up.Table.Name, As: rows.src.name}, st.Returning)
	return err
}

// delete plans DELETE from one table, whose rows may come from a join.
func (b *builder) delete(st *dialect.Delete) error {
	sel := &dialect.Select{From: st.From, Where: st.Where, OrderBy: st.OrderBy, Limit: st.Limit, Hints: st.Hints}
	if st.From == nil {
		table := st.Table
		sel.From = &table
	} else if st.OrderBy != nil || st.Limit != nil {
		return sqlerr.New(sqlerr.CodeWrongUsage, sqlerr.NoPos, "Incorrect usage of multi-table DELETE and ORDER BY or LIMIT")
	}
	rows, err := b.targetRows(sel, st.With, func(q *selection) (*source, error) {
		if st.From == nil {
			src := q.block.sources[0]
			if src.table == nil {
				return nil, sqlerr.New(sqlerr.CodeNonUpdatable, sqlerr.NoPos, "The target table %s of the DELETE is not updatable", src.name)
			}
			return src, writable(src.table, "DELETE")
		}
		return q.deleted(st.Targets)
	})
	if err != nil {
		return err
	}
	del := &Delete{Table: rows.src.table, Offset: rows.src.offset, Ignore: st.Ignore}
	b.plan.Write = del
	if del.Children, err = b.family(del.Table); err != nil {
		return err
	}
	if del.Related, err = b.related(del.Table, false); err != nil {
		return err
	}
	del.All = st.From == nil && st.Where == nil && st.Limit == nil
	if del.Source, err = rows.node(); err != nil {
		return err
	}
	if st.From == nil && st.Limit == nil && len(st.Returning) == 0 && del.Related == nil {
		del.Whole = coverOf(del)
	}
	del.Returning, err = b.returning(del.Table, &dialect.TableName{Name: del.Table.Name, As: rows.src.name}, st.Returning)
	return err
}

// deleted finds the table that a multi-table DELETE deletes from.
func (q *selection) deleted(targets []dialect.TableName) (*source, error) {
	if len(targets) != 1 {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "a DELETE from several tables is")
	}
	for _, n := range q.scope.names {
		if !n.is(targets[0].Database, targets[0].Name) {
			continue
		}
		if n.src == nil {
			break
		}
		return n.src, writable(n.src.table, "DELETE")
	}
	return nil, sqlerr.New(sqlerr.CodeUnknownMultiTable, targets[0].Pos, "Unknown table '%s' in MULTI DELETE", targets[0].Name)
}
