package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
)

// meta is what each of the first two pages of a bbolt file says. The one with the newer transaction is that of the last commit.
//
// The form is that of bbolt 1.x, in the octets of the machine: a page's head of 16 octets, then magic, version, page
// size and flags of 4 octets each, the root bucket (16), and of 8 octets each the page of the list of free pages, the
// number of pages, the transaction, and a sum (FNV-1a) of all before it.
// https://github.com/etcd-io/bbolt/blob/main/internal/common/meta.go
type meta struct {
	pageSize int64
	root     uint64 // page
	freelist uint64 // page; noFreelist: none was written
	txid     uint64
	octets   [metaOctets]byte // as they are, after the page's head
}

const (
	metaMagic  = 0xED0CDAED
	pageHead   = 16
	metaSum    = 56 // place of the sum in a meta
	metaOctets = metaSum + 8
	metaPage   = 4 // of the flags in a page's head
	noFreelist = ^uint64(0)
)

var errMeta = errors.New("one of the two pages that name the last commit is damaged, so the last commit may be lost: " +
	"restore the file from a backup, or open it with readonly and copy its rows into another file")

// readMeta reads a meta page; ok is false if it is damaged.
func readMeta(f io.ReaderAt, at int64) (m meta, ok bool) {
	page := make([]byte, pageHead+metaOctets)
	if _, err := f.ReadAt(page, at); err != nil {
		return m, false
	}
	b := page[pageHead:]
	sum := fnv.New64a()
	sum.Write(b[:metaSum])
	order := binary.NativeEndian
	return metaOf(b), order.Uint32(b) == metaMagic && order.Uint64(b[metaSum:]) == sum.Sum64()
}

func metaOf(b []byte) meta {
	order := binary.NativeEndian
	return meta{pageSize: int64(order.Uint32(b[8:])), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		txid: order.Uint64(b[48:]), octets: [metaOctets]byte(b)}
}

// metas reads both meta pages. It is an error if one of them is damaged: bbolt would use the other, and so, perhaps, the commit before the last.
func metas(f io.ReaderAt) (newest meta, err error) {
	first, ok := readMeta(f, 0)
	if !ok {
		return meta{}, errMeta
	}
	second, ok := readMeta(f, first.pageSize)
	if !ok || second.pageSize != first.pageSize {
		return meta{}, errMeta
	}
	if second.txid > first.txid {
		return second, nil
	}
	return first, nil
}

// restore writes m to both meta pages.
func (m *meta) restore(f *os.File) error {
	for id := range uint64(2) {
		page := make([]byte, m.pageSize)
		binary.NativeEndian.PutUint64(page, id)
		binary.NativeEndian.PutUint16(page[8:], metaPage)
		copy(page[pageHead:], m.octets[:])
		if _, err := f.WriteAt(page, int64(id)*m.pageSize); err != nil {
			return err
		}
	}
	return f.Sync()
}

// rootSum is a checksum of the first page of m's root bucket, which names the buckets and where they begin.
func (m *meta) rootSum(f io.ReaderAt) (uint32, error) {
	page := make([]byte, m.pageSize)
	_, err := f.ReadAt(page, int64(m.root)*m.pageSize)
	return crc32.Checksum(page, castagnoli), err
}

// freelistOctets is how many octets of the file the list of free pages takes.
func freelistOctets(f io.ReaderAt) int64 {
	m, head, ok := freelist(f)
	if !ok {
		return 0
	}
	return (1 + int64(binary.NativeEndian.Uint32(head[12:]))) * m.pageSize
}

// freeOctets is how many octets of the file are in free pages, by the list of these; 0 if there is no list.
func freeOctets(f io.ReaderAt) int64 {
	m, head, ok := freelist(f)
	if !ok {
		return 0
	}
	count := int64(binary.NativeEndian.Uint16(head[10:]))
	if count == manyPages {
		count = int64(binary.NativeEndian.Uint64(head[pageHead:]))
	}
	return count * m.pageSize
}

// manyPages as the count of a list of free pages means that the count is in the 8 octets after the page's head.
const manyPages = 0xffff

// freelist reads the beginning of the list of free pages: the page's head, and eight octets.
func freelist(f io.ReaderAt) (m meta, head []byte, ok bool) {
	m, err := metas(f)
	if err != nil || m.freelist == noFreelist {
		return m, nil, false
	}
	head = make([]byte, pageHead+8)
	_, err = f.ReadAt(head, int64(m.freelist)*m.pageSize)
	return m, head, err == nil
}
