package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// tx is a transaction as database/sql sees it; the connection holds its state.
type tx struct {
	conn *conn
	ctx  context.Context
}

func (t *tx) Commit() error { return t.conn.commit(t.ctx) }

func (t *tx) Rollback() error { return t.conn.rollback() }

// commit sends what the transaction wrote, if the definitions that it wrote by still hold. Whatever comes of it,
// the transaction is over.
func (c *conn) commit(ctx context.Context) error {
	if c.tx == nil {
		return nil // a statement such as CREATE TABLE has committed it
	}
	b, wrote, reached := c.tx, c.wrote, c.reached
	c.endTx()
	if len(wrote) == 0 {
		return nil
	}
	if err := c.commitBuffer(ctx, b, wrote); err != nil {
		return err
	}
	c.makeAhead(ctx, reached)
	return nil
}

func (c *conn) commitBuffer(ctx context.Context, b *buffer.Buffer, wrote []*schema.Table) error {
	defer c.connector.catalog.BeginWrite()()
	if err := c.checkCurrent(ctx, wrote); err != nil {
		return translate(err, "")
	}
	m := &engine.Meter{}
	defer c.connector.add(m)
	err := b.Commit(ctx, m)
	if isOutdated(err) {
		// Its table, or part of one, was deleted since.
		c.connector.catalog.Forget()
		err = &dml.SchemaChangedError{Table: wrote[0].Name}
	}
	return translate(err, "")
}

// checkCurrent makes sure that definitions which a transaction has written by still hold.
func (c *conn) checkCurrent(ctx context.Context, wrote []*schema.Table) error {
	for _, t := range wrote {
		if t.IsOpen() || t.Virtual != nil {
			continue // it has no definition
		}
		ok, err := c.connector.catalog.Current(ctx, t)
		if err == nil && !ok {
			err = &dml.SchemaChangedError{Table: t.Name}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) rollback() error {
	c.endTx()
	return nil
}

func (c *conn) endTx() {
	c.tx, c.readOnly, c.savepoints, c.wrote, c.reached = nil, false, nil, nil, nil
}

// savepoint is a place in a transaction to go back to.
type savepoint struct {
	name string
	mark int
}
