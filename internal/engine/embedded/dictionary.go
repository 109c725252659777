package embedded

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// dictionaryRoom is how many names a dictionary takes. Further names are written out in each record, so that a table whose names are data does
// not grow an endless list.
const dictionaryRoom = 4096

// dictionary numbers the names of a table's properties, from 1. A number is never given to another
// name, so a reader may use a dictionary that is newer than what it reads.
type dictionary struct {
	names atomic.Pointer[[]string] // by number - 1; appended to, never changed

	mu      sync.RWMutex
	ids     map[string]uint64
	written int // names that are in the file; only the leader of commits touches it
}

func newDictionary(names []string) *dictionary {
	d := &dictionary{ids: make(map[string]uint64, len(names)), written: len(names)}
	d.names.Store(&names)
	for i, name := range names {
		d.ids[name] = uint64(i + 1)
	}
	return d
}

// id gives the number of a name, a new one if need be; 0 when the dictionary is full.
func (d *dictionary) id(name string) uint64 {
	d.mu.RLock()
	id := d.ids[name]
	d.mu.RUnlock()
	if id != 0 {
		return id
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if id := d.ids[name]; id != 0 {
		return id
	}
	names := *d.names.Load()
	if len(names) >= dictionaryRoom {
		return 0
	}
	names = append(names, name)
	d.names.Store(&names)
	d.ids[name] = uint64(len(names))
	return uint64(len(names))
}

// write puts the names that the file does not have into the bucket and says how many there are now.
func (d *dictionary) write(tx *fileTx, bucket []byte) (int, error) {
	names := *d.names.Load()
	for i := d.written; i < len(names); i++ {
		number := binary.BigEndian.AppendUint32(nil, uint32(i+1))
		if err := tx.put(bucket, number, seal(number, []byte(names[i]))); err != nil {
			return 0, err
		}
	}
	return len(names), nil
}

// readDictionary reads what write has written.
func readDictionary(b *fileBucket) (*dictionary, error) {
	names := []string{}
	walk := b.Cursor()
	for k, v := walk.First(); k != nil; k, v = walk.Next() {
		name, ok := unseal(k, v)
		if !ok || len(k) != 4 || binary.BigEndian.Uint32(k) != uint32(len(names)+1) {
			return nil, errRecordName
		}
		names = append(names, string(name))
	}
	return newDictionary(names), nil
}
