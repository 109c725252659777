package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"runtime"
	"sync"

	bolt "go.etcd.io/bbolt"

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
	broken bool // no more writing
	crowd  int  // changes that were written or waiting when the last group was done
}

// mostTogether bounds how much is written, and may fail, together.
const mostTogether = 1024

// change is something to be done in a write transaction.
type change struct {
	// apply does it. refused: the change alone fails, and has left no trace in tx. err: the transaction
	// cannot go on.
	apply func(tx *bolt.Tx, version uint64, now int64) (refused, err error)
	// applied is called once the change is on disk, before it is acknowledged; may be nil.
	applied func()

	taken bool // under commits.mu
	err   error
	done  chan struct{}
}

func (c *commits) init(f *File) {
	c.file, c.lead = f, make(chan struct{}, 1)
}

// do waits until a change is on disk or has failed. When ctx ends first, the change is withdrawn; once it
// has been taken, its outcome is waited for, so that none is reported failed that stands.
func (c *commits) do(ctx context.Context, ch *change) error {
	if c.file.readOnly {
		return engine.Errorf(engine.CodeReadOnly, "file %s is open for reading only", c.file.path)
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
	if f.closed.Load() {
		return errClosed()
	}
	if c.broken {
		return engine.Errorf(engine.CodeOther, "file %s could not be written before: open it anew", f.path)
	}
	defer careful()()
	defer f.guard(&err)
	tx, err := f.db.Begin(true)
	if err != nil {
		return errFile(f.path, err)
	}
	defer tx.Rollback() // does nothing once it is committed

	// Versions rise from one transaction to the next, as its number does, and within one.
	version, now := uint64(tx.ID())<<16, c.clock.ticks()
	accepted := 0
	for _, ch := range group {
		version++
		var err error
		if ch.err, err = ch.apply(tx, version, now); err != nil {
			return errFile(f.path, err)
		}
		if ch.err == nil {
			accepted++
		}
	}
	if accepted == 0 {
		return nil
	}
	written, err := c.writeNames(tx)
	if err != nil {
		return errFile(f.path, err)
	}
	id := tx.ID()
	if err := tx.Commit(); err != nil {
		return c.failed(id, err)
	}
	for d, n := range written {
		d.written = n
	}
	return nil
}

// failed finds out what became of a transaction that could not be committed. The page that makes it count is
// written last. Without it nothing has happened; but if readers see it, and only the fsync failed, nobody
// knows what is on disk, and what bbolt believes to be free pages may be in use.
func (c *commits) failed(id int, cause error) error {
	f := c.file
	e := &engine.Error{Op: -1, Message: "file " + f.path + " could not be written", Cause: cause}
	newest := id
	err := f.view(func(tx *bolt.Tx) error {
		newest = tx.ID()
		return nil
	})
	if err != nil || newest >= id {
		e.Applied, c.broken = engine.Unknown, true
	}
	return e
}

// writeNames writes the names that the dictionaries got since the last transaction.
func (c *commits) writeNames(tx *bolt.Tx) (map[*dictionary]int, error) {
	var written map[*dictionary]int
	for _, t := range *c.file.tables.Load() {
		if len(*t.dict.names.Load()) == t.dict.written {
			continue
		}
		b := tx.Bucket(t.naming)
		if b == nil {
			continue // deleted in this very transaction
		}
		n, err := t.dict.write(b)
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

// stop fails what waits. The caller has marked the file as closed.
func (c *commits) stop() {
	c.lead <- struct{}{}
	c.write()
	<-c.lead
}

// Commit implements engine.Engine. When it returns nil, the commit is on disk.
func (f *File) Commit(ctx context.Context, c engine.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed.Load() {
		return errClosed()
	}
	if err := f.limits.CheckCommit(&c); err != nil {
		return err
	}
	if c.Meter != nil && !f.readOnly {
		c.Meter.Requests.Add(1)
	}
	t := f.table(c.Table)
	if t == nil {
		return errNoTable(c.Table)
	}
	p := &fileCommit{file: f, table: t, commit: &c}
	p.encode()
	if err := f.commits.do(ctx, &change{apply: p.apply}); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

// fileCommit is a commit with its records encoded, so that the leader has little to do.
type fileCommit struct {
	file    *File
	table   *fileTable
	commit  *engine.Commit
	keys    [][]byte
	records [][]byte // nil: delete
}

func (p *fileCommit) encode() {
	ops := p.commit.Ops
	p.keys, p.records = make([][]byte, len(ops)), make([][]byte, len(ops))
	for i := range ops {
		op := &ops[i]
		p.keys[i] = appendKey(make([]byte, 0, len(p.commit.PartitionKey)+1+len(op.Entity.RowKey)), p.commit.PartitionKey, op.Entity.RowKey)
		if op.Kind != engine.Delete && op.Kind != engine.Merge {
			p.records[i] = appendRecord(nil, p.table.dict, op.Entity.Names, op.Entity.Values)
		}
	}
}

func (p *fileCommit) apply(tx *bolt.Tx, version uint64, now int64) (refused, err error) {
	b := tx.Bucket(p.table.entities)
	if b == nil {
		return errNoTable(p.commit.Table), nil // deleted meanwhile
	}
	if refused, err := p.check(b); refused != nil || err != nil {
		return refused, err
	}
	for i, key := range p.keys {
		if p.records[i] == nil {
			err = b.Delete(key)
		} else {
			stamp(p.records[i], version, now)
			err = b.Put(key, p.records[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// check checks every operation's condition, and makes the records of merges.
func (p *fileCommit) check(b *bolt.Bucket) (refused, err error) {
	for i := range p.commit.Ops {
		op := &p.commit.Ops[i]
		if op.Kind == engine.Upsert {
			continue
		}
		old := b.Get(p.keys[i])
		var room [24]byte
		etag := room[:0]
		if old != nil {
			version, _, _, err := readHeader(old)
			if err != nil {
				return nil, err
			}
			etag = appendETag(etag, version)
		}
		if err := refusal(p.commit, i, old != nil, view(etag)); err != nil {
			return err, nil
		}
		if op.Kind == engine.Merge {
			if refused, err := p.merge(i, old); refused != nil || err != nil {
				return refused, err
			}
		}
	}
	return nil, nil
}

func (p *fileCommit) merge(i int, old []byte) (refused, err error) {
	e := &p.commit.Ops[i].Entity
	r := newRecordReader(p.table.dict, nil, nil)
	if err := r.read(old); err != nil {
		return nil, err
	}
	whole := engine.Entity{PartitionKey: p.commit.PartitionKey, RowKey: e.RowKey}
	whole.Names, whole.Values = engine.Overlay(r.names, r.values, e.Names, e.Values)
	if err := p.file.limits.CheckEntity(&whole); err != nil {
		return atOp(err, i), nil
	}
	p.records[i] = appendRecord(nil, p.table.dict, whole.Names, whole.Values)
	return nil, nil
}

// CreateTable implements engine.Engine.
func (f *File) CreateTable(ctx context.Context, table string, m *engine.Meter) error {
	var t *fileTable
	fold := engine.FoldTable(table)
	return f.define(ctx, table, m, &change{
		apply: func(tx *bolt.Tx, _ uint64, _ int64) (refused, err error) {
			list := tx.Bucket(bucketTables)
			if v := list.Get([]byte(fold)); v != nil {
				return engine.Errorf(engine.CodeExists, "table %q is there already", v[8:]), nil
			}
			id, err := list.NextSequence()
			if err != nil {
				return nil, err
			}
			t = newFileTable(table, id, newDictionary(nil))
			if _, err := tx.CreateBucket(t.entities); err != nil {
				return nil, err
			}
			if _, err := tx.CreateBucket(t.naming); err != nil {
				return nil, err
			}
			return nil, list.Put([]byte(fold), append(bytes.Clone(t.entities[1:]), table...))
		},
		applied: func() { f.publish(func(tables map[string]*fileTable) { tables[fold] = t }) },
	})
}

// DeleteTable implements engine.Engine.
func (f *File) DeleteTable(ctx context.Context, table string, m *engine.Meter) error {
	fold := engine.FoldTable(table)
	return f.define(ctx, table, m, &change{
		apply: func(tx *bolt.Tx, _ uint64, _ int64) (refused, err error) {
			list := tx.Bucket(bucketTables)
			v := list.Get([]byte(fold))
			if v == nil {
				return errNoTable(table), nil
			}
			t := newFileTable("", binary.BigEndian.Uint64(v), nil)
			if err := tx.DeleteBucket(t.entities); err != nil {
				return nil, err
			}
			if err := tx.DeleteBucket(t.naming); err != nil {
				return nil, err
			}
			return nil, list.Delete([]byte(fold))
		},
		applied: func() { f.publish(func(tables map[string]*fileTable) { delete(tables, fold) }) },
	})
}

func (f *File) define(ctx context.Context, table string, m *engine.Meter, ch *change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed.Load() {
		return errClosed()
	}
	if err := f.limits.CheckTable(table); err != nil {
		return err
	}
	if m != nil && !f.readOnly {
		m.Requests.Add(1)
	}
	return f.commits.do(ctx, ch)
}

// publish replaces the list of tables by a changed copy. The caller leads.
func (f *File) publish(change func(map[string]*fileTable)) {
	tables := maps.Clone(*f.tables.Load())
	change(tables)
	f.tables.Store(&tables)
}
