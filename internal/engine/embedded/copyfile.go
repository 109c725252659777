package embedded

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// CopyFile copies a file into a new one, as of one moment, even if another process has it open and writes to it meanwhile. The copy has all
// commits that had returned before.
//
// No lock is needed. The pages of the last checkpoint are not overwritten until the head of the log says that there is another one (fileLog). So
// these pages, copied while the head stays the same, and the records of the log after it, copied then, are what would be there if the process
// had ended at that moment; opening that is what every process does after such an end. If a checkpoint intervenes, the copy starts again.
func CopyFile(ctx context.Context, from, to string) error {
	resolved, err := ResolvePath(from)
	if err != nil {
		return errFile(from, err)
	}
	if _, err := os.Stat(to); err == nil {
		return engine.Errorf(engine.CodeOther, "the file %s is there already: a backup makes a new one", to)
	}
	if _, err := os.Stat(to + logSuffix); err == nil {
		return engine.Errorf(engine.CodeOther, "the file %s is there already: it would be taken for the log of the copy", to+logSuffix)
	}
	if of, ok := strings.CutSuffix(to, logSuffix); ok {
		if _, err := os.Stat(of); err == nil {
			return engine.Errorf(engine.CodeOther, "the file %s would be taken for the log of %s: give the copy another name", to, of)
		}
	}
	made, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*")
	if err != nil {
		return errFile(to, err)
	}
	part := made.Name()
	made.Close()
	defer os.Remove(part)
	defer os.Remove(part + logSuffix)
	if err := copyWhole(ctx, from, resolved, part); err != nil {
		return err
	}
	if err := os.Link(part, to); err == nil || errors.Is(err, os.ErrExist) { // never over a file that was made meanwhile
		if err == nil {
			syncDirectory(to)
		}
		return asFileError(to, err)
	}
	err = os.Rename(part, to) // if the system has no links
	syncDirectory(to)
	return asFileError(to, err)
}

// copyWhole copies a file with the contents of its log into one that needs no log.
func copyWhole(ctx context.Context, from, resolved, to string) error {
	var err error
	for range copyTries {
		if err = ctx.Err(); err != nil {
			return err
		}
		if err = copyOnce(ctx, resolved, to); !errors.Is(err, errChanged) {
			break
		}
	}
	switch {
	case errors.Is(err, errChanged):
		return engine.Errorf(engine.CodeLocked, "file %s is written to faster than it can be copied: try again when less is written", from)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return errFile(from, err)
	}
	whole, err := OpenFile(to, FileOptions{}) // repeats what is in the log
	if err != nil {
		return err
	}
	return whole.(*File).closeWhole()
}

func asFileError(path string, err error) error {
	if err == nil {
		return nil
	}
	return errFile(path, err)
}

const copyTries = 10

// errChanged says that a file went on to another checkpoint while it was being copied.
var errChanged = errors.New("the file was written to meanwhile")

// copyOnce copies a file and the log next to it.
func copyOnce(ctx context.Context, from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return err
	} else if isStump(info) || info.Size() == 0 {
		return errCutOff
	}
	log, err := os.Open(from + logSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return copyAlone(ctx, file, from, to)
	}
	if err != nil {
		return err
	}
	defer log.Close()
	before, head, err := logHeads(log)
	if err != nil {
		return err
	}
	if before == nil {
		return copyAlone(ctx, file, from, to)
	}
	stays := func() error {
		after, _, err := logHeads(log)
		if err == nil && (after == nil || after.number != before.number || !isNow(file, from) || !isNow(log, from+logSuffix)) {
			err = errChanged
		}
		return err
	}
	if sum, err := before.meta.rootSum(file); err != nil || sum != binary.BigEndian.Uint32(head[16:]) {
		return cmp.Or(stays(), errOtherLog)
	}
	if err := copyPages(ctx, file, to, &before.meta); err != nil {
		return err
	}
	if err := before.copyTo(to+logSuffix, head); err != nil {
		return err
	}
	return stays()
}

// copyAlone copies a file that has no log next to it: it has not been written to since it was opened, or cannot have a log. Its meta pages show
// each commit.
func copyAlone(ctx context.Context, file *os.File, from, to string) error {
	os.Remove(to + logSuffix)
	before, err := metas(file)
	if err != nil {
		return err
	}
	if err := copyPages(ctx, file, to, &before); err != nil {
		return err
	}
	after, err := metas(file)
	if err != nil || after.txid != before.txid || !isNow(file, from) {
		return errChanged
	}
	if log, err := os.Open(from + logSuffix); err == nil {
		defer log.Close()
		if left, _, err := logHeads(log); err != nil || left != nil {
			return errChanged
		}
	}
	return nil
}

// isNow says whether a file still has its name.
func isNow(file *os.File, path string) bool {
	was, err := file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(was, now)
}

// copyPages copies the pages of a commit, and makes that the last commit of the copy.
func copyPages(ctx context.Context, file *os.File, to string, m *meta) error {
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	const part = 64 << 20
	for left := m.pages() * m.pageSize; left > 0; left -= part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(out, file, min(left, part)); err == io.EOF {
			return errCutOff
		} else if err != nil {
			return err
		}
	}
	return m.restore(out)
}

// pages is the number of pages, used and free.
func (m *meta) pages() int64 { return int64(binary.NativeEndian.Uint64(m.octets[40:])) }

// logHeads gives the head of a log that counts, and its octets; nil if there is none yet.
func logHeads(log *os.File) (left *leftLog, head []byte, err error) {
	heads := make([]byte, 2*logHead)
	if n, err := log.ReadAt(heads, 0); err != nil && err != io.EOF {
		return nil, nil, err
	} else if n < 2*logHead || len(bytes.Trim(heads, "\x00")) == 0 {
		return nil, nil, nil // no commit was ever acknowledged
	}
	for _, h := range [][]byte{heads[:logHead], heads[logHead:]} {
		if string(h[:8]) != logMagic || binary.BigEndian.Uint32(h[logSum:]) != crc32.Checksum(h[:logSum], castagnoli) {
			continue
		}
		if number := binary.BigEndian.Uint64(h[8:]); left == nil || number > left.number {
			left, head = &leftLog{file: log, number: number, meta: metaOf(h[logMeta:logSum])}, h
		}
	}
	if left == nil {
		return nil, nil, errLog
	}
	return left, head, nil
}

// copyTo copies the head and the complete records.
func (left *leftLog) copyTo(path string, head []byte) error {
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := out.Truncate(logLeast); err != nil { // zeros, which mark the end
		return err
	}
	if _, err := out.WriteAt(head, int64(left.number%2)*logHead); err != nil {
		return err
	}
	l := &fileLog{number: left.number, at: logRecords}
	for {
		notes, ok := left.read(l.at)
		if !ok {
			break
		}
		if _, err := out.WriteAt(l.record(notes), l.at); err != nil {
			return err
		}
		l.at += logRecord + int64(len(notes))
	}
	_, err = out.WriteAt(make([]byte, logRecord), l.at)
	return err
}
