package mysql

import (
	"context"
	"database/sql/driver"
)

type preparedStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// stmt is a prepared statement.
type stmt struct {
	inner preparedStmt
	conn  *conn
}

var _ driver.NamedValueChecker = (*stmt)(nil)

func (s *stmt) Close() error  { return s.inner.Close() }
func (s *stmt) NumInput() int { return s.inner.NumInput() }

func (s *stmt) CheckNamedValue(nv *driver.NamedValue) error { return s.conn.CheckNamedValue(nv) }

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.conn.ready(ctx); err != nil {
		return nil, err
	}
	if err := unnamed(args); err != nil {
		return nil, err
	}
	out := &result{}
	r, err := s.inner.ExecContext(ctx, args)
	if err == nil {
		err = out.add(r)
	}
	if err != nil {
		return nil, s.conn.failed(ctx, err)
	}
	return out, nil
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.conn.ready(ctx); err != nil {
		return nil, err
	}
	if err := unnamed(args); err != nil {
		return nil, err
	}
	r, err := s.inner.QueryContext(ctx, args)
	if err != nil {
		return nil, s.conn.failed(ctx, err)
	}
	out := &rows{conn: s.conn, ctx: ctx}
	if err := out.take(r.(innerRows)); err != nil {
		return nil, err
	}
	return out, nil
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	named, err := s.conn.named(args)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), named)
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	named, err := s.conn.named(args)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.Background(), named)
}
