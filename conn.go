package nearlyfree

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// conn is a session: variables, and a transaction while there is one. It holds nothing of the network.
type conn struct {
	connector  *Connector
	session    expr.Session
	mode       sqlMode
	tx         *buffer.Buffer  // nil outside a transaction
	readOnly   bool            // of the transaction
	wrote      []*schema.Table // the definitions that the transaction has written by
	reached    *reached        // by the last write
	savepoints []savepoint
	spare      *query               // that of a point read that has ended, for the next query
	lost       bool                 // a transaction that BEGIN opened, when the connection went back to the pool
	locks      bool                 // it may hold some of namedLocks
	statements map[string]*prepared // of PREPARE, by name in lower case
	zone       string               // time_zone, as it was written
	encryption string               // block_encryption_mode
	closed     bool
}

// defaultEncryption is block_encryption_mode where nobody sets it.
const defaultEncryption = "aes-128-ecb"

func newConn(k *Connector) *conn {
	c := &conn{connector: k}
	c.session = expr.Session{ConnectionID: k.ids.Add(1), User: sessionUser, Version: serverVersion, System: c.systemVariable, Lock: c.lock, Unlock: c.unlock,
		UnlockAll: c.unlockAll, LockOwner: c.lockOwner, Exact: k.config.Exact}
	c.reset()
	return c
}

func (c *conn) reset() {
	c.endTx()
	s := &c.session
	s.Database = c.connector.database
	s.LastInsertID, s.RowCount, s.FoundRows = 0, 0, 0
	s.Vars.Reset()
	c.statements = nil
	c.encryption = defaultEncryption
	_ = c.setZone("") // the data source name's, which was checked
	s.Collation = c.connector.collation
	s.Diagnostics.Begin()
	c.setMode(c.connector.mode)
}

// Prepare and Begin are what database/sql asks of a driver.Conn; it calls their Context forms.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *conn) Close() error {
	c.closed = true
	c.tx = nil
	c.endLocks(context.Background())
	return nil
}

// Ping reads from the store: the version of the table definitions.
func (c *conn) Ping(ctx context.Context) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	return translate(c.connector.catalog.Ping(ctx), "")
}

// ResetSession gives the connection back to the pool as if it were new.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	c.endLocks(ctx)
	c.lost = c.lost || c.tx != nil
	c.reset()
	return nil
}

// IsValid says whether the connection may go back to the pool.
func (c *conn) IsValid() bool { return !c.closed && !c.connector.isClosed() }

// CheckNamedValue takes sql.Named arguments, and all types that database/sql takes.
func (c *conn) CheckNamedValue(nv *driver.NamedValue) error { return checkArgument(nv) }

func (c *conn) usable(ctx context.Context) error {
	if c.closed {
		return driver.ErrBadConn
	}
	if c.connector.isClosed() {
		return errDatabaseClosed()
	}
	return ctx.Err()
}

// PrepareContext parses and plans the statement, so that its errors show here.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	if isPlanned(p.parsed.Statement) {
		if _, err := c.plan(ctx, p); err != nil {
			return nil, err
		}
	}
	return &stmt{conn: c, prepared: p}, nil
}

// QueryContext runs one statement and gives its rows; those of a statement without any are none.
func (c *conn) QueryContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Rows, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return c.query(ctx, p, named)
}

func (c *conn) query(ctx context.Context, p *prepared, named []driver.NamedValue) (driver.Rows, error) {
	args, err := c.bind(p.parsed, named)
	if err != nil {
		return nil, err
	}
	out, err := c.run(ctx, p, args)
	if err != nil {
		return nil, c.failed(err, p.parsed.Text)
	}
	if out.rows == nil {
		return listed(newHeader(nil), nil), nil
	}
	return out.rows, nil
}

// ExecContext runs a statement, or, without arguments, several with ; between them. Rows are read to
// their end and dropped.
func (c *conn) ExecContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Result, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepare(query)
	if err != nil {
		if texts, splitErr := dialect.Split(query, c.options()); splitErr == nil && len(texts) > 1 {
			if len(named) > 0 {
				return nil, severalWithArguments()
			}
			return c.execAll(ctx, texts)
		}
		return nil, err
	}
	return c.exec(ctx, p, named)
}

func (c *conn) exec(ctx context.Context, p *prepared, named []driver.NamedValue) (driver.Result, error) {
	args, err := c.bind(p.parsed, named)
	if err != nil {
		return nil, err
	}
	out, err := c.run(ctx, p, args)
	if err == nil && out.rows != nil {
		err = out.rows.drain()
	}
	if err != nil {
		return nil, c.failed(err, p.parsed.Text)
	}
	return out.result, nil
}

// execAll runs statements in turn. All are parsed before the first runs. Variables of the session are not arguments.
func (c *conn) execAll(ctx context.Context, texts []string) (driver.Result, error) {
	all := make([]*prepared, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = c.prepare(text); err != nil {
			return nil, err
		}
		if p := all[i].parsed; p.Placeholders > 0 && p.Names == nil {
			return nil, severalWithArguments()
		}
	}
	var last driver.Result = result{}
	for i, p := range all {
		r, err := c.exec(ctx, p, nil)
		if err != nil {
			if i > 0 {
				return nil, fmt.Errorf("statement %d of %d failed; the earlier ones were carried out: %w", i+1, len(all), err)
			}
			return nil, err
		}
		last = r
	}
	return last, nil
}

func severalWithArguments() error {
	return notSupported("several statements in one text take no arguments: send each of them by itself")
}

// result is what a statement did.
type result struct {
	affected, lastInsertID int64
	uncounted              bool
}

func (r result) LastInsertId() (int64, error) { return r.lastInsertID, nil }
func (r result) RowsAffected() (int64, error) {
	if r.uncounted {
		return 0, notSupported("RowsAffected of a DELETE that deleted whole parts with their tables, where nobody counts rows, is not supported: " +
			"count them before it, or delete in a transaction, row by row")
	}
	return r.affected, nil
}

// BeginTx begins a transaction: writes are held back, seen by its own reads, and sent by Commit as one entity
// group transaction. The isolation levels read uncommitted and read committed are given by what is done
// anyway (reads see what is committed, and the transaction's own writes); others are refused.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	switch level := sql.IsolationLevel(opts.Isolation); level {
	case sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted:
	default:
		return nil, notSupported("isolation level %s cannot be given: use the default, which is read committed", strings.ToLower(level.String()))
	}
	return c.begin(ctx, opts.ReadOnly)
}

// begin begins a transaction. ctx is what its Commit goes by, as that of database/sql has none.
func (c *conn) begin(ctx context.Context, readOnly bool) (driver.Tx, error) {
	if c.tx != nil {
		return nil, txError("there is a transaction already: end it before another begins")
	}
	c.tx = buffer.New(c.connector.runtime.Engine, c.connector.runtime.Parallel)
	c.readOnly, c.lost = readOnly, false
	return &tx{conn: c, ctx: ctx}, nil
}
