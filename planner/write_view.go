package planner

import (
	"iter"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// ViewCheck is WITH CHECK OPTION: a row written through a view must belong to the view.
type ViewCheck struct {
	View string    // as errors name it
	Cond expr.Node // over the table's row
}

// merged is what a view that was merged into a statement is made of.
type merged struct {
	view  *schema.Table // nil: a derived table or a WITH
	tree  *joinTree     // without where
	where []expr.Node
	from  []*named

	orders *selection // by its ORDER BY; nil: it has none
}

// isView says whether n is a view that was merged, so that its rows are rows of tables.
func (n *named) isView() bool { return n.merged != nil && n.merged.view != nil }

// base is the table that column f, a field of n, belongs to; nil if f is computed, or does not identify a row of a table.
func (n *named) base(f *field) *source {
	if n.src != nil {
		if n.src.table == nil || n.src.table.Virtual != nil {
			return nil
		}
		return n.src
	}
	if !n.isView() || !n.merged.tree.isInner() {
		return nil
	}
	for _, below := range n.merged.from {
		if below.has(f) {
			return below.base(f)
		}
	}
	return nil
}

// isInner says whether there is no outer join in t.
func (t *joinTree) isInner() bool {
	return t.kind != leftTree && !slices.ContainsFunc(t.kids, func(kid *joinTree) bool { return !kid.isInner() })
}

// bases are the tables that columns of an updatable view belong to; none if the view is not updatable.
func (n *named) bases() []*source {
	var out []*source
	for i := range n.fields {
		if src := n.base(&n.fields[i]); src != nil && !slices.Contains(out, src) {
			out = append(out, src)
		}
	}
	return out
}

// isJoin says whether a view has several tables.
func (n *named) isJoin() bool {
	sources := 0
	n.merged.tree.sources(func(*source) { sources++ })
	return sources > 1
}

// checks are the conditions that rows written through a view must satisfy. all: a view above requires all conditions below.
func (n *named) checks(all bool) []expr.Node {
	if n.merged == nil {
		return nil
	}
	var out []expr.Node
	own := all
	if v := n.merged.view; v != nil {
		all = all || v.View.Check == schema.CascadedCheck
		own = all || v.View.Check == schema.LocalCheck
	}
	if own {
		out = append(out, n.merged.where...)
		n.merged.tree.each(func(t *joinTree) { out = append(out, t.conds...) })
	}
	for _, below := range n.merged.from {
		out = append(out, below.checks(all)...)
	}
	return out
}

// each calls f for each join of t except those inside merged tables, which have their own conditions.
func (t *joinTree) each(f func(*joinTree)) {
	if t.kind == leafTree || t.merged {
		return
	}
	f(t)
	for _, kid := range t.kids {
		kid.each(f)
	}
}

// checkOf is the check of rows of src that are written through n; nil: there is none.
func (b *builder) checkOf(n *named, src *source) (*ViewCheck, error) {
	if !n.isView() {
		return nil, nil
	}
	conds := n.checks(false)
	if len(conds) == 0 {
		return nil, nil
	}
	elsewhere := false
	cond := expr.Rewrite(expr.Conjunction(conds), func(x expr.Node) expr.Node {
		c, ok := x.(*expr.Column)
		if !ok {
			return x
		}
		if c.Level > 0 || c.Index < src.offset || c.Index >= src.offset+src.table.RowWidth() {
			elsewhere = true
			return x
		}
		own := *c
		own.Index -= src.offset
		return &own
	})
	if elsewhere {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "writing through the view '%s', whose CHECK OPTION is about several tables, is", n.viewName(b))
	}
	return &ViewCheck{View: n.viewName(b), Cond: cond}, nil
}

// viewName is what errors call a view that was merged.
func (n *named) viewName(b *builder) string { return b.viewName(n.merged.view) }

// updated finds the table whose column an UPDATE sets.
func (q *selection) updated(f *field) (*source, error) {
	n := q.scope.nameOf(f)
	if n.src != nil {
		return n.src, nil
	}
	if !n.isView() || len(n.bases()) == 0 {
		return nil, notUpdatable(n.name, "UPDATE")
	}
	src := n.base(f)
	if src == nil {
		return nil, sqlerr.New(sqlerr.CodeNonUpdatableColumn, sqlerr.NoPos, "Column '%s' is not updatable", f.name)
	}
	return src, nil
}

// oneOfView refuses to update two tables through one view.
func (q *selection) oneOfView(columns []*field, sources []*source) error {
	of := map[*named]*source{}
	for i, f := range columns {
		n := q.scope.nameOf(f)
		if before := of[n]; n.isView() && before != nil && before != sources[i] {
			return sqlerr.New(sqlerr.CodeViewSeveralTables, sqlerr.NoPos, "Can not modify more than one base table through a join view '%s'", n.viewName(q.b))
		}
		of[n] = sources[i]
	}
	return nil
}

// deletedOf is the table that a DELETE from n deletes from.
func (q *selection) deletedOf(n *named) (*source, error) {
	switch {
	case n.src != nil:
		return n.src, nil
	case n.isView() && len(n.bases()) > 0 && n.isJoin():
		return nil, sqlerr.New(sqlerr.CodeViewDeleteJoin, sqlerr.NoPos, "Can not delete from join view '%s'", n.viewName(q.b))
	case n.isView() && len(n.bases()) > 0:
		return n.bases()[0], nil
	}
	return nil, notUpdatable(n.name, "DELETE")
}

// rowTarget is a table that rows are written to, and the names used for it.
type rowTarget struct {
	table  *schema.Table
	name   *dialect.TableName
	fields []field // what a view calls its columns; nil: they have their own names
}

// ordinal is the ordinal of a column by its name; -1: there is none.
func (to *rowTarget) ordinal(name string) int {
	if to.fields == nil {
		return to.table.Ordinal(name)
	}
	for _, f := range to.fields {
		if strings.EqualFold(f.name, name) {
			return f.ordinal
		}
	}
	return -1
}

// columnNames are the names of the columns that a statement may name.
func (to *rowTarget) columnNames() iter.Seq[string] {
	if to.fields == nil {
		return to.table.ColumnNames()
	}
	return func(yield func(string) bool) {
		for _, f := range to.fields {
			if !yield(f.name) {
				return
			}
		}
	}
}

// insertTarget finds the table that an INSERT writes to, directly or through a view.
func (b *builder) insertTarget(st *dialect.Insert) (*rowTarget, *ViewCheck, error) {
	t, err := b.table(&st.Table)
	if err != nil {
		return nil, nil, err
	}
	if !t.IsView() {
		return &rowTarget{table: t, name: &st.Table}, nil, writable(t, "INSERT")
	}
	q := b.newSelection(&dialect.Select{}, position{frame: &frame{}})
	from, err := q.fromView(&st.Table, t)
	if err != nil {
		return nil, nil, err
	}
	n := from.names[0]
	src, err := b.insertedInto(n, st)
	if err != nil {
		return nil, nil, err
	}
	if err := writable(src.table, "INSERT"); err != nil {
		return nil, nil, err
	}
	check, err := b.checkOf(n, src)
	return n.target(src, &st.Table), check, err
}

// insertedInto is the table that an INSERT into a view writes to.
func (b *builder) insertedInto(n *named, st *dialect.Insert) (*source, error) {
	if !n.isView() || len(n.bases()) == 0 {
		return nil, notInsertable(n)
	}
	for i := range n.fields {
		f := &n.fields[i]
		if n.base(f) == nil || slices.ContainsFunc(n.fields[:i], func(o field) bool { return o.src == f.src && o.ordinal == f.ordinal }) {
			return nil, notInsertable(n)
		}
	}
	if !n.isJoin() {
		return n.bases()[0], nil
	}
	if st.Columns == nil {
		return nil, sqlerr.New(sqlerr.CodeViewNoFieldList, sqlerr.NoPos, "Can not insert into join view '%s' without fields list", n.viewName(b))
	}
	var into *source
	for _, c := range st.Columns {
		for i := range n.fields {
			f := &n.fields[i]
			if !strings.EqualFold(f.name, c.Name) {
				continue
			}
			if into != nil && into != f.src {
				return nil, sqlerr.New(sqlerr.CodeViewSeveralTables, c.Pos, "Can not modify more than one base table through a join view '%s'", n.viewName(b))
			}
			into = f.src
		}
	}
	if into == nil {
		into = n.bases()[0] // no column is found in it
	}
	return into, nil
}

func notInsertable(n *named) error {
	return sqlerr.New(sqlerr.CodeNonInsertable, sqlerr.NoPos, "The target table %s of the INSERT is not insertable-into", n.name)
}

// target is src under the names that n, a view of it, gives its columns.
func (n *named) target(src *source, name *dialect.TableName) *rowTarget {
	out := &rowTarget{table: src.table, name: name, fields: []field{}}
	for _, f := range n.fields {
		if f.src == src {
			out.fields = append(out.fields, f)
		}
	}
	return out
}
