package dml

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// insertNode is INSERT, REPLACE and their relatives.
type insertNode struct {
	plan      *planner.Insert
	rows      *RowWriter
	columns   *Columns
	given     []int         // the columns that have values; the others get their defaults
	values    [][]expr.Func // an element may be nil: the default
	source    exec.Node     // INSERT … SELECT
	onDup     []assignment
	onDupCond func(*expr.Env) (bool, error)
	returning []expr.Func
	auto      int // the AUTO_INCREMENT column, or -1
	rowID     int // the hidden row id, or -1
	relations *relations
}

func compileInsert(p *planner.Insert) (writeNode, error) {
	c, err := NewColumns(p.Table)
	if err != nil {
		return nil, err
	}
	c.through(p.Check)
	n := &insertNode{
		plan: p, rows: NewRowWriter(p.Table, p.Children...), columns: c, given: p.Columns,
		onDup: compileAssigns(p.OnDup), onDupCond: exec.CompileCond(p.OnDupCond), returning: exec.CompileAll(p.Returning),
		auto: autoColumn(p.Table), rowID: -1,
	}
	if n.relations, err = newRelations(p.Related, p.Table); err != nil {
		return nil, err
	}
	for i, col := range p.Table.Columns {
		if col.Hidden && p.Table.Key[0].Column == i {
			n.rowID = i
		}
	}
	// As in MySQL: a single row is refused without strict mode, too; with IGNORE it is not.
	c.nullFails = len(p.Rows) == 1 && !p.SkipUnfit
	for _, row := range p.Rows {
		funcs := make([]expr.Func, len(row))
		for i, x := range row {
			if x != nil {
				funcs[i] = expr.CompileOperand(x)
			}
		}
		n.values = append(n.values, funcs)
	}
	if p.Source != nil {
		n.source, err = exec.Compile(p.Source)
	}
	return n, err
}

// resolves says whether the statement handles a taken key other than by failing.
func (n *insertNode) resolves() bool {
	return n.plan.Replace || n.plan.Ignore || len(n.onDup) > 0
}

// again: see writeNode. Another run may have other rows, or number them differently.
func (n *insertNode) again() bool { return false }

// keys: see writeNode.
func (n *insertNode) keys() (*relations, bool) { return n.relations, n.plan.SkipUnfit }

// forgetGenerated refuses values for generated columns in strict mode. Otherwise they are left out, as in MariaDB, whose dumps have them.
func (n *insertNode) forgetGenerated(w *Writer) error {
	t, d := n.plan.Table, &w.env().Session.Diagnostics
	for _, i := range n.plan.Generated {
		if d.Strict {
			return planner.GeneratedValue(t, t.Columns[i])
		}
		d.Note(expr.Warning, sqlerr.CodeGeneratedIgnored, "The value specified for generated column '%s' in table '%s' has been ignored", t.Columns[i].Name, t.Name)
	}
	return nil
}

func (n *insertNode) gather(ctx context.Context, w *Writer) error {
	if err := n.forgetGenerated(w); err != nil {
		return err
	}
	rows, err := n.read(ctx, w)
	if err != nil {
		return err
	}
	marks, err := n.number(ctx, w, rows)
	if err != nil {
		return err
	}
	if rows, marks, err = n.finish(w, rows, marks); err != nil {
		return err
	}
	if w.newest, err = n.plan.Table.NeedPartitions(rows); err != nil {
		return err
	}
	if n.plan.SkipUnfit && n.plan.Table.IsInterleaved() {
		if rows, marks, err = n.withParents(ctx, w, rows, marks); err != nil {
			return err
		}
	}
	if n.plan.SkipUnfit {
		if rows, marks, err = n.withReferred(ctx, w, rows, marks); err != nil {
			return err
		}
	}
	if n.resolves() {
		return n.resolve(ctx, w, rows, marks)
	}
	for i, row := range rows {
		r := &RowWrite{Number: marks[i].number, id: numberID(marks[i].number), affected: 1, auto: n.autoOf(row), automatic: marks[i].automatic}
		if w.written.ids[r.id] {
			continue
		}
		if err := n.rows.insert(r, row); err != nil {
			return err
		}
		if r.returned, err = w.evaluate(n.returning, row); err != nil {
			return err
		}
		if err := w.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// finish computes the final values of the rows' columns and checks them. INSERT IGNORE leaves out the rows for which a CHECK
// is false, as MySQL does.
func (n *insertNode) finish(w *Writer, rows [][]value.Value, marks []mark) ([][]value.Value, []mark, error) {
	kept := 0
	for i, row := range rows {
		w.at(marks[i].number)
		if err := n.columns.Finish(row, marks[i].number, w.env()); err != nil {
			if n.plan.SkipUnfit && isCheckViolation(err) {
				skipped(w.env(), err)
				continue
			}
			return nil, nil, err
		}
		rows[kept], marks[kept] = row, marks[i]
		kept++
	}
	return rows[:kept], marks[:kept], nil
}

// read gives the rows to insert, converted, without automatic values.
func (n *insertNode) read(ctx context.Context, w *Writer) ([][]value.Value, error) {
	if n.source != nil {
		return n.readSource(ctx, w)
	}
	rows := make([][]value.Value, len(n.values))
	for i, funcs := range n.values {
		w.at(i + 1)
		row, err := n.defaults(w, i+1)
		if err != nil {
			return nil, err
		}
		w.env().Row = row // an expression may use the columns to its left, as MySQL allows
		for j, f := range funcs {
			if f == nil {
				continue
			}
			v, err := f(w.env())
			if err != nil {
				return nil, err
			}
			if row[n.given[j]], err = n.columns.take(n.given[j], v, i+1, w.env()); err != nil {
				return nil, err
			}
		}
		if err := n.lateDefaults(w, row, i+1); err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

func (n *insertNode) readSource(ctx context.Context, w *Writer) ([][]value.Value, error) {
	it := n.source.Open(&w.frame)
	defer it.Close()
	var rows [][]value.Value
	for {
		in, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		w.at(len(rows) + 1)
		row, err := n.defaults(w, len(rows)+1)
		if err != nil {
			return nil, err
		}
		if err := w.Charge(exec.BytesPerRow+int64(len(row))*exec.BytesPerValue+exec.TextBytes(in), "write"); err != nil {
			return nil, err
		}
		for j, column := range n.given {
			if row[column], err = n.columns.take(column, in[j], len(rows)+1, w.env()); err != nil {
				return nil, err
			}
		}
		if err := n.lateDefaults(w, row, len(rows)+1); err != nil {
			return nil, err
		}
		rows = append(rows, append(row, in[len(n.given):]...))
	}
}

// defaults gives a row with the defaults of all columns that get one. A column with a value in every row needs none.
func (n *insertNode) defaults(w *Writer, number int) ([]value.Value, error) {
	row := make([]value.Value, n.plan.Table.RowWidth())
	for i := range n.plan.Table.Columns {
		if i == n.rowID || n.columns.late[i] || n.hasValue(i, number) {
			continue
		}
		note := number == 1 || slices.Contains(n.given, i) // once for a column that is left out, in each row for DEFAULT
		v, err := n.columns.defaultOf(i, number, w.env(), note)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}

// lateDefaults adds the defaults that are computed from the row's other columns.
func (n *insertNode) lateDefaults(w *Writer, row []value.Value, number int) (err error) {
	w.env().Row = row
	for i, late := range n.columns.late {
		if late && !n.hasValue(i, number) {
			if row[i], err = n.columns.defaultOf(i, number, w.env(), true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *insertNode) hasValue(column, number int) bool {
	for j, c := range n.given {
		if c == column {
			return n.source != nil || n.values[number-1][j] != nil
		}
	}
	return false
}

// numberID identifies a row of VALUES or of an INSERT … SELECT by its number.
func numberID(number int) string { return "#" + strconv.Itoa(number) }
