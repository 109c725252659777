package engine

import (
	"context"
	"math"
)

// Transactor is an engine that applies any number of commits at once, and can tell whether everything read before held at one moment.
type Transactor interface {
	Engine
	// Transact applies a transaction, all of it or nothing. Error.Op counts through the operations of all commits, in order. If something that
	// was read has changed since, or a requirement does not hold, the error is CodeStale of no operation, with Error.Unmet in the second case.
	Transact(ctx context.Context, t Transaction) error
	// Moment gives the store as it is now, or as it is when it is first read. The caller must release it.
	Moment() Moment
	// Snapshots says whether a Moment is a snapshot, which costs nothing. Otherwise each read of it gives the store as it is at that time, and
	// Transact reads everything again to see whether all of it holds at once.
	Snapshots() bool
}

// Bounded is a Transactor that refuses some transactions for what they write and where, whatever the store holds.
type Bounded interface {
	Transactor
	// Fit gives the error with which Transact would refuse what a transaction has written so far.
	Fit(o *Outline) error
}

// Outline is what a transaction writes, as far as a store may refuse it for that.
type Outline struct {
	Tables  []string
	Places  int                   // partitions of tables
	Only    Place                 // if there is only one
	Watched []Place               // those with an operation on a Parent, or with possibly too many operations of one row
	Commit  func(at Place) Commit // what it writes there
	Since   Moment                // as in Transaction
}

// Place is a partition of a table.
type Place struct{ Table, PartitionKey string }

// Moment is a store as it was at one moment, for many goroutines. It holds up no writer. A file cannot reuse the space of what is deleted until
// all earlier moments are released.
type Moment interface {
	Reader
	// Begin makes the moment now, at the latest: otherwise it may be that of the first read.
	Begin() error
	// Release gives up the moment; it may be called more than once. Open cursors end with an error.
	Release()
}

// Transaction is commits of any number and size, each to a different partition or table, and what was read for them.
//
// If the store has only entity group transactions, operations on a Parent must all be in one partition: the deciding request must find the
// parents as they were, and others that want the parent to stay do not read it.
type Transaction struct {
	Commits []Commit // their Meters count nothing
	// Reads are ranges that were read of Since. Each must hold now what it held then; its Select, Limit and Meter mean nothing. A Moment that is
	// no snapshot knows by itself what was read of it.
	Reads []Scan
	Since Moment // nil if nothing that was read must still hold
	// Requires is what must hold once everything is written.
	Requires []Requirement
	Meter    *Meter
	// Current says whether the definitions that the transaction was made from still hold. A store that takes several requests asks once more
	// before the deciding one. nil: they hold.
	Current func(ctx context.Context) error
}

// Aside is tables next to a store that belong to a single user of it, such as the temporary tables of a session.
type Aside interface {
	Reader
	// Has says whether a table is, or was, one of them.
	Has(table string) bool
	// Write applies commits of any number and size, all or none, and returns a function that undoes them. It passes over tables that no longer
	// exist.
	Write(ctx context.Context, commits []Commit) (undo func(), err error)
}

// InGroups gives the store without what only a Transactor has: it then does at most one entity group transaction at a time.
func InGroups(e Engine) Engine {
	if m, ok := e.(Maintainer); ok {
		return struct {
			Engine
			Maintainer
		}{e, m}
	}
	return struct{ Engine }{e}
}

// Point gives the range of one entity's key, whether or not the entity exists.
func Point(table, partitionKey, rowKey string) Scan {
	return Scan{Table: table, PartitionKey: partitionKey, From: rowKey, To: rowKey + "\x00"}
}

// CheckTransaction says whether a transaction can be applied: it checks the limits of each of its parts.
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

// Pick gives the commits that keep accepts, and a function that turns an error of one of their operations into one of all commits.
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

// Further turns an error of a commit's operation into one of the transaction's, in which before operations precede the commit.
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
