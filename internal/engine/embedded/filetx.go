package embedded

import (
	"bytes"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// fileTx is a transaction that changes the file's pages, or only what is pending above them, and notes its changes for the log. All changes
// except those of maintenance go through it.
type fileTx struct {
	fileState
	owner  uint64 // of the nodes of changes; 0: the pages are changed
	logged bool
	// added is File.appended
	appended map[string]appended
	bucket   []byte // of the changes noted last
	notes    []byte // nil unless logged
}

// The notes of a transaction: a letter, and texts as in records. All notes except noteBucket and noteDrop are about the bucket that was last
// named by one of these two.
const (
	noteBucket = 'b' // name; it is made if it does not exist
	noteDrop   = 'x' // name
	noteNumber = 's' // uvarint: the sequence of the bucket
	notePut    = 'p' // key, value
	noteDelete = 'd' // key
)

// to notes which bucket changes.
func (tx *fileTx) to(name []byte) {
	if string(name) != string(tx.bucket) {
		tx.bucket = append(tx.bucket[:0], name...)
		tx.note(noteBucket, name)
	}
}

// made notes which bucket changes, makes it in the pages if it does not exist, and gives it.
func (tx *fileTx) made(name []byte) (*bolt.Bucket, error) {
	tx.to(name)
	if b := tx.Tx.Bucket(name); b != nil {
		return b, nil
	}
	return tx.CreateBucket(name)
}

// change changes what is pending. A nil value means deleted.
func (tx *fileTx) change(bucket, key, value []byte) {
	tx.changes.Set(tx.owner, string(appendPending(nil, bucket, key)), &value)
}

func (tx *fileTx) note(what byte, texts ...[]byte) {
	if !tx.logged {
		return
	}
	tx.notes = append(tx.notes, what)
	for _, text := range texts {
		tx.notes = appendText(tx.notes, view(text))
	}
}

func (tx *fileTx) put(bucket, key, value []byte) error {
	tx.to(bucket)
	tx.note(notePut, key, value)
	if tx.owner != 0 {
		tx.change(bucket, key, value)
		return nil
	}
	b, err := tx.made(bucket)
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

func (tx *fileTx) delete(bucket, key []byte) error {
	tx.to(bucket)
	tx.note(noteDelete, key)
	if tx.owner != 0 {
		tx.change(bucket, key, nil)
		return nil
	}
	b, err := tx.made(bucket)
	if err != nil {
		return err
	}
	return b.Delete(key)
}

// next gives the next number of a bucket that is in the pages.
func (tx *fileTx) next(bucket []byte) (uint64, error) {
	b, err := tx.made(bucket)
	if err != nil {
		return 0, err
	}
	n, err := b.NextSequence()
	if tx.note(noteNumber); tx.logged {
		tx.notes = binary.AppendUvarint(tx.notes, n)
	}
	return n, err
}

// drop drops a bucket from the pages, if it is there.
func (tx *fileTx) drop(bucket []byte) error {
	tx.bucket = nil
	tx.note(noteDrop, bucket)
	tx.forget(bucket)
	if err := tx.DeleteBucket(bucket); err != nil && err != berrors.ErrBucketNotFound {
		return err
	}
	return nil
}

// forget forgets what is pending of a bucket.
func (tx *fileTx) forget(bucket []byte) {
	var keys []string
	var w treeWalk[[]byte]
	for w.Seek(tx.changes, string(appendPending(nil, bucket, nil))); w.More(); w.Skip(1) {
		if of, _ := cutPending(w.Key()); !bytes.Equal(of, bucket) {
			break
		}
		keys = append(keys, w.Key())
	}
	for _, key := range keys {
		tx.changes.Delete(tx.owner, key)
	}
}

// redo repeats the changes that a transaction has noted.
func (tx *fileTx) redo(notes []byte) error {
	for len(notes) > 0 {
		note := notes[0]
		if note == noteNumber {
			n, size := binary.Uvarint(notes[1:])
			if size <= 0 {
				return errLog
			}
			notes = notes[1+size:]
			b, err := tx.made(tx.bucket)
			if err == nil {
				err = b.SetSequence(n)
			}
			if err != nil {
				return err
			}
			continue
		}
		text, rest, err := readText(notes[1:])
		if err != nil {
			return errLog
		}
		value := ""
		switch key := []byte(text); note {
		case noteBucket:
			_, err = tx.made(key)
		case noteDrop:
			err = tx.drop(key)
		case noteDelete:
			err = tx.delete(tx.bucket, key)
		case notePut:
			if value, rest, err = readText(rest); err != nil {
				return errLog
			}
			err = tx.put(tx.bucket, key, []byte(value))
		default:
			return errLog
		}
		if err != nil {
			return err
		}
		notes = rest
	}
	return nil
}
