package embedded

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
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
	return d, stamp(recordKey, appendBody(nil, recordKey, d, 3, recordNames, recordValues), 0x1234, 5678)
}

// longRecord is the record of a key as earlier versions wrote it.
func longRecord(t testing.TB, key []byte, d *dictionary, record []byte) []byte {
	h, err := readHead(key, record)
	if err != nil {
		t.Fatal(err)
	}
	b := binary.BigEndian.AppendUint64(make([]byte, placeVersion), h.version)
	if b[0] = recordLongReference; h.reference() {
		owner, err := h.appendOwner(nil, key)
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, 0, 0), owner...)
	} else {
		b[0] = recordLongBody
		b = binary.AppendUvarint(binary.BigEndian.AppendUint64(b, uint64(h.ticks)), h.sharers)
		r := newRecordReader(d, nil, nil)
		if err := r.readBody(&h, key); err != nil {
			t.Fatal(err)
		}
		for i, v := range r.values {
			b = append(binary.AppendUvarint(b, d.id(r.names[i])), byte(v.Type))
			switch {
			case v.Type.Text():
				b = appendText(b, v.S)
			case v.Type == engine.Int32 || v.Type == engine.Int64:
				b = binary.AppendVarint(b, int64(v.N))
			case v.Type == engine.Boolean:
				b[len(b)-1] |= byte(v.N) * trueBit
			default:
				b = binary.BigEndian.AppendUint64(b, v.N)
			}
		}
	}
	binary.BigEndian.PutUint32(b[1:], recordChecksum(key, b))
	return b
}

// LengthenRecords gives all records of a file that nobody has open the form that earlier versions wrote.
func LengthenRecords(t *testing.T, path string) {
	e, err := OpenFile(path, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := e.(*File)
	err = f.db.Load().Update(func(tx *bolt.Tx) error {
		for _, table := range *f.tables.Load() {
			for bucket, after := range map[string]int{string(table.entities): 0, string(table.bodies): 8} {
				b := tx.Bucket([]byte(bucket))
				if b == nil {
					continue
				}
				long := map[string][]byte{}
				err := b.ForEach(func(k, v []byte) error {
					long[string(k)] = longRecord(t, k[:len(k)-after], table.dict, v)
					return nil
				})
				if err != nil {
					return err
				}
				for k, v := range long {
					if err := b.Put([]byte(k), v); err != nil {
						return err
					}
				}
			}
		}
		return tx.Bucket(bucketFile).Put(keyToRead, seal(keyToRead, []byte(feature.SharedBodies)))
	})
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
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
	for _, owner := range []string{"p\x00PK!key", "p\x00rumkey"} {
		reference := stamp(recordKey, appendReference(nil, recordKey, []byte(owner)), 0x1234567890, 0)
		h, err := readHead(recordKey, reference)
		if got, _ := h.appendOwner(nil, recordKey); err != nil || h.version != 0x1234567890 || string(got) != owner {
			t.Errorf("a reference to %q reads as one to %q, version %x, %v", owner, got, h.version, err)
		}
		for bit := range 8 * len(reference) {
			damaged := slices.Clone(reference)
			damaged[bit/8] ^= 1 << (bit % 8)
			if h, err := readHead(recordKey, damaged); err == nil {
				t.Fatalf("a reference reads with bit %d changed: %+v", bit, h)
			}
		}
	}
}

// TestValues: values come out as they were, whatever octets of them are left out.
func TestValues(t *testing.T) {
	var names []string
	var values []engine.Value
	add := func(v engine.Value) {
		names, values = append(names, fmt.Sprint("N", len(names)*7%31)), append(values, v)
	}
	for _, x := range []float64{0, 1, -1, 0.5, 0.1, 1e300, math.SmallestNonzeroFloat64, math.MaxFloat64, 1234567, -0.75, 1 << 52, 1<<53 - 1} {
		add(engine.Value{Type: engine.Double, N: math.Float64bits(x)})
	}
	add(engine.Value{Type: engine.Double, N: 1}) // all of eight octets
	for _, ticks := range []int64{0, 1, ticksInSecond, ticksInSecond - 1, engine.MinDateTime, engine.MaxDateTime, engine.MaxDateTime / ticksInSecond * ticksInSecond} {
		add(engine.Value{Type: engine.DateTime, N: uint64(ticks)})
		add(engine.Value{Type: engine.String, S: string(engine.AppendTime(nil, ticks))})
	}
	for place := range names { // from each name on: the next number, a later and an earlier one
		d := newDictionary([]string{"N0", "N7", "N14", "N21"})
		record := stamp(recordKey, appendBody(nil, recordKey, d, 0, names[place:], values[place:]), 1, 2)
		r := newRecordReader(d, nil, nil)
		if err := r.read(tableIn{}, recordKey, record); err != nil || !slices.Equal(r.names, names[place:]) || !slices.Equal(r.values, values[place:]) {
			t.Errorf("%q %v comes out as %q %v, %v", names[place:], values[place:], r.names, r.values, err)
		}
		last := len(names) - 1
		r = newRecordReader(d, names[last:], nil)
		if err := r.read(tableIn{}, recordKey, record); err != nil || r.values[0] != values[last] {
			t.Errorf("%v comes out as %v, %v", values[last], r.values[0], err)
		}
	}
}

// FuzzRecord: any bytes give an error or a record that comes out the same when it is written again.
func FuzzRecord(f *testing.F) {
	_, record := testRecord()
	f.Add(record)
	head := stamp(recordKey, appendBody(nil, recordKey, nil, 0, nil, nil), 0x1234, 5678)
	f.Add(head)
	f.Add(append(slices.Clone(head), byte(engine.Boolean)|trueBit, 0, 3, 'a', 'b', 'c', byte(engine.Double)|nextBit|7<<zerosAt, 1))
	f.Add(append(slices.Clone(head), byte(engine.String)|nextBit|endBit, 2, byte(engine.String)|momentBit, 2, 0, 0, 0, 0, 0, 0, 0, 1,
		byte(engine.DateTime)|secondBit|nextBit, 0, 0, 0, 0, 1))
	f.Add([]byte{recordReference, 0, 0, 0, 0, 1, 1, 1, 1, 'q'})
	f.Add([]byte{recordOfRow, 0, 0, 0, 0, 1, 1, 1})
	d, _ := testRecord()
	f.Add(longRecord(f, recordKey, d, record))
	long := longRecord(f, recordKey, d, head)
	f.Add(append(slices.Clone(long), 0, 3, 'a', 'b', 'c', byte(engine.Boolean)|trueBit))
	f.Add(append(slices.Clone(long), 0, 1, byte(engine.String)|endBit, 2, 2, byte(engine.String)|momentBit, 0, 0, 0, 0, 0, 0, 0, 1))
	f.Add([]byte{recordLongReference, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 'q'})
	f.Fuzz(func(t *testing.T, b []byte) {
		d, _ := testRecord()
		r := newRecordReader(d, nil, nil)
		if len(b) >= placeVersion {
			binary.BigEndian.PutUint32(b[1:], recordChecksum(recordKey, b)) // what lies behind it is to be read
		}
		if h, err := readHead(recordKey, b); err == nil && h.reference() {
			if owner, err := h.appendOwner(nil, recordKey); err == nil {
				again := stamp(recordKey, appendReference(nil, recordKey, owner), h.version, 0)
				g, err := readHead(recordKey, again)
				if twice, _ := g.appendOwner(nil, recordKey); err != nil || g.version != h.version || !slices.Equal(twice, owner) {
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
		again := stamp(recordKey, appendBody(nil, recordKey, d, 0, r.names, r.values), r.version, r.ticks)
		s := newRecordReader(d, nil, nil)
		if err := s.read(tableIn{}, recordKey, again); err != nil || r.version != s.version || r.ticks != s.ticks || !slices.Equal(r.names, s.names) || !slices.Equal(r.values, s.values) {
			t.Fatalf("%q %v comes out as %q %v, %v", r.names, r.values, s.names, s.values, err)
		}
	})
}
