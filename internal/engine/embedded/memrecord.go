package embedded

import (
	"strings"
	"unsafe"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memRecord is the head of a stored entity, which never changes once it is published. A slot of eight octets for each property follows, and then
// the texts: a slot has a number, or where its text begins (the high half) and its length (the low half).
//
// All of it is one piece of memory without pointers. The garbage collector need not look into it, and a reader of an entity waits for memory
// only once.
type memRecord struct {
	timestamp int64
	shape     uint32 // which of its table's
	etagSize  uint8  // with isLarge
	etagText  [maxETag]byte
}

const (
	headSize = unsafe.Sizeof(memRecord{})
	slotSize = 8
	maxETag  = 19 // 2⁶⁰ writes

	// isLarge marks a record whose short texts are copied when they are read: keeping one of them would otherwise keep the whole record.
	isLarge   = 1 << 7
	largeFrom = 4 << 10
	shortText = 8 << 10
)

// newRecord copies what a writer gave, leaving out absent values. The shape has exactly the present properties.
func newRecord(s *shape, values []engine.Value) *memRecord {
	at := int(headSize) + slotSize*len(s.names)
	size := at
	for i := range values {
		size += len(values[i].S)
	}
	room := make([]uint64, (size+7)/8)
	r := (*memRecord)(unsafe.Pointer(unsafe.SliceData(room)))
	if r.shape = s.number; size >= largeFrom {
		r.etagSize = isLarge
	}
	octets := unsafe.Slice((*byte)(unsafe.Pointer(r)), size)
	slot := 0
	for i := range values {
		v := &values[i]
		if v.Type == engine.Absent {
			continue
		}
		word := v.N
		if v.Type.Text() {
			word = uint64(at)<<32 | uint64(len(v.S))
			at += copy(octets[at:], v.S)
		}
		*r.slot(slot) = word
		slot++
	}
	return r
}

// sign gives a record that is not published yet its ETag and timestamp.
func (r *memRecord) sign(etag string, timestamp int64) {
	r.etagSize, r.timestamp = r.etagSize&isLarge|uint8(copy(r.etagText[:], etag)), timestamp
}

func (r *memRecord) etag() string { return r.kept(view(r.etagText[:r.etagSize&^isLarge])) }

// kept gives a text of the record that may be kept for any time.
func (r *memRecord) kept(text string) string {
	if r.etagSize&isLarge != 0 && len(text) < shortText {
		return strings.Clone(text)
	}
	return text
}

func (r *memRecord) slot(i int) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(r), headSize+uintptr(slotSize*i)))
}

// octet is the first octet of the text in a slot; 0 if the text is empty.
func (r *memRecord) octet(i int) byte {
	word := *r.slot(i)
	if uint32(word) == 0 {
		return 0
	}
	return *(*byte)(unsafe.Add(unsafe.Pointer(r), word>>32))
}

// value is property i of a record of a shape; the zero Value for -1.
func (r *memRecord) value(s *shape, i int) engine.Value {
	if i < 0 {
		return engine.Value{}
	}
	word, t := *r.slot(i), s.types[i]
	size := int(uint32(word))
	switch {
	case !t.Text():
		return engine.Value{N: word, Type: t}
	case size == 0: // its place may be just past the record's memory, and nothing may point there
		return engine.Value{Type: t}
	}
	return engine.Value{S: r.kept(unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(r), word>>32)), size)), Type: t}
}
