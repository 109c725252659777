package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// session is a connection of nearlyfree.
type session interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
}

// conn is a connection as MySQL's driver gives it.
type conn struct {
	session   session
	config    *Config
	connector *connector
	name      string // the connector's name for the store
	store     *nearlyfree.Connector
	only      bool // nothing else uses the connector
	closed    bool
	ended     error // of the context that ended a statement, and the connection with it
}

var (
	_ driver.SessionResetter   = (*conn)(nil)
	_ driver.Validator         = (*conn)(nil)
	_ driver.NamedValueChecker = (*conn)(nil)
	_ session                  = (*conn)(nil)
)

func (c *conn) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.session.Close()
	if c.only {
		err = errors.Join(err, c.connector.Close())
	}
	return err
}

// ResetSession leaves the session as it is, like MySQL's driver, so that SET, USE, GET_LOCK and BEGIN in SQL last in a sql.DB with one
// connection.
func (c *conn) ResetSession(context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid says whether the connection may be used again: neither it nor its store is closed.
func (c *conn) IsValid() bool { return !c.closed && c.connector.isOpen(c.name, c.store) }

func (c *conn) CheckNamedValue(nv *driver.NamedValue) (err error) {
	nv.Value, err = c.config.argument(nv.Value)
	return err
}

// ready says why nothing can begin: the connection is closed, or the context has ended.
func (c *conn) ready(ctx context.Context) error {
	if c.closed {
		return driver.ErrBadConn
	}
	return ctx.Err()
}

func (c *conn) Ping(ctx context.Context) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	return c.failed(ctx, c.session.Ping(ctx))
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkIsolation(o.Isolation); err != nil {
		return nil, err
	}
	inner, err := c.session.BeginTx(ctx, o)
	if errors.Is(err, nearlyfree.ErrTransaction) { // one that SQL began, which START TRANSACTION commits
		if err := c.run(ctx, "COMMIT"); err != nil {
			return nil, err
		}
		inner, err = c.session.BeginTx(ctx, o)
	}
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	return &tx{inner, c}, nil
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	inner, err := c.session.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	return &stmt{inner.(preparedStmt), c}, nil
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	parts, err := c.parts(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return c.queryAll(ctx, parts, len(args) == 0 || c.config.InterpolateParams)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	parts, err := c.parts(ctx, query, args)
	if err != nil {
		return nil, err
	}
	out := &result{}
	for _, p := range parts {
		r, err := c.session.ExecContext(ctx, p.text, p.args)
		if err == nil {
			err = out.add(r)
		}
		if err != nil {
			return nil, c.failed(ctx, err)
		}
	}
	return out, nil
}

// run runs a statement without a result.
func (c *conn) run(ctx context.Context, query string) error {
	_, err := c.session.ExecContext(ctx, query, nil)
	return c.failed(ctx, err)
}

// Query and Exec are for callers through sql.Conn.Raw.
func (c *conn) Query(query string, args []driver.Value) (driver.Rows, error) {
	named, err := c.named(args)
	if err != nil {
		return nil, err
	}
	return c.QueryContext(context.Background(), query, named)
}

func (c *conn) Exec(query string, args []driver.Value) (driver.Result, error) {
	named, err := c.named(args)
	if err != nil {
		return nil, err
	}
	return c.ExecContext(context.Background(), query, named)
}

// named makes arguments of values.
func (c *conn) named(args []driver.Value) ([]driver.NamedValue, error) {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		if err := c.CheckNamedValue(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readOnlyErrors are the errors for which rejectReadOnly gives a connection up, so that the next one may find a writable server.
var readOnlyErrors = []uint16{1290, 1792, 1836}

// failed translates the error of a statement. If the context has ended the statement, the connection ends with it, as with MySQL, and releases
// its transaction and locks.
func (c *conn) failed(ctx context.Context, err error) error {
	err = translate(err)
	var e *MySQLError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		c.ended = ctx.Err()
		_ = c.Close()
	case c.config.RejectReadOnly && errors.As(err, &e) && slices.Contains(readOnlyErrors, e.Number):
		_ = c.Close()
		return driver.ErrBadConn
	}
	return err
}

// part is one statement of a text.
type part struct {
	text string
	args []driver.NamedValue
}

// parts cuts a text into its statements. There is one, unless multiStatements allows several; with arguments they must be interpolated, as
// MySQL prepares one statement only.
func (c *conn) parts(ctx context.Context, query string, args []driver.NamedValue) ([]part, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := unnamed(args); err != nil {
		return nil, err
	}
	if strings.Trim(query, "; \t\r\n") == "" {
		return nil, &MySQLError{Number: 1065, SQLState: [5]byte([]byte("42000")), Message: "Query was empty"}
	}
	whole := []part{{query, args}}
	if at := strings.IndexByte(query, ';'); at < 0 || strings.Trim(query[at:], "; \t\r\n") == "" {
		return whole, nil
	}
	texts, err := dialect.Split(query, dialect.Options{})
	if err != nil || len(texts) < 2 {
		return whole, nil // the statement's error says what is wrong
	}
	if !c.config.MultiStatements || len(args) > 0 && !c.config.InterpolateParams {
		inner, err := c.session.PrepareContext(ctx, query)
		if err != nil {
			return nil, c.failed(ctx, err)
		}
		return whole, inner.Close()
	}
	var out []part
	for _, text := range texts {
		p := part{text: text}
		if len(args) > 0 {
			parsed, err := dialect.Parse(text, dialect.Options{})
			if err != nil {
				return whole, nil
			}
			n := 0
			if parsed.Names == nil {
				n = min(parsed.Placeholders, len(args))
			}
			for i, a := range args[:n] {
				p.args = append(p.args, driver.NamedValue{Ordinal: i + 1, Value: a.Value})
			}
			args = args[n:]
		}
		out = append(out, p)
	}
	if len(args) > 0 {
		return nil, errors.New("mysqlshim: the statements have fewer placeholders than there are arguments")
	}
	return out, nil
}

func unnamed(args []driver.NamedValue) error {
	for _, a := range args {
		if a.Name != "" {
			return errNamed
		}
	}
	return nil
}

// tx is a transaction.
type tx struct {
	inner driver.Tx
	conn  *conn
}

func (t *tx) Commit() error   { return t.end(t.inner.Commit) }
func (t *tx) Rollback() error { return t.end(t.inner.Rollback) }

func (t *tx) end(f func() error) error {
	switch c := t.conn; {
	case c == nil:
		return ErrInvalidConn
	case c.ended != nil:
		return c.ended
	case c.closed:
		return ErrInvalidConn
	}
	t.conn = nil
	return translate(f())
}
