package nearlyfree

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// rows hands out what a cursor yields.
type rows struct {
	ctx      context.Context
	conn     *conn
	prepared *prepared         // the statement; nil where the rows are there already
	snapshot *catalog.Snapshot // the definitions that it was planned against; nil where it cannot be begun again
	given    int64             // rows of it that were given
	zone     *time.Location    // of the session; nil: UTC
	header   *header
	query    *query // nil where the rows are there already, and after Close
	cursor   cursor
}

// header is what is known of a result's columns.
type header struct {
	columns []planner.ResultColumn
	names   []string
}

func newHeader(columns []planner.ResultColumn) *header {
	h := &header{columns, make([]string, len(columns))}
	for i := range columns {
		h.names[i] = columns[i].Name
	}
	return h
}

// listed gives rows that are there already.
func listed(h *header, all [][]value.Value) *rows {
	return &rows{ctx: context.Background(), header: h, cursor: &rowList{all}}
}

// text is that of the statement, for the place in an error.
func (r *rows) text() string {
	if r.prepared == nil {
		return ""
	}
	return r.prepared.parsed.Text
}

// failed translates an error, and notes it among the conditions of the statement.
func (r *rows) failed(err error) error {
	if r.conn == nil {
		return translate(err, r.text())
	}
	return r.conn.failed(err, r.text())
}

// cursor is what yields rows: an *exec.Cursor, or a list that is there already.
type cursor interface {
	Next(ctx context.Context) ([]value.Value, error) // io.EOF behind the last; valid until the next call
	Close() error
}

var _ cursor = (*exec.Cursor)(nil)

// rowList is a cursor over rows that are there already.
type rowList struct{ rows [][]value.Value }

func (l *rowList) Next(context.Context) ([]value.Value, error) {
	if len(l.rows) == 0 {
		return nil, io.EOF
	}
	row := l.rows[0]
	l.rows = l.rows[1:]
	return row, nil
}

func (l *rowList) Close() error { l.rows = nil; return nil }

func (r *rows) Columns() []string { return r.header.names }

func (r *rows) Next(dest []driver.Value) error {
	row, err := r.row()
	if err != nil {
		if err == io.EOF || errors.Is(err, io.EOF) {
			return io.EOF
		}
		return r.failed(err)
	}
	for i := range dest {
		dest[i] = r.value(row[i], &r.header.columns[i].Type)
	}
	return nil
}

// value is what a column of type t hands out: of one Go type in all rows. Times are those at which the clock of the session's
// time zone shows them.
func (r *rows) value(v value.Value, t *value.Type) driver.Value {
	switch k := v.Kind(); {
	case r.zone != nil && (k == value.Time || k == value.Date):
		return expr.InZone(v.Ticks(), r.zone)
	case t.Base == value.TypeJSON && k != value.Null: // octets, so that json.RawMessage takes them
		return []byte(value.Text(v))
	case t.Base == value.TypeBigInt && t.Unsigned && k == value.Uint:
		return v.Uint()
	}
	return driverValue(v)
}

// drain reads rows to their end, for a query whose rows nobody sees.
func (r *rows) drain() error {
	defer r.Close()
	for {
		if _, err := r.row(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return translate(err, r.text())
		}
	}
}

// queryTries bounds how often a query that has given no row yet is begun.
const queryTries = 3

// row gives the next row. A query that was overtaken by a change of definitions is begun again, or, when rows of it
// were given already, ends with an error: what it has not read yet may be gone.
func (r *rows) row() ([]value.Value, error) {
	for try := 1; ; try++ {
		row, err := r.cursor.Next(r.ctx)
		if err == nil {
			r.given++
			return row, nil
		}
		if r.snapshot == nil {
			return nil, err
		}
		changed := isOutdated(err)
		if errors.Is(err, io.EOF) {
			table, checkErr := r.outdated()
			if checkErr != nil {
				return nil, checkErr
			}
			if table == "" {
				return nil, err
			}
			changed, err = true, &dml.SchemaChangedError{Table: table}
		}
		if !changed || r.given > 0 || try == queryTries {
			return nil, err
		}
		if err := r.again(); err != nil {
			return nil, err
		}
	}
}

// outdated gives the name of a table that the query reads by an index which is not there any more: entries may have
// gone before they were read. "" when there is none.
func (r *rows) outdated() (string, error) {
	now, err := r.conn.connector.catalog.Snapshot(r.ctx)
	if err != nil || now == r.snapshot {
		return "", err
	}
	var table string
	err = r.conn.connector.catalog.With(r.ctx, func(now *catalog.Snapshot) error {
		for _, s := range r.query.execution.Plan.Scans() {
			if s.Index == nil {
				continue
			}
			ok, err := now.HasIndex(r.ctx, s.Table, s.Index)
			if err != nil {
				return err
			}
			if !ok {
				table = s.Table.Name
				return nil
			}
		}
		return nil
	})
	return table, err
}

// again begins the query anew, by definitions read anew. The columns must be those that were announced.
func (r *rows) again() error {
	if err := r.cursor.Close(); err != nil {
		return err
	}
	r.conn.connector.catalog.Forget()
	planned, err := r.conn.plan(r.ctx, r.prepared)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(planned.plan.Columns, r.header.columns, sameColumn) {
		return &dml.SchemaChangedError{Table: planned.plan.Tables[0].Name}
	}
	if err := r.conn.checkScans(planned.plan, r.text()); err != nil {
		return err
	}
	r.conn.session.Diagnostics.Begin()
	next := r.conn.takeQuery()
	next.execution = r.query.execution
	next.execution.Plan, next.execution.Meter = planned.plan, &next.meter
	if err := r.conn.connector.runtime.Start(r.ctx, &next.execution, &next.cursor); err != nil {
		return err
	}
	r.conn.endQuery(r.query)
	r.snapshot, r.query, r.cursor = planned.snapshot, next, &next.cursor
	return nil
}

func sameColumn(a, b planner.ResultColumn) bool {
	return a.Name == b.Name && a.Nullable == b.Nullable && a.Type.String() == b.Type.String()
}

func (r *rows) Close() error {
	if r.cursor == nil {
		return nil
	}
	if r.query != nil {
		r.count()
	}
	err := r.cursor.Close()
	r.cursor = nil
	if r.query != nil {
		r.conn.endQuery(r.query)
		r.query = nil
	}
	return translate(err, r.text())
}

// count tells the session how many rows the query gave, or, where the query counts them itself, has it do so to the end.
func (r *rows) count() {
	s := &r.conn.session
	s.RowCount = -1
	if !r.query.execution.Plan.CountsRows {
		s.FoundRows = r.given
		return
	}
	for {
		if _, err := r.cursor.Next(r.ctx); err != nil {
			return
		}
	}
}
