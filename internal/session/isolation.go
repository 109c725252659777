package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Isolation is an isolation level.
type Isolation uint8

// The levels of SQL. The first is the default: ReadCommitted, except for read-only transactions, which get one moment of
// the store if it supports that.
const (
	DefaultIsolation Isolation = iota
	ReadUncommitted
	ReadCommitted
	RepeatableRead
	Serializable
)

var isolations = [...]string{"READ-COMMITTED", "READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"}

// isolationNamed finds a level by its name, in lower case.
func isolationNamed(name string) (Isolation, bool) {
	if name == "default" {
		return DefaultIsolation, true
	}
	for l := ReadUncommitted; l <= Serializable; l++ {
		if strings.EqualFold(isolations[l], strings.ReplaceAll(name, " ", "-")) {
			return l, true
		}
	}
	return 0, false
}

// accessMode says whether a transaction only reads.
type accessMode uint8

const (
	anyAccess accessMode = iota
	reads
	readsAndWrites
)

// characteristics are what SET TRANSACTION sets.
type characteristics struct {
	level  Isolation
	access accessMode
}

// over gives c, with what it leaves open taken from other.
func (c characteristics) over(other characteristics) characteristics {
	if c.level == DefaultIsolation {
		c.level = other.level
	}
	if c.access == anyAccess {
		c.access = other.access
	}
	return c
}

// moments is the store if it can be read as of one moment, else nil.
func (s *Session) moments() engine.Transactor {
	t, _ := s.db.Runtime.Engine.(engine.Transactor)
	return t
}

// checkIsolation refuses a level that cannot be provided.
func (s *Session) checkIsolation(l Isolation) error {
	if l >= RepeatableRead && s.moments() == nil {
		return notSupported("isolation levels above read committed cannot be given: with the option transactions=group a transaction is read committed")
	}
	return nil
}

// setTransaction is SET TRANSACTION: for the session, or for its next transaction.
func (s *Session) setTransaction(scope, text string) error {
	var c characteristics
	for part := range strings.SplitSeq(text, ",") {
		part = strings.Join(strings.Fields(part), " ")
		switch level, ok := isolationNamed(strings.TrimPrefix(part, "isolation level ")); {
		case part == "read only":
			c.access = reads
		case part == "read write":
			c.access = readsAndWrites
		case ok:
			c.level = level
		}
	}
	if err := s.checkIsolation(c.level); err != nil {
		return err
	}
	switch {
	case scope == "global":
		return notSupported("SET GLOBAL TRANSACTION is not supported: write SET SESSION TRANSACTION")
	case scope == "session":
		s.usual = c.over(s.usual)
		return nil
	}
	return s.setNext(c)
}

// readsOnly says whether the transaction is READ ONLY.
func (s *Session) readsOnly() bool { return s.current.access == reads }

// setNext sets characteristics of the next transaction; a statement outside a transaction is one, too.
func (s *Session) setNext(c characteristics) error {
	if s.tx != nil {
		return &TransactionError{sqlerr.CodeTransactionIsOpen, "Transaction characteristics can't be changed while a transaction is in progress"}
	}
	s.next = c.over(s.next)
	return nil
}

// useNext notes that this plan was the next transaction, if it runs outside one. As in MySQL, a statement that reads no stored
// table is not a transaction.
func (s *Session) useNext(p *planner.Plan) {
	if s.tx == nil && slices.ContainsFunc(p.Tables, func(t *schema.Table) bool { return t.Virtual == nil }) {
		s.next = characteristics{}
	}
}

// TxOptions are what a transaction begins with.
type TxOptions struct {
	Isolation Isolation
	ReadOnly  bool
	ReadWrite bool // even if the session's transactions are read-only
	Snapshot  bool // WITH CONSISTENT SNAPSHOT
}

// Begin begins a transaction.
func (s *Session) Begin(ctx context.Context, o TxOptions) error {
	if s.tx != nil {
		return &TransactionError{Message: "there is a transaction already: end it before another begins"}
	}
	c := characteristics{level: o.Isolation}
	if o.ReadOnly {
		c.access = reads
	} else if o.ReadWrite {
		c.access = readsAndWrites
	}
	c = c.over(s.next).over(s.usual)
	if err := s.checkIsolation(c.level); err != nil {
		return err
	}
	readOnly, store := c.access == reads, s.moments()
	switch {
	case store != nil && (c.level >= RepeatableRead || o.Snapshot || readOnly && c.level == DefaultIsolation && store.Snapshots()):
		if err := s.beginAt(ctx, store, !readOnly); err != nil {
			return err
		}
	default:
		if o.Snapshot {
			s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeStoreUnsupported, "WITH CONSISTENT SNAPSHOT was ignored: this store does not show one moment")
		}
		s.tx = buffer.New(s.db.Runtime.Engine, s.db.Runtime.Parallel)
		s.db.Runtime.Group.Join(s.tx)
	}
	s.held, s.current, s.lost, s.next, s.begun = &exec.Run{Rt: s.db.Runtime}, c, "", characteristics{}, o.Snapshot
	s.useTx()
	return nil
}

// useTx makes a new buffer the session's transaction.
func (s *Session) useTx() {
	if s.temporary != nil {
		s.tx.Beside(s.temporary.tables)
	}
	held := s.held
	s.tx.Hold(func(octets int64) error {
		if octets < 0 {
			held.Release(-octets)
			return nil
		}
		return held.Charge(octets, "transaction")
	})
}

// BeginTx is Begin, but first commits a transaction that autocommit = 0 began, as MySQL does.
func (s *Session) BeginTx(ctx context.Context, o TxOptions) error {
	if s.manual && s.tx != nil {
		if err := s.Commit(ctx); err != nil {
			return err
		}
	}
	return s.Begin(ctx, o)
}

// beginAt begins a transaction whose reads are all of one moment.
func (s *Session) beginAt(ctx context.Context, store engine.Transactor, validate bool) error {
	definitions, err := s.in.Catalog.Snapshot(ctx) // read before the moment: rows of that moment may not yet be stored as newer definitions say
	if err != nil {
		return err
	}
	tx, err := buffer.NewAt(store, s.db.Runtime.Parallel, validate, s.db.Runtime.Group)
	if err != nil {
		return err
	}
	s.tx, s.definitions = tx, []versionAt{{s.in.Catalog, definitions.Version()}}
	return nil
}

// beginAgain gives a transaction that does not yet depend on anything it read a later moment: in MySQL it is that of the first read.
func (s *Session) beginAgain(ctx context.Context) error {
	definitions, err := s.in.Catalog.Snapshot(ctx) // before the moment: see beginAt
	if err != nil {
		return err
	}
	if err := s.tx.Renew(); err != nil {
		return err
	}
	s.definitions = []versionAt{{s.in.Catalog, definitions.Version()}}
	return nil
}

// versionAt is the version of a database's definitions at the moment of a transaction, or shortly before.
type versionAt struct {
	of      *catalog.Catalog
	version int64
}

// readyMoment is checkMoment for a plan. A transaction whose first statement takes rows gets its moment then, as in MySQL: by the
// moment of its BEGIN it could take no row that was changed since.
func (s *Session) readyMoment(ctx context.Context, plan *planner.Plan) error {
	if plan.Waits && s.tx != nil && s.tx.IsOfOneMoment() && !s.begun && s.moments().Snapshots() {
		if err := s.beginAgain(ctx); err != nil {
			return err
		}
	}
	return s.checkMoment(ctx, plan.Tables)
}

// checkMoment refuses to read a transaction's moment by a newer definition: rows may have had another form then,
// and an index made since has no entries there. A transaction that has read nothing yet gets another moment.
func (s *Session) checkMoment(ctx context.Context, tables []*schema.Table) error {
	err := s.ofMoment(ctx, tables)
	if err == nil || s.begun {
		return err
	}
	var changed *dml.SchemaChangedError
	if errors.As(err, &changed) {
		if err = s.beginAgain(ctx); err == nil {
			err = s.ofMoment(ctx, tables)
		}
	}
	return err
}

func (s *Session) ofMoment(ctx context.Context, tables []*schema.Table) error {
	if s.tx == nil || !s.tx.IsOfOneMoment() {
		return nil
	}
	for _, t := range tables {
		if t.IsUndeclared() || t.Virtual != nil || t.Temporary {
			continue
		}
		version, err := s.versionAt(ctx, s.db.catalogOf(t))
		if err != nil {
			return err
		}
		if t.Version > version {
			return &dml.SchemaChangedError{Table: t.Name}
		}
	}
	return nil
}

// versionAt gives the version of definitions at the moment of the transaction. For the database that it began in it is known;
// for another one it is read at that moment when the database is first named.
func (s *Session) versionAt(ctx context.Context, c *catalog.Catalog) (int64, error) {
	for _, known := range s.definitions {
		if known.of == c {
			return known.version, nil
		}
	}
	version, err := c.VersionAt(ctx, s.tx, &s.db.Maintenance)
	if err == nil {
		s.definitions = append(s.definitions, versionAt{c, version})
	}
	return version, err
}

// setAutocommit sets autocommit. When it is off, a statement outside a transaction begins one.
func (s *Session) setAutocommit(ctx context.Context, on bool) error {
	was := s.manual
	if s.manual = !on; on && was && s.tx != nil {
		return s.Commit(ctx) // as MySQL does
	}
	return nil
}

// beginManually begins the transaction of a statement when autocommit is off.
func (s *Session) beginManually(ctx context.Context) error {
	if !s.manual || s.tx != nil {
		return nil
	}
	return s.Begin(ctx, TxOptions{})
}
