package embedded

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// commits gathers the changes that wait while one is being written, and writes them with one fsync. There is
// no goroutine for it: whoever gets the lead writes for all who wait, so a lone writer hands over to nobody.
type commits struct {
	file *File
	lead chan struct{} // holds a token while somebody leads

	mu      sync.Mutex
	waiting []*change

	// Of the leader:
	clock  clock
	broken bool   // no more writing
	notes  []byte // room for those of a transaction
	crowd  int    // changes that were written or waiting when the last group was done
	clean  bool   // no change has been applied in the transaction under way
	owner  uint64 // of what is pending of the last transaction
	enough int    // octets of what is pending from which it is merged
	stuck  bool   // a damaged page keeps what is pending from being merged
	slow   bool   // the last merge failed: the next one is waited for
}

// mostTogether bounds how much is written, and may fail, together.
const mostTogether = 1024

// change is something to be done in a write transaction.
type change struct {
	// apply does it. refused: the change alone fails, and has left no trace in tx. err: the transaction
	// cannot go on.
	apply  func(tx *fileTx, version uint64, now int64) (refused, err error)
	whole  bool // it changes buckets, so it goes to the pages
	soon   bool // it need not be on disk before what is written next is
	octets int  // about how many it writes
	// applied is called once the change stands, before it is acknowledged; may be nil.
	applied func()

	taken bool // under commits.mu
	err   error
	done  chan struct{}
}

func (c *commits) init(f *File) {
	c.file, c.lead, c.enough = f, make(chan struct{}, 1), mostPending
}

// do waits until a change is on disk or has failed. When ctx ends first, the change is withdrawn; once it
// has been taken, its outcome is waited for, so that none is reported failed that stands.
func (c *commits) do(ctx context.Context, ch *change) error {
	if err := c.mayWrite(); err != nil {
		return err
	}
	ch.done = make(chan struct{})
	c.mu.Lock()
	c.waiting = append(c.waiting, ch)
	c.mu.Unlock()
	select {
	case c.lead <- struct{}{}:
		select {
		case <-ch.done: // by the leader before
		default:
			c.write()
		}
		<-c.lead
		return ch.err
	case <-ch.done:
		return ch.err
	case <-ctx.Done():
		if c.withdraw(ch) {
			return ctx.Err()
		}
		<-ch.done
		return ch.err
	}
}

// withdraw takes a change out of the queue; false when a leader has it already.
func (c *commits) withdraw(ch *change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch.taken {
		return false
	}
	for i, other := range c.waiting {
		if other == ch {
			c.waiting = append(c.waiting[:i], c.waiting[i+1:]...)
			break
		}
	}
	return true
}

// write writes what waits. The caller has the lead.
func (c *commits) write() {
	c.gather()
	for more := true; more; {
		c.mu.Lock()
		group := c.waiting[:min(len(c.waiting), mostTogether)]
		c.waiting = append([]*change(nil), c.waiting[len(group):]...)
		for _, ch := range group {
			ch.taken = true
		}
		more = len(c.waiting) > 0
		c.mu.Unlock()
		if len(group) > 0 {
			c.writeGroup(group)
		}
		c.crowd = len(group) + c.queued()
	}
}

// gather lets the writers of the last group, which have just been told of their outcome, come back with
// what they write next: otherwise there would be two crowds, each waiting for the other's fsync.
func (c *commits) gather() {
	for turn := 0; turn < 8 && c.queued() < c.crowd; turn++ {
		runtime.Gosched()
	}
}

func (c *commits) queued() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// writeGroup writes a group in one transaction and tells each of its outcome.
func (c *commits) writeGroup(group []*change) {
	if err := c.transact(group); err != nil {
		for _, ch := range group {
			if ch.err == nil {
				own := *atOp(err, -1) // each caller may do with its error what it likes
				ch.err = &own
			}
		}
	}
	for _, ch := range group {
		if ch.err == nil && ch.applied != nil {
			ch.applied()
		}
		close(ch.done)
	}
}

// transact applies a group and commits it. An error is that of all changes that have none of their own.
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

// note has a group in the log, and pending. Not done, it is to go to the pages: where there is no log, or it changes buckets, or is
// large.
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

// mergeSome has what is pending merged once that is enough: beside the commits that follow, which have their own in the log. When that
// has ended, or where these are faster, what is left is merged, and the log begins anew.
func (c *commits) mergeSome() error {
	f := c.file
	if f.log == nil {
		return nil
	}
	noted, full := f.pending.Load().noted, f.log.at > logEnough
	switch {
	case full:
	case f.merging == nil && (c.stuck || noted <= c.enough):
		return nil
	case f.merging == nil && !c.slow:
		return c.notStuck(f.mergeBeside())
	case f.merging != nil && noted <= 2*c.enough && !f.merging.hasEnded():
		return nil
	}
	if err := c.notStuck(f.merge()); err != nil || c.stuck && !full {
		return err
	}
	if err := f.checkpoint(); err != nil {
		c.broken = true
		return c.unwritten(false, err)
	}
	return nil
}

// notStuck is the error of a merge, if it is not that of a damaged page: until the log is full, what goes there stays pending.
func (c *commits) notStuck(err error) error {
	c.slow = err != nil
	if c.stuck = isCorrupt(err); err == nil || c.stuck && c.file.log.at <= logEnough {
		return nil
	}
	return errFile(c.file.path, err)
}

// applied is what came of applying a group.
type applied struct {
	accepted, octets int
	written          map[*dictionary]int // how many names they have then
}

// apply applies a group in the transaction that has a number.
func (c *commits) apply(tx *fileTx, group []*change, number int) (a applied, err error) {
	f := c.file
	// Versions rise from one transaction to the next, as its number does, and within one.
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
		err = useBodies(tx)
	}
	if err != nil {
		return a, errFile(f.path, err)
	}
	return a, nil
}

// applied notes that a transaction stands.
func (c *commits) applied(tx *fileTx, a applied) {
	c.file.written += int64(len(tx.notes))
	if cap(tx.notes) <= logMost {
		c.notes = tx.notes[:0]
	}
	for d, n := range a.written {
		d.written = n
	}
}

// commit makes sure of a transaction, which writes about so many octets. Where nobody waits for it, that may come with the next one.
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

// commitLogged commits a transaction to the file. Where that fails, or bbolt panics over a damaged page, its record in the log, if it has
// one there, does not count, and what that has carried waits for the next one.
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

// commitWithout makes sure of a transaction in the file itself.
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

// mayWrite refuses what writes to a file that was opened for reading.
func (c *commits) mayWrite() error {
	if c.file.readOnly {
		return engine.Errorf(engine.CodeReadOnly, "file %s is open for reading only", c.file.path)
	}
	return nil
}

// canWrite says why a file can no longer be written. The caller has the lead.
func (c *commits) canWrite() error {
	switch f := c.file; {
	case f.closed.Load():
		return errClosed()
	case c.broken:
		return engine.Errorf(engine.CodeOther, "file %s could not be written earlier: close the database and open it again", f.path)
	default:
		return f.inPlace()
	}
}

// failed finds out what became of a transaction that could not be committed. The page that makes it count is
// written last. Without it nothing has happened; but if readers see it, and only the fsync failed, nobody
// knows what is on disk, and what bbolt believes to be free pages may be in use.
func (c *commits) failed(id int, cause error) error {
	f := c.file
	newest := id
	err := f.view(nil, func(s *fileState) error {
		newest = s.ID()
		return nil
	})
	return c.unwritten(c.broken || err != nil || newest >= id, cause)
}

// unwritten is the error of a transaction that could not be written; unknown says that nobody knows what is on disk.
func (c *commits) unwritten(unknown bool, cause error) error {
	e := &engine.Error{Op: -1, Message: "file " + c.file.path + " could not be written", Cause: cause}
	if unknown {
		e.Applied, c.broken = engine.Unknown, true
	}
	return e
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

// stop fails what waits, and leaves the file with its list of free pages. The caller has marked the file as closed.
func (c *commits) stop() {
	c.lead <- struct{}{}
	c.write()
	f := c.file
	if f.merging != nil {
		<-f.merging.done
	}
	switch {
	case f.readOnly:
	case c.broken || f.endLog() != nil:
		if f.log != nil { // opening the file makes its changes again
			f.log.close()
		}
	default:
		f.shrink()
		f.keepFreelist()
	}
	<-c.lead
}
