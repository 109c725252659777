package planner

import (
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// viewQuery gives a view as what WITH would declare: its query sees nothing of the statement that names it.
func viewQuery(t *schema.Table) (*dialect.CTE, error) {
	def, err := t.View.Bound(func(v *schema.View) (any, error) {
		p, err := dialect.Parse(v.Query, dialect.Options{ANSIQuotes: v.ANSIQuotes})
		if err != nil {
			return nil, &schema.TextsError{Table: t.Name, Cause: err}
		}
		query, ok := p.Statement.(dialect.Query)
		if !ok {
			return nil, &schema.TextsError{Table: t.Name, Cause: errors.New("it is no query: " + v.Query)}
		}
		return &dialect.CTE{Name: t.Name, Columns: v.Columns, Query: query}, nil
	})
	if err != nil {
		return nil, err
	}
	return def.(*dialect.CTE), nil
}

// fromView is a reference to a view: its query as a derived table.
func (q *selection) fromView(n *dialect.TableName, t *schema.Table) (fromClause, error) {
	if err := hintless(n); err != nil {
		return fromClause{}, err
	}
	def, err := viewQuery(t)
	if err != nil {
		return fromClause{}, err
	}
	leave, err := q.b.enterView(t)
	if err != nil {
		return fromClause{}, err
	}
	from, err := q.fromCTE(n, def, nil, !t.View.TempTable)
	leave()
	if err != nil {
		return fromClause{}, q.b.inView(t, n, err)
	}
	out := from.names[0]
	out.database = q.b.databaseOf(n)
	if out.merged != nil {
		out.merged.view = t
	}
	return from, nil
}

// enterView makes the builder follow the view's settings until leave is called.
func (b *builder) enterView(t *schema.Table) (leave func(), err error) {
	if slices.Contains(b.views, t) || b.defines.Name != "" && strings.EqualFold(b.defines.Name, t.Name) && strings.EqualFold(b.defines.Database, databaseOf(t)) {
		return nil, sqlerr.New(sqlerr.CodeViewRecursive, sqlerr.NoPos, "`%s`.`%s` contains view recursion", databaseOf(t), t.Name)
	}
	if len(b.views) >= maxDepth {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "more than %d views in one another are", maxDepth)
	}
	opt, written, all := b.opt, b.written, b.schema
	b.schema = schema.Stored(all)
	b.views, b.opt.Collation, b.opt.Database, b.written = append(b.views, t), t.Collation, databaseOf(t), nil
	return func() { b.views, b.opt, b.written, b.schema = b.views[:len(b.views)-1], opt, written, all }, nil
}

// inView gives the error of a view's query. If a name no longer exists, the error is about the view that the statement names.
func (b *builder) inView(t *schema.Table, n *dialect.TableName, err error) error {
	err = exprError(err, sqlerr.NoPos)
	var known *sqlerr.Error
	if !errors.As(err, &known) {
		return err
	}
	if !slices.Contains(ofChangedTables, known.Code) {
		known.Pos = int(n.Pos) // a place in the view's text is no place in the statement
		return err
	}
	cause := known.Message
	var inner *viewError
	if errors.As(err, &inner) {
		cause = inner.cause
	}
	return &viewError{cause: cause, err: err, sql: sqlerr.New(sqlerr.CodeViewInvalid, n.Pos,
		"View '%s' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them: %s", b.viewName(t), cause)}
}

// viewName is what errors call a view.
func (b *builder) viewName(t *schema.Table) string {
	if b.opt.Database == "" {
		return t.Name
	}
	return databaseOf(t) + "." + t.Name
}

// ofChangedTables are the errors of a view's query whose tables have changed.
var ofChangedTables = []int{
	sqlerr.CodeNoSuchTable, sqlerr.CodeUnknownDatabase, sqlerr.CodeUnknownColumn, sqlerr.CodeNonUniqueColumn, sqlerr.CodeNoSuchFunction, sqlerr.CodeViewFieldList,
	sqlerr.CodeDuplicateColumn, sqlerr.CodeUnknownTable, sqlerr.CodeUnknownIndex, sqlerr.CodeViewInvalid,
}

// viewError says that a view needs something that does not exist.
type viewError struct {
	sql   *sqlerr.Error
	cause string
	err   error // what names the column; see grow
}

func (e *viewError) Error() string { return e.sql.Message }

// Unwrap gives the error with its number first.
func (e *viewError) Unwrap() []error { return []error{e.sql, e.err} }

// InvalidView is the error if err says that a view needs something that does not exist, else nil.
func InvalidView(err error) *sqlerr.Error {
	var invalid *sqlerr.Error
	if errors.As(err, &invalid) && invalid.Code == sqlerr.CodeViewInvalid {
		return invalid
	}
	return nil
}

// ViewQuery is what planning the query of a new view finds out.
type ViewQuery struct {
	Columns []ResultColumn
	// Edits replace * and bare names by what they mean now, and give each element of a select list its name.
	Edits []dialect.Edit
}

// BindView plans the query of a view. name includes its database.
func BindView(query dialect.Query, name dialect.TableName, s schema.Tables, opt Options) (*ViewQuery, error) {
	out := &ViewQuery{}
	_, err := plan(s, opt, &dialect.Parsed{}, func(b *builder) error {
		b.defines, b.written = name, map[int]dialect.Edit{}
		q, err := b.query(query, position{frame: &frame{}})
		if err != nil {
			return err
		}
		out.Columns, out.Edits = q.columns, nil
		for _, e := range b.written {
			out.Edits = append(out.Edits, e)
		}
		return nil
	})
	slices.SortFunc(out.Edits, func(a, b dialect.Edit) int { return a.Start - b.Start })
	return out, err
}

// write notes the replacement of a part of the text of the view that is being made.
func (b *builder) write(start, end int, text string) {
	if b.written != nil && start >= 0 {
		b.written[start] = dialect.Edit{Span: dialect.Span{Start: start, End: end}, Text: text}
	}
}

// writeDatabase writes out the database of a table whose name does not say it, if the view is in another database.
func (b *builder) writeDatabase(n *dialect.TableName) {
	if b.written != nil && n.Database == "" && !strings.EqualFold(b.defines.Database, b.opt.Database) {
		b.write(int(n.Pos), int(n.Pos), schema.QuoteName(b.opt.Database)+".")
	}
}

// writeStar writes out the columns that * stands for.
func (q *selection) writeStar(item *dialect.SelectExpr, fields []field) {
	if q.b.written == nil || item.At == nil {
		return
	}
	var names []string
	for i := range fields {
		if of := q.scope.nameOf(&fields[i]); of != nil {
			names = append(names, schema.QuoteName(of.name)+"."+schema.QuoteName(fields[i].name))
		}
	}
	q.b.write(item.At.Start, item.At.End, strings.Join(names, ", "))
}

// writeName writes out the name of an element of a select list that is not a column.
func (q *selection) writeName(item *dialect.SelectExpr) {
	if _, column := item.Expr.(*dialect.Column); column || q.b.written == nil || item.At == nil || item.As != "" {
		return
	}
	q.b.write(item.At.End, item.At.End, " AS "+schema.QuoteName(outputName(item)))
}

// writeColumn writes out the table of a bare column name.
func (c *context) writeColumn(e *dialect.Column) {
	if c.b.written == nil || e.Table != "" {
		return
	}
	for at := c.scope; at != nil; at = at.parent {
		f, err := at.lookup(e, c.clause)
		if err != nil {
			return
		}
		if f == nil {
			continue
		}
		if of := at.nameOf(f); of != nil {
			c.b.write(int(e.Pos), int(e.Pos), schema.QuoteName(of.name)+".")
		}
		return
	}
}

// ViewColumns gives the columns that a view has by the current definitions.
func ViewColumns(t *schema.Table, s schema.Tables, opt Options) ([]*schema.Column, error) {
	var columns []*schema.Column
	err := planView(t, s, opt, func(from fromClause) {
		columns = nil
		for _, f := range from.fields {
			c := &schema.Column{Name: f.name, Type: f.typ, NotNull: !f.nullable && !f.src.nullable}
			if t := f.src.table; f.computed == nil && t != nil && f.ordinal < len(t.Columns) && t.Columns[f.ordinal].AutoIncrement {
				c.Default, c.HasDefault = "0", true // in MySQL the default of such a column
			}
			columns = append(columns, c)
		}
	})
	return columns, err
}

// IsUpdatable says whether rows of tables can be changed through a view.
func IsUpdatable(t *schema.Table, s schema.Tables, opt Options) (bool, error) {
	updatable := false
	err := planView(t, s, opt, func(from fromClause) { updatable = len(from.names[0].bases()) > 0 })
	return updatable, err
}

// planView plans a view that no statement names, and calls f with it. It may call f again.
func planView(t *schema.Table, s schema.Tables, opt Options, f func(fromClause)) error {
	_, err := plan(s, opt, &dialect.Parsed{}, func(b *builder) error {
		q := b.newSelection(&dialect.Select{}, position{frame: &frame{}})
		from, err := q.fromView(&dialect.TableName{Name: t.Name, Pos: sqlerr.NoPos}, t)
		if err == nil {
			f(from)
		}
		return err
	})
	return err
}
