package engine

import (
	"context"
	"math"
)

// Transactor is an engine that applies commits of any number at once, and can tell whether all that was read before held
// at one moment.
type Transactor interface {
	Engine
	// Transact applies a transaction, all of it or nothing. Error.Op counts through the operations of all commits, in their
	// order. Where something that was read has changed since, or a requirement does not hold, the error is CodeStale of no
	// operation, in the second case with Error.Unmet.
	Transact(ctx context.Context, t Transaction) error
	// Moment gives the store as it is now, or as it is when it is first read. Whoever takes a moment releases it.
	Moment() Moment
	// Snapshots says whether a Moment is a snapshot, which costs nothing. Else each read of it gives the store as it is
	// then, and Transact reads again what it gave, to see whether all of it holds at once.
	Snapshots() bool
}

// Bounded is a Transactor that refuses some transactions for what they write where, whatever it holds.
type Bounded interface {
	Transactor
	// Fit gives the error with which Transact would refuse what a transaction holds so far.
	Fit(o *Outline) error
}

// Outline is what a transaction writes, as far as a store may refuse it for that.
type Outline struct {
	Tables  []string
	Places  int                   // partitions of tables
	Only    Place                 // where there is one
	Watched []Place               // those with an operation on a Parent, or with so many operations of one row that it may be too many
	Commit  func(at Place) Commit // what it writes there
	Since   Moment                // as in Transaction
}

// Place is a partition of a table.
type Place struct{ Table, PartitionKey string }

// Moment is a store as it was at one moment, for many goroutines. It holds up no writer. A file keeps the space of what
// is deleted until the moments from before that are released.
type Moment interface {
	Reader
	// Begin has the moment be now, at the latest: else it may be that of the first read.
	Begin() error
	// Release lets go of it, once or more; cursors that are open end with an error.
	Release()
}

// Transaction is commits of any number and size, each of another partition or table, and what was read for them.
//
// Where the store has entity group transactions only, operations on a Parent are all of one partition: the request that
// decides must find them as they were, and others that want the parent to stay do not look at it.
type Transaction struct {
	Commits []Commit // their Meters count nothing
	// Reads are ranges that were read of Since. Each must hold now what it held then; its Select, Limit and Meter mean nothing.
	// A Moment that is no snapshot knows itself what was read of it.
	Reads []Scan
	Since Moment // nil where nothing that was read must hold still
	// Requires are what must hold when all is written.
	Requires []Requirement
	Meter    *Meter
	// Current says whether the definitions still hold by which it was made. A store that takes several requests asks once more
	// before the one that decides. nil: they do.
	Current func(ctx context.Context) error
}

// Aside is tables beside a store that one user of it has for himself, such as the temporary tables of a session.
type Aside interface {
	Reader
	// Has says whether a table is among them, or was.
	Has(table string) bool
	// Write applies commits of any number and size, all or none, and gives what takes them back. It passes over tables that are gone.
	Write(ctx context.Context, commits []Commit) (undo func(), err error)
}

// InGroups gives the store without what only a Transactor has: one entity group transaction is the most that it does at once.
func InGroups(e Engine) Engine {
	if m, ok := e.(Maintainer); ok {
		return struct {
			Engine
			Maintainer
		}{e, m}
	}
	return struct{ Engine }{e}
}

// Point gives the range that holds one entity, whether or not it is there.
func Point(table, partitionKey, rowKey string) Scan {
	return Scan{Table: table, PartitionKey: partitionKey, From: rowKey, To: rowKey + "\x00"}
}

// CheckTransaction says whether a transaction can be applied: the limits of what it holds, each for itself.
func (l Limits) CheckTransaction(t *Transaction) error {
	l.BatchOps, l.BatchBytes = math.MaxInt, math.MaxInt
	before := 0
	seen := make(map[[2]string]bool, len(t.Commits))
	for i := range t.Commits {
		c := &t.Commits[i]
		if err := l.CheckCommit(c); err != nil {
			return Further(err, before)
		}
		place := [2]string{FoldTable(c.Table), c.PartitionKey}
		if seen[place] {
			return Errorf(CodeBadInput, "partition %s of table %s is in one transaction twice", quote(c.PartitionKey), quote(c.Table))
		}
		seen[place] = true
		before += len(c.Ops)
	}
	if len(t.Reads) > 0 && t.Since == nil {
		return Errorf(CodeBadInput, "a transaction with reads of no moment")
	}
	for i := range t.Reads {
		if err := l.CheckScan(&t.Reads[i]); err != nil {
			return err
		}
	}
	for i := range t.Requires {
		s := t.Requires[i].scan()
		if err := l.CheckScan(&s); err != nil {
			return err
		}
	}
	return nil
}

// CountRequests counts the entity group transactions that a transaction would take.
func (t *Transaction) CountRequests(l Limits) {
	if t.Meter == nil {
		return
	}
	for i := range t.Commits {
		t.Meter.Requests.Add(int64((len(t.Commits[i].Ops) + l.BatchOps - 1) / l.BatchOps))
	}
}

// Pick gives the commits that keep takes, and what makes the error of one of their operations that of one of all.
func Pick(commits []Commit, keep func(c *Commit) bool) (picked []Commit, of func(error) error) {
	for i := range commits {
		if keep(&commits[i]) {
			picked = append(picked, commits[i])
		}
	}
	return picked, func(err error) error {
		e, ok := err.(*Error)
		if !ok || e.Op < 0 {
			return err
		}
		before, at := 0, e.Op
		for i := range commits {
			n := len(commits[i].Ops)
			if keep(&commits[i]) {
				if at < n {
					e.Op = before + at
					break
				}
				at -= n
			}
			before += n
		}
		return err
	}
}

// Further makes an error of a commit's operation that of the transaction's, in which before operations precede the commit.
func Further(err error, before int) error {
	if e, ok := err.(*Error); ok && e.Op >= 0 {
		e.Op += before
	}
	return err
}

// StaleRead is the error of a transaction whose read of an entity no longer holds.
func StaleRead(table, partitionKey, rowKey string) *Error {
	e := Errorf(CodeStale, "entity %s, %s of table %s was changed, added or deleted since it was read", quote(partitionKey), quote(rowKey), quote(table))
	e.Table, e.Entity = table, &Entity{PartitionKey: partitionKey, RowKey: rowKey}
	return e
}
