package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// Salvage implements engine.Maintainer: it puts the bucket of the table aside, and copies what is intact in it into a new one of the same name.
// So a waiting commit finds the table where it was.
//
// It is one transaction. bbolt keeps what a transaction writes in memory, so salvaging a table takes about as much memory as the table has
// octets, and no statement's budget counts that. With several transactions, a process that ended in between would leave a part of the table
// aside, and others would take the rest for the whole.
func (f *File) Salvage(ctx context.Context, table string) (lost []string, err error) {
	t := f.table(table)
	if t == nil {
		return nil, errNoTable(table)
	}
	err = f.led(ctx, func() error {
		// What is pending of the table may not be able to go into damaged pages.
		if err := f.endLog(); err != nil && !isCorrupt(err) {
			return err
		}
		p := f.pending.Load()
		tx, err := f.transaction(true)
		if err != nil {
			return err
		}
		defer tx.Rollback() // does nothing once it is committed
		if err := p.mergeInto(tx, t); err != nil {
			return err
		}
		if lost, err = t.salvage(ctx, tx, p); err != nil {
			return err
		}
		id := tx.ID()
		if err := tx.Commit(); err != nil {
			return f.commits.failed(id, err)
		}
		f.wrote()
		return f.endLog()
	})
	if err != nil {
		return nil, err
	}
	// If the pages put aside cannot even be given back, they stay.
	_ = f.alone(ctx, func() error {
		return f.db.Load().Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketAside) })
	})
	return lost, nil
}

func (t *fileTable) salvage(ctx context.Context, tx *bolt.Tx, p *pending) (lost []string, err error) {
	list := tx.Bucket(bucketTables)
	entry, listed, err := readEntry(t.fold, list.Get(t.fold))
	if err != nil {
		return nil, err
	}
	if !listed || tx.Bucket(t.entities) == nil {
		return nil, errNoTable(t.name)
	}
	from, err := t.putAside(tx, p)
	if err != nil {
		return nil, err
	}
	to, err := tx.CreateBucket(t.entities)
	if err != nil {
		return nil, err
	}
	var kept digest
	reader := newRecordReader(t.dict, nil, nil)
	found, err := eachStored(ctx, from, func(key, record []byte, wrong error) error {
		switch {
		case wrong != nil && wrong != errOrder && wrong != errAstray:
			lost = append(lost, fmt.Sprintf("entity %s: %v", showKey(key), wrong))
			return nil
		case to.Get(key) != nil:
			return nil // a page holds it twice
		}
		// Each gets a body of its own, because a shared one may be lost.
		if err := reader.read(from, key, record); err != nil {
			lost = append(lost, fmt.Sprintf("entity %s: %v", showKey(key), err))
			return nil
		}
		kept.add(key)
		key = bytes.Clone(key)
		record = appendBody(nil, key, t.dict, 0, reader.names, reader.values)
		return to.Put(key, stamp(key, record, reader.version, reader.ticks))
	})
	if err != nil {
		return nil, err
	}
	had := entry.digest
	if missing := int64(had.count - kept.count); missing > int64(len(lost)) {
		lost = append(lost, fmt.Sprintf("%d entities that were written are not found", missing-int64(len(lost))))
	}
	if len(lost) == 0 && had != found {
		lost = append(lost, "the count of the entities was wrong and is mended")
	}
	if tx.Bucket(t.bodies) != nil {
		if err := tx.DeleteBucket(t.bodies); err != nil {
			return nil, err
		}
	}
	if err := listFeatures(&fileTx{fileState: pages(tx)}); err != nil {
		return nil, err
	}
	return lost, list.Put(t.fold, sealEntry(t.fold, entry.id, kept, t.name))
}

// putAside moves the bucket of the table's entities, in a transaction that has not changed it, and gives it together with what is pending above
// it.
func (t *fileTable) putAside(tx *bolt.Tx, p *pending) (in tableIn, err error) {
	aside, err := tx.CreateBucketIfNotExists(bucketAside)
	if err != nil {
		return in, err
	}
	n, err := aside.NextSequence() // an earlier one of the same name may still exist
	if err != nil {
		return in, err
	}
	own, err := aside.CreateBucket(binary.BigEndian.AppendUint64(nil, n))
	if err != nil {
		return in, err
	}
	if err := tx.MoveBucket(t.entities, nil, own); err != nil {
		return in, err
	}
	return tableIn{
		state: &fileState{Tx: tx, changes: &p.changes}, table: t,
		entities: &fileBucket{own.Bucket(t.entities), t.entities, &p.changes},
	}, nil
}
