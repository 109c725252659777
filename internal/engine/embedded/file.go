package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

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

// openFiles are the paths that this process has open: the system's lock does not say who holds it.
var openFiles struct {
	sync.Mutex
	paths map[string]bool
}

// OpenFile opens a file, and makes it when there is none (unless ReadOnly). It fails with
// engine.CodeLocked when the file is in use, and engine.CodeCorrupt when it is not such a file or is damaged.
func OpenFile(path string, o FileOptions) (engine.Engine, error) {
	resolved, err := ResolvePath(path)
	if err != nil {
		return nil, errFile(path, err)
	}
	openFiles.Lock()
	if openFiles.paths[resolved] {
		openFiles.Unlock()
		return nil, engine.Errorf(engine.CodeLocked, "file %s is open in this process already", path)
	}
	if openFiles.paths == nil {
		openFiles.paths = map[string]bool{}
	}
	openFiles.paths[resolved] = true
	openFiles.Unlock()

	f := &File{limits: o.limits(), path: path, resolved: resolved, readOnly: o.ReadOnly}
	if err := f.open(o); err != nil {
		if f.db != nil {
			f.db.Close()
		}
		f.release()
		return nil, err
	}
	return f, nil
}

// ResolvePath gives a path one spelling, whether or not the file is there yet.
func ResolvePath(path string) (string, error) {
	if path == "" {
		return "", errors.New("no path")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(abs)), nil
}

func (f *File) release() {
	openFiles.Lock()
	delete(openFiles.paths, f.resolved)
	openFiles.Unlock()
}

func (f *File) open(o FileOptions) (err error) {
	defer careful()()
	defer f.guard(&err)
	info, missing := os.Stat(f.path)
	if missing != nil && o.ReadOnly {
		return errFile(f.path, missing)
	}
	timeout := o.LockTimeout
	if timeout <= 0 {
		timeout = 200 * time.Millisecond
	}
	var opened *os.File
	defer func() {
		if f.db == nil && opened != nil {
			unlock(opened) // where bbolt panics, it leaves both
			opened.Close()
		}
	}()
	f.db, err = bolt.Open(f.path, 0o600, &bolt.Options{
		Timeout: timeout, ReadOnly: o.ReadOnly, NoSync: o.NoSync,
		FreelistType: bolt.FreelistMapType, NoStatistics: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			opened, err = os.OpenFile(name, flag, mode)
			return opened, err
		},
	})
	if err != nil {
		if missing == nil && isStump(info) && opened != nil && !errors.Is(err, berrors.ErrTimeout) {
			err = errCutOff
		}
		return errFile(f.path, err)
	}
	if !o.ReadOnly {
		if err := f.prepareOnce(); err != nil {
			return errFile(f.path, err)
		}
	}
	if missing != nil {
		// The file's own name is on disk only when its directory is.
		if dir, err := os.Open(filepath.Dir(f.path)); err == nil {
			dir.Sync() // not every system can
			dir.Close()
		}
	}
	if err := f.db.View(f.load); err != nil {
		return errFile(f.path, err)
	}
	f.commits.init(f)
	return nil
}

// isStump says whether a file has less than the two pages without which bbolt cannot even say what is wrong.
func isStump(info os.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() > 0 && info.Size() < 2*int64(os.Getpagesize())
}

// prepareOnce prepares a file that is new, and writes nothing to any other: least of all to one that is cut off, where
// what is written could hide what is missing.
func (f *File) prepareOnce() error {
	isNew := false
	err := f.db.View(func(tx *bolt.Tx) error {
		if err := f.checkSize(tx); err != nil {
			return err
		}
		isNew = tx.Bucket(bucketFile) == nil
		return nil
	})
	if err != nil || !isNew {
		return err
	}
	return f.db.Update(prepare)
}

// checkSize refuses a file that lacks pages: reading on would end in a fault that no program survives.
func (f *File) checkSize(tx *bolt.Tx) error {
	info, err := os.Stat(f.path)
	if err == nil && info.Size() < tx.Size() {
		err = errCutOff
	}
	return err
}

// prepare makes the buckets of a new file.
func prepare(tx *bolt.Tx) error {
	if k, _ := tx.Cursor().First(); k != nil {
		return errForeign
	}
	b, err := tx.CreateBucket(bucketFile)
	if err != nil {
		return err
	}
	if err := b.Put(keyFormat, binary.BigEndian.AppendUint32(nil, fileFormat)); err != nil {
		return err
	}
	_, err = tx.CreateBucket(bucketTables)
	return err
}

var (
	errForeign = errors.New("the file belongs to another program")
	errFormat  = errors.New("the file's format is not known to this version")
	errCutOff  = errors.New("the file is shorter than it says")
	errTables  = errors.New("the list of tables is damaged")
)

// load reads the definitions of tables.
func (f *File) load(tx *bolt.Tx) error {
	if err := f.checkSize(tx); err != nil {
		return err
	}
	file, list := tx.Bucket(bucketFile), tx.Bucket(bucketTables)
	if file == nil || list == nil {
		return errForeign
	}
	if v := file.Get(keyFormat); len(v) != 4 || binary.BigEndian.Uint32(v) != fileFormat {
		return errFormat
	}
	tables := map[string]*fileTable{}
	err := list.ForEach(func(k, v []byte) error {
		if len(v) < 8 {
			return errTables
		}
		t := newFileTable(string(v[8:]), binary.BigEndian.Uint64(v), nil)
		names := tx.Bucket(t.naming)
		if names == nil || tx.Bucket(t.entities) == nil {
			return errTables
		}
		var err error
		t.dict, err = readDictionary(names)
		tables[string(k)] = t
		return err
	})
	f.tables.Store(&tables)
	return err
}

// errFile says what is wrong with a file, in the contract's terms.
func errFile(path string, err error) error {
	var done *engine.Error
	if errors.As(err, &done) {
		return err
	}
	var system *fs.PathError
	if errors.As(err, &system) && system.Path == path {
		err = system.Err // the path is in the message
	}
	code, message := engine.CodeOther, "file "+path
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return engine.Errorf(engine.CodeLocked, "file %s is in use by another process", path)
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return errClosed()
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch),
		errors.Is(err, errForeign), errors.Is(err, errFormat), errors.Is(err, errCutOff), errors.Is(err, errTables),
		errors.Is(err, errRecordShort), errors.Is(err, errRecordFormat), errors.Is(err, errRecordType), errors.Is(err, errRecordName):
		code, message = engine.CodeCorrupt, "file "+path+" cannot be read"
	}
	return &engine.Error{Code: code, Op: -1, Message: message, Cause: err}
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
