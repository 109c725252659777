package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// The buckets of a file.
//
//	nearlyfree        "format" → uint32, big endian; "to read", "to write" → features; all sealed (fileformat.go)
//	                  "id" → 16 random octets, sealed
//	                  "base" → uint64, big endian, sealed: versions begin above it (see Compact)
//	tables            folded name → id of 8 bytes, digest of 16, and the name as it was created, sealed (see seal)
//	e + id of table   PartitionKey, a zero byte, RowKey → record. No key holds a zero byte, so these
//	                  sort by PartitionKey, then by RowKey
//	b + id of table   keys and versions → bodies that were put aside (see body.go)
//	aside             what Salvage has put aside, until it is deleted
//	n + id of table   number of 4 bytes → name of a property, sealed (see dictionary)
var (
	bucketFile   = []byte("nearlyfree")
	bucketTables = []byte("tables")
	bucketAside  = []byte("aside")
	keyBase      = []byte("base")
)

// File is a store in one bbolt file.
type File struct {
	limits   engine.Limits
	path     string // as the caller named it
	resolved string
	readOnly bool
	db       atomic.Pointer[bolt.DB]
	opened   *os.File    // of db
	identity os.FileInfo // of opened
	base     uint64      // versions are above it; of the leader of commits
	noSync   bool
	unnamed  bool         // the file is new, and its name perhaps not on disk yet
	settled  func() error // waits until the pages that a new file begins with are on disk
	log      *fileLog     // of the leader of commits; nil: all of the file is on disk
	left     *leftLog     // while it is opened
	mapped   int64        // octets of addresses that db has; of the leader of commits
	reserve  int64        // of FileOptions
	folder   string       // with the file, to be removed with it; "": none
	checked  int          // the pages below; of the leader
	closed   atomic.Bool
	tables   atomic.Pointer[fileTables]
	written  int64 // octets noted of changes so far; of the leader
	pending  atomic.Pointer[pending]
	appended map[string]appended // by bucket, of what is pending and not being merged; of the leader
	merging  *merging            // of the leader; nil: nothing is being merged
	commits  commits
	moments  moments
}

var (
	_ engine.Transactor = (*File)(nil)
	_ engine.Maintainer = (*File)(nil)
)

// fileTables are tables by their folded names. A map is never changed, only replaced.
type fileTables map[string]*fileTable

// named finds a table, in whatever case it is named.
func (t fileTables) named(name string) *fileTable { return t[engine.FoldTable(name)] }

// fileTable is a table of a file. A table that is created again under an old name has an id of its own.
type fileTable struct {
	name     string
	fold     []byte // key in the list of tables
	entities []byte // name of the bucket
	naming   []byte // name of the bucket
	bodies   []byte // name of the bucket; most often there is none
	dict     *dictionary
}

func newFileTable(name string, id uint64, d *dictionary) *fileTable {
	return &fileTable{
		name:     name,
		fold:     []byte(engine.FoldTable(name)),
		entities: binary.BigEndian.AppendUint64([]byte("e"), id),
		naming:   binary.BigEndian.AppendUint64([]byte("n"), id),
		bodies:   binary.BigEndian.AppendUint64([]byte("b"), id),
		dict:     d,
	}
}

// careful turns a fault in the file's memory map, as when the file has been cut off, into a panic of this goroutine instead of the end of the
// process. It gives a function to call at the end.
func careful() (restore func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// guard turns a panic of bbolt, its reaction to damaged pages, into an error. t may be nil.
func (f *File) guard(t *fileTable, err *error) {
	if p := recover(); p != nil {
		*err = f.damaged(t, errPage)
	}
}

var errPage = errors.New("a page of the file is damaged")

// damaged is the error of a file in which something is not as it was written.
func (f *File) damaged(t *fileTable, cause error) error {
	where := ""
	if t != nil {
		where = ", table " + t.name
	}
	return &engine.Error{Code: engine.CodeCorrupt, Op: -1, Cause: cause, Message: "file " + f.path + where +
		" is damaged: restore it from a backup. Or keep what is left: CHECK TABLE says what is damaged, and REPAIR TABLE gives that up"}
}

// view runs fn, which reads t, in a read transaction of its own.
func (f *File) view(t *fileTable, fn func(s *fileState) error) (err error) {
	defer careful()()
	defer f.guard(t, &err)
	s, err := f.begin()
	if err != nil {
		return errFile(f.path, err)
	}
	defer s.Rollback()
	return f.reading(t, fn(&s))
}

// reading is the error of reading t, in the contract's terms.
func (f *File) reading(t *fileTable, err error) error {
	switch {
	case err == nil:
		return nil
	case isDamage(err):
		return f.damaged(t, err)
	default:
		return errFile(f.path, err)
	}
}

// transaction begins a transaction on the pages of the file as it is now: Compact may replace the file by another. A writer must have the lead.
func (f *File) transaction(writing bool) (*bolt.Tx, error) {
	if writing && f.checked < checkedMost {
		if err := f.db.Load().View(func(tx *bolt.Tx) error { return f.checkPages(tx, checkedMost) }); err != nil {
			return nil, f.damaged(nil, err)
		}
	}
	for {
		db := f.db.Load()
		tx, err := db.Begin(writing)
		if errors.Is(err, berrors.ErrDatabaseNotOpen) && f.db.Load() != db {
			continue
		}
		return tx, err
	}
}

// table finds a table, in whatever case it is named.
func (f *File) table(name string) *fileTable { return f.tables.Load().named(name) }

// appendKey makes the key of an entity.
func appendKey(dst []byte, partitionKey, rowKey string) []byte {
	return append(append(append(dst, partitionKey...), 0), rowKey...)
}

// Tables implements engine.Engine.
func (f *File) Tables(ctx context.Context, prefix string, meter *engine.Meter) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.closed.Load() {
		return nil, errClosed()
	}
	var names []string
	fold := engine.FoldTable(prefix)
	for key, t := range *f.tables.Load() {
		if strings.HasPrefix(key, fold) {
			names = append(names, t.name)
		}
	}
	return sortedPage(names, f.limits, meter), nil
}

// Shared implements engine.Engine: the file is locked against all other processes that would write.
func (f *File) Shared() bool { return false }

// Limits implements engine.Engine.
func (f *File) Limits() engine.Limits { return f.limits }

// Close implements engine.Engine. It waits for the commit that is being written.
func (f *File) Close() error {
	if !f.closed.CompareAndSwap(false, true) {
		return nil
	}
	f.commits.stop()
	f.moments.end(errClosed())
	err := errors.Join(f.settled(), f.db.Load().Close())
	f.release()
	if f.folder != "" {
		os.RemoveAll(f.folder)
	}
	if err != nil {
		return errFile(f.path, err)
	}
	return nil
}
