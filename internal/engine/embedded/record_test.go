package embedded

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

var recordNames = []string{"S", "B", "G", "I", "L", "D", "T", "Yes", "No", "Gone", "Größe", "Moment", "End"}

var recordValues = []engine.Value{
	{Type: engine.String, S: "text \x00 😀"}, {Type: engine.Binary, S: strings.Repeat("\xff", 300)},
	{Type: engine.Guid, S: "0123abcd-4567-89ef-8000-fedcba987654"}, {Type: engine.Int32, N: math.MaxUint64}, {Type: engine.Int64, N: 1 << 63},
	{Type: engine.Double, N: 1 << 63}, {Type: engine.DateTime, N: uint64(engine.MaxDateTime)},
	{Type: engine.Boolean, N: 1}, {Type: engine.Boolean}, {}, {Type: engine.String}, {Type: engine.String, S: "2024-02-29T12:34:56.7654321Z"}, {Type: engine.String, S: "owkey"},
}

var recordKey = []byte("p\x00rowkey")

func testRecord() (*dictionary, []byte) {
	d := newDictionary([]string{})
	record := appendBody(nil, recordKey, d, 3, recordNames, recordValues)
	stamp(recordKey, record, 0x1234, 5678)
	return d, record
}

func TestRecord(t *testing.T) {
	d, record := testRecord()
	r := newRecordReader(d, nil, nil)
	for range 2 {
		if err := r.read(tableIn{}, recordKey, record); err != nil {
			t.Fatal(err)
		}
		if r.version != 0x1234 || r.ticks != 5678 {
			t.Fatalf("version %x, ticks %d", r.version, r.ticks)
		}
		present := func(v engine.Value) bool { return v.Type == engine.Absent }
		if want := slices.DeleteFunc(slices.Clone(recordValues), present); !slices.Equal(r.values, want) {
			t.Fatalf("values %v, want %v", r.values, want)
		}
		if want := slices.DeleteFunc(slices.Clone(recordNames), func(s string) bool { return s == "Gone" }); !slices.Equal(r.names, want) {
			t.Fatalf("names %q, want %q", r.names, want)
		}
	}
	r = newRecordReader(d, []string{"Größe", "Gone", "L", "Yes"}, nil)
	for range 2 {
		if err := r.read(tableIn{}, recordKey, record); err != nil {
			t.Fatal(err)
		}
		if want := []engine.Value{recordValues[10], {}, recordValues[4], recordValues[7]}; !slices.Equal(r.values, want) {
			t.Fatalf("values %v, want %v", r.values, want)
		}
	}
}

// TestRecordDamaged: no beginning of a record is taken for a whole one, no bit of it can be another one, and it belongs
// to its key.
func TestRecordDamaged(t *testing.T) {
	d, record := testRecord()
	for n := range record {
		if newRecordReader(d, nil, nil).read(tableIn{}, recordKey, record[:n:n]) == nil {
			t.Fatalf("%d of %d octets read as a whole record", n, len(record))
		}
	}
	for bit := range 8 * len(record) {
		damaged := slices.Clone(record)
		damaged[bit/8] ^= 1 << (bit % 8)
		if newRecordReader(d, nil, nil).read(tableIn{}, recordKey, damaged) == nil {
			t.Fatalf("the record reads with bit %d changed", bit)
		}
	}
	if newRecordReader(d, nil, nil).read(tableIn{}, []byte("p\x00s"), record) == nil {
		t.Fatal("the record reads under another key")
	}
}

// FuzzRecord: any bytes give an error or a record that comes out the same when it is written again.
func FuzzRecord(f *testing.F) {
	_, record := testRecord()
	f.Add(record)
	f.Add(record[:headerSize])
	f.Add(append(slices.Clone(record[:headerSize]), 0, 3, 'a', 'b', 'c', byte(engine.Boolean)|trueBit))
	f.Add(append(slices.Clone(record[:headerSize]), 0, 1, byte(engine.String)|endBit, 2, 2, byte(engine.String)|momentBit, 0, 0, 0, 0, 0, 0, 0, 1))
	f.Add([]byte{recordReference, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 'q'})
	f.Fuzz(func(t *testing.T, b []byte) {
		d, _ := testRecord()
		r := newRecordReader(d, nil, nil)
		if len(b) >= headerSize {
			binary.BigEndian.PutUint32(b[1:], checksum(recordKey, b[placeVersion:])) // what lies behind it is to be read
		}
		if h, err := readHead(recordKey, b); err == nil && h.reference {
			if owner, err := h.appendOwner(nil, recordKey); err == nil {
				again := appendReference(nil, recordKey, owner)
				stamp(recordKey, again, h.version, 0)
				h, err := readHead(recordKey, again)
				if twice, _ := h.appendOwner(nil, recordKey); err != nil || !slices.Equal(twice, owner) {
					t.Fatalf("a reference to %q comes out as one to %q, %v", owner, twice, err)
				}
			}
			return
		}
		err := r.read(tableIn{}, recordKey, b)
		if s := newRecordReader(d, []string{"S", "Größe", "abc"}, nil); s.read(tableIn{}, recordKey, b) != nil && err == nil {
			t.Fatal("a record can be read whole, and not in part")
		}
		if err != nil {
			return
		}
		again := appendBody(nil, recordKey, d, 0, r.names, r.values)
		stamp(recordKey, again, r.version, r.ticks)
		s := newRecordReader(d, nil, nil)
		if err := s.read(tableIn{}, recordKey, again); err != nil || !slices.Equal(r.names, s.names) || !slices.Equal(r.values, s.values) {
			t.Fatalf("%q %v comes out as %q %v, %v", r.names, r.values, s.names, s.values, err)
		}
	})
}
