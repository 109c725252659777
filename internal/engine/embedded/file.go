package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// The buckets of a file.
//
//	nearlyfree        "format" → uint32, big endian
//	tables            folded name → id of 8 bytes, then the name as it was created
//	e + id of table   PartitionKey, a zero byte, RowKey → record. No key holds a zero byte, so these
//	                  sort by PartitionKey, then by RowKey
//	n + id of table   number of 4 bytes → name of a property (see dictionary)
var (
	bucketFile   = []byte("nearlyfree")
	bucketTables = []byte("tables")
	keyFormat    = []byte("format")
)

const fileFormat = 1

// File is a store in one bbolt file.
type File struct {
	limits   engine.Limits
	path     string // as the caller named it
	resolved string
	readOnly bool
	db       *bolt.DB
	closed   atomic.Bool
	tables   atomic.Pointer[map[string]*fileTable] // by folded name; never changed, replaced
	commits  commits
}

var _ engine.Engine = (*File)(nil)

// fileTable is a table of a file. One that is created anew under an old name has an id of its own.
type fileTable struct {
	name     string
	entities []byte // name of the bucket
	naming   []byte // name of the bucket
	dict     *dictionary
}

func newFileTable(name string, id uint64, d *dictionary) *fileTable {
	return &fileTable{
		name:     name,
		entities: binary.BigEndian.AppendUint64([]byte("e"), id),
		naming:   binary.BigEndian.AppendUint64([]byte("n"), id),
		dict:     d,
	}
}

// careful makes a fault in the file's memory map, as where the file has been cut off, a panic of this
// goroutine instead of the end of the process. It gives what to call in the end.
func careful() (restore func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// guard turns a panic of the file's library, which gives up so on pages that are damaged, into an error.
func (f *File) guard(err *error) {
	if p := recover(); p != nil {
		*err = &engine.Error{Code: engine.CodeCorrupt, Op: -1, Message: "file " + f.path + " is damaged", Cause: fmt.Errorf("%v", p)}
	}
}

// view runs fn in a short read transaction. fn must not wait for anything, least of all for a writer.
func (f *File) view(fn func(tx *bolt.Tx) error) (err error) {
	defer careful()()
	defer f.guard(&err)
	tx, err := f.db.Begin(false)
	if err != nil {
		return errFile(f.path, err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return errFile(f.path, err)
	}
	return nil
}

// table finds a table, in whatever case it is named.
func (f *File) table(name string) *fileTable {
	return (*f.tables.Load())[engine.FoldTable(name)]
}

// appendKey makes the key of an entity.
func appendKey(dst []byte, partitionKey, rowKey string) []byte {
	return append(append(append(dst, partitionKey...), 0), rowKey...)
}

// Get implements engine.Engine.
func (f *File) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	var e engine.Entity
	if err := ctx.Err(); err != nil {
		return e, err
	}
	if f.closed.Load() {
		return e, errClosed()
	}
	if err := f.limits.CheckGet(&g); err != nil {
		return e, err
	}
	if g.Meter != nil {
		g.Meter.Requests.Add(1)
	}
	t := f.table(g.Table)
	if t == nil {
		return e, errNoTable(g.Table)
	}
	err := f.view(func(tx *bolt.Tx) error {
		b := tx.Bucket(t.entities)
		if b == nil {
			return errNoTable(g.Table) // deleted meanwhile
		}
		var room [128]byte
		record := b.Get(appendKey(room[:0], g.PartitionKey, g.RowKey))
		if record == nil {
			return errNoEntity(g.Table, g.PartitionKey, g.RowKey)
		}
		r := newRecordReader(t.dict, g.Select, nil)
		if err := r.read(record); err != nil {
			return err
		}
		a := arena{size: len(record) / 2}
		a.keep(r.values)
		e = engine.Entity{
			PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: a.etag(r.version), Timestamp: r.ticks,
			Names: r.names, Values: r.values,
		}
		return nil
	})
	if err != nil {
		return engine.Entity{}, err
	}
	if g.Meter != nil {
		g.Meter.Scanned.Add(1)
		g.Meter.Returned.Add(1)
	}
	return e, nil
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

// Shared implements engine.Engine: the file is locked against every other process that would write.
func (f *File) Shared() bool { return false }

// Limits implements engine.Engine.
func (f *File) Limits() engine.Limits { return f.limits }

// Close implements engine.Engine. It waits for the commit that is being written.
func (f *File) Close() error {
	if !f.closed.CompareAndSwap(false, true) {
		return nil
	}
	f.commits.stop()
	err := f.db.Close()
	f.release()
	if err != nil {
		return errFile(f.path, err)
	}
	return nil
}
