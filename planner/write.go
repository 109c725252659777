package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// writable refuses writes to tables that are not stored, and to tables that a newer version of the program made.
func writable(t *schema.Table, statement string) error {
	if t.Unwritable != nil {
		return t.Unwritable
	}
	if t.Virtual != nil || t.IsView() {
		return notUpdatable(t.Name, statement)
	}
	return nil
}

func notUpdatable(table, statement string) error {
	return sqlerr.New(sqlerr.CodeNonUpdatable, sqlerr.NoPos, "The target table %s of the %s is not updatable", table, statement)
}

// rowContext is a context over one row of a table, under its name or alias.
func (b *builder) rowContext(to *rowTarget, clause string) (*context, error) {
	q := b.newSelection(&dialect.Select{}, position{frame: &frame{}})
	from, err := q.addTable(to.table, to.name)
	if err != nil {
		return nil, err
	}
	if to.fields != nil {
		n := from.names[0]
		fields := slices.Clone(to.fields)
		for i := range fields {
			fields[i].src = n.src
		}
		from = oneTable(from.tree, &named{name: n.name, database: n.database, fields: fields, src: n.src})
	}
	q.tree, q.scope.names, q.scope.fields = from.tree, from.names, from.fields
	return q.context(clause), nil
}

// returning binds RETURNING over the table's row, and makes its columns the plan's.
func (b *builder) returning(to *rowTarget, list []dialect.SelectExpr) ([]expr.Node, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c, err := b.rowContext(to, "field list")
	if err != nil {
		return nil, err
	}
	q := &selection{b: b, block: c.scope.block, scope: c.scope, sel: &dialect.Select{Exprs: list}, tree: &joinTree{}}
	if err := q.bindOutputs(); err != nil {
		return nil, err
	}
	var nodes []expr.Node
	for _, o := range q.outputs {
		nodes = append(nodes, o.node)
		b.plan.Columns = append(b.plan.Columns, ResultColumn{Name: o.name, Type: o.node.Type(), Nullable: expr.MayBeNull(o.node)})
	}
	return nodes, nil
}

// assign binds column = value of t.
func (c *context) assign(t *schema.Table, ordinal int, a *dialect.Assign) (Assign, error) {
	out := Assign{Column: ordinal}
	col := t.Columns[ordinal]
	if d, ok := a.Value.(*dialect.Default); ok {
		if d.Column == nil {
			return out, nil
		}
		if f, err := c.scope.lookup(d.Column, c.clause); err == nil && f != nil && f.src.table == t && f.ordinal == ordinal {
			return out, nil
		}
	}
	if col.Generated != "" {
		return out, GeneratedValue(t, col)
	}
	if err := settable(t, col); err != nil {
		return out, err
	}
	n, err := c.expression(a.Value)
	out.Value = n
	return out, err
}

// settable refuses assignments to what the store sets itself.
func settable(t *schema.Table, col *schema.Column) error {
	if col.Source == schema.SourceTimestamp {
		return sqlerr.New(sqlerr.CodeGeneratedValue, sqlerr.NoPos, "The column '%s' of table '%s' is set by the store.", col.Name, t.Name)
	}
	return nil
}

// GeneratedValue is the error for a statement that gives a generated column a value.
func GeneratedValue(t *schema.Table, col *schema.Column) error {
	return sqlerr.New(sqlerr.CodeGeneratedValue, sqlerr.NoPos,
		"The value specified for generated column '%s' in table '%s' is not allowed.", col.Name, t.Name)
}

// changedRows binds the FROM of an UPDATE or DELETE.
func (b *builder) changedRows(sel *dialect.Select, with []dialect.CTE) (*selection, error) {
	var none *cteEnv
	ctes, err := none.with(with)
	if err != nil {
		return nil, err
	}
	if err := b.hint(sel.Hints, nil); err != nil {
		return nil, err
	}
	q := b.newSelection(sel, position{frame: &frame{}, ctes: ctes})
	q.windows = nil
	return q, q.bindFrom(sel.From)
}

// targets gives the written tables, in the order of FROM. It also binds WHERE, ORDER BY and LIMIT.
func (q *selection) targets(sources []*source, statement string) ([]Target, error) {
	slices.SortFunc(sources, func(a, b *source) int { return a.index - b.index })
	sources = slices.Compact(sources)
	var out []Target
	for _, src := range sources {
		if err := writable(src.table, statement); err != nil {
			return nil, err
		}
		family, err := q.b.family(src.table)
		if err != nil {
			return nil, err
		}
		src.forWrite = true
		t := Target{Table: src.table, Alias: src.name, Offset: src.offset, Children: family}
		if n := q.viewOf(src); n != nil {
			if t.view = n.target(src, &dialect.TableName{Name: n.name}); statement == "UPDATE" {
				if t.Check, err = q.b.checkOf(n, src); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, t)
	}
	if src := sources[0]; len(sources) == 1 && src.nullable {
		// Of an outer join, only existing rows can be written.
		etag := &field{name: "ETag", src: src, ordinal: src.table.ETagOrdinal()}
		there, err := expr.NewIs(q.scope.column(etag), expr.IsNull, true)
		if err != nil {
			return nil, err
		}
		q.where = append(q.where, there)
	}
	err := q.bindWhere(q.sel.Where, true)
	if err == nil {
		err = q.bindOrder()
	}
	if err == nil {
		q.limit, err = q.context("limit").limit(q.sel.Limit)
	}
	return out, err
}

// viewOf is the view of FROM that contains a table; nil: none.
func (q *selection) viewOf(src *source) *named {
	for _, n := range q.scope.names {
		if n.isView() && slices.Contains(n.bases(), src) {
			return n
		}
	}
	return nil
}

// tablesOf are the tables of targets.
func tablesOf(targets []Target) (tables []*schema.Table) {
	for i := range targets {
		tables = append(tables, targets[i].Table)
	}
	return tables
}

// changedNode builds the operators that yield the rows.
func (q *selection) changedNode() (Node, error) {
	in, err := q.input()
	if err != nil {
		return nil, err
	}
	node := in.node
	if len(q.order) > 0 && !in.ordered {
		node = q.sort(node, q.order)
	}
	if q.limit != nil {
		node = &Limit{Input: node, Count: q.limit.Count, Offset: q.limit.Offset}
	}
	return node, nil
}
