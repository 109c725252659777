package embedded

import bolt "go.etcd.io/bbolt"

// merging is a merge of what is pending into the file's pages. It may run next to further commits: these are pending above what it merges, which
// stays pending until the merge has ended. So a reader sees the same whether it finds the merged pages or those from before.
type merging struct {
	p        *pending
	tx       *bolt.Tx
	id       int
	done     chan struct{}
	err      error // nothing was merged
	begun    bool  // to commit
	unsynced error // it was merged, but is not on disk
}

// merge writes what is pending to the file's pages. The caller has the lead.
func (f *File) merge() error {
	if err := f.endMerging(); err != nil {
		return err
	}
	if f.pending.Load().groups == 0 {
		return nil
	}
	if err := f.beginMerging(); err != nil {
		return err
	}
	f.merging.run(f, false)
	return f.endMerging()
}

// mergeBeside begins to write what is pending to the pages, and to sync them, in the background. If the file would outgrow its map, for which
// bbolt waits for readers, the merge is done at once. The caller has the lead.
func (f *File) mergeBeside() error {
	if err := f.beginMerging(); err != nil {
		return err
	}
	if m := f.merging; f.fits(m.tx, m.p.octets) {
		go m.run(f, true)
		return nil
	}
	f.merging.run(f, false)
	return f.endMerging()
}

func (f *File) beginMerging() (err error) {
	defer careful()()
	defer f.guard(nil, &err)
	tx, err := f.transaction(true)
	if err != nil {
		return err
	}
	m := &merging{p: f.pending.Load(), tx: tx, id: tx.ID(), done: make(chan struct{})}
	defer func() {
		if f.merging != m {
			tx.Rollback()
		}
	}()
	for name, added := range f.appended {
		if b := tx.Bucket([]byte(name)); b != nil {
			b.FillPercent = added.fill()
		}
	}
	clear(f.appended)
	f.shortenCommits()
	f.db.Load().NoSync = true
	f.merging = m
	return nil
}

// run merges. sure: it also syncs the pages.
func (m *merging) run(f *File, sure bool) {
	defer close(m.done)
	if m.err = m.write(f); m.err == nil && sure {
		m.unsynced = f.db.Load().Sync()
	}
}

func (m *merging) hasEnded() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

func (m *merging) write(f *File) (err error) {
	defer careful()()
	defer f.guard(nil, &err)
	defer m.tx.Rollback() // does nothing once it is committed
	if err := m.p.mergeInto(m.tx, nil); err != nil {
		return err
	}
	defer f.grow(m.tx, m.p.octets)()
	m.begun = true
	return m.tx.Commit()
}

// endMerging waits for the merge that is running, if any: what it has merged is no longer pending. The caller has the lead.
func (f *File) endMerging() error {
	m := f.merging
	if m == nil {
		return nil
	}
	<-m.done
	f.merging = nil
	switch {
	case m.err != nil && m.begun && !isCorrupt(m.err):
		return f.commits.failed(m.id, m.err)
	case m.err != nil:
		return m.err
	}
	f.base += m.p.passed()
	f.commits.owner++
	f.pending.Store(f.pending.Load().since(m.p, m.id, f.commits.owner))
	if m.unsynced != nil {
		return f.commits.unwritten(true, m.unsynced)
	}
	return nil
}

// since is what has become pending after was, whose changes the pages of transaction base have.
func (p *pending) since(was *pending, base int, owner uint64) *pending {
	next := &pending{series: p.series}
	if p.groups == was.groups {
		return next
	}
	next.base, next.groups, next.octets, next.noted = base, p.groups-was.groups, p.octets-was.octets, p.noted-was.noted
	var now, before treeWalk[[]byte]
	before.Seek(&was.changes, "")
	for now.Seek(&p.changes, ""); now.More(); now.Skip(1) {
		if before.More() && before.Key() == now.Key() {
			same := before.Value() == now.Value()
			if before.Skip(1); same {
				continue
			}
		}
		next.changes.Set(owner, now.Key(), now.Value())
	}
	return next
}

// mergeSome starts a merge once enough is pending, next to the commits that follow, whose changes the log has. When the merge has ended, or the
// commits outrun it, the rest is merged, and the log begins anew.
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

// notStuck passes on the error of a merge unless it is about a damaged page: what belongs there stays pending until the log is full.
func (c *commits) notStuck(err error) error {
	c.slow = err != nil
	if c.stuck = isCorrupt(err); err == nil || c.stuck && c.file.log.at <= logEnough {
		return nil
	}
	return errFile(c.file.path, err)
}
