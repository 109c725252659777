package catalog

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// presence tells other processes that this one uses the definitions of a shared store. While this process runs statements it has a
// member, which it writes before it reads the version. A process that changes the definitions after that thus finds the member, and
// waits until it says that no statement uses older ones.
//
// Definitions are trusted for a lease from the last write of the member. So the wait need take two leases at most: one for
// the trust, one for requests that are under way.
type presence struct {
	used    atomic.Int64  // when a statement last asked for definitions, in Unix nanoseconds
	refused atomic.Bool   // the store allows this process only to read: no other process waits for it
	moved   chan struct{} // tells the keeper that there are newer definitions
	ending  context.Context
	end     context.CancelFunc

	// Catalog.refresh guards the fields below.
	self   member
	sent   time.Time // when the member was last written; zero: there is none
	denied time.Time // when the store last refused to write it
	keeper bool      // the keeper is running
}

func (p *presence) open(lease time.Duration) {
	p.self = member{id: rand.Text(), lease: lease}
	p.moved = make(chan struct{}, 1)
	p.ending, p.end = context.WithCancel(context.Background())
}

// Unannounced says that other processes do not know of this one: they change definitions without waiting for it.
func (c *Catalog) Unannounced() bool { return c.presence.refused.Load() }

// announce writes the member, unless that was done a moment ago. It may be written twice: after a lost answer announce tries
// again, if the store answers at all. The caller holds refresh.
func (c *Catalog) announce(ctx context.Context, anyway bool) error {
	err := c.announceOnce(ctx, anyway)
	if engine.IsUnsure(err) {
		if err := c.Ping(ctx); err != nil {
			return err
		}
		err = c.announceOnce(ctx, true)
	}
	return err
}

func (c *Catalog) announceOnce(ctx context.Context, anyway bool) error {
	p := &c.presence
	if !c.engine.Shared() || !anyway && time.Since(p.sent) < c.lease/3 || p.refused.Load() && time.Since(p.denied) < deniedFor {
		return nil
	}
	now := time.Now() // before the request: the lease must not outlive what other processes know
	err := c.commitMember(ctx, p.self.op(engine.Upsert))
	switch {
	case engine.Is(err, engine.CodeNoTable):
		return nil // nothing is defined yet
	case isDenied(err):
		p.denied = now
		return err
	case err != nil:
		return err
	}
	p.refused.Store(false)
	p.sent = now
	if !p.keeper && c.lease >= tooShort {
		p.keeper = true
		go c.keep()
	}
	return nil
}

// deniedFor is how long a process that may not announce itself waits before trying again.
const deniedFor = time.Minute

func isDenied(err error) bool {
	return engine.Is(err, engine.CodeReadOnly, engine.CodeAuth)
}

// The keeper wakes in time to renew the lease. After a change of definitions it wakes more often for a while, because a change
// often takes several steps. A lease too short for the keeper is renewed by statements alone, and other processes wait for its end.
const (
	lingers  = 2 // leases without a statement after which the process leaves
	alert    = 2 // leases after a change in which the keeper wakes often
	tooShort = time.Second
)

// keep renews the member and the definitions while statements run, and says when no statement uses older ones any more.
func (c *Catalog) keep() {
	p := &c.presence
	var alertUntil time.Time
	for {
		pause := c.lease * 2 / 3
		if time.Now().Before(alertUntil) {
			pause = c.lease / 20
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-p.moved:
			timer.Stop()
		case <-p.ending.Done():
			timer.Stop()
			return
		}
		if c.leftIdle() {
			return
		}
		if c.acknowledge() {
			alertUntil = time.Now().Add(alert * c.lease)
		}
	}
}

// leftIdle deletes the member if no statement has run for a while.
func (c *Catalog) leftIdle() bool {
	p := &c.presence
	unused := func() bool {
		return time.Since(time.Unix(0, p.used.Load())) > lingers*c.lease && c.writers.idle() && c.readers.idle()
	}
	if !unused() {
		return false
	}
	release, err := c.refresh.take(p.ending)
	if err != nil {
		return true
	}
	defer release()
	c.current.Store(nil) // before it is asked again: a statement that begins now announces the process itself
	if !unused() {
		return false
	}
	c.leave(p.ending)
	return true
}

// leave deletes the member. The next statement announces the process again. The caller holds refresh and has dropped the
// definitions.
func (c *Catalog) leave(ctx context.Context) {
	p := &c.presence
	p.keeper = false
	if p.sent.IsZero() {
		return
	}
	p.sent = time.Time{}
	ctx, cancel := context.WithTimeout(ctx, c.lease)
	defer cancel()
	_ = c.commitMember(ctx, p.self.op(engine.Delete)) // else it ages
}

// acknowledge renews the lease. If definitions were changed it waits for the statements that use older ones, and then tells
// other processes. After a failure the next statement renews the lease itself.
func (c *Catalog) acknowledge() (changed bool) {
	p := &c.presence
	ctx, cancel := context.WithTimeout(p.ending, 3*c.lease)
	defer cancel()
	if c.writeMember(ctx, 0) != nil {
		return false
	}
	if _, err := c.Latest(ctx); err != nil {
		return false
	}
	known := c.known.Load()
	if known <= p.self.version { // only the keeper writes it
		return false
	}
	if err := c.waitHere(ctx, 2*c.lease); err != nil {
		return true
	}
	_ = c.writeMember(ctx, known)
	return true
}

// writeMember writes the member now, with the version if that is newer than what the member says.
func (c *Catalog) writeMember(ctx context.Context, version int64) error {
	release, err := c.refresh.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if self := &c.presence.self; version > self.version {
		self.version = version
	}
	return c.announce(ctx, true)
}

// waitHere returns when the statements of this process that began before have ended, or after d.
func (c *Catalog) waitHere(ctx context.Context, d time.Duration) error {
	return waitAtMost(ctx, append(c.writers.turn(), c.readers.turn()...), d)
}

// waitKnown returns when no statement of any process uses definitions older than those known here. It gives up without an error
// after d or two of the longest lease among those processes, whichever is longer.
func (c *Catalog) waitKnown(ctx context.Context, d time.Duration) error {
	began, known := time.Now(), c.known.Load()
	if err := c.waitHere(ctx, d); err != nil {
		return err
	}
	pause := min(max(c.lease/50, time.Millisecond), 100*time.Millisecond)
	for try := 0; ; try++ {
		late, longest, err := c.late(ctx, known, try > 0)
		if err != nil || len(late) == 0 {
			return err
		}
		left := max(d, 2*longest) - time.Since(began)
		if left <= 0 {
			return nil
		}
		if try > 0 {
			if err := retry.Sleep(ctx, min(pause, left)); err != nil {
				return err
			}
		}
	}
}

// late gives the other processes that may use definitions older than known, and the longest of their leases. Without timed,
// these include processes that are gone. With timed, it first reads the store's clock, and deletes the members of processes that
// are gone.
func (c *Catalog) late(ctx context.Context, known int64, timed bool) (late []member, longest time.Duration, err error) {
	if timed {
		if err := c.writeMember(ctx, 0); err != nil {
			return nil, 0, err
		}
	}
	all, err := c.members(ctx)
	if err != nil {
		return nil, 0, err
	}
	var now int64
	for _, m := range all {
		if m.id == c.presence.self.id {
			now = m.seen
		}
	}
	for _, m := range all {
		switch {
		case m.id == c.presence.self.id || m.version >= known:
		case timed && m.gone(now):
			err := c.commitMember(ctx, m.op(engine.Delete))
			if err != nil && !engine.Is(err, engine.CodeNotFound) {
				return nil, 0, err
			}
		default:
			late, longest = append(late, m), max(longest, m.lease)
		}
	}
	return late, longest, nil
}
