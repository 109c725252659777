package embedded

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// applied is the result of applying a group.
type applied struct {
	accepted, octets int
	written          map[*dictionary]int // how many names they have afterwards
}

// transact applies a group and commits it. The returned error is that of all changes without an error of their own.
func (c *commits) transact(group []*change) (err error) {
	f := c.file
	if err := c.canWrite(); err != nil {
		return err
	}
	defer careful()()
	defer f.guard(nil, &err)
	if done, err := c.note(group); done || err != nil {
		return err
	}
	if err := f.merge(); err != nil {
		return errFile(f.path, err)
	}
	changed, err := f.transaction(true)
	if err != nil {
		return errFile(f.path, err)
	}
	defer changed.Rollback() // does nothing once it is committed
	tx := &fileTx{fileState: pages(changed), logged: f.keepsLog(), notes: c.notes[:0]}
	tx.series = f.pending.Load().series
	a, err := c.apply(tx, group, tx.ID())
	if err != nil || a.accepted == 0 {
		return err
	}
	f.shortenCommits()
	waits := slices.ContainsFunc(group, func(ch *change) bool { return !ch.soon })
	if err := c.commit(tx, a.octets, waits); err != nil {
		return err
	}
	f.wrote()
	c.applied(tx, a)
	return nil
}

// note puts a group into the log and makes it pending. If not done, the group must go to the pages: there is no log, or the group changes
// buckets, or it is large.
func (c *commits) note(group []*change) (done bool, err error) {
	f := c.file
	if !f.keepsLog() || slices.ContainsFunc(group, func(ch *change) bool { return ch.whole }) {
		return false, nil
	}
	if err := c.mergeSome(); err != nil {
		return true, err
	}
	state, err := f.begin()
	if err != nil {
		return true, errFile(f.path, err)
	}
	defer state.Rollback()
	p := f.pending.Load()
	changes := p.changes
	state.changes = &changes
	c.owner++
	tx := &fileTx{fileState: state, owner: c.owner, logged: true, notes: c.notes[:0], appended: f.appended}
	base := p.number(tx.ID())
	a, err := c.apply(tx, group, base+1+p.groups)
	if err != nil || a.accepted == 0 {
		return true, err
	}
	octets := p.octets + a.octets
	if len(tx.notes) > logMost || !f.fits(tx.Tx, octets) || !f.withLog() {
		return false, nil
	}
	if sure, err := f.log.append(tx.notes); err != nil {
		return true, c.unwritten(!sure, err)
	}
	f.pending.Store(&pending{changes, base, p.groups + 1, octets, p.noted + len(tx.notes), p.series + 1})
	c.applied(tx, a)
	return true, nil
}

// apply applies a group in the transaction with a number.
func (c *commits) apply(tx *fileTx, group []*change, number int) (a applied, err error) {
	f := c.file
	// Versions rise from one transaction to the next, along with its number, and within one.
	version, now := f.base+uint64(number)<<16, c.clock.ticks()
	c.clean = true
	for _, ch := range group {
		version++
		var err error
		if ch.err, err = ch.apply(tx, version, now); err != nil {
			if isDamage(err) {
				return a, f.damaged(nil, err)
			}
			return a, errFile(f.path, err)
		}
		if ch.err == nil {
			a.accepted++
			a.octets += ch.octets
			c.clean = false
		}
	}
	if a.accepted == 0 {
		return a, nil
	}
	if a.written, err = c.writeNames(tx); err == nil {
		err = listFeatures(tx)
	}
	if err != nil {
		return a, errFile(f.path, err)
	}
	return a, nil
}

// applied notes that a transaction is committed.
func (c *commits) applied(tx *fileTx, a applied) {
	c.file.written += int64(len(tx.notes))
	if cap(tx.notes) <= logMost {
		c.notes = tx.notes[:0]
	}
	for d, n := range a.written {
		d.written = n
	}
}

// writeNames writes the names that the dictionaries got since the last transaction.
func (c *commits) writeNames(tx *fileTx) (map[*dictionary]int, error) {
	var written map[*dictionary]int
	for _, t := range *c.file.tables.Load() {
		if len(*t.dict.names.Load()) == t.dict.written {
			continue
		}
		if tx.Bucket(t.naming) == nil {
			continue // deleted in this very transaction
		}
		n, err := t.dict.write(tx, t.naming)
		if err != nil {
			return nil, err
		}
		if written == nil {
			written = map[*dictionary]int{}
		}
		written[t.dict] = n
	}
	return written, nil
}

// commit makes a transaction durable that writes about so many octets. If no caller waits for it, that may happen with the next transaction.
func (c *commits) commit(tx *fileTx, octets int, waits bool) error {
	f, id := c.file, tx.ID()
	fits := f.fits(tx.Tx, octets)
	defer f.grow(tx.Tx, octets)()
	large := len(tx.notes) > logMost
	if !tx.logged || !fits || large && f.log == nil {
		return c.commitWithout(tx)
	}
	if err := f.readyLog(tx.Tx); err != nil {
		c.broken = true
		return c.unwritten(false, err)
	}
	if f.log == nil {
		return c.commitWithout(tx)
	}
	l, at, carried := f.log, f.log.at, f.log.carried
	carry := !waits && l.mayCarry(tx.notes)
	if !large && !carry {
		if sure, err := l.append(tx.notes); err != nil {
			return c.unwritten(!sure, err)
		}
	}
	f.db.Load().NoSync = true
	if err := c.commitLogged(tx, at, carried); err != nil {
		return c.failed(id, err)
	}
	if carry {
		l.carried = append(l.carried, tx.notes...)
	}
	if large {
		if err := f.checkpoint(); err != nil {
			return c.unwritten(true, err)
		}
	}
	return nil
}

// commitLogged commits a transaction to the file. If that fails, or bbolt panics over a damaged page, its record in the log, if there is one,
// does not count, and the notes carried by that record wait for the next one.
func (c *commits) commitLogged(tx *fileTx, at int64, carried []byte) error {
	l, done := c.file.log, false
	defer func() {
		if noted := l.at > at; !done && noted {
			if l.at, l.carried = at, carried; l.takeBack() != nil {
				c.broken = true
			}
		}
	}()
	err := tx.Commit()
	done = err == nil
	return err
}

// commitWithout makes a transaction durable in the file itself.
func (c *commits) commitWithout(tx *fileTx) error {
	f, id := c.file, tx.ID()
	if err := f.endLog(); err != nil { // it keeps a transaction open, for which bbolt would wait
		return errFile(f.path, err)
	}
	if f.unnamed {
		syncDirectory(f.resolved)
		f.unnamed = false
	}
	if err := tx.Commit(); err != nil {
		return c.failed(id, err)
	}
	return nil
}

// failed finds out what became of a transaction that could not be committed. The page that makes it count is written last. Without that page
// nothing has happened; but if readers see the transaction, and only the fsync failed, the state of the disk is unknown, and pages that bbolt
// believes free may be in use.
func (c *commits) failed(id int, cause error) error {
	f := c.file
	newest := id
	err := f.view(nil, func(s *fileState) error {
		newest = s.ID()
		return nil
	})
	return c.unwritten(c.broken || err != nil || newest >= id, cause)
}

// unwritten is the error of a transaction that could not be written; unknown says that the state of the disk is not known.
func (c *commits) unwritten(unknown bool, cause error) error {
	e := &engine.Error{Op: -1, Message: "file " + c.file.path + " could not be written", Cause: cause}
	if unknown {
		e.Applied, c.broken = engine.Unknown, true
	}
	return e
}
