package embedded

import (
	"bytes"

	bolt "go.etcd.io/bbolt"
)

// finder looks up a series of keys of a bucket, many of which are next to each other: when rows are read by an index, a row's body often follows
// the body of the row before.
type finder struct {
	bucket      *fileBucket
	pages       *bolt.Cursor // nil before the first
	key, record []byte       // where it is
	astray      int          // how often in a row the next key was not the one sought
	ahead       *readAhead
}

// mostAstray is how many times in a row a finder checks in vain whether the next key is the one sought.
const mostAstray = 4

// Get does what fileBucket.Get does.
func (f *finder) Get(key []byte) []byte {
	if record, changed := f.bucket.changed(key); changed || f.bucket.pages == nil {
		return record
	}
	if f.pages == nil {
		f.pages = f.bucket.pages.Cursor()
	} else if order := bytes.Compare(key, f.key); order == 0 {
		return f.record
	} else if order > 0 && f.key != nil && f.astray < mostAstray {
		f.found(f.pages.Next())
		if bytes.Equal(f.key, key) {
			f.astray = 0
			return f.record
		}
		f.astray++
	}
	f.found(f.pages.Seek(key))
	if bytes.Equal(f.key, key) {
		return f.record
	}
	return nil
}

func (f *finder) found(key, record []byte) {
	f.key, f.record = key, record
	f.ahead.atKey(key)
}
