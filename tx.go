package nearlyfree

import "context"

// tx is a transaction as database/sql sees it; the session holds its state.
type tx struct {
	conn *conn
	ctx  context.Context // what Commit goes by, as that of database/sql has none
}

func (t *tx) Commit() error { return translate(t.conn.session.Commit(t.ctx), "") }

func (t *tx) Rollback() error {
	t.conn.session.Rollback()
	return nil
}
