package embedded

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

var recordNames = []string{"S", "B", "G", "I", "L", "D", "T", "Yes", "No", "Gone", "Größe"}

var recordValues = []engine.Value{
	{Type: engine.String, S: "text \x00 😀"}, {Type: engine.Binary, S: strings.Repeat("\xff", 300)},
	{Type: engine.Guid, S: "0123abcd-4567-89ef-8000-fedcba987654"}, {Type: engine.Int32, N: math.MaxUint64}, {Type: engine.Int64, N: 1 << 63},
	{Type: engine.Double, N: 1 << 63}, {Type: engine.DateTime, N: uint64(engine.MaxDateTime)},
	{Type: engine.Boolean, N: 1}, {Type: engine.Boolean}, {}, {Type: engine.String},
}

func testRecord() (*dictionary, []byte) {
	d := newDictionary([]string{})
	record := appendRecord(nil, d, recordNames, recordValues)
	stamp(record, 0x1234, 5678)
	return d, record
}

func TestRecord(t *testing.T) {
	d, record := testRecord()
	r := newRecordReader(d, nil, nil)
	for range 2 {
		if err := r.read(record); err != nil {
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
		if err := r.read(record); err != nil {
			t.Fatal(err)
		}
		if want := []engine.Value{recordValues[10], {}, recordValues[4], recordValues[7]}; !slices.Equal(r.values, want) {
			t.Fatalf("values %v, want %v", r.values, want)
		}
	}
}

// TestRecordCutOff: no beginning of a record is taken for a whole one, except where a property ends.
func TestRecordCutOff(t *testing.T) {
	d, record := testRecord()
	whole := 0
	for n := range record {
		r := newRecordReader(d, nil, nil)
		if r.read(record[:n:n]) == nil {
			whole++
		}
	}
	if whole != len(recordNames)-1 { // from none to all but one of those that are there
		t.Fatalf("%d beginnings read as whole records, want %d", whole, len(recordNames)-1)
	}
}

// FuzzRecord: any bytes give an error or a record that comes out the same when it is written again.
func FuzzRecord(f *testing.F) {
	_, record := testRecord()
	f.Add(record)
	f.Add(record[:headerSize])
	f.Add(append(slices.Clone(record[:headerSize]), 0, 3, 'a', 'b', 'c', byte(engine.Boolean)|trueBit))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, _ := testRecord()
		r := newRecordReader(d, nil, nil)
		err := r.read(b)
		if s := newRecordReader(d, []string{"S", "Größe", "abc"}, nil); s.read(b) != nil && err == nil {
			t.Fatal("a record can be read whole, and not in part")
		}
		if err != nil {
			return
		}
		again := appendRecord(nil, d, r.names, r.values)
		stamp(again, r.version, r.ticks)
		s := newRecordReader(d, nil, nil)
		if err := s.read(again); err != nil || !slices.Equal(r.names, s.names) || !slices.Equal(r.values, s.values) {
			t.Fatalf("%q %v comes out as %q %v, %v", r.names, r.values, s.names, s.values, err)
		}
	})
}
