package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// tx is a transaction as database/sql sees it; the connection holds its state.
type tx struct {
	conn *conn
	ctx  context.Context
}

func (t *tx) Commit() error { return t.conn.commit(t.ctx) }

func (t *tx) Rollback() error { return t.conn.rollback() }

// commit sends what the transaction wrote. Whatever comes of it, the transaction is over.
func (c *conn) commit(ctx context.Context) error {
	if c.tx == nil {
		return nil // a statement such as CREATE TABLE has committed it
	}
	b := c.tx
	c.tx, c.readOnly, c.savepoints = nil, false, nil
	m := &engine.Meter{}
	defer c.connector.add(m)
	return translate(b.Commit(ctx, m), "")
}

func (c *conn) rollback() error {
	c.tx, c.readOnly, c.savepoints = nil, false, nil
	return nil
}

// savepoint is a place in a transaction to go back to.
type savepoint struct {
	name string
	mark int
}
