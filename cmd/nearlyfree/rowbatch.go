package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// flush writes the batch.
func (w *rowWriter) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	before, there := *w.place, w.there
	write := func() error {
		*w.place, w.there = before, there
		if err := w.rejects.back(before.rejects); err != nil {
			return err
		}
		if err := w.write(ctx, w.batch); err != nil {
			return err
		}
		w.place.done += int64(len(w.batch))
		if w.source != nil { // a copy has none
			w.place.source = w.part.String()
		}
		if err := w.rejects.flush(); err != nil {
			return err
		}
		return w.db.keepPlace(ctx, w.place)
	}
	var err error
	if w.transaction {
		err = w.db.transaction(ctx, write)
	} else {
		err = write()
	}
	if err != nil {
		if errors.Is(err, errTooManyRejects) {
			w.rejects.flush()
		}
		return err
	}
	w.batch, w.bytes = w.batch[:0], 0
	return nil
}

var errTooManyRejects = errors.New("too many rows are refused: --rejects says how many may be")

// write writes items. If one of them is refused, the others are written.
func (w *rowWriter) write(ctx context.Context, items []item) error {
	rows := items[:0:0]
	for _, it := range items {
		if it.err == nil {
			rows = append(rows, it)
		} else if err := w.reject(it, it.err); err != nil {
			return err
		}
	}
	return w.insert(ctx, rows, false)
}

// insert writes rows by one statement, or in halves if a row is refused. If keys may be taken, it leaves out existing rows, unless it has
// looked.
func (w *rowWriter) insert(ctx context.Context, rows []item, looked bool) error {
	if len(rows) == 0 {
		return nil
	}
	text, args := w.statement(rows)
	_, err := w.db.conn.ExecContext(ctx, text, args...)
	switch {
	case err == nil:
		w.place.written += int64(len(rows))
		return nil
	case !ofRow(err):
		return err
	case len(rows) > 1:
		if !looked && errorNumber(err) == nearlyfree.CodeDuplicateEntry {
			rows, err := w.leaveOut(ctx, rows)
			if err != nil {
				return err
			}
			return w.insert(ctx, rows, true)
		}
		if err := w.insert(ctx, rows[:len(rows)/2], looked); err != nil {
			return err
		}
		return w.insert(ctx, rows[len(rows)/2:], looked)
	}
	if errorNumber(err) == nearlyfree.CodeDuplicateEntry {
		same, failed := w.isThere(ctx, rows[0])
		if failed != nil {
			return failed
		}
		if same {
			w.place.written++
			w.there++
			return nil
		}
	}
	return w.reject(rows[0], err)
}

func (w *rowWriter) statement(rows []item) (text string, args []any) {
	names := make([]string, len(w.columns))
	for i, c := range w.columns {
		names[i] = w.target.columns[c].name
	}
	var b strings.Builder
	b.WriteString("INSERT INTO " + ask.Quoted(w.target.table) + " (" + quotedList(names) + ") VALUES ")
	for i, it := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, a := range it.args {
			b.WriteByte(",("[boolOrder(j == 0)])
			if a == (byDefault{}) {
				b.WriteString("DEFAULT")
				continue
			}
			b.WriteByte('?')
			args = append(args, a)
		}
		b.WriteByte(')')
	}
	return b.String(), args
}

// ofRow says whether an error is about a row, rather than the store or the statement.
func ofRow(err error) bool {
	var e *nearlyfree.Error
	if !errors.As(err, &e) || e.Applied == nearlyfree.AppliedUnknown {
		return false
	}
	switch e.Number {
	case nearlyfree.CodeNoDefault, nearlyfree.CodeWrongFieldValue, nearlyfree.CodeTruncated, 1526, 3140, 3819:
		return true
	}
	return strings.HasPrefix(e.State, "22") || strings.HasPrefix(e.State, "23") || errors.Is(err, nearlyfree.ErrTooLarge)
}

// leaveOut leaves out the rows that the table already holds as they should be, as far as their texts tell.
func (w *rowWriter) leaveOut(ctx context.Context, rows []item) ([]item, error) {
	var key []int // the place of each column of the key in the arguments
	for _, name := range w.target.key {
		key = append(key, slices.Index(w.columns, w.target.byName[strings.ToLower(name)]))
	}
	if len(key) == 0 || slices.Contains(key, -1) {
		return rows, nil
	}
	var names, keys []string
	for _, c := range w.columns {
		names = append(names, w.target.columns[c].name)
	}
	var args []any
	for _, it := range rows {
		marks := make([]string, len(key))
		for i, k := range key {
			if it.args[k] == (byDefault{}) {
				return rows, nil
			}
			marks[i] = "?"
			args = append(args, it.args[k])
		}
		keys = append(keys, "("+strings.Join(marks, ", ")+")")
	}
	found := map[string]bool{}
	query := "SELECT " + quotedList(names) + " FROM " + ask.Quoted(w.target.table) + " WHERE (" + quotedList(w.target.key) + ") IN (" + strings.Join(keys, ", ") + ")"
	err := w.db.eachOf(ctx, query, &task{}, func(columns []column, row []any) error {
		var text []byte
		for i, v := range row {
			text = columns[i].literal(text, v)
		}
		found[string(text)] = true
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	var others []item
	for _, it := range rows {
		var text []byte
		for i, c := range w.columns {
			text = w.target.columns[c].literal(text, it.args[i])
		}
		if !found[string(text)] {
			others = append(others, it)
			continue
		}
		w.place.written++
		w.there++
	}
	return others, nil
}

// isThere says whether a row with all values of this one is in the table.
func (w *rowWriter) isThere(ctx context.Context, it item) (bool, error) {
	var conditions []string
	var args []any
	for i, c := range w.columns {
		if it.args[i] == (byDefault{}) {
			continue
		}
		value := "?"
		switch w.target.columns[c].typ {
		case "json":
			value = "CAST(? AS JSON)"
		case "float":
			value = "CAST(? AS FLOAT)"
		}
		conditions = append(conditions, ask.Quoted(w.target.columns[c].name)+" <=> "+value)
		args = append(args, it.args[i])
	}
	rows, err := w.db.rows(ctx, "SELECT 1 FROM "+ask.Quoted(w.target.table)+" WHERE "+strings.Join(conditions, " AND ")+" LIMIT 1", args...)
	return len(rows) > 0, err
}

func (w *rowWriter) reject(it item, reason error) error {
	if w.rejects == nil {
		return fmt.Errorf("row %d: %w", it.line, reason)
	}
	w.place.rejected++
	var head []string
	if !w.byName {
		for _, f := range w.fields {
			if f < 0 {
				head = append(head, "-")
			} else {
				head = append(head, w.target.columns[f].name)
			}
		}
	}
	size, err := w.rejects.add(head, it.record, reason)
	w.place.rejects = size
	if err == nil && w.options.rejects >= 0 && w.place.rejected > int64(w.options.rejects) {
		err = fmt.Errorf("line %d: %w (%w)", it.line, reason, errTooManyRejects)
	}
	return err
}
