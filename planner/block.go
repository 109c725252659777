package planner

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// position says what a query sees of the statement around it.
type position struct {
	parent *scope // whose names it sees besides its own; nil: none
	frame  *frame
	ctes   *cteEnv
	exists bool // only whether there is a row matters
	top    bool // it is the statement
}

// queryPlan is a planned query.
type queryPlan struct {
	root     Node
	columns  []ResultColumn
	rows     float64 // estimates
	requests float64
	narrow   narrowing // nil: it has all of its rows
}

// query plans a SELECT or a UNION.
func (b *builder) query(q dialect.Query, at position) (*queryPlan, error) {
	if b.depth++; b.depth > maxDepth {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "more than %d nested queries are", maxDepth)
	}
	defer func() { b.depth-- }()
	b.plan.Blocks++
	if err := b.tooManyBlocks(); err != nil {
		return nil, err
	}
	if err := b.step(); err != nil {
		return nil, err
	}
	switch q := q.(type) {
	case *dialect.Select:
		return b.selectQuery(q, at)
	case *dialect.Union:
		return b.union(q, at)
	case *dialect.Values:
		return b.values(q, at)
	case *dialect.JSONTable:
		return b.jsonTable(q, at)
	}
	return nil, sqlerr.NotSupported(sqlerr.NoPos, "this kind of query is")
}

// selection is one SELECT while it is planned.
type selection struct {
	b        *builder
	position position
	block    *block
	scope    *scope
	sel      *dialect.Select

	tree      *joinTree // nil: no FROM
	where     []expr.Node
	semiJoins []semiJoin // subqueries of WHERE that became joins
	outputs   []output
	grouping  *grouping // nil: rows are not grouped
	having    expr.Node
	windows   *windowing // nil: there can be no window functions
	order     []access.SortKey
	limit     *Limit
	outer     bool       // tables are bound of which an outer join may lack a row
	keys      *wholeKeys // set if it is bound without the equalities with outer columns; see whole

	// groupItems are the elements of the select list, by position, that rows are grouped by and that have subqueries. Each is the group itself,
	// because its subquery, if bound again, would be one over the groups.
	groupItems map[int]expr.Node
}

func (b *builder) newSelection(sel *dialect.Select, at position) *selection {
	block := &block{}
	return &selection{
		b: b, position: at, sel: sel, block: block,
		scope:   &scope{block: block, parent: at.parent, frame: at.frame},
		windows: &windowing{sel: sel},
	}
}

func (q *selection) context(clause string) *context {
	return &context{b: q.b, scope: q.scope, ctes: q.position.ctes, clause: clause}
}

// selectQuery plans one SELECT: its names are bound clause by clause, then the operators are built from
// the leaves up.
func (b *builder) selectQuery(sel *dialect.Select, at position) (*queryPlan, error) {
	if err := b.hint(sel.Hints, sel); err != nil {
		return nil, err
	}
	if sel.CountAll {
		return nil, sqlerr.New(sqlerr.CodeMisplaced, sqlerr.NoPos, "Incorrect usage/placement of 'SQL_CALC_FOUND_ROWS': it must be in the first SELECT of a statement")
	}
	if sel.Lock {
		b.plan.ForUpdate = true
	}
	ctes, err := at.ctes.with(sel.With)
	if err != nil {
		return nil, err
	}
	at.ctes = ctes
	q := b.newSelection(sel, at)
	if err := q.bind(); err != nil {
		return nil, err
	}
	narrowing := q.narrowing()
	plan, err := q.build()
	if err == nil {
		plan.narrow = narrowing(plan)
	}
	return plan, err
}

func (q *selection) bind() error {
	if err := q.bindFrom(q.sel.From); err != nil {
		return err
	}
	if err := q.bindLocking(); err != nil {
		return err
	}
	if err := q.bindWhere(q.sel.Where, true); err != nil {
		return err
	}
	if err := q.windows.checkNames(); err != nil {
		return err
	}
	if err := q.bindGroupBy(); err != nil {
		return err
	}
	restore := q.scope.keepRefs()
	if err := q.bindOutputs(); err != nil {
		return err
	}
	if q.onlyExists() {
		// The select list is checked but not read, so it does not make the query depend on an outer row.
		restore()
		q.outputs, q.windows.calls = []output{{name: "1", node: expr.NewConst(value.FromInt(1))}}, nil
	}
	q.outputs = append(q.keyOutputs(), q.outputs...)
	if q.onlyExists() {
		return nil
	}
	q.scope.outputs = q.outputs
	if err := q.bindHaving(); err != nil {
		return err
	}
	if err := q.bindOrder(); err != nil {
		return err
	}
	q.scope.grouped, q.scope.outputs = nil, nil
	if err := q.overGroups(); err != nil {
		return err
	}
	limit, err := q.context("limit").limit(q.sel.Limit)
	q.limit = limit
	return err
}

// onlyExists says whether FROM and WHERE alone decide if the query has a row.
func (q *selection) onlyExists() bool {
	return q.position.exists && q.grouping == nil && q.sel.Having == nil && q.sel.Limit == nil
}

// bindFrom binds the tables. FROM dual is no table.
func (q *selection) bindFrom(te dialect.TableExpr) error {
	if n, ok := te.(*dialect.TableName); te == nil || ok && n.Database == "" && strings.EqualFold(n.Name, "dual") {
		return nil
	}
	from, err := q.from(te)
	if err != nil {
		return err
	}
	q.tree, q.scope.names, q.scope.fields = from.tree, from.names, from.fields
	return nil
}

// bindWhere binds WHERE, conjunct by conjunct. With joins, a subquery that only asks whether a row has matches becomes a join.
func (q *selection) bindWhere(where dialect.Expr, joins bool) error {
	for _, e := range conjuncts(where) {
		if joins && q.tree != nil {
			joined, err := q.joinSubquery(e)
			if err != nil {
				return err
			}
			if joined {
				continue
			}
		}
		restore := func() {}
		if q.keys != nil {
			restore = q.scope.keepRefs()
		}
		n, err := q.context("where clause").condition(e)
		if err != nil {
			return err
		}
		if q.keys != nil && q.keys.take(n) {
			restore()
			continue
		}
		q.where = append(q.where, expr.Conjuncts(n)...)
	}
	return nil
}

// groups says whether the rows of a query are grouped.
func groups(sel *dialect.Select) bool {
	grouped := len(sel.GroupBy) > 0 || sel.Having != nil && hasAggregate(sel.Having)
	for _, e := range sel.Exprs {
		grouped = grouped || !e.Star && hasAggregate(e.Expr)
	}
	orders := slices.Clone(sel.OrderBy)
	for _, w := range sel.Windows {
		orders = append(orders, w.Window.OrderBy...)
		grouped = grouped || slices.ContainsFunc(w.Window.Partition, hasAggregate)
	}
	for _, o := range orders {
		grouped = grouped || hasAggregate(o.Expr)
	}
	return grouped
}

// bindOutputs binds the select list. Aggregates in it are collected.
func (q *selection) bindOutputs() error {
	c := q.context("field list")
	c.grouping, c.windows = q.grouping, q.windows
	for i := range q.sel.Exprs {
		c.number = i + 1
		item := &q.sel.Exprs[i]
		if item.Star {
			if err := q.star(item); err != nil {
				return err
			}
			continue
		}
		n, err := q.groupItems[i], error(nil)
		if n == nil {
			n, err = c.expression(item.Expr)
		}
		if err == nil {
			err = q.room(1)
		}
		if err == nil {
			err = checkAlias(item.As)
		}
		if err != nil {
			return err
		}
		q.writeName(item)
		q.outputs = append(q.outputs, output{name: outputName(item), node: n, expr: item.Expr})
	}
	return nil
}

// maxOutputs is the most columns of a result, as in MySQL.
const maxOutputs = 4096

// room refuses n more columns if that would be too many.
func (q *selection) room(n int) error {
	if len(q.outputs)+n > maxOutputs {
		return sqlerr.New(sqlerr.CodeTooManyColumns, sqlerr.NoPos, "Too many columns; at most %d can be selected", maxOutputs)
	}
	return nil
}

// maxAlias is how many characters an alias may have, as in MySQL.
const maxAlias = 256

func checkAlias(name string) error {
	if len(name) > maxAlias && utf8.RuneCountInString(name) > maxAlias {
		return sqlerr.TooLongName(sqlerr.NoPos, name)
	}
	return nil
}

// outputName is a column's name in the result: its alias, the column's name as written, what a string says, or the text.
func outputName(item *dialect.SelectExpr) string {
	if item.As != "" {
		return item.As
	}
	if c, ok := item.Expr.(*dialect.Column); ok {
		return c.Name
	}
	if l, ok := item.Expr.(*dialect.Literal); ok && l.Kind == dialect.StringLiteral {
		return l.Text
	}
	return item.Text
}

// star adds the columns that * or table.* means.
func (q *selection) star(item *dialect.SelectExpr) error {
	fields, err := q.starFields(item)
	if err := q.room(len(fields)); err != nil {
		return err
	}
	q.writeStar(item, fields)
	for i := range fields {
		q.outputs = append(q.outputs, output{name: fields[i].name, node: q.b.localColumn(q.scope.value(&fields[i]))})
	}
	return err
}

func (q *selection) starFields(item *dialect.SelectExpr) ([]field, error) {
	if item.Table == "" {
		if q.tree == nil {
			return nil, sqlerr.New(sqlerr.CodeNoTables, sqlerr.NoPos, "No tables used")
		}
		return q.scope.fields, nil
	}
	for _, n := range q.scope.names {
		if n.is("", item.Table) {
			var fields []field
			for _, f := range n.fields {
				if !f.hidden {
					fields = append(fields, f)
				}
			}
			return fields, nil
		}
	}
	return nil, sqlerr.New(sqlerr.CodeUnknownTable, sqlerr.NoPos, "Unknown table '%s'", item.Table)
}

// bindHaving binds HAVING. Without groups it is one more condition on the rows, which sees aliases.
func (q *selection) bindHaving() error {
	if q.sel.Having == nil {
		return nil
	}
	c := q.context("having clause")
	c.grouping, c.aliases, c.having = q.grouping, q.outputs, true
	n, err := c.condition(q.sel.Having)
	q.having = n
	return err
}

// overGroups turns the expressions that are computed after grouping into expressions over the groups' rows.
func (q *selection) overGroups() error {
	g := q.grouping
	if g == nil {
		return nil
	}
	var err error
	for i := range q.outputs {
		if q.outputs[i].node, err = g.over(q.outputs[i].node, i+1, "SELECT list"); err != nil {
			return err
		}
	}
	if q.having != nil {
		if q.having, err = g.over(q.having, 1, havingClause); err != nil {
			return err
		}
	}
	for i := range q.order {
		if q.order[i].Expr, err = g.over(q.order[i].Expr, i+1, "ORDER BY"); err != nil {
			return err
		}
	}
	for _, call := range q.windows.all() {
		if err := call.overGroups(g); err != nil {
			return err
		}
	}
	return nil
}
