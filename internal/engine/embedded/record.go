package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"unsafe"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A record is an entity as the file keeps it, without its keys:
//
//	1 byte   format of the record, 2; another one comes with a feature of the file, as it counts as damage
//	4 bytes  checksum (CRC-32C, big endian) of the key and of all that follows
//	8 bytes  version, big endian: the ETag is made of it
//	8 bytes  timestamp in ticks, big endian
//	properties, each:
//	  uvarint  number of the name in the table's dictionary; 0: uvarint length and the name follow
//	  1 byte   type (engine.Edm); the top bit is the value of a Boolean
//	  Int32, Int64: varint · Double, DateTime: 8 bytes, big endian · Boolean: nothing ·
//	  String, Guid, Binary: uvarint length and the octets
const (
	recordFormat = 2
	headerSize   = 1 + 4 + 8 + 8
	trueBit      = 0x80

	placeVersion = 1 + 4
	placeTicks   = placeVersion + 8
)

var (
	errRecordShort  = errors.New("record ends early")
	errRecordFormat = errors.New("record of an unknown format")
	errRecordType   = errors.New("record with a property of an unknown type")
	errRecordName   = errors.New("record with a property name that the table does not have")
	errChecksum     = errors.New("record that is not what was written: its checksum differs")
)

// appendRecord appends the properties of an entity behind a header to be filled by stamp.
func appendRecord(dst []byte, d *dictionary, names []string, values []engine.Value) []byte {
	dst = append(dst, make([]byte, headerSize)...)
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
		dst = appendValue(dst, v)
	}
	return dst
}

func appendValue(dst []byte, v *engine.Value) []byte {
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
	}
	return appendText(append(dst, byte(v.Type)), v.S)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of a key and what is stored under it.
func checksum(key, content []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, content)
}

// stamp fills the header of a record that goes under a key.
func stamp(key, record []byte, version uint64, ticks int64) {
	record[0] = recordFormat
	binary.BigEndian.PutUint64(record[placeVersion:], version)
	binary.BigEndian.PutUint64(record[placeTicks:], uint64(ticks))
	binary.BigEndian.PutUint32(record[1:], checksum(key, record[placeVersion:]))
}

// readHeader reads what stamp has written; rest are the properties.
func readHeader(key, b []byte) (version uint64, ticks int64, rest []byte, err error) {
	if len(b) < headerSize {
		return 0, 0, nil, errRecordShort
	}
	if b[0] != recordFormat {
		return 0, 0, nil, errRecordFormat
	}
	if binary.BigEndian.Uint32(b[1:]) != checksum(key, b[placeVersion:]) {
		return 0, 0, nil, errChecksum
	}
	return binary.BigEndian.Uint64(b[placeVersion:]), int64(binary.BigEndian.Uint64(b[placeTicks:])), b[headerSize:], nil
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

// readValue reads a property's value. Its text lies in b: it is good for as long as b is.
func readValue(b []byte, v *engine.Value) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errRecordShort
	}
	tag := b[0]
	b = b[1:]
	v.S, v.N, v.Type = "", 0, engine.Edm(tag&^trueBit)
	switch v.Type {
	case engine.String, engine.Guid, engine.Binary:
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
