package nearlyfree

import (
	"context"
	"database/sql/driver"

	"github.com/nearlyfreedb/nearlyfree/internal/session"
)

// stmt is a prepared statement: a text that was parsed and checked.
type stmt struct {
	conn     *conn
	prepared *session.Prepared
}

func (s *stmt) Close() error { return nil }

// NumInput is the number of placeholders; -1 if they have names, because session variables may provide their values.
func (s *stmt) NumInput() int {
	if s.prepared.Parsed.Names != nil {
		return -1
	}
	return s.prepared.Parsed.Placeholders
}

func (s *stmt) CheckNamedValue(nv *driver.NamedValue) error { return checkArgument(nv) }

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.conn.usable(ctx); err != nil {
		return nil, err
	}
	return s.conn.query(ctx, s.prepared, args)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.conn.usable(ctx); err != nil {
		return nil, err
	}
	return s.conn.exec(ctx, s.prepared, args)
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), unnamed(args))
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), unnamed(args))
}

func unnamed(args []driver.Value) []driver.NamedValue {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}
