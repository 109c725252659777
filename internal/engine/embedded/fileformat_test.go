package embedded

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
)

// TestFileOfAnotherVersion: a file that a newer version made says what it has that this one does not know, and whether
// reading is allowed; one from before the first release says so.
func TestFileOfAnotherVersion(t *testing.T) {
	const newer = ", which this version of nearlyfree does not know: "
	format := func(v []byte) func(*bolt.Bucket) error {
		return func(b *bolt.Bucket) error { return b.Put(keyFormat, v) }
	}
	number := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	list := func(key []byte, names string) func(*bolt.Bucket) error {
		return func(b *bolt.Bucket) error { return b.Put(key, seal(key, []byte(names))) }
	}
	for name, c := range map[string]struct {
		change      func(*bolt.Bucket) error
		read, write string // what opening says; "" is nothing
	}{
		"newer format":     {format(seal(keyFormat, number(4))), "has the format 4" + newer + "use a newer version", "has the format 4" + newer + "use a newer version"},
		"to read":          {list(keyToRead, "zip blobs"), "uses the features zip, blobs" + newer + "use a newer version", "uses the features zip, blobs" + newer + "use a newer version"},
		"to write":         {list(keyToWrite, "zip"), "", "uses the feature zip" + newer + "it can be read, but not written; use a newer version to write"},
		"none":             {list(keyToWrite, ""), "", ""},
		"before a release": {format(number(2)), "has the format 2, from before the first release", "has the format 2, from before the first release"},
		"damaged number":   {format(number(3)), "cannot be read: the record of the file", "cannot be read: the record of the file"},
		"damaged": {func(b *bolt.Bucket) error { return b.Put(keyToRead, []byte("what?")) },
			"cannot be read: the record of the file", "cannot be read: the record of the file"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		open := func(o FileOptions) error {
			f, err := OpenFile(path, o)
			if err == nil {
				err = f.Close()
			}
			return err
		}
		if err := open(FileOptions{}); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Update(func(tx *bolt.Tx) error { return c.change(tx.Bucket(bucketFile)) }); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for readOnly, want := range map[bool]string{true: c.read, false: c.write} {
			err := open(FileOptions{ReadOnly: readOnly})
			var unknown *feature.Error
			var e *engine.Error
			switch {
			case want == "":
				if err != nil {
					t.Errorf("%s, read only %v: %v", name, readOnly, err)
				}
			case err == nil || !strings.HasPrefix(err.Error(), "file "+path+" "+want):
				t.Errorf("%s, read only %v: %v, want %s", name, readOnly, err, want)
			case errors.As(err, &unknown) != strings.Contains(want, newer):
				t.Errorf("%s: %T", name, err)
			case unknown == nil && (!errors.As(err, &e) || e.Code != engine.CodeCorrupt):
				t.Errorf("%s: %#v", name, err)
			}
		}
	}
}

// TestRecordsAreAsEver: files that were ever written hold these records, or one of a later golden line. One of another form has
// another format, and comes with a feature of the file.
func TestRecordsAreAsEver(t *testing.T) {
	const (
		plain = "02549558590000000000001234000000000000162e01010b74657874200020f09f98800208ac02…03072430313233616263642d343536372d383965662d38" +
			"3030302d6665646362613938373635340402010503ffffffffffffffffff010604800000000000000007062bca2875f4373fff088509050a0100"
		body = "0336995ba30000000000001234000000000000162e0301010b74657874200020f09f98800208ac02…03072430313233616263642d343536372d383965662d38" +
			"3030302d6665646362613938373635340402010503ffffffffffffffffff010604800000000000000007062bca2875f4373fff088509050a01000b2108dc3922d659e3b10c4105"
		reference = "040242e74700000000000012340205504b"
		filler    = "…"
	)
	d, record := testRecord()
	if got := strings.ReplaceAll(hex.EncodeToString(record), strings.Repeat("ff", 300), filler); got != body {
		t.Errorf("a body is %s", got)
	}
	key, owner := []byte("p\x00name!x!1234"), []byte("p\x00PK!1234")
	r := appendReference(nil, key, owner)
	stamp(key, r, 0x1234, 5678)
	if got := hex.EncodeToString(r); got != reference {
		t.Errorf("a reference is %s", got)
	}
	old, err := hex.DecodeString(strings.ReplaceAll(plain, filler, strings.Repeat("ff", 300)))
	if err != nil {
		t.Fatal(err)
	}
	reader := newRecordReader(d, nil, nil)
	if err := reader.read(tableIn{}, []byte("p\x00r"), old); err != nil || reader.version != 0x1234 || reader.ticks != 5678 ||
		!slices.Equal(reader.names, append(slices.Clone(recordNames[:9]), recordNames[10])) ||
		!slices.Equal(reader.values, append(slices.Clone(recordValues[:9]), recordValues[10])) {
		t.Errorf("an old record reads as %q %v, %v", reader.names, reader.values, err)
	}
}
