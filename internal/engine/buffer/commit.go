package buffer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Commits gives the result of all that was applied: one operation per entity, a commit for each table and partition (with any number of
// operations), in the order of their names and keys.
func (b *Buffer) Commits() []engine.Commit {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []engine.Commit
	for _, t := range b.sorted() {
		var c *engine.Commit
		t.entries.Scan(func(e *entry) bool {
			if e.dropped {
				return true
			}
			if c == nil || c.PartitionKey != e.partitionKey {
				out = append(out, engine.Commit{Table: t.table, PartitionKey: e.partitionKey})
				c = &out[len(out)-1]
			}
			c.Ops = append(c.Ops, e.operation())
			return true
		})
	}
	return out
}

// Commit sends the result of all that was applied, all or nothing, and empties the buffer. If the store has nothing larger than entity group
// transactions, more than one of them is refused with engine.CodeTooLarge, and nothing is sent. If Commit fails, the buffer stays as it was;
// Error.Op counts in the order of Commits, and Error.Entity is that of the operation.
func (b *Buffer) Commit(ctx context.Context, m *engine.Meter) error {
	if b.lost.Load() {
		return errLost()
	}
	commits := b.Commits()
	if len(commits) > 0 || b.IsUnconfirmed() {
		if err := b.send(ctx, commits, m); err != nil {
			return placed(err, commits)
		}
	}
	b.group.leave(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rollbackTo(0) // which empties it
	clear(b.gaps)
	return nil
}

// placed adds which entity the error of an operation is about.
func placed(err error, commits []engine.Commit) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Op < 0 {
		return err
	}
	at := e.Op
	for i := range commits {
		if at < len(commits[i].Ops) {
			e.Table, e.Entity = commits[i].Table, &commits[i].Ops[at].Entity
			break
		}
		at -= len(commits[i].Ops)
	}
	return err
}

// send sends commits: first those next to the store, because these can be undone.
func (b *Buffer) send(ctx context.Context, commits []engine.Commit, m *engine.Meter) error {
	aside := b.aside.Load()
	if aside == nil {
		return b.sendStored(ctx, commits, m)
	}
	beside, ofBeside := engine.Pick(commits, func(c *engine.Commit) bool { return (*aside).Has(c.Table) })
	stored, ofStored := b.storedOf(commits)
	undo, err := (*aside).Write(ctx, beside)
	if err != nil {
		return ofBeside(err)
	}
	if len(stored) == 0 && !b.IsUnconfirmed() {
		return nil
	}
	if err := b.sendStored(ctx, stored, m); err != nil {
		undo()
		return ofStored(err)
	}
	return nil
}

// storedOf gives the commits that go to the store.
func (b *Buffer) storedOf(commits []engine.Commit) (stored []engine.Commit, of func(error) error) {
	return engine.Pick(commits, func(c *engine.Commit) bool { return b.beside(c.Table) == nil })
}

func (b *Buffer) sendStored(ctx context.Context, commits []engine.Commit, m *engine.Meter) error {
	all, ok := b.e.(engine.Transactor)
	most := b.e.Limits().BatchOps
	requires := b.requirements()
	if !ok {
		if err := b.fit(commits); err != nil {
			return err
		}
	}
	if !ok || len(commits) == 1 && len(commits[0].Ops) <= most && !b.validates && len(requires) == 0 {
		c := commits[0]
		c.Meter = m
		if err := b.e.Commit(ctx, c); !ok || !isTooLarge(err) {
			return err
		}
	}
	t := engine.Transaction{Commits: commits, Requires: requires, Meter: m, Current: b.Current}
	if b.validates {
		t.Since = b.since
	}
	if b.reads != nil {
		t.Reads = b.reads.list()
	}
	return all.Transact(ctx, t)
}

// Fit refuses what Commit would refuse: more than one entity group transaction, if the store has nothing larger.
func (b *Buffer) Fit() error {
	switch e := b.e.(type) {
	case engine.Bounded:
		return b.fitOutline(e)
	case engine.Transactor:
		return nil
	}
	stored, _ := b.storedOf(b.Commits())
	return b.fit(stored)
}

func (b *Buffer) fit(commits []engine.Commit) error {
	l := b.e.Limits()
	most := l.BatchOps
	switch {
	case len(commits) > 1:
		return errSpread(commits)
	case len(commits) == 1 && len(commits[0].Ops) > most:
		return engine.Errorf(engine.CodeTooLarge, "the transaction has %d operations, but an entity group transaction has at most %d (a row and each of its index entries are one each): "+
			"commit in smaller steps, or write without a transaction", len(commits[0].Ops), most)
	case len(commits) == 1:
		if n := engine.CommitBytes(&commits[0], l.BatchBytes); n > l.BatchBytes {
			return engine.Errorf(engine.CodeTooLarge, "the transaction has %d operations of about %d bytes, but an entity group transaction has at most %d bytes: "+
				"commit in smaller steps, or write without a transaction", len(commits[0].Ops), n, l.BatchBytes)
		}
	}
	return nil
}

// isTooLarge says whether an error is about a commit that as a whole is over a limit.
func isTooLarge(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Code == engine.CodeTooLarge && e.Op < 0
}

// errSpread is the error of a transaction that writes to several tables or partitions; it names them.
func errSpread(commits []engine.Commit) error {
	where := ""
	for i, c := range commits {
		if i == 3 {
			where += ", …"
			break
		}
		if i > 0 {
			where += ", "
		}
		where += fmt.Sprintf("%s %q", c.Table, c.PartitionKey)
	}
	instead := "commit after each, or write without a transaction"
	if !slices.ContainsFunc(commits, func(c engine.Commit) bool { return c.PartitionKey != commits[0].PartitionKey }) {
		instead = "commit after each, write without a transaction, or make the tables with layout=single, where they share a partition"
	}
	return engine.Errorf(engine.CodeTooLarge, "the transaction writes to %d partitions (%s), but an entity group transaction covers one: %s", len(commits), where, instead)
}
