package dml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Columns is what the columns of a table contribute to a written row: defaults, generated values, checks.
type Columns struct {
	table     *schema.Table
	defaults  []expr.Func // by column; nil without a default
	late      []bool      // by column: the default is computed from other columns
	constant  []bool      // by column: the default is a constant
	onUpdate  []expr.Func
	generated []expr.Func
	checks    []check
	pending   []int      // NOT NULL columns that a change adds, and that rows may still lack
	computed  bool       // there is a generated column
	updated   bool       // there is an ON UPDATE column
	view      *viewCheck // nil: any row may be written
	nullFails bool       // NULL does not become the implicit default of a NOT NULL column, even without strict mode
}

// check is a CHECK compiled: isFalse says whether its condition is false.
type check struct {
	name    string
	isFalse func(*expr.Env) (bool, error)
}

// viewCheck is a planner.ViewCheck compiled.
type viewCheck struct {
	name  string
	holds func(*expr.Env) (bool, error)
}

// through makes finished rows be checked against the view through which they are written.
func (c *Columns) through(v *planner.ViewCheck) {
	if v != nil {
		c.view = &viewCheck{v.View, expr.CompileCond(v.Cond)}
	}
}

// NewColumns compiles what the columns of a table contribute to a row.
func NewColumns(t *schema.Table) (*Columns, error) {
	texts, err := planner.Texts(t)
	if err != nil {
		return nil, err
	}
	c := &Columns{table: t, defaults: make([]expr.Func, len(t.Columns)), late: make([]bool, len(t.Columns)), constant: make([]bool, len(t.Columns)), onUpdate: make([]expr.Func, len(t.Columns)), generated: make([]expr.Func, len(t.Columns))}
	for i, col := range texts.Columns {
		if col.HasDefault && col.DefaultExpr != nil {
			c.defaults[i] = expr.CompileOperand(col.DefaultExpr)
			c.late[i] = col.DefaultOfRow()
			_, c.constant[i] = col.DefaultExpr.(*expr.Const)
			if col.State != schema.Public && col.NotNull {
				c.pending = append(c.pending, i)
			}
		}
		if col.OnUpdateExpr != nil {
			c.onUpdate[i] = expr.Compile(col.OnUpdateExpr)
			c.updated = true
		}
		if col.GeneratedExpr != nil {
			c.generated[i] = expr.CompileOperand(col.GeneratedExpr)
			c.computed = true
		}
	}
	for _, def := range texts.Checks {
		isFalse, err := expr.NewIs(def.Expr, expr.IsFalse, false)
		if err != nil {
			return nil, err
		}
		c.checks = append(c.checks, check{def.Name, expr.CompileCond(isFalse)})
	}
	return c, nil
}

// Convert gives v as a column stores it; number is the row's, for the error.
func (c *Columns) Convert(column int, v value.Value, number int, env *expr.Env) (value.Value, error) {
	if v.IsNull() {
		return v, nil
	}
	col := c.table.Columns[column]
	out, noted, err := env.Store(col.Type, v)
	if err == nil {
		if noted && env.Session != nil {
			env.Session.Diagnostics.Note(expr.Note, sqlerr.CodeTruncated, "Data truncated for column '%s' at row %d", col.Name, number)
		}
		return out, nil
	}
	if env.Session != nil && env.Session.Diagnostics.Adjust {
		if out, why, ok := col.Type.Adjust(v); ok {
			noteAdjusted(env, col, number, why, err)
			return out, nil
		}
	}
	return out, ColumnError(col, number, err)
}

// notAll says what is wrong with a text of which only the beginning is a value of the type.
func notAll(base value.Base) string {
	switch base {
	case value.TypeEnum:
		return "not one of its members"
	case value.TypeSet:
		return "not a list of its members"
	}
	return "not a number"
}

// ColumnError is MySQL's error for a value that does not fit a column.
func ColumnError(col *schema.Column, number int, err error) error {
	var e *value.ConvertError
	if !errors.As(err, &e) {
		return sqlerr.New(sqlerr.CodeWrongFieldValue, sqlerr.NoPos, "%v for column '%s' at row %d", err, col.Name, number)
	}
	at := fmt.Sprintf(" for column '%s' at row %d", col.Name, number)
	switch e.Reason {
	case value.OutOfRange:
		if e.Type.Base == value.TypeBool {
			at += "; TINYINT(1) takes other numbers than 0 and 1"
		}
		return sqlerr.New(sqlerr.CodeOutOfRange, sqlerr.NoPos, "Out of range value%s", sqlerr.Whole(at))
	case value.TooLong:
		return sqlerr.New(sqlerr.CodeTooLong, sqlerr.NoPos, "Data too long%s", sqlerr.Whole(at))
	case value.NotExact:
		return sqlerr.New(sqlerr.CodeTruncated, sqlerr.NoPos, "Data truncated%s: '%s' does not fit %s exactly; round it yourself, or do without the option exact", at, e.Text, e.Type)
	case value.Truncated:
		return sqlerr.New(sqlerr.CodeTruncated, sqlerr.NoPos, "Data truncated%s: '%s' is %s", at, e.Text, notAll(e.Type.Base))
	}
	var json *value.JSONError
	if errors.As(e.Cause, &json) && json.Deep {
		return sqlerr.New(sqlerr.CodeJSONDepth, sqlerr.NoPos, "%s", sqlerr.Whole(json.Error()))
	}
	if e.JSON {
		return sqlerr.New(sqlerr.CodeJSONCast, sqlerr.NoPos, "Invalid JSON value for CAST to %s from column %s at row %d", e.Type, col.Name, number)
	}
	switch e.Type.Base {
	case value.TypeJSON:
		return sqlerr.New(sqlerr.CodeInvalidJSON, sqlerr.NoPos, "%s%s", sqlerr.Whole(e.Error()), sqlerr.Whole(at))
	case value.TypeDate, value.TypeDateTime, value.TypeTime:
		return sqlerr.New(sqlerr.CodeWrongValue, sqlerr.NoPos, "%s%s", sqlerr.Whole(e.Error()), sqlerr.Whole(at))
	}
	return sqlerr.New(sqlerr.CodeWrongFieldValue, sqlerr.NoPos, "%s%s", sqlerr.Whole(e.Error()), sqlerr.Whole(at))
}

// defaultOf gives a column's default; an error if it has none and NULL is not allowed, or a warning if note says so.
func (c *Columns) defaultOf(column, number int, env *expr.Env, note bool) (value.Value, error) {
	col := c.table.Columns[column]
	if f := c.defaults[column]; f != nil {
		v, err := f(env)
		if err != nil {
			return v, err
		}
		if c.constant[column] {
			return c.Convert(column, v, number, env) // in UTC, whatever the session's zone
		}
		return c.written(column, v, number, env)
	}
	if col.Type.Base == value.TypeEnum && col.NotNull && !col.HasDefault && col.Generated == "" {
		v, _ := col.Type.Numbered(1) // MySQL's default for such a column
		return v, nil
	}
	if col.Requires() && !col.HasDefault && !col.AutoIncrement && col.Generated == "" {
		err := sqlerr.New(sqlerr.CodeNoDefault, sqlerr.NoPos, "Field '%s' doesn't have a default value", col.Name)
		return implicit(col, env, err, note)
	}
	return value.NullValue, nil
}

// fillNulls handles NULL in the NOT NULL columns that are generated, or in the others.
func (c *Columns) fillNulls(row []value.Value, generated bool, env *expr.Env) (err error) {
	for i, col := range c.table.Columns {
		if !col.Requires() || !row[i].IsNull() || generated != (col.Generated != "") {
			continue
		}
		if row[i], err = c.instead(col, env); err == nil {
			continue
		}
		var refused *sqlerr.Error
		if _, ok := col.Type.Implicit(); c.nullFails && !ok && !generated && env.Session != nil && env.Session.Diagnostics.Adjust && errors.As(err, &refused) {
			err = noEmptyValue(col, refused) // it was none before it was adjusted
		}
		return err
	}
	return nil
}

// instead gives the value of a NOT NULL column in place of NULL: usually an error.
func (c *Columns) instead(col *schema.Column, env *expr.Env) (value.Value, error) {
	refused := sqlerr.New(sqlerr.CodeColumnNull, sqlerr.NoPos, "Column '%s' cannot be null", col.Name)
	if c.nullFails {
		return value.NullValue, refused
	}
	return implicit(col, env, refused, true)
}

// written gives v, a statement's value for a column, as the column stores it: a TIMESTAMP in UTC, where its range applies.
func (c *Columns) written(column int, v value.Value, number int, env *expr.Env) (value.Value, error) {
	if t := c.table.Columns[column].Type; t.Declared == "TIMESTAMP" && env.Session != nil && env.Session.Zone != nil && !value.HasOffset(v) {
		t.Declared = "DATETIME"
		if local, _, err := env.Store(t, v); err == nil {
			if env.Skipped(local) && !env.Session.Diagnostics.Adjust {
				return v, sqlerr.New(sqlerr.CodeWrongValue, sqlerr.NoPos, "Incorrect datetime value: '%s' for column '%s' at row %d: the session's time zone skips this time",
					value.Text(local), c.table.Columns[column].Name, number)
			}
			v = env.Instant(local)
		}
	}
	return c.Convert(column, v, number, env)
}

// take gives v, a statement's value for a column of a new row, as the column stores it. It is called in the order in which the
// statement names the columns: the error is about the first wrong one, as in MySQL.
func (c *Columns) take(column int, v value.Value, number int, env *expr.Env) (value.Value, error) {
	col := c.table.Columns[column]
	if v.IsNull() && col.Requires() && !col.AutoIncrement {
		return c.instead(col, env)
	}
	return c.written(column, v, number, env)
}

// Finish computes the generated columns of a row and checks it: NOT NULL, then CHECK.
func (c *Columns) Finish(row []value.Value, number int, env *expr.Env) error {
	env.Row = row
	for _, i := range c.pending {
		if !row[i].IsNull() {
			continue
		}
		v, err := c.defaultOf(i, number, env, false)
		if err != nil {
			return err
		}
		row[i] = v
	}
	if err := c.fillNulls(row, false, env); err != nil {
		return err
	}
	env.UTC = true
	defer func() { env.UTC = false }()
	if c.computed {
		for i, f := range c.generated {
			if f == nil {
				continue
			}
			v, err := f(env)
			if err != nil {
				return err
			}
			if row[i], err = c.Convert(i, v, number, env); err != nil {
				return err
			}
		}
		if err := c.fillNulls(row, true, env); err != nil {
			return err
		}
	}
	if err := c.fitsNextForm(row, number, env); err != nil {
		return err
	}
	for _, check := range c.checks {
		violated, err := check.isFalse(env)
		if err != nil {
			return err
		}
		if violated {
			return sqlerr.New(sqlerr.CodeCheckViolated, sqlerr.NoPos, "Check constraint '%s' is violated.", check.name)
		}
	}
	if c.view == nil {
		return nil
	}
	env.UTC = false
	if ok, err := c.view.holds(env); ok || err != nil {
		return err
	}
	return sqlerr.New(sqlerr.CodeViewCheckFailed, sqlerr.NoPos, "CHECK OPTION failed '%s'", c.view.name)
}

// fitsNextForm checks that a row also has the form that an announced change gives its columns.
func (c *Columns) fitsNextForm(row []value.Value, number int, env *expr.Env) error {
	if !c.table.Announces() {
		return nil
	}
	for i, col := range c.table.Columns {
		if col.NextForm == nil || row[i].IsNull() {
			continue
		}
		if _, _, err := env.Store(col.NextForm.Type, row[i]); err != nil {
			return ColumnError(col, number, err)
		}
	}
	return nil
}

func isCheckViolation(err error) bool {
	return isNumbered(err, sqlerr.CodeCheckViolated, sqlerr.CodeViewCheckFailed)
}

func isNumbered(err error, codes ...int) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// isSkipped says whether IGNORE skips a row because of err: a key is taken, a CHECK or a view's check fails, or a foreign key or rows
// interleaved in the row forbid it.
func isSkipped(err error) bool {
	return isNumbered(err, sqlerr.CodeDuplicateEntry, sqlerr.CodeCheckViolated, sqlerr.CodeViewCheckFailed, sqlerr.CodeParentRow, sqlerr.CodeNoParentRow, sqlerr.CodeCascadeDepth)
}

// assignment is a compiled planner.Assign.
type assignment struct {
	column int
	value  expr.Func // nil: the default
}

func compileAssigns(list []planner.Assign) []assignment {
	out := make([]assignment, len(list))
	for i, a := range list {
		out[i].column = a.Column
		if a.Value != nil {
			out[i].value = expr.CompileOperand(a.Value)
		}
	}
	return out
}

// evaluate applies assignments, from left to right, to the row at offset in a copy of whole; each sees the earlier ones,
// as in MySQL. It gives that row.
func (c *Columns) evaluate(list []assignment, whole []value.Value, offset, number int, env *expr.Env) ([]value.Value, error) {
	whole = append([]value.Value(nil), whole...)
	row := rowAt(whole, offset, c.table)
	for _, a := range list {
		var v value.Value
		var err error
		if env.Row = whole; a.value == nil {
			env.Row = row
			if v, err = c.defaultOf(a.column, number, env, true); v.IsNull() && c.table.Columns[a.column].AutoIncrement {
				v, _ = c.table.Columns[a.column].Type.Implicit() // UPDATE makes no automatic values
			}
		} else if v, err = a.value(env); err == nil {
			v, err = c.written(a.column, v, number, env)
		}
		if err != nil {
			return nil, err
		}
		row[a.column] = v
	}
	return row, nil
}

// rowAt is the row of a table at offset in a row of a join.
func rowAt(whole []value.Value, offset int, t *schema.Table) []value.Value {
	end := offset + t.RowWidth()
	return whole[offset:end:end]
}

// assign applies assignments to old. changed says whether the row differs then.
func (c *Columns) assign(list []assignment, old []value.Value, number int, env *expr.Env) (row []value.Value, changed bool, err error) {
	if row, err = c.evaluate(list, old, 0, number, env); err != nil {
		return nil, false, err
	}
	return c.complete(list, old, row, number, env)
}

// complete finishes row, which is old with a list of assignments applied: it adds generated columns, and ON UPDATE if the row
// differs.
func (c *Columns) complete(list []assignment, old, row []value.Value, number int, env *expr.Env) ([]value.Value, bool, error) {
	if err := c.Finish(row, number, env); err != nil {
		return nil, false, err
	}
	n := len(c.table.Columns)
	if sameRow(row, old, n) {
		return row, false, nil
	}
	if !c.updated {
		return row, true, nil
	}
	for i, f := range c.onUpdate {
		if f == nil || assigned(list, i) {
			continue
		}
		env.Row = row
		v, err := f(env)
		if err != nil {
			return nil, false, err
		}
		if row[i], err = c.written(i, v, number, env); err != nil {
			return nil, false, err
		}
	}
	return row, true, c.Finish(row, number, env)
}

func assigned(list []assignment, column int) bool {
	for _, a := range list {
		if a.column == column {
			return true
		}
	}
	return false
}
