package nearlyfree

import (
	"context"
	"database/sql/driver"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

const (
	// serverVersion makes tools that ask for it send what this driver reads: MySQL 5.7's dialect.
	serverVersion = "5.7.99-nearlyfree"
	sessionUser   = "nearlyfree@localhost"
)

func now() int64 {
	ticks, err := value.TicksFromTime(time.Now().UTC().Truncate(tick))
	if err != nil {
		return 0 // a clock outside of the years 1 to 9999
	}
	return ticks
}

// use accepts the database that is open, which is the only one of a connection.
func (c *conn) use(database string) error {
	if strings.EqualFold(database, c.session.Database) {
		return nil
	}
	return statementError(CodeUnknownDatabase, "Unknown database '%s': a connection has the database of its data source name (option database), here %s", database, c.session.Database)
}

// zoned makes a time.Time argument the time that the clock of the session's time zone shows at it.
func (c *conn) zoned(named []driver.NamedValue) []driver.NamedValue {
	if c.session.Zone == nil || len(named) == 0 {
		return named
	}
	out := make([]driver.NamedValue, len(named))
	for i, n := range named {
		if t, ok := n.Value.(time.Time); ok {
			t = t.In(c.session.Zone)
			n.Value = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		}
		out[i] = n
	}
	return out
}

// setZone sets time_zone.
func (c *conn) setZone(name string) error {
	if name == "" || strings.EqualFold(name, "default") {
		name = c.connector.config.TimeZone
	}
	if name == "" {
		name = "+00:00"
	}
	zone, ok := expr.Zone(name)
	if !ok {
		return statementError(CodeUnknownTimeZone, "Unknown or incorrect time zone: '%s'; time_zone takes an offset from -13:59 to +14:00, or a name such as Europe/Berlin for which Go finds its time zone data", name)
	}
	c.session.Zone, c.zone = zone, name
	return nil
}

// bind gives the arguments of a statement. @name is the session's variable where no argument is given for it: without
// any argument NULL where it was never set, beside others an error, as it may be a misspelt one.
func (c *conn) bind(p *dialect.Parsed, named []driver.NamedValue) ([]value.Value, error) {
	named = c.zoned(named)
	switch {
	case !p.Variables:
		return bind(p, named)
	case len(named) > 0:
		return bindNames(p.Names, named, c.session.Vars.Lookup)
	}
	args := make([]value.Value, len(p.Names))
	for i, name := range p.Names {
		args[i] = c.session.Vars.Get(name)
	}
	return args, nil
}

// evaluate computes an expression that stands outside of a query, by SELECT of it.
func (c *conn) evaluate(ctx context.Context, e dialect.Expr, args []value.Value) (value.Value, error) {
	parsed := &dialect.Parsed{Statement: &dialect.Select{Exprs: []dialect.SelectExpr{{Expr: e}}}, Placeholders: len(args)}
	planned, err := c.planAnew(ctx, parsed)
	if err != nil {
		return value.NullValue, err
	}
	m := &engine.Meter{}
	defer c.connector.add(m)
	cur, err := c.connector.runtime.Query(ctx, &exec.Execution{Plan: planned.plan, Args: args, Session: &c.session, Store: c.connector.runtime.Engine, Meter: m})
	if err != nil {
		return value.NullValue, err
	}
	defer cur.Close()
	row, err := cur.Next(ctx)
	if err != nil {
		return value.NullValue, err
	}
	return row[0], nil
}

// transaction runs BEGIN, COMMIT, SAVEPOINT and their like, written as SQL.
func (c *conn) transaction(ctx context.Context, s *dialect.Transaction) error {
	switch s.Kind {
	case dialect.Begin:
		if c.tx != nil {
			if err := c.commit(ctx); err != nil { // as MySQL does
				return err
			}
		}
		_, err := c.begin(ctx, s.ReadOnly)
		return err
	case dialect.Commit, dialect.Rollback:
		if c.tx == nil && c.lost {
			c.lost = false
			return txError("the transaction that BEGIN opened was rolled back when its connection went back to the pool of the sql.DB, and what " +
				"was written since stands: begin it with BeginTx, or run BEGIN and all that belongs to it in one sql.Conn")
		}
		if s.Kind == dialect.Commit {
			return c.commit(ctx)
		}
		return c.rollback()
	case dialect.Savepoint:
		if c.tx == nil {
			return nil // outside a transaction each statement is one of its own
		}
		c.dropSavepoint(s.Name)
		c.savepoints = append(c.savepoints, savepoint{strings.ToLower(s.Name), c.tx.Mark()})
		return nil
	}
	i := c.findSavepoint(s.Name)
	if i < 0 {
		return &Error{Number: CodeNoSuchFunction, State: "42000", Message: "SAVEPOINT " + sqlerr.Brief(s.Name) + " does not exist", class: ErrTransaction}
	}
	if s.Kind == dialect.ReleaseSavepoint {
		c.savepoints = c.savepoints[:i]
		return nil
	}
	c.tx.RollbackTo(c.savepoints[i].mark)
	c.savepoints = c.savepoints[:i+1]
	return nil
}

func (c *conn) findSavepoint(name string) int {
	for i := len(c.savepoints) - 1; i >= 0; i-- {
		if c.savepoints[i].name == strings.ToLower(name) {
			return i
		}
	}
	return -1
}

func (c *conn) dropSavepoint(name string) {
	if i := c.findSavepoint(name); i >= 0 {
		c.savepoints = append(c.savepoints[:i], c.savepoints[i+1:]...)
	}
}
