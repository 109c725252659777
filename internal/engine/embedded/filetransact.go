package embedded

import (
	"bytes"
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Transact implements engine.Transactor: all commits are one change of the file.
func (f *File) Transact(ctx context.Context, t engine.Transaction) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed.Load() {
		return errClosed()
	}
	if err := f.limits.CheckTransaction(&t); err != nil {
		return err
	}
	t.CountRequests(f.limits)
	all := &fileTransaction{file: f, commits: make([]fileCommit, len(t.Commits)), transaction: &t}
	if len(t.Reads) > 0 {
		all.since = t.Since.(*fileMoment)
	}
	operations, octets := 0, 0
	for i := range all.commits {
		p := &all.commits[i]
		p.file, p.commit = f, &t.Commits[i]
		if p.table = f.table(p.commit.Table); p.table == nil {
			return errNoTable(p.commit.Table)
		}
		p.encode()
		operations += len(p.commit.Ops)
		octets += p.octets
	}
	if err := f.commits.do(ctx, &change{apply: all.apply, octets: octets}); err != nil {
		return err
	}
	if t.Meter != nil {
		t.Meter.Written.Add(int64(operations))
	}
	return nil
}

// Snapshots implements engine.Transactor.
func (f *File) Snapshots() bool { return true }

// fileTransaction is several commits that form one change.
type fileTransaction struct {
	file        *File
	commits     []fileCommit
	transaction *engine.Transaction
	since       *fileMoment
}

func (t *fileTransaction) apply(tx *fileTx, version uint64, now int64) (refused, err error) {
	if refused, err := t.hold(tx); refused != nil || err != nil {
		return refused, err
	}
	before := 0
	for i := range t.commits {
		if refused, err := t.commits[i].check(tx); refused != nil || err != nil {
			return engine.Further(refused, before), err
		}
		before += len(t.commits[i].commit.Ops)
	}
	for i := range t.transaction.Requires {
		if refused := t.meets(tx, &t.transaction.Requires[i]); refused != nil {
			return refused, nil
		}
	}
	for i := range t.commits {
		if err := t.commits[i].put(tx, version, now); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// meets refuses a transaction that will not meet a requirement. Nothing is written yet, because a refused change must leave no trace.
func (t *fileTransaction) meets(tx *fileTx, q *engine.Requirement) error {
	table := t.file.table(q.Table)
	if table == nil {
		return errNoTable(q.Table)
	}
	b := tx.Bucket(table.entities)
	if b == nil {
		return errNoTable(q.Table) // deleted meanwhile
	}
	there, deleted := q.Own(t.transaction.Commits)
	from, to := rangeOf(&engine.Scan{PartitionKey: q.PartitionKey, From: q.From, To: q.To})
	c := b.Cursor()
	for key, _ := c.Seek(from); !there && key != nil && bytes.Compare(key, to) < 0; key, _ = c.Next() {
		_, rowKey, _ := bytes.Cut(key, []byte{0})
		there = !deleted[string(rowKey)]
	}
	if there != q.Any {
		return q.Unmet()
	}
	return nil
}

// hold refuses the transaction if a range no longer holds what it held.
func (t *fileTransaction) hold(tx *fileTx) (refused, err error) {
	for i := range t.transaction.Reads {
		s := &t.transaction.Reads[i]
		was, is := t.since.tables.named(s.Table), t.file.table(s.Table)
		if was == nil || is != was {
			if was == is {
				continue
			}
			return engine.StaleRead(s.Table, s.PartitionKey, s.From), nil
		}
		err := t.since.view(was, func(old *fileState) error {
			if t.file.commits.clean && old.series == tx.series {
				return nil // nothing was written since
			}
			before, after := was.in(old), is.in(&tx.fileState)
			if before.entities == nil || after.entities == nil {
				return engine.StaleRead(s.Table, s.PartitionKey, s.From)
			}
			return compareRange(was.dict, s, before, after)
		})
		if e, ok := err.(*engine.Error); ok && e.Code != engine.CodeCorrupt {
			return e, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// compareRange refuses a range whose contents have changed. Entities that its filter lets through neither before nor now do not matter.
func compareRange(d *dictionary, s *engine.Scan, was, is tableIn) error {
	from, to := rangeOf(s)
	before, after := was.entities.Cursor(), is.entities.Cursor()
	inside := func(key, record []byte) ([]byte, []byte) {
		if key == nil || len(to) > 0 && bytes.Compare(key, to) >= 0 {
			return nil, nil
		}
		return key, record
	}
	key, old := inside(before.Seek(from))
	keyNow, now := inside(after.Seek(from))
	var reader *recordReader
	for key != nil || keyNow != nil {
		at, a, b := key, old, now
		order := bytes.Compare(key, keyNow)
		switch {
		case keyNow == nil || key != nil && order < 0:
			b = nil
			key, old = inside(before.Next())
		case key == nil || order > 0:
			at, a = keyNow, nil
			keyNow, now = inside(after.Next())
		default:
			key, old = inside(before.Next())
			keyNow, now = inside(after.Next())
		}
		if sameRecord(a, b) {
			continue
		}
		if reader == nil {
			reader = newRecordReader(d, nil, s.Filter)
		}
		for i, record := range [2][]byte{a, b} {
			if record == nil {
				continue
			}
			if err := reader.read([2]tableIn{was, is}[i], at, record); err != nil {
				return err
			}
			partitionKey, rowKey, _ := bytes.Cut(at, []byte{0})
			if reader.bound.Match(view(partitionKey), view(rowKey), reader.ticks, reader.values) {
				return engine.StaleRead(s.Table, string(partitionKey), string(rowKey))
			}
		}
	}
	return nil
}

// sameRecord says whether two records of one key come from the same write; either may be nil. No two commits have the same version.
func sameRecord(a, b []byte) bool {
	var was, is recordHead
	return was.parse(a) == nil && is.parse(b) == nil && was.version == is.version
}
