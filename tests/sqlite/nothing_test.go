package sqlite

import (
	"context"
	databasesql "database/sql"
	"database/sql/driver"
	"io"
	"time"
)

// nothing is a driver that does nothing: each query gives one row of six columns. What it takes is what database/sql does.
type nothing struct{}

type nothingRows struct{ done bool }

func init() { databasesql.Register("nothing", nothing{}) }

func (nothing) Open(string) (driver.Conn, error)           { return nothing{}, nil }
func (nothing) Prepare(string) (driver.Stmt, error)        { return nothing{}, nil }
func (nothing) Close() error                               { return nil }
func (nothing) Begin() (driver.Tx, error)                  { return nil, driver.ErrSkip }
func (nothing) NumInput() int                              { return -1 }
func (nothing) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (nothing) Query([]driver.Value) (driver.Rows, error)  { return &nothingRows{}, nil }
func (nothing) CheckNamedValue(*driver.NamedValue) error   { return nil }
func (nothing) QueryContext(context.Context, []driver.NamedValue) (driver.Rows, error) {
	return &nothingRows{}, nil
}
func (nothing) ExecContext(context.Context, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

var (
	nothingColumns = []string{"id", "name", "city", "n", "x", "created"}
	nothingTime    = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

func (*nothingRows) Columns() []string { return nothingColumns }
func (*nothingRows) Close() error      { return nil }
func (r *nothingRows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	dest[0], dest[1], dest[2], dest[3], dest[4], dest[5] = "00000000-0000-4000-8000-000000000007", "name 7", "city 7", int64(700), 0.5, nothingTime
	return nil
}
