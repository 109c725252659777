package nearlyfree

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/session"
)

// conn is a session as database/sql sees it.
type conn struct {
	connector *Connector
	session   *session.Session
	closed    bool
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
	c.session.Close()
	return nil
}

// Ping reads from the store: the version of the table definitions.
func (c *conn) Ping(ctx context.Context) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	return translate(c.connector.database.Catalog.Ping(ctx), "")
}

// ResetSession gives the connection back to the pool as if it were new.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.usableAgain() {
		return driver.ErrBadConn
	}
	c.session.Reset(ctx)
	return nil
}

// IsValid says whether the connection may go back to the pool. It may stay there for long, where a transaction that is still open would keep
// what it has read, so IsValid ends the transaction.
func (c *conn) IsValid() bool {
	if !c.usableAgain() {
		return false
	}
	c.session.Leave()
	return true
}

func (c *conn) usableAgain() bool { return !c.closed && !c.session.Killed() && !c.connector.isClosed() }

// CheckNamedValue takes sql.Named arguments, and all types that database/sql accepts.
func (c *conn) CheckNamedValue(nv *driver.NamedValue) error { return checkArgument(nv) }

func (c *conn) usable(ctx context.Context) error {
	if c.closed || c.session.Killed() {
		return driver.ErrBadConn
	}
	if c.connector.isClosed() {
		return errDatabaseClosed()
	}
	return ctx.Err()
}

// prepare reads a statement.
func (c *conn) prepare(query string) (*session.Prepared, error) {
	p, err := c.session.Prepare(query)
	return c.prepared(query, p, err)
}

// prepareOnce reads a statement that is run once, with the given arguments.
func (c *conn) prepareOnce(ctx context.Context, query string, named []driver.NamedValue) (*session.Prepared, error) {
	if len(named) > 0 {
		return c.prepare(query)
	}
	p, err := c.session.PrepareOnce(ctx, query)
	return c.prepared(query, p, err)
}

func (c *conn) prepared(query string, p *session.Prepared, err error) (*session.Prepared, error) {
	if err != nil {
		return nil, c.failed(err, query)
	}
	return p, nil
}

// errorUnknown is MySQL's number for an error without one of its own.
const errorUnknown = 1105

// failed translates an error, and notes it among the conditions of the statement.
func (c *conn) failed(err error, text string) error {
	err = translate(err, text)
	var e *Error
	if errors.As(err, &e) {
		number := int(e.Number)
		if number == 0 {
			number = errorUnknown
		}
		c.session.Failed(number, e.Message)
	}
	return err
}

// PrepareContext parses and plans the statement, so that its errors appear here.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	if err := c.session.Plan(ctx, p); err != nil {
		return nil, translate(err, query)
	}
	return &stmt{conn: c, prepared: p}, nil
}

// QueryContext runs one statement and gives its rows; a statement without rows gives none.
func (c *conn) QueryContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Rows, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepareOnce(ctx, query, named)
	if err != nil {
		return nil, err
	}
	return c.query(ctx, p, named)
}

func (c *conn) query(ctx context.Context, p *session.Prepared, named []driver.NamedValue) (driver.Rows, error) {
	args, err := c.bind(p.Parsed, named)
	if err != nil {
		return nil, err
	}
	out, err := c.session.Run(ctx, p, args)
	if err != nil {
		return nil, c.failed(err, p.Parsed.Text)
	}
	if out.Header == nil {
		out.Header = &session.Header{Names: []string{}}
	}
	return &rows{out.Rows, c}, nil
}

// ExecContext runs a statement, or, without arguments, several with ; between them. Rows are read to
// their end and dropped.
func (c *conn) ExecContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Result, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	p, err := c.prepareOnce(ctx, query, named)
	if err != nil {
		if texts, splitErr := c.session.Split(query); splitErr == nil && len(texts) > 1 {
			if len(named) > 0 {
				return nil, severalWithArguments()
			}
			return c.execAll(ctx, texts)
		}
		return nil, err
	}
	return c.exec(ctx, p, named)
}

func (c *conn) exec(ctx context.Context, p *session.Prepared, named []driver.NamedValue) (driver.Result, error) {
	args, err := c.bind(p.Parsed, named)
	if err != nil {
		return nil, err
	}
	out, err := c.session.Run(ctx, p, args)
	if err == nil {
		err = out.Drain()
	}
	if err != nil {
		return nil, c.failed(err, p.Parsed.Text)
	}
	return result{out.Result}, nil
}

// execAll runs statements in turn. All are parsed before the first runs. Session variables are not arguments.
func (c *conn) execAll(ctx context.Context, texts []string) (driver.Result, error) {
	all := make([]*session.Prepared, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = c.prepare(text); err != nil {
			return nil, err
		}
		if p := all[i].Parsed; p.Placeholders > 0 && p.Names == nil {
			return nil, severalWithArguments()
		}
	}
	var last driver.Result = result{}
	for i, p := range all {
		p, err := c.session.Again(p) // USE may precede it
		if err != nil {
			return nil, err
		}
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
type result struct{ session.Result }

func (r result) LastInsertId() (int64, error) { return r.Result.LastInsertID, nil }
func (r result) RowsAffected() (int64, error) {
	if r.Uncounted {
		return 0, notSupported("RowsAffected is not supported for a DELETE that drops whole partitions, whose rows are not counted: " +
			"count the rows before it, or delete them in a transaction, which goes row by row")
	}
	return r.Affected, nil
}

// isolations are the levels for those of database/sql.
var isolations = map[sql.IsolationLevel]session.Isolation{
	sql.LevelDefault:         session.DefaultIsolation,
	sql.LevelReadUncommitted: session.ReadCommitted,
	sql.LevelReadCommitted:   session.ReadCommitted,
	sql.LevelWriteCommitted:  session.Serializable,
	sql.LevelRepeatableRead:  session.Serializable,
	sql.LevelSnapshot:        session.Serializable,
	sql.LevelSerializable:    session.Serializable,
	sql.LevelLinearizable:    session.Serializable,
}

// BeginTx begins a transaction: its writes are held back, visible to its own reads, and sent by Commit, all or nothing. Levels above read
// committed are serializable, and refused with transactions=group.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	level, ok := isolations[sql.IsolationLevel(opts.Isolation)]
	if !ok {
		return nil, notSupported("isolation level %s is not supported", strings.ToLower(sql.IsolationLevel(opts.Isolation).String()))
	}
	begin := func(ctx context.Context) error {
		return c.session.BeginTx(ctx, session.TxOptions{Isolation: level, ReadOnly: opts.ReadOnly})
	}
	if err := c.session.RunOf(ctx, session.CallBegin, begin); err != nil {
		return nil, translate(err, "")
	}
	return &tx{conn: c, ctx: ctx}, nil
}
