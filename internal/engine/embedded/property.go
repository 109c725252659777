package embedded

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// The properties of a body, each:
//
//	1 byte   type (engine.Edm), nextBit if the name's number is the next one, and bits that say how the value is kept
//	uvarint  unless it is the next one, number of the name in the table's dictionary; 0: uvarint length and the name follow
//	Int32, Int64: varint
//	Double: 8 bytes, big endian, without as many zero bytes in the end as the three upper bits say
//	Boolean: nothing, the bit is the value
//	DateTime: ticks in 8 bytes, big endian; seconds in 5 if it has secondBit
//	String, Guid, Binary: uvarint length and the octets; of a String that ends the key only the length;
//	of a String that is a moment what a DateTime has
//
// In formats 2 and 3 the number of the name comes first, is always there, and the bits are not used for numbers and times.
const (
	typeBits  = 0x0f
	nextBit   = 0x10
	momentBit = 0x20
	endBit    = 0x40
	trueBit   = 0x80
	secondBit = 0x80
	zerosAt   = 5 // the place of the three bits

	leastEnd = 4 // the shortest text, in octets, that is looked for in the key

	ticksInSecond = engine.TicksPerDay / 86_400
	secondOctets  = 5
)

// appendProperties appends the properties of the body of a key.
func appendProperties(dst, key []byte, d *dictionary, names []string, values []engine.Value) []byte {
	before := uint64(0)
	for i := range values {
		v := &values[i]
		if v.Type == engine.Absent {
			continue
		}
		place := len(dst)
		dst = append(dst, byte(v.Type))
		switch id := d.id(names[i]); {
		case id == 0:
			dst, before = appendText(append(dst, 0), names[i]), 0
		case id == before+1:
			dst[place] |= nextBit
			before = id
		default:
			dst, before = binary.AppendUvarint(dst, id), id
		}
		var kept byte
		dst, kept = appendValue(dst, key, v)
		dst[place] |= kept
	}
	return dst
}

// appendValue appends a value, and gives the bits that say how it is stored.
func appendValue(dst, key []byte, v *engine.Value) (b []byte, kept byte) {
	switch v.Type {
	case engine.Int32, engine.Int64:
		return binary.AppendVarint(dst, int64(v.N)), 0
	case engine.Double:
		zeros := min(bits.TrailingZeros64(v.N)/8, 7)
		dst = binary.BigEndian.AppendUint64(dst, v.N)
		return dst[:len(dst)-zeros], byte(zeros) << zerosAt
	case engine.DateTime:
		return appendTicks(dst, v.N)
	case engine.Boolean:
		if v.N != 0 {
			kept = trueBit
		}
		return dst, kept
	case engine.String:
		if len(v.S) >= leastEnd && strings.HasSuffix(view(key), v.S) {
			return binary.AppendUvarint(dst, uint64(len(v.S))), endBit
		}
		if ticks, ok := engine.ParseTime(v.S); ok {
			dst, kept = appendTicks(dst, uint64(ticks))
			return dst, kept | momentBit
		}
	}
	return appendText(dst, v.S), 0
}

func appendTicks(dst []byte, ticks uint64) (b []byte, kept byte) {
	if ticks > uint64(engine.MaxDateTime) || ticks%ticksInSecond != 0 {
		return binary.BigEndian.AppendUint64(dst, ticks), 0
	}
	second := ticks / ticksInSecond
	return binary.BigEndian.AppendUint32(append(dst, byte(second>>32)), uint32(second)), secondBit
}

func readTicks(b []byte, tag byte) (ticks uint64, rest []byte, err error) {
	if tag&secondBit == 0 {
		if len(b) < 8 {
			return 0, nil, errRecordShort
		}
		return binary.BigEndian.Uint64(b), b[8:], nil
	}
	if len(b) < secondOctets {
		return 0, nil, errRecordShort
	}
	second := uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:]))
	return second * ticksInSecond, b[secondOctets:], nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// property is what precedes a value: the number of its name, or the name itself if id is 0, and how the value is stored.
type property struct {
	id   uint64
	name string
	tag  byte
	long bool // as formats 2 and 3 have it
}

// next reads the property after p, of a body that has one more, if it is one octet: then its name is the next one.
func (p *property) next(b []byte) bool {
	p.tag = b[0]
	if p.tag&nextBit == 0 || p.long {
		return false
	}
	p.id++
	return true
}

// read reads any other property. Its name lies in b.
func (p *property) read(b []byte) (rest []byte, err error) {
	if !p.long {
		p.id, p.name, rest, err = readName(b[1:])
		return rest, err
	}
	if p.id, p.name, rest, err = readName(b); err != nil {
		return nil, err
	}
	if len(rest) == 0 {
		return nil, errRecordShort
	}
	if p.tag = rest[0]; p.tag&nextBit != 0 {
		return nil, errRecordType
	}
	return rest[1:], nil
}

// readName reads a property's name: its number, or the name itself if id is 0. The name lies in b.
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

// readValue reads a value of the body of a key.
func (r *recordReader) readValue(b, key []byte, tag byte, v *engine.Value) (rest []byte, err error) {
	v.S, v.N, v.Type = "", 0, engine.Edm(tag&typeBits)
	switch v.Type {
	case engine.String, engine.Guid, engine.Binary:
		switch tag &^ (typeBits | nextBit) {
		case endBit:
			n, size := binary.Uvarint(b)
			if size <= 0 || n > uint64(len(key)) {
				return nil, errRecordEnd
			}
			v.S = view(key[len(key)-int(n):])
			return b[size:], nil
		case momentBit, momentBit | secondBit:
			ticks, rest, err := readTicks(b, tag)
			if err != nil {
				return nil, err
			}
			at := len(r.moments)
			if ticks > uint64(engine.MaxDateTime) {
				return nil, errRecordType
			}
			r.moments = engine.AppendTime(r.moments, int64(ticks))
			v.S = view(r.moments[at:])
			return rest, nil
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
	case engine.Double:
		zeros := tag >> zerosAt
		octets := 8 - int(zeros)
		if len(b) < octets {
			return nil, errRecordShort
		}
		if len(b) >= 8 {
			v.N = binary.BigEndian.Uint64(b) >> (8 * zeros)
		} else {
			for _, octet := range b[:octets] {
				v.N = v.N<<8 | uint64(octet)
			}
		}
		v.N <<= 8 * zeros
		return b[octets:], nil
	case engine.DateTime:
		v.N, rest, err = readTicks(b, tag)
		return rest, err
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

// view is b as a string that shares its memory: valid as long as b does not change.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
