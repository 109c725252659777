package embedded

import (
	"errors"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// bbolt reads a file through a memory map. When the file outgrows the map, the writer waits for all readers, and new readers wait for the
// writer. So a file gets addresses to grow into, which take neither memory nor disk. If there are too few of them (in a 32-bit process, under a
// limit, or on Windows, where bbolt makes the file as long as its map), rows that are kept open end with an error when a writer would have to
// wait for them.
const (
	mostReserved = 64 << 30
	growReserved = 4 // times the file, if that is more
	patience     = 100 * time.Millisecond
	octetsAtOp   = 24 << 10 // the pages from the root to an entity

	leastGrowth, mostGrowth = 32 << 10, 16 << 20 // by how much a file is made longer at once
)

// reserved is how many octets of addresses to ask for, for a file of a size.
func reserved(size int64) int64 {
	if math.MaxInt == math.MaxInt32 || runtime.GOOS == "windows" {
		return 0
	}
	return max(mostReserved, growReserved*size)
}

// openMapped opens a bbolt file of a size with as many addresses to grow into as are available, and says how many it got.
func openMapped(path string, o FileOptions, size int64, opened **os.File, first func(*os.File) error) (*bolt.DB, int64, error) {
	reserve := max(o.Reserve, 0)
	if o.Reserve == 0 && !o.ReadOnly {
		reserve = reserved(size)
	}
	for {
		db, err := openBolt(path, o, reserve, opened, first)
		if err == nil || reserve == 0 || !errors.Is(err, syscall.ENOMEM) {
			return db, mapped(max(reserve, size)), err
		}
		reserve /= 4
	}
}

// mapped is how long bbolt's map is for a size: see its DB.mmapSize.
func mapped(size int64) int64 {
	const least, step = 32 << 10, 1 << 30
	for n := int64(least); n <= step; n *= 2 {
		if size <= n {
			return n
		}
	}
	return (size + step - 1) / step * step
}

// fits says whether a commit of about so many octets leaves the file within its map.
func (f *File) fits(tx *bolt.Tx, octets int) bool { return tx.Size()+int64(octets)+1<<20 < f.mapped }

// grow prepares a commit of about so many octets, and gives a function to call afterwards. The caller has the lead.
func (f *File) grow(tx *bolt.Tx, octets int) (done func()) {
	tx.DB().AllocSize = int(min(max(tx.Size(), leastGrowth), mostGrowth))
	if f.fits(tx, octets) {
		return func() {}
	}
	stuck := time.AfterFunc(patience, func() { f.moments.end(errOutgrown(f.path)) })
	return func() {
		stuck.Stop()
		if info, err := f.opened.Stat(); err == nil {
			f.mapped = max(f.mapped, mapped(info.Size()))
		}
	}
}

func errOutgrown(path string) error {
	return engine.Errorf(engine.CodeStale, "the rows were kept open while file %s outgrew the addresses that the process has for it: read them faster, or again", path)
}
