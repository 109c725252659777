package embedded

import (
	"context"
	"os"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// longFreelist is the size from which the list of free pages is no longer written with each commit, since that would cost more than the commit
// itself. Close writes it; after a process that did not close the file, opening it searches all of it for free pages.
const longFreelist = 64 << 10

// shortenCommits leaves the list of free pages out of commits when it has become long. The caller has the lead.
func (f *File) shortenCommits() {
	if db := f.db.Load(); !db.NoFreelistSync {
		db.NoFreelistSync = freelistOctets(f.opened) >= longFreelist
	}
}

// keepFreelist writes the list of free pages, if commits have left it out. The caller has the lead.
func (f *File) keepFreelist() {
	db := f.db.Load()
	if !db.NoFreelistSync {
		return
	}
	db.NoFreelistSync = false
	_ = db.Update(func(*bolt.Tx) error { return nil }) // without it, opening takes longer
}

// A file of at least this size, of which at most so much is in use, is compacted when it is closed, if an eighth of it was written since it was
// opened and a third of it is free: that takes a second or two, and is rare. OPTIMIZE TABLE does it with any file.
const (
	leastShrunk, mostShrunk = 1 << 20, 256 << 20
	partWritten, partFree   = 8, 3
)

// shrink gives back the space of a file that was written and has much free space, but needs at most most. The caller has the lead; the file has
// no log, and has a list of its free pages.
func (f *File) shrink(most int64) {
	var err error
	defer careful()()
	defer f.guard(nil, &err) // a file with a damaged page stays as it is
	db := f.db.Load()
	size, used := int64(0), int64(0)
	err = db.View(func(tx *bolt.Tx) error {
		if size = tx.Size(); size < leastShrunk || size-freeOctets(f.opened) > most || f.written < size/partWritten {
			return nil
		}
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			s := b.Stats()
			used += int64(s.LeafInuse + s.BranchInuse)
			return nil
		})
	})
	if err == nil && used > 0 && size-used > size/partFree && f.inPlace() == nil {
		_ = f.compact() // without it, the file is as it was
	}
}

// inPlace says whether the open file is still the one with its name: otherwise what is written to it is lost.
func (f *File) inPlace() error {
	now, err := os.Stat(f.resolved)
	if err == nil && os.SameFile(now, f.identity) {
		return nil
	}
	return &engine.Error{Code: engine.CodeCorrupt, Op: -1, Cause: err, Message: "file " + f.path +
		" was removed or replaced while it is open; nothing is written any more: close it, and open the one that is there now"}
}

// replaced says whether another file now has the name of this one.
func (f *File) replaced(file *os.File) bool {
	now, err := os.Stat(f.resolved)
	if err != nil {
		return false
	}
	was, err := file.Stat()
	return err == nil && !os.SameFile(was, now)
}

// alone runs do while no commits happen, with everything in the pages and without a log; readers go on.
func (f *File) alone(ctx context.Context, do func() error) error {
	return f.led(ctx, func() error {
		if err := f.endLog(); err != nil {
			return err
		}
		return do()
	})
}

// led runs do while no commits happen; readers go on. At the end nothing is pending.
func (f *File) led(ctx context.Context, do func() error) (err error) {
	if err := f.commits.mayWrite(); err != nil {
		return err
	}
	select {
	case f.commits.lead <- struct{}{}:
		defer func() { <-f.commits.lead }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := f.commits.canWrite(); err != nil {
		return err
	}
	defer careful()()
	defer f.guard(nil, &err)
	if err := do(); err != nil {
		return errFile(f.path, err)
	}
	f.wrote()
	return nil
}

// Compact implements engine.Maintainer: it writes what the file holds into a new file, and puts that in its place.
func (f *File) Compact(ctx context.Context) error {
	return f.alone(ctx, f.compact)
}

func (f *File) compact() error {
	path := f.resolved + ".compact"
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	info, err := f.opened.Stat()
	if err != nil {
		return err
	}
	var opened *os.File
	fresh, mapped, err := openMapped(path, FileOptions{NoSync: true, Reserve: f.reserve}, info.Size(), &opened, nil)
	if err != nil {
		return err
	}
	moved := false
	defer func() {
		if !moved { // by an error, or a panic over a damaged page
			fresh.Close()
			os.Remove(path)
		}
	}()
	old := f.db.Load()
	const atOnce = 8 << 20
	if err := bolt.Compact(fresh, old, atOnce); err != nil {
		return err
	}
	// Transactions of the new file are numbered from the beginning, but versions must go on rising.
	var passed uint64
	if err := old.View(func(tx *bolt.Tx) error { passed = uint64(tx.ID()+1) << 16; return nil }); err != nil {
		return err
	}
	err = fresh.Update(func(tx *bolt.Tx) error { return raiseBase(&fileTx{fileState: pages(tx)}, passed) })
	if err != nil {
		return err
	}
	if err := fresh.Sync(); err != nil {
		return err
	}
	fresh.NoSync = f.noSync
	identity, err := opened.Stat()
	if err != nil {
		return err
	}
	if err := os.Rename(path, f.resolved); err != nil {
		return err
	}
	moved = true
	syncDirectory(f.resolved)
	f.base, f.opened, f.identity, f.mapped = f.base+passed, opened, identity, mapped
	f.db.Store(fresh)
	return f.moments.replaced(old)
}
