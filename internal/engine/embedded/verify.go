package embedded

import (
	"bytes"
	"context"
	"fmt"
	"unsafe"
)

// Verify implements engine.Maintainer.
func (f *File) Verify(ctx context.Context, table string) (faults []string, err error) {
	t := f.table(table)
	if t == nil {
		return nil, errNoTable(table)
	}
	// One transaction sees one moment, and a writer that must grow the map waits for it. So the read is short, and reports on its own moment.
	err = f.view(t, func(s *fileState) error {
		entry, listed, err := readEntry(t.fold, s.Bucket(bucketTables).Get(t.fold))
		if err != nil {
			return err
		}
		if !listed || s.Bucket(t.entities) == nil {
			return errNoTable(table)
		}
		found, err := eachStored(ctx, t.in(s), func(key, _ []byte, wrong error) error {
			if wrong != nil {
				faults = append(faults, fmt.Sprintf("entity %s: %v", showKey(key), wrong))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if counted, found, err := t.in(s).sharers(ctx); err != nil {
			return err
		} else if counted != found {
			faults = append(faults, fmt.Sprintf("%d entities share bodies of others, but the bodies count %d", found, counted))
		}
		if want := entry.digest; found != want {
			faults = append(faults, fmt.Sprintf("%d entities are found, but %d, or other ones, were written", found.count, want.count))
		}
		return nil
	})
	return faults, err
}

// eachStored walks the entities of a table, says what is wrong with each, and gives the digest of all.
func eachStored(ctx context.Context, in tableIn, do func(key, record []byte, wrong error) error) (digest, error) {
	var found digest
	var last []byte
	var owner []byte
	cursor := in.entities.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if found.count%walkAtOnce == 0 && ctx.Err() != nil {
			return found, ctx.Err()
		}
		h, wrong := readHead(key, record)
		if wrong == nil && h.reference() {
			if owner, wrong = h.appendOwner(owner[:0], key); wrong == nil {
				_, wrong = in.body(owner, h.version)
			}
		}
		if sought := in.entities.Get(key); wrong == nil && (len(sought) != len(record) || unsafe.SliceData(sought) != unsafe.SliceData(record)) {
			wrong = errAstray
		}
		if wrong == nil && found.count > 0 && bytes.Compare(last, key) >= 0 {
			wrong = errOrder
		}
		found.add(key)
		last = append(last[:0], key...)
		if err := do(key, record, wrong); err != nil {
			return found, err
		}
	}
	return found, nil
}

// showKey shows a key that may be damaged.
func showKey(key []byte) string {
	partitionKey, rowKey, _ := bytes.Cut(key, []byte{0})
	return fmt.Sprintf("%.100q, %.100q", partitionKey, rowKey)
}
