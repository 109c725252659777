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

// TestFeaturesAreListed: a file of an earlier version lists what this one writes from the first commit or repair on, and not before.
func TestFeaturesAreListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	use := func(o FileOptions, do func(f *File) error) (listed string) {
		e, err := OpenFile(path, o)
		if err == nil {
			err = do(e.(*File))
		}
		if err != nil {
			t.Fatal(err)
		}
		f := e.(*File)
		err = f.view(nil, func(s *fileState) error {
			names, err := features(s.Bucket(bucketFile), keyToRead)
			listed = strings.Join(names, " ")
			return err
		})
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		return listed
	}
	const before, now = feature.SharedBodies, feature.SharedBodies + " " + feature.ShortRecords
	insert := func(rowKey string) func(*File) error {
		return func(f *File) error {
			return f.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: "p", RowKey: rowKey}}}})
		}
	}
	get := func(f *File) error {
		_, err := f.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "a"})
		return err
	}
	use(FileOptions{}, func(f *File) error { return f.CreateTable(t.Context(), "tab", nil) })
	if got := use(FileOptions{}, insert("a")); got != now {
		t.Errorf("a new file lists %q", got)
	}
	for name, change := range map[string]func(f *File) error{
		"insert": insert("b"),
		"salvage": func(f *File) error {
			lost, err := f.Salvage(t.Context(), "tab")
			if len(lost) > 0 {
				t.Error(lost)
			}
			return err
		},
	} {
		LengthenRecords(t, path)
		for _, readOnly := range []bool{true, false} {
			if got := use(FileOptions{ReadOnly: readOnly}, get); got != before {
				t.Errorf("behind a read, a file lists %q", got)
			}
		}
		if got := use(FileOptions{}, change); got != now {
			t.Errorf("behind %s, a file lists %q", name, got)
		}
	}
}

// TestRecordsAreAsEver: files that were ever written hold these records, or one of a later golden line. One of another form has
// another format, and comes with a feature of the file.
func TestRecordsAreAsEver(t *testing.T) {
	const (
		plain = "02549558590000000000001234000000000000162e01010b74657874200020f09f98800208ac02…03072430313233616263642d343536372d383965662d38" +
			"3030302d6665646362613938373635340402010503ffffffffffffffffff010604800000000000000007062bca2875f4373fff088509050a0100"
		longBody = "0336995ba30000000000001234000000000000162e0301010b74657874200020f09f98800208ac02…03072430313233616263642d343536372d383965662d38" +
			"3030302d6665646362613938373635340402010503ffffffffffffffffff010604800000000000000007062bca2875f4373fff088509050a01000b2108dc3922d659e3b10c4105"
		longReference = "040242e74700000000000012340205504b"
		body          = "05b152259d00b424000000000000162e03110b74657874200020f09f988018ac02…172430313233616263642d343536372d383965662d383030302d666564636261393837363534" +
			"120113ffffffffffffffffff01f480162bca2875f4373fff951511003108dc3922d659e3b15105"
		reference = "06f1bca5cfa302e78a010205514b"
		ofRow     = "079b09b15da302e78a0105"

		filler = "…"
	)
	d, record := testRecord()
	if got := strings.ReplaceAll(hex.EncodeToString(record), strings.Repeat("ff", 300), filler); got != body {
		t.Errorf("a body is %s", got)
	}
	key := []byte("p\x00name!x!1234")
	for owner, want := range map[string]string{"p\x00PK!1234": ofRow, "p\x00QK!1234": reference} {
		r := stamp(key, appendReference(nil, key, []byte(owner)), 0x1234567, 5678)
		if got := hex.EncodeToString(r); got != want {
			t.Errorf("a reference to %q is %s", owner, got)
		}
	}
	whole := func(s string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(s, filler, strings.Repeat("ff", 300)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	h, err := readHead(key, whole(longReference))
	if owner, _ := h.appendOwner(nil, key); err != nil || h.version != 0x1234 || string(owner) != "p\x00PK!1234" {
		t.Errorf("an old reference reads as %+v, %v", h, err)
	}
	reader := newRecordReader(d, nil, nil)
	absent := func(v engine.Value) bool { return v.Type == engine.Absent }
	if err := reader.read(tableIn{}, recordKey, whole(longBody)); err != nil || reader.version != 0x1234 || reader.ticks != 5678 ||
		!slices.Equal(reader.values, slices.DeleteFunc(slices.Clone(recordValues), absent)) {
		t.Errorf("an old body reads as %q %v, %v", reader.names, reader.values, err)
	}
	old := whole(plain)
	if err := reader.read(tableIn{}, []byte("p\x00r"), old); err != nil || reader.version != 0x1234 || reader.ticks != 5678 ||
		!slices.Equal(reader.names, append(slices.Clone(recordNames[:9]), recordNames[10])) ||
		!slices.Equal(reader.values, append(slices.Clone(recordValues[:9]), recordValues[10])) {
		t.Errorf("an old record reads as %q %v, %v", reader.names, reader.values, err)
	}
}
