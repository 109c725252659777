package nearlyfree

import (
	"context"
	"database/sql/driver"

	"github.com/nearlyfreedb/nearlyfree/internal/session"
)

// tx is a transaction as database/sql sees it; the session holds its state.
type tx struct {
	conn *conn
	ctx  context.Context // the context of Commit, because database/sql passes none
}

func (t *tx) Commit() error {
	if t.conn.session.Killed() {
		_ = t.Rollback()
		return driver.ErrBadConn
	}
	return translate(t.conn.session.RunOf(t.ctx, session.CallCommit, t.conn.session.Commit), "")
}

func (t *tx) Rollback() error {
	return t.conn.session.RunOf(t.ctx, session.CallRollback, func(context.Context) error {
		t.conn.session.Rollback()
		return nil
	})
}
