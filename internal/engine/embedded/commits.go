package embedded

import (
	"context"
	"runtime"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// commits gathers the changes that wait while one is being written, and writes them with one fsync. It needs no goroutine: the caller that takes
// the lead writes for all that wait, so a lone writer never hands over.
type commits struct {
	file *File
	lead chan struct{} // holds a token while a caller leads

	mu      sync.Mutex
	waiting []*change

	// Of the leader:
	clock  clock
	broken bool   // no more writing
	notes  []byte // memory for a transaction's notes
	crowd  int    // changes that were written or waiting when the last group was done
	clean  bool   // no change has been applied in the transaction under way
	owner  uint64 // of the pending changes of the last transaction
	enough int    // octets of pending changes that cause a merge
	stuck  bool   // a damaged page keeps what is pending from being merged
	slow   bool   // the last merge failed: the next is waited for
}

// mostTogether bounds how much is written, and may fail, together.
const mostTogether = 1024

// change is one thing to do in a write transaction.
type change struct {
	// apply does it. refused: the change alone fails, and has left no trace in tx. err: the transaction
	// cannot go on.
	apply  func(tx *fileTx, version uint64, now int64) (refused, err error)
	whole  bool // it changes buckets, so it goes to the pages
	soon   bool // it need not be on disk before the next write is
	octets int  // about how many it writes
	// applied is called once the change is committed, before it is acknowledged; may be nil.
	applied func()

	taken bool // under commits.mu
	err   error
	done  chan struct{}
}

func (c *commits) init(f *File) {
	c.file, c.lead, c.enough = f, make(chan struct{}, 1), mostPending
}

// do waits until a change is on disk or has failed. If ctx ends first, the change is withdrawn; once it has been taken, its outcome is waited
// for, so that no committed change is reported as failed.
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
		case <-ch.done: // by the previous leader
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

// withdraw takes a change out of the queue; false if a leader has it already.
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

// gather lets the writers of the last group, which have just been told their outcome, come back with their next change: otherwise there would be
// two crowds, each waiting for the other's fsync.
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

// writeGroup writes a group in one transaction and tells each change its outcome.
func (c *commits) writeGroup(group []*change) {
	if err := c.transact(group); err != nil {
		for _, ch := range group {
			if ch.err == nil {
				own := *atOp(err, -1) // each caller may modify its own error
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

// mayWrite refuses writes to a file that was opened for reading.
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
	}
	if err := c.file.settled(); err != nil {
		c.broken = true
		return c.unwritten(false, err)
	}
	return c.file.inPlace()
}

// stop fails what waits, and leaves the file with its list of free pages. The caller has marked the file as closed.
func (c *commits) stop() {
	c.lead <- struct{}{}
	c.write()
	f := c.file
	if f.settled() != nil {
		c.broken = true
	}
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
		f.keepFreelist()
		f.shrink(mostShrunk)
	}
	<-c.lead
}
