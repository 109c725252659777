package embedded

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"path/filepath"
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

// TestRecordIsAsEver: files that were ever written hold this record. One of another form has another format, and comes
// with a feature of the file.
func TestRecordIsAsEver(t *testing.T) {
	const golden = "02549558590000000000001234000000000000162e01010b74657874200020f09f98800208ac02…03072430313233616263642d343536372d383965662d38" +
		"3030302d6665646362613938373635340402010503ffffffffffffffffff010604800000000000000007062bca2875f4373fff088509050a0100"
	_, record := testRecord()
	if got := hex.EncodeToString(record); strings.ReplaceAll(got, strings.Repeat("ff", 300), "…") != golden {
		t.Errorf("%s", strings.ReplaceAll(got, strings.Repeat("ff", 300), "…"))
	}
}
