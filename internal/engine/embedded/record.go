package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A record is an entity as the file stores it, without its keys:
//
//	1 byte   format of the record; another one comes with a feature of the file, as it counts as damage
//	4 bytes  checksum (CRC-32C, big endian) of the key and of all that follows, changed by the format
//	uvarint  transaction of the version: the ETag is made of both
//	uvarint  number of the version in it
//
// Format 5 goes on with a body:
//
//	8 bytes  timestamp in ticks, big endian
//	uvarint  how many references there are to this body
//	properties (property.go)
//
// Format 6 is a reference to the body of another entity, written in the same commit and with the same version (see body.go):
//
//	uvarint  how many octets both keys have in common in front
//	uvarint  how many in the end
//	octets   what the other key has between
//
// Format 7 is a reference that holds only the second of these: in front the keys have the PartitionKey in common, and the octets between are
// what keymap puts into the key of a row.
//
// Formats 2, 3 and 4 are read, but no longer written: their versions are 8 bytes, big endian. Format 2 is a body that counts no sharers, format
// 3 a body, format 4 a reference like format 6. Their checksum does not cover the format.
const (
	recordPlain         = 2
	recordLongBody      = 3
	recordLongReference = 4
	recordBody          = 5
	recordReference     = 6
	recordOfRow         = 7

	placeVersion = 1 + 4
	versionBits  = 16 // of the number in the transaction

	// headRoom is the most that precedes a body's sharers, or the keys of a reference.
	headRoom = placeVersion + 7 + 3 + 8

	betweenOfRow = "PK"
	formatMark   = 0x01010101 // times the format changes a checksum
)

var (
	errRecordShort  = errors.New("record ends early")
	errRecordFormat = errors.New("record of an unknown format")
	errRecordType   = errors.New("record with a property of an unknown type")
	errRecordName   = errors.New("record with a property name that the table does not have")
	errRecordEnd    = errors.New("record with a text that its key does not have")
	errChecksum     = errors.New("record that is not what was written: its checksum differs")
)

// appendBody appends a body with the properties of an entity, leaving room before it for what stamp fills in.
func appendBody(dst, key []byte, d *dictionary, sharers int, names []string, values []engine.Value) []byte {
	dst = binary.AppendUvarint(appendRoom(dst, recordBody), uint64(sharers))
	return appendProperties(dst, key, d, names, values)
}

func appendRoom(dst []byte, format byte) []byte {
	return append(append(dst, format), make([]byte, headRoom-1)...)
}

// appendReference appends a reference to the body of another key, leaving room before it for what stamp fills in.
func appendReference(dst, key, owner []byte) []byte {
	least := min(len(key), len(owner))
	head := 0
	for head < least && key[head] == owner[head] {
		head++
	}
	tail := 0
	for tail < least-head && key[len(key)-1-tail] == owner[len(owner)-1-tail] {
		tail++
	}
	between := owner[head : len(owner)-tail]
	if head == partitionOf(key) && string(between) == betweenOfRow {
		return binary.AppendUvarint(appendRoom(dst, recordOfRow), uint64(tail))
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(appendRoom(dst, recordReference), uint64(head)), uint64(tail))
	return append(dst, between...)
}

// partitionOf is how many octets of a key the PartitionKey and the zero byte after it take.
func partitionOf(key []byte) int { return bytes.IndexByte(key, 0) + 1 }

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the checksum of a key and what is stored under it.
func checksum(key, content []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, content)
}

// recordChecksum is the checksum of a record.
func recordChecksum(key, record []byte) uint32 {
	sum := checksum(key, record[placeVersion:])
	if record[0] < recordBody {
		return sum
	}
	return sum ^ uint32(record[0])*formatMark
}

// stamp fills the room before a record that goes under a key, and gives the record. It may be called again with the same room.
func stamp(key, room []byte, version uint64, ticks int64) []byte {
	var space [headRoom]byte
	head := append(space[:0], room[0], 0, 0, 0, 0)
	head = binary.AppendUvarint(head, version>>versionBits)
	head = binary.AppendUvarint(head, version&(1<<versionBits-1))
	if room[0] == recordBody {
		head = binary.BigEndian.AppendUint64(head, uint64(ticks))
	}
	record := room[headRoom-len(head):]
	copy(record, head)
	binary.BigEndian.PutUint32(record[1:], recordChecksum(key, record))
	return record
}

// recordHead is what a record says before its properties.
type recordHead struct {
	version uint64
	ticks   int64 // of a body
	sharers uint64
	rest    []byte // the properties, or what appendOwner reads
	format  byte
}

func (h *recordHead) reference() bool {
	return h.format == recordReference || h.format == recordOfRow || h.format == recordLongReference
}

// long says whether the properties have the form of formats 2 and 3.
func (h *recordHead) long() bool { return h.format < recordBody }

// readHead reads what stamp has written.
func readHead(key, b []byte) (h recordHead, err error) {
	if len(b) < placeVersion {
		return h, errRecordShort
	}
	if b[0] < recordPlain || b[0] > recordOfRow {
		return h, errRecordFormat
	}
	if binary.BigEndian.Uint32(b[1:]) != recordChecksum(key, b) {
		return h, errChecksum
	}
	return h, h.parse(b)
}

// parse is readHead without the checksum.
func (h *recordHead) parse(b []byte) (err error) {
	if len(b) < placeVersion {
		return errRecordShort
	}
	h.format, b = b[0], b[placeVersion:]
	if h.version, b, err = readVersion(b, h.long()); err != nil || h.reference() {
		h.rest = b
		return err
	}
	if len(b) < 8 {
		return errRecordShort
	}
	h.ticks, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	if h.format != recordPlain {
		n := 0
		if h.sharers, n = binary.Uvarint(b); n <= 0 {
			return errRecordShort
		}
		b = b[n:]
	}
	h.rest = b
	return nil
}

func readVersion(b []byte, long bool) (version uint64, rest []byte, err error) {
	if long {
		if len(b) < 8 {
			return 0, nil, errRecordShort
		}
		return binary.BigEndian.Uint64(b), b[8:], nil
	}
	transaction, n := binary.Uvarint(b)
	if n <= 0 || transaction >= 1<<(64-versionBits) {
		return 0, nil, errRecordShort
	}
	number, m := binary.Uvarint(b[n:])
	if m <= 0 || number >= 1<<versionBits {
		return 0, nil, errRecordShort
	}
	return transaction<<versionBits | number, b[n+m:], nil
}

// appendOwner appends the key that the reference of a key names.
func (h *recordHead) appendOwner(dst, key []byte) ([]byte, error) {
	head, rest := uint64(partitionOf(key)), h.rest
	if h.format != recordOfRow {
		n := 0
		if head, n = binary.Uvarint(rest); n <= 0 {
			return nil, errRecordShort
		}
		rest = rest[n:]
	}
	tail, n := binary.Uvarint(rest)
	if n <= 0 {
		return nil, errRecordShort
	}
	if size := uint64(len(key)); head > size || tail > size-head {
		return nil, errRecordEnd
	}
	dst = append(dst, key[:head]...)
	if h.format == recordOfRow {
		dst = append(dst, betweenOfRow...)
	} else {
		dst = append(dst, rest[n:]...)
	}
	return append(dst, key[len(key)-int(tail):]...), nil
}

// withSharers gives the body of a key with another number of sharers.
func (h *recordHead) withSharers(key []byte, d *dictionary, sharers uint64) ([]byte, error) {
	if h.long() {
		r := newRecordReader(d, nil, nil)
		if err := r.readBody(h, key); err != nil {
			return nil, err
		}
		return stamp(key, appendBody(nil, key, d, int(sharers), r.names, r.values), h.version, h.ticks), nil
	}
	b := appendRoom(make([]byte, 0, headRoom+2+len(h.rest)), recordBody)
	b = append(binary.AppendUvarint(b, sharers), h.rest...)
	return stamp(key, b, h.version, h.ticks), nil
}
