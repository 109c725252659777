package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// writable refuses to write to tables that are not stored, and to those that a newer version of the program made.
func writable(t *schema.Table, statement string) error {
	if t.Unwritable != nil {
		return t.Unwritable
	}
	if t.Virtual != nil {
		return sqlerr.New(sqlerr.CodeNonUpdatable, sqlerr.NoPos, "The target table %s of the %s is not updatable", t.Name, statement)
	}
	return nil
}

// rowContext is a context over one row of t, under its name or alias.
func (b *builder) rowContext(t *schema.Table, n *dialect.TableName, clause string, ctes *cteEnv) (*context, error) {
	q := b.newSelection(&dialect.Select{}, position{frame: &frame{}, ctes: ctes})
	from, err := q.addTable(t, n)
	if err != nil {
		return nil, err
	}
	q.tree, q.scope.names, q.scope.fields = from.tree, from.names, from.fields
	c := q.context(clause)
	return c, nil
}

// returning binds RETURNING over the table's row, and makes its columns those of the plan.
func (b *builder) returning(t *schema.Table, n *dialect.TableName, list []dialect.SelectExpr) ([]expr.Node, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c, err := b.rowContext(t, n, "field list", nil)
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

// assign binds column = value of t, found as field f.
func (c *context) assign(t *schema.Table, ordinal int, a *dialect.Assign) (Assign, error) {
	out := Assign{Column: ordinal}
	col := t.Columns[ordinal]
	if d, ok := a.Value.(*dialect.Default); ok && (d.Column == "" || strings.EqualFold(d.Column, col.Name)) {
		return out, nil
	}
	if col.Generated != "" {
		return out, generatedValue(t, col)
	}
	if err := settable(t, col); err != nil {
		return out, err
	}
	n, err := c.expression(a.Value)
	out.Value = n
	return out, err
}

// settable refuses to set what the store sets itself.
func settable(t *schema.Table, col *schema.Column) error {
	if col.Source == schema.SourceTimestamp {
		return sqlerr.New(sqlerr.CodeGeneratedValue, sqlerr.NoPos, "The column '%s' of table '%s' is set by the store.", col.Name, t.Name)
	}
	return nil
}

func generatedValue(t *schema.Table, col *schema.Column) error {
	return sqlerr.New(sqlerr.CodeGeneratedValue, sqlerr.NoPos,
		"The value specified for generated column '%s' in table '%s' is not allowed.", col.Name, t.Name)
}

// target is the rows that an UPDATE or DELETE is about, while they are planned.
type target struct {
	*selection
	src *source
}

// targetRows binds FROM and WHERE of an UPDATE or DELETE. find picks the table that is written, whose row comes first in the
// rows; it may be called twice.
func (b *builder) targetRows(sel *dialect.Select, with []dialect.CTE, find func(*selection) (*source, error)) (*target, error) {
	var none *cteEnv
	ctes, err := none.with(with)
	if err != nil {
		return nil, err
	}
	if err := b.hint(sel.Hints, nil); err != nil {
		return nil, err
	}
	at := position{frame: &frame{}, ctes: ctes}
	slots := b.slots
	q := b.newSelection(sel, at)
	if err := q.bindFrom(sel.From); err != nil {
		return nil, err
	}
	src, err := find(q)
	if err != nil {
		return nil, err
	}
	if src.index > 0 {
		// Bind once more, with the place of the written table at the beginning of the row.
		b.slots = slots
		q = b.newSelection(sel, at)
		q.block.first, q.block.width = src.index, len(src.used)
		if err := q.bindFrom(sel.From); err != nil {
			return nil, err
		}
		if src, err = find(q); err != nil {
			return nil, err
		}
	}
	src.forWrite = true
	if src.nullable {
		// Of an outer join, only rows that are there can be written.
		etag := &field{name: "ETag", src: src, ordinal: src.table.ETagOrdinal()}
		there, err := expr.NewIs(q.scope.column(etag), expr.IsNull, true)
		if err != nil {
			return nil, err
		}
		q.where = append(q.where, there)
	}
	if err := q.bindWhere(sel.Where, true); err != nil {
		return nil, err
	}
	if err := q.bindOrder(); err != nil {
		return nil, err
	}
	q.limit, err = q.context("limit").limit(sel.Limit)
	return &target{selection: q, src: src}, err
}

// node builds the operators that yield the rows.
func (t *target) node() (Node, error) {
	in, err := t.input()
	if err != nil {
		return nil, err
	}
	node := in.node
	if len(t.order) > 0 && !in.ordered {
		node = t.sort(node, t.order)
	}
	if t.limit != nil {
		node = &Limit{Input: node, Count: t.limit.Count, Offset: t.limit.Offset}
	}
	return node, nil
}
