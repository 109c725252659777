package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"unsafe"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A record is an entity as the file keeps it, without its keys:
//
//	1 byte   format of the record; another one comes with a feature of the file, as it counts as damage
//	4 bytes  checksum (CRC-32C, big endian) of the key and of all that follows
//	8 bytes  version, big endian: the ETag is made of it
//
// Formats 2 and 3 go on with a body. Format 2 is read, and no longer written: it counts no sharers.
//
//	8 bytes  timestamp in ticks, big endian
//	uvarint  how many references there are to this body
//	properties, each:
//	  uvarint  number of the name in the table's dictionary; 0: uvarint length and the name follow
//	  1 byte   type (engine.Edm), and a bit that says how the value is kept
//	  Int32, Int64: varint · Double, DateTime: 8 bytes, big endian · Boolean: nothing, the bit is the value ·
//	  String, Guid, Binary: uvarint length and the octets; of a String that ends the key only the length;
//	  of a String that is a moment its ticks, as of a DateTime
//
// Format 4 is a reference to the body of another entity, written in the same commit and with the same version (see body.go):
//
//	uvarint  how many octets both keys have in common in front
//	uvarint  how many in the end
//	octets   what the other key has between
const (
	recordPlain     = 2
	recordBody      = 3
	recordReference = 4

	headerSize    = 1 + 4 + 8 + 8 // of a body
	referenceSize = 1 + 4 + 8     // of a reference

	trueBit   = 0x80
	endBit    = 0x40
	momentBit = 0x20
	typeBits  = 0x1f

	placeVersion = 1 + 4
	placeTicks   = placeVersion + 8

	leastEnd = 4 // octets of a text for which it is looked for in the key
)

var (
	errRecordShort  = errors.New("record ends early")
	errRecordFormat = errors.New("record of an unknown format")
	errRecordType   = errors.New("record with a property of an unknown type")
	errRecordName   = errors.New("record with a property name that the table does not have")
	errRecordEnd    = errors.New("record with a text that its key does not have")
	errChecksum     = errors.New("record that is not what was written: its checksum differs")
)

// appendBody appends a body with the properties of an entity, its header to be filled by stamp.
func appendBody(dst, key []byte, d *dictionary, sharers int, names []string, values []engine.Value) []byte {
	dst = append(dst, make([]byte, headerSize)...)
	dst[len(dst)-headerSize] = recordBody
	dst = binary.AppendUvarint(dst, uint64(sharers))
	for i := range values {
		v := &values[i]
		if v.Type == engine.Absent {
			continue
		}
		if id := d.id(names[i]); id != 0 {
			dst = binary.AppendUvarint(dst, id)
		} else {
			dst = appendText(append(dst, 0), names[i])
		}
		dst = appendValue(dst, key, v)
	}
	return dst
}

func appendValue(dst, key []byte, v *engine.Value) []byte {
	switch v.Type {
	case engine.Int32, engine.Int64:
		return binary.AppendVarint(append(dst, byte(v.Type)), int64(v.N))
	case engine.Double, engine.DateTime:
		return binary.BigEndian.AppendUint64(append(dst, byte(v.Type)), v.N)
	case engine.Boolean:
		if v.N != 0 {
			return append(dst, byte(v.Type)|trueBit)
		}
		return append(dst, byte(v.Type))
	case engine.String:
		if len(v.S) >= leastEnd && strings.HasSuffix(view(key), v.S) {
			return binary.AppendUvarint(append(dst, byte(v.Type)|endBit), uint64(len(v.S)))
		}
		if ticks, ok := engine.ParseTime(v.S); ok {
			return binary.BigEndian.AppendUint64(append(dst, byte(v.Type)|momentBit), uint64(ticks))
		}
	}
	return appendText(append(dst, byte(v.Type)), v.S)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendReference appends a reference to the body of another key, its header to be filled by stamp.
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
	dst = append(dst, make([]byte, referenceSize)...)
	dst[len(dst)-referenceSize] = recordReference
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(head)), uint64(tail))
	return append(dst, owner[head:len(owner)-tail]...)
}

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of a key and what is stored under it.
func checksum(key, content []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, content)
}

// stamp fills the header of a record that goes under a key.
func stamp(key, record []byte, version uint64, ticks int64) {
	binary.BigEndian.PutUint64(record[placeVersion:], version)
	if record[0] != recordReference {
		binary.BigEndian.PutUint64(record[placeTicks:], uint64(ticks))
	}
	binary.BigEndian.PutUint32(record[1:], checksum(key, record[placeVersion:]))
}

// recordHead is what a record says before its properties.
type recordHead struct {
	version   uint64
	ticks     int64 // of a body
	sharers   uint64
	rest      []byte // the properties, or what reference reads
	reference bool
}

// readHead reads what stamp has written.
func readHead(key, b []byte) (h recordHead, err error) {
	if len(b) < referenceSize {
		return h, errRecordShort
	}
	if b[0] < recordPlain || b[0] > recordReference {
		return h, errRecordFormat
	}
	if binary.BigEndian.Uint32(b[1:]) != checksum(key, b[placeVersion:]) {
		return h, errChecksum
	}
	h.version = binary.BigEndian.Uint64(b[placeVersion:])
	if b[0] == recordReference {
		h.reference, h.rest = true, b[referenceSize:]
		return h, nil
	}
	if len(b) < headerSize {
		return h, errRecordShort
	}
	h.ticks, h.rest = int64(binary.BigEndian.Uint64(b[placeTicks:])), b[headerSize:]
	if b[0] == recordBody {
		n := 0
		if h.sharers, n = binary.Uvarint(h.rest); n <= 0 {
			return h, errRecordShort
		}
		h.rest = h.rest[n:]
	}
	return h, nil
}

// appendOwner appends the key that the reference of a key names.
func (h *recordHead) appendOwner(dst, key []byte) ([]byte, error) {
	head, n := binary.Uvarint(h.rest)
	if n <= 0 {
		return nil, errRecordShort
	}
	tail, m := binary.Uvarint(h.rest[n:])
	if m <= 0 {
		return nil, errRecordShort
	}
	if size := uint64(len(key)); head > size || tail > size-head {
		return nil, errRecordEnd
	}
	dst = append(append(dst, key[:head]...), h.rest[n+m:]...)
	return append(dst, key[len(key)-int(tail):]...), nil
}

// withSharers gives the body of a key with another count of those that share it.
func (h *recordHead) withSharers(key []byte, sharers uint64) []byte {
	b := append(make([]byte, 0, headerSize+2+len(h.rest)), recordBody)
	b = binary.AppendUvarint(b[:headerSize], sharers)
	b = append(b, h.rest...)
	stamp(key, b, h.version, h.ticks)
	return b
}

// readName reads a property's name: its number, or the name itself when id is 0. The name lies in b.
func readName(b []byte) (id uint64, name string, rest []byte, err error) {
	if len(b) > 0 && b[0] != 0 && b[0] < 0x80 {
		return uint64(b[0]), "", b[1:], nil
	}
	id, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, "", nil, errRecordShort
	}
	if id != 0 {
		return id, "", b[n:], nil
	}
	name, rest, err = readText(b[n:])
	return 0, name, rest, err
}

// readValue reads a value of the record of a key.
func (r *recordReader) readValue(b, key []byte, v *engine.Value) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errRecordShort
	}
	tag := b[0]
	b = b[1:]
	v.S, v.N, v.Type = "", 0, engine.Edm(tag&typeBits)
	switch v.Type {
	case engine.String, engine.Guid, engine.Binary:
		switch tag &^ typeBits {
		case endBit:
			n, size := binary.Uvarint(b)
			if size <= 0 || n > uint64(len(key)) {
				return nil, errRecordEnd
			}
			v.S = view(key[len(key)-int(n):])
			return b[size:], nil
		case momentBit:
			if len(b) < 8 {
				return nil, errRecordShort
			}
			ticks, at := binary.BigEndian.Uint64(b), len(r.moments)
			if ticks > uint64(engine.MaxDateTime) {
				return nil, errRecordType
			}
			r.moments = engine.AppendTime(r.moments, int64(ticks))
			v.S = view(r.moments[at:])
			return b[8:], nil
		}
		v.S, rest, err = readText(b)
		return rest, err
	case engine.Int32, engine.Int64:
		n, size := binary.Varint(b)
		if size <= 0 {
			return nil, errRecordShort
		}
		v.N = uint64(n)
		return b[size:], nil
	case engine.Double, engine.DateTime:
		if len(b) < 8 {
			return nil, errRecordShort
		}
		v.N = binary.BigEndian.Uint64(b)
		return b[8:], nil
	case engine.Boolean:
		v.N = uint64(tag >> 7)
		return b, nil
	}
	return nil, errRecordType
}

func readText(b []byte) (s string, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, errRecordShort
	}
	return view(b[size : size+int(n)]), b[size+int(n):], nil
}

// view is b as a string that shares its memory: good for as long as b stays as it is.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
