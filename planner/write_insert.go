package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// insert plans INSERT, REPLACE and INSERT … ON DUPLICATE KEY UPDATE.
func (b *builder) insert(st *dialect.Insert) error {
	if err := b.hint(st.Hints, nil); err != nil {
		return err
	}
	to, check, err := b.insertTarget(st)
	if err != nil {
		return err
	}
	t := to.table
	ins := &Insert{Table: t, Check: check, Replace: st.Replace, Ignore: st.Ignore, SkipUnfit: st.Ignore}
	b.plan.Write = ins
	if ins.Columns, err = insertColumns(to, st); err != nil {
		return err
	}
	var beside *besideValues
	if st.Query != nil {
		if beside, err = b.besideValues(to, st); err == nil {
			err = b.insertSource(ins, beside.query, len(beside.columns))
		}
	} else {
		err = b.insertRows(ins, to, st.Rows)
	}
	if err != nil {
		return err
	}
	if err := b.onDuplicate(ins, to, st, beside); err != nil {
		return err
	}
	changes := ins.Replace || len(ins.OnDup) > 0
	if changes {
		if ins.Children, err = b.family(t); err != nil {
			return err
		}
	}
	if ins.Related, err = b.related(!changes, t); err != nil {
		return err
	}
	ins.Returning, err = b.returning(to, st.Returning)
	return err
}

// insertColumns gives the columns that values are given for: the named ones, or all that * would show.
func insertColumns(to *rowTarget, st *dialect.Insert) ([]int, error) {
	t := to.table
	var columns []int
	if st.Columns == nil {
		if len(st.Rows) > 0 && len(st.Rows[0]) == 0 {
			return nil, nil // VALUES (): defaults all
		}
		for _, f := range to.fields {
			columns = append(columns, f.ordinal)
		}
		for i, c := range t.Columns {
			if to.fields == nil && c.Visible() && c.Source != schema.SourceTimestamp {
				columns = append(columns, i)
			}
		}
		return columns, nil
	}
	for _, c := range st.Columns {
		i := to.ordinal(c.Name)
		if i < 0 || i == t.ETagOrdinal() {
			return nil, unknownColumn(c, "field list").orNear(to.columnNames())
		}
		if err := settable(t, t.Columns[i]); err != nil {
			return nil, err
		}
		if slices.Contains(columns, i) {
			return nil, sqlerr.New(sqlerr.CodeColumnTwice, c.Pos, "Column '%s' specified twice", t.Columns[i].Name)
		}
		columns = append(columns, i)
	}
	return columns, nil
}

func (b *builder) insertRows(ins *Insert, to *rowTarget, rows [][]dialect.Expr) error {
	c := &context{b: b, clause: "field list"}
	if !ins.Table.IsExternal() {
		// A value may refer to the columns that get theirs before.
		var err error
		if c, err = b.rowContext(&rowTarget{to.table, &dialect.TableName{Name: to.name.Name}, to.fields}, "field list"); err != nil {
			return err
		}
	}
	for i, row := range rows {
		if len(row) != len(ins.Columns) {
			return sqlerr.New(sqlerr.CodeColumnCount, sqlerr.NoPos, "Column count doesn't match value count at row %d", i+1)
		}
		nodes := make([]expr.Node, len(row))
		for j, e := range row {
			if i := ins.Columns[j]; ins.Table.Columns[i].Generated != "" && !isDefault(e) {
				if !slices.Contains(ins.Generated, i) {
					ins.Generated = append(ins.Generated, i)
				}
				continue
			}
			a, err := c.assign(ins.Table, ins.Columns[j], &dialect.Assign{Value: e})
			if err != nil {
				return err
			}
			if nodes[j], err = ins.ofEarlier(j, a.Value); err != nil {
				return err
			}
		}
		ins.Rows = append(ins.Rows, nodes)
	}
	return nil
}

func isDefault(e dialect.Expr) bool {
	_, ok := e.(*dialect.Default)
	return ok
}

// ofEarlier makes the value of the j-th column read columns as MySQL does: a column that gets its value later, or this one, has the value that
// it has without an assignment. An AUTO_INCREMENT column is numbered after all is computed: until then it is 0.
func (n *Insert) ofEarlier(j int, v expr.Node) (expr.Node, error) {
	if !schema.RefersToRow(v) {
		return v, nil
	}
	texts, err := Texts(n.Table)
	if err != nil {
		return nil, err
	}
	read := expr.Rewrite(v, func(x expr.Node) expr.Node {
		c, ok := x.(*expr.Column)
		if !ok || err != nil || c.Level > 0 || c.Index >= len(n.Table.Columns) {
			return x
		}
		col := texts.Columns[c.Index]
		at := slices.Index(n.Columns, c.Index)
		switch {
		case at >= j || col.Generated != "" || at < 0 && col.DefaultOfRow():
			if x = unset(col); x == nil {
				err = sqlerr.NotSupported(sqlerr.NoPos, "a value that refers to column '%s', which is set later, is", col.Name)
				return c
			}
		case col.AutoIncrement:
			zero, failed := expr.NewCall("IFNULL", []expr.Node{c, expr.NewConst(value.FromInt(0))})
			if failed == nil { // never: IFNULL takes two values
				return zero
			}
		}
		return x
	})
	return read, err
}

// unset is a column that has no value yet: its default, or the zero of its type. nil: only the row can tell.
func unset(c schema.ColumnTexts) expr.Node {
	initial := c.InitialExpr()
	k, ok := initial.(*expr.Const)
	switch {
	case c.Generated != "":
		return nil
	case initial == nil && !c.NotNull:
		return &expr.Const{T: c.Type}
	case !ok:
		return nil
	}
	v, err := c.Type.Convert(k.V)
	if err != nil {
		return nil
	}
	return &expr.Const{V: v, T: c.Type}
}

// insertSource plans the query whose rows are inserted, except for its last columns, which ON DUPLICATE KEY UPDATE names.
func (b *builder) insertSource(ins *Insert, query dialect.Query, beside int) error {
	for _, i := range ins.Columns {
		if col := ins.Table.Columns[i]; col.Generated != "" {
			return GeneratedValue(ins.Table, col)
		}
	}
	q, err := b.query(query, position{frame: &frame{}})
	if err != nil {
		return err
	}
	values := len(q.columns) - beside
	if values != len(ins.Columns) {
		return sqlerr.New(sqlerr.CodeColumnCount, sqlerr.NoPos, "Column count doesn't match value count at row 1")
	}
	ins.Source, ins.Beside = q.root, q.columns[values:]
	return nil
}

// onDuplicate plans what happens to rows whose key exists already.
func (b *builder) onDuplicate(ins *Insert, to *rowTarget, st *dialect.Insert, beside *besideValues) error {
	if st.Conflict != nil {
		ins.Ignore = ins.Ignore || st.Conflict.DoNothing
		if len(st.Conflict.Columns) > 0 {
			var err error
			if ins.Target, err = conflictTarget(to, st.Conflict.Columns); err != nil {
				return err
			}
		}
	}
	if len(st.OnDup) == 0 {
		return nil
	}
	c, err := b.rowContext(to, "field list")
	if err != nil {
		return err
	}
	c.insert, c.beside = to, beside.find(ins)
	for i := range st.OnDup {
		a := &st.OnDup[i]
		f, err := c.assigned(a.Column)
		if err != nil {
			return err
		}
		assign, err := c.assign(ins.Table, f.ordinal, a)
		if err != nil {
			return err
		}
		ins.OnDup = append(ins.OnDup, assign)
	}
	if st.Conflict != nil && st.Conflict.Where != nil {
		c.clause = "where clause"
		ins.OnDupCond, err = c.condition(st.Conflict.Where)
	}
	return err
}

// assigned finds the column that an assignment sets.
func (c *context) assigned(col *dialect.Column) (*field, error) {
	f, err := c.scope.lookup(col, "field list")
	if err != nil {
		return nil, err
	}
	if f == nil || f.src.table != nil && f.ordinal == f.src.table.ETagOrdinal() {
		return nil, unknownColumn(col, "field list").orNear(c.scope.columnNames(col))
	}
	return f, nil
}

// conflictTarget finds the key that ON CONFLICT (columns) names.
func conflictTarget(to *rowTarget, columns []string) (*Conflict, error) {
	t := to.table
	var wanted []int
	for _, name := range columns {
		i := to.ordinal(name)
		if i < 0 || i == t.ETagOrdinal() {
			return nil, sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in 'ON CONFLICT'", name)
		}
		wanted = append(wanted, i)
	}
	is := func(parts []schema.KeyColumn) bool {
		if len(parts) != len(wanted) {
			return false
		}
		for _, p := range parts {
			if p.Prefix > 0 || !slices.Contains(wanted, p.Column) {
				return false
			}
		}
		return true
	}
	if is(t.Key) {
		return &Conflict{Primary: true}, nil
	}
	for _, ix := range t.Indexes {
		if ix.Unique && is(ix.Key) {
			return &Conflict{Index: ix}, nil
		}
	}
	return nil, sqlerr.New(sqlerr.CodeUnknownIndex, sqlerr.NoPos,
		"ON CONFLICT (%s): table '%s' has no primary or unique key on these columns", strings.Join(columns, ", "), t.Name)
}
