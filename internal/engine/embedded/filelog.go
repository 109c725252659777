package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// While a file is open for writing, its commits are in a log next to it, each on disk with one fsync. They are pending (pending.go) until they
// are merged into the file's pages. bbolt writes these without an fsync, so the system may write them at any time and in any order. From time to
// time all of them are synced, and the log begins anew (checkpoint); closing the file does so, too, and removes the log.
//
// If the process or the system ends before, opening the file goes back to the last checkpoint and repeats the changes in the log. The pages of
// that state are all there: bbolt reuses no page that an open read transaction can see, and the log keeps one open (held). Only its meta page
// may be overwritten, so the log has a copy.
//
//	2 heads of 512 octets, of which the valid one with the greater number counts:
//	  8 octets  magic
//	  8 octets  number, big endian; the first is random, so that no record of another log is ever taken for one of this
//	  4 octets  checksum of the page of the root bucket, with the id of the file: says that the log belongs to it
//	  64 octets meta, as bbolt has written it
//	  4 octets  checksum of all before
//	records, from octet 4096 on, each:
//	  4 octets  length
//	  4 octets  checksum of number, place and notes
//	  notes of a transaction (fileTx)
//
// An incomplete record, or one whose checksum differs, marks the end.
type fileLog struct {
	file   *os.File
	path   string
	number uint64
	at     int64 // where the next record goes
	room   int64 // how long the file is
	held   *bolt.Tx
	named  func() // waits until the names of the log and of a new file are on disk
	checks int    // checkpoints so far
	begun  bool   // a head is on disk
	// carried are the notes of transactions that no caller waits for, to go into the next record: without that record, what the pages have of
	// them does not count.
	carried []byte
}

const (
	logMagic   = "nf log 1"
	logHead    = 512
	logRecords = 4096
	logMeta    = 8 + 8 + 4
	logSum     = logMeta + metaOctets

	logEnough   = 16 << 20 // octets of records that cause a checkpoint
	logMost     = 4 << 20  // octets of a transaction that is synced to the file directly instead
	logGrown    = 8 << 20  // octets by which the file may grow, or an eighth of it: pages are reused after a checkpoint
	logLeast    = 64 << 10
	logGrowth   = 1 << 20
	logSuffix   = ".log"
	logRecord   = 4 + 4
	logAnothers = "the log of commits beside it is that of another file"
)

var (
	errLog = errors.New("the log of commits beside it is damaged: restore both from a backup. Or remove the log, whose name ends in " + logSuffix +
		": the file may then lack the last commits, and CHECK TABLE says what of it is damaged")
	errOtherLog = errors.New(logAnothers + ": if that is gone for good, remove the log, whose name ends in " + logSuffix)
)

// startLog begins the log of a file that is completely on disk. The caller has the lead.
func (f *File) startLog() (err error) {
	path := f.resolved + logSuffix
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	l := &fileLog{file: file, path: path, number: rand.Uint64() >> 1, room: logLeast}
	if _, err = file.WriteAt(make([]byte, logLeast), 0); err == nil {
		err = l.begin(f)
	}
	if err != nil {
		l.close()
		os.Remove(path)
		return err
	}
	l.named = sync.OnceFunc(func() { syncDirectory(path) })
	go l.named() // in parallel with the first record
	f.log, f.unnamed = l, false
	return nil
}

// begin writes the head for the file as it is, and keeps that state. It is on disk with the first record.
func (l *fileLog) begin(f *File) error {
	m, err := metas(f.opened)
	if err != nil {
		return err
	}
	sum, err := m.rootSum(f.opened)
	if err != nil {
		return err
	}
	held, err := f.transaction(false)
	if err != nil {
		return err
	}
	l.number++
	head := append(make([]byte, 0, logHead), logMagic...)
	head = binary.BigEndian.AppendUint64(head, l.number)
	head = append(binary.BigEndian.AppendUint32(head, sum), m.octets[:]...)
	head = binary.BigEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	if _, err := l.file.WriteAt(head, int64(l.number%2)*logHead); err != nil {
		held.Rollback()
		return err
	}
	if l.held != nil {
		l.held.Rollback()
	}
	l.at, l.held, l.carried = logRecords, held, nil
	return nil
}

// keepsLog says whether commits go to a log.
func (f *File) keepsLog() bool { return keepsLogs && !f.noSync }

// withLog says whether there is a log, and begins one if need be; there is none if no other file can be made. The caller has the lead.
func (f *File) withLog() bool { return f.log != nil || f.startLog() == nil }

// readyLog makes room in the log for a transaction that changes the pages, or leaves the file without a log. The caller has the lead.
func (f *File) readyLog(tx *bolt.Tx) error {
	if f.log == nil {
		f.withLog()
		return nil
	}
	was := f.log.held.Size()
	if f.log.at > logEnough || tx.Size()-was > max(logGrown, was/8) {
		return f.checkpoint()
	}
	return nil
}

// append writes a record, and returns when it is on disk. If it fails, nothing of the record counts; if sure is false, even that is unknown.
func (l *fileLog) append(notes []byte) (sure bool, err error) {
	if len(l.carried) > 0 {
		notes = slices.Concat(l.carried, notes)
	}
	if end := l.at + logRecord + int64(len(notes)); end > l.room {
		room := end + max(logLeast, min(l.room, logGrowth))
		if _, err := l.file.WriteAt(make([]byte, room-l.room), l.room); err != nil {
			return true, err
		}
		l.room = room
	}
	if _, err := l.file.WriteAt(l.record(notes), l.at); err != nil {
		return l.takeBack() == nil, err
	}
	if err := l.sync(); err != nil {
		return false, err
	}
	l.at += logRecord + int64(len(notes))
	l.carried, l.begun = nil, true
	return true, nil
}

// mayCarry says whether the notes of a transaction that no caller waits for may wait for the next record. Before a head is on disk, its pages
// would be taken for those of the last checkpoint.
func (l *fileLog) mayCarry(notes []byte) bool {
	return l.begun && len(l.carried)+len(notes) <= logLeast
}

func (l *fileLog) record(notes []byte) []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 0, logRecord+len(notes)), uint32(len(notes)))
	return append(binary.BigEndian.AppendUint32(b, recordSum(l.number, l.at, notes)), notes...)
}

func recordSum(number uint64, at int64, notes []byte) uint32 {
	var place [16]byte
	binary.BigEndian.PutUint64(place[:], number)
	binary.BigEndian.PutUint64(place[8:], uint64(at))
	return checksum(place[:], notes)
}

// sync makes durable what was written to the log.
func (l *fileLog) sync() error {
	err := syncData(l.file)
	l.named()
	return err
}

// takeBack invalidates the record at the end.
func (l *fileLog) takeBack() error {
	if _, err := l.file.WriteAt(make([]byte, logRecord), l.at); err != nil {
		return err
	}
	return syncData(l.file)
}

// close ends the use of a log.
func (l *fileLog) close() {
	if l.held != nil {
		l.held.Rollback()
	}
	l.file.Close()
}

// checkpoint syncs the file, and begins the log anew. The caller has the lead.
func (f *File) checkpoint() error {
	l := f.log
	if err := f.merge(); err != nil {
		return err
	}
	if err := f.db.Load().Sync(); err != nil {
		return err
	}
	if err := l.begin(f); err != nil {
		return err
	}
	l.checks++
	if err := l.sync(); err != nil {
		return err
	}
	l.begun = true
	return nil
}

// endLog syncs the file, and removes the log, if there is one. The caller has the lead.
func (f *File) endLog() error {
	l := f.log
	if l == nil {
		return nil
	}
	if err := f.merge(); err != nil {
		return err
	}
	db := f.db.Load()
	if err := db.Sync(); err != nil {
		return err
	}
	f.log, db.NoSync = nil, f.noSync
	l.close()
	return l.remove()
}

// remove removes the log if the file of that name is still this log.
func (l *fileLog) remove() error {
	now, err := os.Stat(l.path)
	if err != nil {
		return nil
	}
	if was, err := l.file.Stat(); err == nil && !os.SameFile(was, now) {
		return nil
	}
	return os.Remove(l.path)
}

// leftLog is the log of a file that was not closed.
type leftLog struct {
	file   *os.File
	number uint64
	meta   meta
}

// findLog finds the log left next to a file whose lock the caller has; nil if there is nothing to repeat.
func findLog(path string, file *os.File) (left *leftLog, err error) {
	log, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if left == nil {
			log.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, nil
	}
	found, head, err := logHeads(log)
	if err != nil || found == nil {
		return nil, err
	}
	if got, err := found.meta.rootSum(file); err != nil || got != binary.BigEndian.Uint32(head[16:]) {
		return nil, errOtherLog
	}
	return found, nil
}

func (f *File) hasLog() bool {
	_, err := os.Stat(f.resolved + logSuffix)
	return err == nil
}

// goBack finds the log left next to a file, and restores the file to its state when that log began. If another process has the file open, it
// does nothing.
func (f *File) goBack(file *os.File) error {
	if !f.hasLog() {
		return nil
	}
	path := f.resolved + logSuffix
	if !keepsLogs {
		return errLogElsewhere
	}
	if !lock(file) || f.replaced(file) {
		return nil
	}
	left, err := findLog(path, file)
	if err != nil {
		return err
	}
	if left == nil {
		return os.Remove(path)
	}
	if err := left.check(); err != nil {
		left.file.Close()
		return err
	}
	f.left = left
	return left.meta.restore(file)
}

var errLogElsewhere = errors.New("the log of commits beside it is for a system that has locks: open the file there, and close it")

// goOn repeats the changes in the log that was left, and removes it. If they belong into damaged pages, they stay pending, and the log keeps
// them durable: so the rest of the file can be read, and the table repaired.
func (f *File) goOn() error {
	left := f.left
	if left == nil {
		return nil
	}
	f.left = nil
	l, err := left.redo(f)
	if err != nil {
		left.file.Close()
		return err
	}
	f.log = l
	if err := f.endLog(); err != nil && !isCorrupt(err) {
		return err
	}
	return nil
}

// check refuses a log in which a damaged record is followed by another record: no record is begun before the one ahead of it is on disk.
func (left *leftLog) check() error {
	for at, ok := int64(logRecords), true; ok; {
		var notes []byte
		notes, ok = left.read(at)
		at += logRecord + int64(len(notes))
		if ok || len(notes) == 0 {
			continue
		}
		if _, further := left.read(at); further {
			return errLog
		}
	}
	return nil
}

// redo repeats the changes in the log on a file that is as it was when the log began: afterwards they are pending.
func (left *leftLog) redo(f *File) (l *fileLog, err error) {
	held, err := f.transaction(false) // so that everything can begin once more
	if err != nil {
		return nil, err
	}
	defer func() {
		if l == nil {
			held.Rollback()
		}
	}()
	db := f.db.Load()
	db.NoSync = true
	p := &pending{}
	at := int64(logRecords)
	err = db.Update(func(changed *bolt.Tx) error {
		tx := &fileTx{fileState: fileState{Tx: changed, changes: &p.changes}, owner: 1}
		for {
			notes, ok := left.read(at)
			if !ok {
				return nil
			}
			if err := tx.redo(notes); err != nil {
				return err
			}
			at += logRecord + int64(len(notes))
			p.groups++
			p.noted += len(notes)
		}
	})
	if err != nil {
		return nil, err
	}
	info, err := left.file.Stat()
	if err != nil {
		return nil, err
	}
	f.pending.Store(p)
	return &fileLog{file: left.file, path: f.resolved + logSuffix, number: left.number, at: at, room: info.Size(), held: held, named: func() {}, begun: true}, nil
}

// read reads a record; ok is false at the end, or if the record is damaged.
func (left *leftLog) read(at int64) (notes []byte, ok bool) {
	var head [logRecord]byte
	if _, err := left.file.ReadAt(head[:], at); err != nil {
		return nil, false
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || size > logMost {
		return nil, false
	}
	notes = make([]byte, size)
	if _, err := left.file.ReadAt(notes, at+logRecord); err != nil {
		return nil, false
	}
	return notes, recordSum(left.number, at, notes) == binary.BigEndian.Uint32(head[4:])
}
