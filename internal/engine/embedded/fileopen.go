package embedded

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// openFiles are the paths that this process has open: the system's lock does not tell which process holds it.
var openFiles struct {
	sync.Mutex
	paths map[string]bool
}

// lockTimeout is how long to wait for another process that has the file open.
const lockTimeout = 200 * time.Millisecond

// OpenFile opens a file, and creates it if there is none (unless ReadOnly). It fails with engine.CodeLocked if the file is in use, and with
// engine.CodeCorrupt if it is not such a file or is damaged.
func OpenFile(path string, o FileOptions) (engine.Engine, error) {
	resolved, err := ResolvePath(path)
	if err != nil {
		return nil, errFile(path, err)
	}
	if o.ReadOnly {
		if err := closeLeft(path, resolved); err != nil {
			return nil, err
		}
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

	f := &File{limits: o.limits(), path: path, resolved: resolved, readOnly: o.ReadOnly, reserve: o.Reserve, settled: func() error { return nil }}
	if err := f.open(o); err != nil {
		if f.log != nil {
			f.log.close() // bbolt waits for the transaction that the log holds
		}
		if db := f.db.Load(); db != nil {
			f.settled()
			db.Close()
		}
		if f.left != nil {
			f.left.file.Close()
		}
		f.release()
		return nil, err
	}
	return f, nil
}

// closeLeft properly closes a file that was left open, so that it can be read by itself.
func closeLeft(path, resolved string) error {
	for _, name := range []string{resolved, resolved + logSuffix} {
		if _, err := os.Stat(name); err != nil {
			return nil
		}
	}
	e, err := OpenFile(path, FileOptions{})
	if err != nil {
		return err
	}
	return e.(*File).closeWhole()
}

// closeWhole closes a file that will be read without its log.
func (f *File) closeWhole() error {
	if err := f.Close(); err != nil {
		return err
	}
	if f.log != nil {
		return f.damaged(nil, errPage)
	}
	return nil
}

// ResolvePath gives a path one spelling, whether or not the file exists yet.
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
	defer f.guard(nil, &err)
	info, missing := os.Stat(f.path)
	if missing != nil && o.ReadOnly {
		return errFile(f.path, missing)
	}
	if missing == nil && !info.Mode().IsRegular() {
		return errFile(f.path, errIrregular)
	}
	var opened *os.File
	defer func() {
		if f.db.Load() == nil && opened != nil {
			unlock(opened) // if bbolt panics, it leaves both
			opened.Close()
		}
	}()
	var size int64
	if missing == nil {
		size = info.Size()
	}
	db, mapped, err := openMapped(f.path, o, size, &opened, f.goBack)
	if err == nil && (!o.ReadOnly && f.left == nil && f.hasLog() || f.replaced(opened)) { // another process has ended, or compacted it, since
		db.Close()
		return f.open(o)
	}
	if err != nil {
		if missing == nil && isStump(info) && opened != nil && !errors.Is(err, berrors.ErrTimeout) {
			err = errCutOff
		}
		return errFile(f.path, err)
	}
	f.db.Store(db)
	f.pending.Store(&pending{})
	f.appended = map[string]appended{}
	f.commits.init(f)
	f.opened, f.noSync, f.mapped = opened, o.NoSync, mapped
	if f.identity, err = opened.Stat(); err != nil {
		return errFile(f.path, err)
	}
	if !o.ReadOnly {
		if err := f.goOn(); err != nil {
			return errFile(f.path, err)
		}
		if _, err := metas(opened); err != nil {
			return errFile(f.path, err)
		}
		if err := f.inPlace(); err != nil {
			return err
		}
		if err := f.prepareOnce(); err != nil {
			return errFile(f.path, err)
		}
	}
	f.unnamed = missing != nil
	if err := f.load(); err != nil {
		return errFile(f.path, err)
	}
	return nil
}

// syncDirectory makes sure that a file's name is on disk, if the system can.
func syncDirectory(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
}

// openBolt opens a bbolt file with addresses to grow into; opened receives the file, and first is called before bbolt reads it.
func openBolt(path string, o FileOptions, reserve int64, opened **os.File, first func(*os.File) error) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{
		Timeout: lockTimeout, ReadOnly: o.ReadOnly, NoSync: o.NoSync,
		FreelistType: bolt.FreelistMapType, NoStatistics: true, InitialMmapSize: int(reserve),
		OpenFile: func(name string, flag int, mode os.FileMode) (file *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			*opened = file
			if err == nil && !o.ReadOnly && first != nil {
				err = first(file)
			}
			return file, err
		},
	})
	if err == nil {
		db.AllocSize = leastGrowth
	}
	return db, err
}

// isStump says whether a file is shorter than the two pages without which bbolt cannot even say what is wrong.
func isStump(info os.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() > 0 && info.Size() < 2*int64(os.Getpagesize())
}

// newSize is the length of a new file, chosen so that the first tables need not extend it.
const newSize = 64 << 10

// prepareOnce prepares a new file, and writes nothing to any other: least of all to a truncated one, where writes could hide what is missing. A
// new file is synced while the caller goes on: see settled.
func (f *File) prepareOnce() error {
	isNew := false
	err := f.db.Load().View(func(tx *bolt.Tx) error {
		if err := f.checkSize(tx); err != nil {
			return err
		}
		if err := f.checkPages(tx, checkedFirst); err != nil {
			return err
		}
		isNew = tx.Bucket(bucketFile) == nil
		return nil
	})
	if err != nil || !isNew {
		return err
	}
	db := f.db.Load()
	db.NoSync, db.NoGrowSync = true, true // there is nothing to lose yet
	err = db.Update(prepare)
	if db.NoSync, db.NoGrowSync = f.noSync, false; err != nil || f.noSync {
		return err
	}
	info, err := f.opened.Stat()
	if err == nil && info.Size() < newSize {
		err = f.opened.Truncate(newSize)
	}
	f.settled = sync.OnceValue(db.Sync)
	go f.settled()
	return err
}

// checkSize refuses a file that lacks pages: reading on would end in a fault that no program survives.
func (f *File) checkSize(tx *bolt.Tx) error {
	info, err := os.Stat(f.path)
	if err == nil && info.Size() < tx.Size() {
		err = errCutOff
	}
	return err
}

// The first of a file's pages are checked when it is opened, and more of them before the first write: checking all would take longer than
// opening a large file should, and, for a still larger one, longer than a write should.
const (
	checkedFirst = 1 << 12
	checkedMost  = 1 << 16
)

// checkPages refuses a file with a page that claims an unknown kind, or to extend beyond the file's end. A writer gives back the pages that a
// page claims to have: bbolt would spend minutes and gigabytes on pages that are not there. It checks those below a number that have not been
// checked before.
func (f *File) checkPages(tx *bolt.Tx, below int) error {
	info := tx.DB().Info()
	pages := int(tx.Size() / int64(info.PageSize))
	var ahead readAhead
	id := max(f.checked, 2) // after the two meta pages
	for id < min(pages, below) {
		ahead.at(info.Data + uintptr(id*info.PageSize))
		page, err := tx.Page(id)
		if err != nil || page == nil {
			return err
		}
		switch page.Type {
		case "free":
			id++
			continue
		case "leaf", "branch", "freelist":
		default:
			return errPages
		}
		if id += 1 + page.OverflowCount; id > pages {
			return errPages
		}
	}
	f.checked = max(id, below)
	return nil
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
	if err := putFormat(b); err != nil {
		return err
	}
	_, err = tx.CreateBucket(bucketTables)
	return err
}

// load reads the definitions of tables.
func (f *File) load() error {
	s, err := f.begin()
	if err != nil {
		return err
	}
	defer s.Rollback()
	if err := f.checkSize(s.Tx); err != nil {
		return err
	}
	file, list := s.Bucket(bucketFile), s.Bucket(bucketTables)
	if file == nil || list == nil {
		return errForeign
	}
	if err := f.checkFormat(file); err != nil {
		return err
	}
	if f.base, err = readBase(file); err != nil {
		return err
	}
	tables := fileTables{}
	walk := list.Cursor()
	for k, v := walk.First(); k != nil; k, v = walk.Next() {
		e, _, err := readEntry(k, v)
		if err != nil {
			return err
		}
		t := newFileTable(e.name, binary.BigEndian.Uint64(e.id), nil)
		names := s.Bucket(t.naming)
		if names == nil || s.Bucket(t.entities) == nil {
			return errTables
		}
		if t.dict, err = readDictionary(names); err != nil {
			return err
		}
		tables[string(k)] = t
	}
	f.tables.Store(&tables)
	return nil
}

// readBase gives the number above which versions begin.
func readBase(file getter) (uint64, error) {
	v := file.Get(keyBase)
	if v == nil {
		return 0, nil
	}
	b, ok := unseal(keyBase, v)
	if !ok || len(b) != 8 {
		return 0, errTables
	}
	return binary.BigEndian.Uint64(b), nil
}

// raiseBase raises the base.
func raiseBase(tx *fileTx, by uint64) error {
	base, err := readBase(tx.Bucket(bucketFile))
	if err != nil {
		return err
	}
	return tx.put(bucketFile, keyBase, seal(keyBase, binary.BigEndian.AppendUint64(nil, base+by)))
}
