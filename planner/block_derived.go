package planner

import (
	"cmp"
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// cteEnv is the WITH clauses that are visible somewhere: one definition, then those visible to it.
type cteEnv struct {
	def   *dialect.CTE
	outer *cteEnv
	rows  *queryPlan // within a recursive definition: its own rows
}

// with adds the definitions of a WITH clause; each sees those before it.
func (e *cteEnv) with(defs []dialect.CTE) (*cteEnv, error) {
	for i := range defs {
		for _, other := range defs[:i] {
			if strings.EqualFold(other.Name, defs[i].Name) {
				return nil, sqlerr.New(sqlerr.CodeNonUniqueTable, sqlerr.NoPos, "Not unique table/alias: '%s'", other.Name)
			}
		}
		e = &cteEnv{def: &defs[i], outer: e}
	}
	return e, nil
}

// find gives the definition of a name, with the definitions visible to it; nil if there is none.
func (e *cteEnv) find(name string) *cteEnv {
	for ; e != nil; e = e.outer {
		if strings.EqualFold(e.def.Name, name) {
			return e
		}
	}
	return nil
}

// fromRecursive is a reference of a recursive WITH to itself.
func (q *selection) fromRecursive(n *dialect.TableName, e *cteEnv) (fromClause, error) {
	if err := hintless(n); err != nil {
		return fromClause{}, err
	}
	return q.derivedPlan(cmp.Or(n.As, n.Name), e.def.Columns, func() (*queryPlan, error) { return e.rows, nil })
}

// fromCTE is a reference to a name of WITH: its query as a derived table, merged if possible.
func (q *selection) fromCTE(n *dialect.TableName, def *dialect.CTE, env *cteEnv, merges bool) (fromClause, error) {
	if err := hintless(n); err != nil {
		return fromClause{}, err
	}
	name := n.As
	if name == "" {
		name = n.Name
	}
	if sel, ok := def.Query.(*dialect.Select); ok && merges && mergeable(sel) && !isRecursive(def) {
		// The definition is not part of the query that refers to it, so it sees none of its rows.
		if from, ok, err := q.merge(sel, name, def.Columns, position{frame: &frame{}, ctes: env}); ok || err != nil {
			return from, err
		}
	}
	return q.derivedPlan(name, def.Columns, func() (*queryPlan, error) { return q.b.sharedQuery(def, env) })
}

// hintless refuses index hints at what has no index.
func hintless(n *dialect.TableName) error {
	for _, h := range n.Hints {
		for _, name := range h.Names {
			return NoSuchKey(h.Pos, name, n.Name)
		}
	}
	return nil
}

func (q *selection) fromDerived(d *dialect.Derived) (fromClause, error) {
	if err := aliased(d); err != nil {
		return fromClause{}, err
	}
	return q.derived(d.Query, d.As, d.Columns, position{parent: q.scope.enclosing(), frame: q.scope.frame, ctes: q.position.ctes})
}

// derived makes the rows of a query a source of the block. A query that only picks columns and rows is
// merged into the block instead, so that its tables are joined and read like the block's own:
//
//	SELECT d.a FROM (SELECT a FROM t WHERE b = 1) d WHERE d.c = 2  →  SELECT a FROM t WHERE b = 1 AND c = 2
func (q *selection) derived(query dialect.Query, name string, columns []string, at position) (fromClause, error) {
	if sel, ok := query.(*dialect.Select); ok && mergeable(sel) {
		if from, ok, err := q.merge(sel, name, columns, at); ok || err != nil {
			return from, err
		}
	}
	return q.derivedPlan(name, columns, func() (*queryPlan, error) { return q.b.query(query, at) })
}

// derivedPlan makes the rows of a planned query a source of the block.
func (q *selection) derivedPlan(name string, columns []string, made func() (*queryPlan, error)) (fromClause, error) {
	if err := q.roomForTable(); err != nil {
		return fromClause{}, err
	}
	plan, err := made()
	if err != nil {
		return fromClause{}, err
	}
	src := &source{name: name, input: &relation{node: plan.root, rows: plan.rows, requests: plan.requests}, narrow: plan.narrow}
	q.block.add(src, len(plan.columns))
	fields := make([]field, len(plan.columns))
	for i, c := range plan.columns {
		fields[i] = field{name: c.Name, src: src, ordinal: i, typ: c.Type, nullable: c.Nullable}
	}
	return q.derivedNames(&joinTree{kind: leafTree, src: src}, name, columns, fields)
}

func (q *selection) derivedNames(tree *joinTree, name string, columns []string, fields []field) (fromClause, error) {
	if columns != nil && len(columns) != len(fields) {
		return fromClause{}, sqlerr.New(sqlerr.CodeViewFieldList, sqlerr.NoPos,
			"In definition of view, derived table or common table expression '%s', SELECT list and column names list have different column counts", name)
	}
	if err := checkAlias(name); err != nil {
		return fromClause{}, err
	}
	for i := range fields {
		if columns != nil {
			fields[i].name = columns[i]
		}
		for j := range fields[:i] {
			if strings.EqualFold(fields[i].name, fields[j].name) {
				return fromClause{}, sqlerr.New(sqlerr.CodeDuplicateColumn, sqlerr.NoPos, "Duplicate column name '%s'", fields[i].name)
			}
		}
	}
	return oneTable(tree, &named{name: name, fields: fields}), nil
}

// mergeable says whether a derived table's query does no more than pick columns and rows.
func mergeable(sel *dialect.Select) bool {
	if sel.From == nil || len(sel.With) > 0 || sel.Distinct || len(sel.GroupBy) > 0 || sel.Having != nil ||
		sel.Limit != nil || sel.Lock || sel.CountAll || len(sel.Windows) > 0 || hasSubquery(sel.Where) {
		return false
	}
	ofRow := func(e dialect.Expr) bool { return !hasSubquery(e) && !hasAggregate(e) && !hasWindow(e) }
	for _, e := range sel.Exprs {
		if !e.Star && !ofRow(e.Expr) {
			return false
		}
	}
	for _, o := range sel.OrderBy {
		if !ofRow(o.Expr) {
			return false
		}
	}
	n, ok := sel.From.(*dialect.TableName)
	return !ok || n.Database != "" || !strings.EqualFold(n.Name, "dual")
}

// merge binds a derived table's query into the block; false: it cannot be merged.
func (q *selection) merge(sel *dialect.Select, name string, columns []string, at position) (from fromClause, ok bool, err error) {
	undo := q.mark()
	if from, err = q.mergeInto(sel, name, columns, at); err == errNotMerged {
		undo()
		return fromClause{}, false, nil
	}
	return from, err == nil, err
}

// errNotMerged says that a derived table computes what must be computed once for each of its rows, or is used where nothing tells whether it has
// a row.
var errNotMerged = errors.New("the derived table is not merged")

func (q *selection) mergeInto(sel *dialect.Select, name string, columns []string, at position) (fromClause, error) {
	if err := q.b.hint(sel.Hints, nil); err != nil {
		return fromClause{}, err
	}
	in := &selection{
		b: q.b, position: at, sel: sel, block: q.block, outer: q.outer,
		scope: &scope{block: q.block, parent: at.parent, frame: at.frame},
	}
	if err := in.bindFrom(sel.From); err != nil {
		return fromClause{}, err
	}
	if in.tree.kind == leafTree {
		in.tree.src.name = name // as EXPLAIN shows it
	}
	if err := in.bindWhere(sel.Where, false); err != nil {
		return fromClause{}, err
	}
	var fields []field
	for i := range sel.Exprs {
		item := &sel.Exprs[i]
		if item.Star {
			starred, err := in.starFields(item)
			if err != nil {
				return fromClause{}, err
			}
			in.writeStar(item, starred)
			fields = append(fields, starred...)
			continue
		}
		col, ok := item.Expr.(*dialect.Column)
		if !ok {
			f, err := q.computedField(in, item)
			if err != nil {
				return fromClause{}, err
			}
			fields = append(fields, f)
			continue
		}
		f, err := in.scope.lookup(col, "field list")
		if err != nil {
			return fromClause{}, err
		}
		if f == nil {
			return fromClause{}, unknownColumn(col, "field list").orNear(in.scope.columnNames(col))
		}
		if err := checkAlias(item.As); err != nil {
			return fromClause{}, err
		}
		in.context("field list").writeColumn(col)
		out := *f
		out.name, out.hidden = outputName(item), false
		fields = append(fields, out)
	}
	tree := in.tree
	if len(in.where) > 0 {
		tree = &joinTree{kind: innerTree, kids: []*joinTree{tree}, conds: in.where}
	}
	out := *tree
	out.merged = true
	from, err := q.derivedNames(&out, name, columns, fields)
	if err == nil {
		m := &merged{tree: in.tree, where: in.where, from: in.scope.names}
		if len(sel.OrderBy) > 0 {
			m.orders = in
		}
		from.names[0].merged = m
	}
	return from, err
}

// computedField is a column, computed from the row, of a derived table that was merged as in.
func (q *selection) computedField(in *selection, item *dialect.SelectExpr) (field, error) {
	unused := q.block.keepUsed()
	n, err := in.context("field list").expression(item.Expr)
	if err == nil {
		err = checkAlias(item.As)
	}
	if err != nil {
		return field{}, err
	}
	unused() // until something refers to it
	if !expr.Deterministic(n) || expr.HasSubquery(n) {
		return field{}, errNotMerged
	}
	if q.outer {
		if n, err = in.whereThere(n); err != nil {
			return field{}, err
		}
	}
	in.writeName(item)
	return field{name: outputName(item), src: &source{}, typ: n.Type(), nullable: expr.MayBeNull(n), computed: n}, nil
}

// whereThere makes n, computed from a row of q, NULL if an outer join has no such row. A column that is never NULL otherwise tells.
func (q *selection) whereThere(n expr.Node) (expr.Node, error) {
	key := q.tree.neverNull()
	if key == nil {
		return nil, errNotMerged
	}
	there, err := expr.NewIs(key, expr.IsNull, true)
	if err != nil {
		return nil, err
	}
	return expr.NewCase(nil, []expr.When{{Cond: there, Result: n}}, null())
}

// neverNull is a column that is NULL only if an outer join has no row of t; nil: none is known.
func (t *joinTree) neverNull() *expr.Column {
	switch t.kind {
	case leafTree:
		if s := t.src; s.table != nil && len(s.table.Key) > 0 {
			i := s.table.Key[0].Column
			return &expr.Column{Index: s.offset + i, Name: s.name + "." + s.table.Columns[i].Name, T: s.table.Columns[i].Type, Nullable: true}
		}
	case leftTree:
		return t.kids[0].neverNull()
	case innerTree:
		for _, kid := range t.kids {
			if c := kid.neverNull(); c != nil {
				return c
			}
		}
	}
	return nil
}
