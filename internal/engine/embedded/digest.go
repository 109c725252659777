package embedded

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
)

// digest is what a table should hold: how many entities, and the sum of the hashes of their keys (FNV-1a of 64 bits), which does not depend on
// their order. Each commit updates it, and Verify compares it with what is there.
type digest struct {
	count uint64
	sum   uint64
}

func (d *digest) add(key []byte) {
	d.count++
	d.sum += hashKey(key)
}

func (d *digest) remove(key []byte) {
	d.count--
	d.sum -= hashKey(key)
}

func hashKey(key []byte) uint64 {
	h := fnv.New64a()
	h.Write(key)
	return h.Sum64()
}

// A table's entry in the list of tables, sealed: its id, its digest, and its name as it was created.
const (
	entryID   = 8
	entryHead = entryID + 16
)

// tableEntry is an entry of the list of tables, decoded.
type tableEntry struct {
	id     []byte
	digest digest
	name   string
}

func sealEntry(fold, id []byte, d digest, name string) []byte {
	b := append(make([]byte, 0, entryHead+len(name)), id...)
	b = binary.BigEndian.AppendUint64(b, d.count)
	b = binary.BigEndian.AppendUint64(b, d.sum)
	return seal(fold, append(b, name...))
}

// readEntry reads an entry; found is false if there is none.
func readEntry(fold, sealed []byte) (e tableEntry, found bool, err error) {
	if sealed == nil {
		return e, false, nil
	}
	b, ok := unseal(fold, sealed)
	if !ok || len(b) < entryHead {
		return e, false, errTables
	}
	e.id, e.name = bytes.Clone(b[:entryID]), string(b[entryHead:])
	e.digest = digest{binary.BigEndian.Uint64(b[entryID:]), binary.BigEndian.Uint64(b[entryID+8:])}
	return e, true, nil
}

// keepDigest writes how a commit has changed a table's digest.
func (t *fileTable) keepDigest(tx *fileTx, change digest) error {
	if change == (digest{}) {
		return nil
	}
	e, found, err := readEntry(t.fold, tx.Bucket(bucketTables).Get(t.fold))
	if err != nil || !found {
		return errTables
	}
	d := digest{e.digest.count + change.count, e.digest.sum + change.sum}
	return tx.put(bucketTables, t.fold, sealEntry(t.fold, e.id, d, e.name))
}

// seal puts a checksum of a key and its value in front of the value.
func seal(key, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(value)), checksum(key, value)), value...)
}

// unseal gives what seal was given; ok is false if it has changed since.
func unseal(key, sealed []byte) (value []byte, ok bool) {
	if len(sealed) < 4 {
		return nil, false
	}
	value = sealed[4:]
	return value, binary.BigEndian.Uint32(sealed) == checksum(key, value)
}
