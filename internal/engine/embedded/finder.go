package embedded

import (
	"bytes"

	bolt "go.etcd.io/bbolt"
)

// finder looks up one key of a bucket after the other, of which many lie behind each other: a row's body is often behind that of the
// row before, where both are read by an index.
type finder struct {
	bucket      *fileBucket
	pages       *bolt.Cursor // nil before the first
	key, record []byte       // where it is
	astray      int          // how often in a row the next key was not the one sought
	ahead       *readAhead
}

// mostAstray is how often a finder looks in vain whether the next key is the one sought.
const mostAstray = 4

// Get is fileBucket.Get.
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
