package embedded

import (
	"bytes"

	bolt "go.etcd.io/bbolt"
)

// pending is the changes that the log has and bbolt's pages do not have yet. Most commits only go to the log and to this tree; pages are written
// for many of them at once (merge), since a commit of bbolt writes all pages from the root to each entity. Readers see the pages with what is
// pending above them. A published pending is never changed.
type pending struct {
	changes tree[[]byte] // by bucket and key; nil in it: deleted
	base    int          // the transaction above whose pages they belong; a merge may have made some in the pages already
	groups  int          // in how many transactions they were made
	octets  int          // about how many octets merging them writes
	noted   int          // of the log's octets
	series  uint64       // rises with all that is written
}

// mostPending is how much is merged at once; as much may come meanwhile.
const mostPending = 4 << 20

// fileState is the file at one moment.
type fileState struct {
	*bolt.Tx
	changes *tree[[]byte] // above its pages
	series  uint64
}

// begin begins to read the file as it is now.
func (f *File) begin() (fileState, error) {
	for {
		p := f.pending.Load()
		tx, err := f.transaction(false)
		if err != nil {
			return fileState{}, err
		}
		// The pages may have received more than p meanwhile, for which p would show an earlier state.
		if p.groups == 0 || tx.ID() == p.base || f.pending.Load() == p {
			return fileState{tx, &p.changes, p.series}, nil
		}
		tx.Rollback()
	}
}

// pages is the state of a transaction with nothing above it.
func pages(tx *bolt.Tx) fileState { return fileState{Tx: tx, changes: new(tree[[]byte])} }

// wrote notes that the pages were written, and have everything. The caller has the lead.
func (f *File) wrote() {
	p := f.pending.Load()
	f.base += p.passed()
	clear(f.appended)
	f.pending.Store(&pending{series: p.series + 1})
}

// number is the number of the last transaction in the pages, for a moment whose transaction of the pages is id.
func (p *pending) number(id int) int {
	if p.groups == 0 {
		return id
	}
	return p.base
}

// mergeInto makes the changes in the pages, except those of one table's entities.
func (p *pending) mergeInto(changed *bolt.Tx, but *fileTable) (err error) {
	tx := &fileTx{fileState: pages(changed)}
	var w treeWalk[[]byte]
	for w.Seek(&p.changes, ""); w.More(); w.Skip(1) {
		name, key := cutPending(w.Key())
		if but != nil && (bytes.Equal(name, but.entities) || bytes.Equal(name, but.bodies)) {
			continue
		}
		if record := *w.Value(); record == nil {
			err = tx.delete(name, key)
		} else {
			err = tx.put(name, key, record)
		}
		if err != nil {
			return err
		}
	}
	if passed := p.passed(); passed > 0 {
		return raiseBase(tx, passed)
	}
	return nil
}

// passed is how far versions must advance when what is pending becomes one transaction: each part was one, and versions go by transaction
// numbers.
func (p *pending) passed() uint64 { return uint64(max(p.groups-1, 0)) << 16 }

// A key of pending is the length and name of the bucket, then the key within the bucket.
func appendPending(dst, bucket, key []byte) []byte {
	return append(append(append(dst, byte(len(bucket))), bucket...), key...)
}

func cutPending(s string) (bucket, key []byte) {
	b := []byte(s)
	n := 1 + int(b[0])
	return b[1:n:n], b[n:]
}

// fileBucket is a bucket at one moment.
type fileBucket struct {
	pages   *bolt.Bucket // nil: all of it is pending
	name    []byte
	changes *tree[[]byte]
}

// Bucket finds a bucket; nil if there is none.
func (s *fileState) Bucket(name []byte) *fileBucket {
	b := &fileBucket{s.Tx.Bucket(name), name, s.changes}
	if b.pages != nil {
		return b
	}
	if s.changes.root != nil {
		var w treeWalk[[]byte]
		if w.Seek(s.changes, string(appendPending(nil, name, nil))); w.More() {
			if of, _ := cutPending(w.Key()); bytes.Equal(of, name) {
				return b
			}
		}
	}
	return nil
}

// Get finds the value of a key; nil if there is none.
func (b *fileBucket) Get(key []byte) []byte {
	if record, changed := b.changed(key); changed || b.pages == nil {
		return record
	}
	return b.pages.Get(key)
}

// changed gives the pending record of a key; a nil record means that the key was deleted.
func (b *fileBucket) changed(key []byte) (record []byte, changed bool) {
	if b.changes.root == nil {
		return nil, false
	}
	var room [160]byte
	if record := b.changes.Get(view(appendPending(room[:0], b.name, key))); record != nil {
		return *record, true
	}
	return nil, false
}

// Cursor gives a walk through the bucket in the order of its keys.
func (b *fileBucket) Cursor() *fileWalk {
	w := &fileWalk{}
	if b.pages != nil {
		w.pages = b.pages.Cursor()
	}
	if b.changes.root != nil {
		w.changes, w.prefix = b.changes, appendPending(nil, b.name, nil)
	}
	return w
}

// fileWalk walks the pages of a bucket, and what is pending above them.
type fileWalk struct {
	pages       *bolt.Cursor // nil: there are none
	key, record []byte       // where it is in the pages
	ahead       *readAhead   // of the pages; nil: none
	changes     *tree[[]byte]
	walk        treeWalk[[]byte]
	prefix      []byte
	pending     []byte // the key where walk is; nil: there is none
	both        bool   // what was given last is both pending and in the pages
	above       bool   // it is pending
}

// First gives the first key and its value.
func (w *fileWalk) First() (key, record []byte) { return w.Seek(nil) }

// Seek gives the first key that is not below from, and its value.
func (w *fileWalk) Seek(from []byte) (key, record []byte) {
	if w.pages != nil {
		w.inPages(w.pages.Seek(from))
	}
	if w.changes == nil {
		return w.key, w.record
	}
	w.walk.Seek(w.changes, string(append(w.prefix[:len(w.prefix):len(w.prefix)], from...)))
	w.settle()
	return w.least()
}

// Next gives the key after that, and its value.
func (w *fileWalk) Next() (key, record []byte) {
	if w.pending == nil && !w.above {
		if w.pages != nil && w.key != nil {
			w.inPages(w.pages.Next())
		}
		return w.key, w.record
	}
	w.skip()
	return w.least()
}

// inPages sets where the walk is in the pages.
func (w *fileWalk) inPages(key, record []byte) {
	w.key, w.record = key, record
	w.ahead.atKey(key)
}

// skip moves past what was given last.
func (w *fileWalk) skip() {
	if w.pages != nil && (w.both || !w.above) {
		w.inPages(w.pages.Next())
	}
	if w.above {
		w.walk.Skip(1)
		w.settle()
	}
}

// settle finds out where walk is.
func (w *fileWalk) settle() {
	w.pending = nil
	if w.walk.More() {
		if key := w.walk.Key(); len(key) >= len(w.prefix) && key[:len(w.prefix)] == string(w.prefix) {
			w.pending = []byte(key[len(w.prefix):])
		}
	}
}

// least gives the lesser of the two keys here, leaving out deleted ones.
func (w *fileWalk) least() (key, record []byte) {
	for {
		w.above, w.both = false, false
		if w.pending == nil {
			return w.key, w.record
		}
		order := -1
		if w.key != nil {
			order = bytes.Compare(w.pending, w.key)
		}
		if order > 0 {
			return w.key, w.record
		}
		w.above, w.both = true, order == 0
		if record := *w.walk.Value(); record != nil {
			return w.pending, record
		}
		w.skip()
	}
}
