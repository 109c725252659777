package embedded

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
)

// fileFormat is the number of the file's own format. docs/format.md says when it rises: anything new in a file is a feature instead.
const fileFormat = 3

// The keys under which a file stores the number, and the lists of features that a program must know to read it and to write to it: their names,
// separated by blanks. All are sealed.
var (
	keyFormat  = []byte("format")
	keyToRead  = []byte("to read")
	keyToWrite = []byte("to write")
	keyID      = []byte("id")
)

// putFormat gives a new file the number of its format, and a unique id. Without the id two new files would be identical, and the log of one
// would fit the other.
func putFormat(file *bolt.Bucket) error {
	id := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, rand.Uint64()), rand.Uint64())
	if err := file.Put(keyID, seal(keyID, id)); err != nil {
		return err
	}
	return file.Put(keyFormat, seal(keyFormat, binary.BigEndian.AppendUint32(nil, fileFormat)))
}

// checkFormat refuses a file with a format or a feature that this version does not know.
func (f *File) checkFormat(file getter) error {
	where := "file " + f.path
	v := file.Get(keyFormat)
	if len(v) == 4 && binary.BigEndian.Uint32(v) < fileFormat {
		return engine.Errorf(engine.CodeCorrupt, "%s has the format %d, from before the first release of nearlyfree: only the version that wrote it "+
			"reads it; copy the rows with that one into a new file of this one", where, binary.BigEndian.Uint32(v))
	}
	b, ok := unseal(keyFormat, v)
	if !ok || len(b) != 4 {
		return errHeader
	}
	if format := binary.BigEndian.Uint32(b); format != fileFormat {
		return &feature.Error{Where: where, What: fmt.Sprintf("has the format %d", format)}
	}
	unknown, err := unknownFeatures(file, keyToRead)
	if err == nil && len(unknown) > 0 {
		return &feature.Error{Where: where, What: feature.Uses(unknown)}
	}
	if err != nil || f.readOnly {
		return err
	}
	unknown, err = unknownFeatures(file, keyToWrite)
	if err == nil && len(unknown) > 0 {
		return &feature.Error{Where: where, What: feature.Uses(unknown), Write: true}
	}
	return err
}

// listFeatures adds the features that this version writes to the lists in a file of an earlier version.
func listFeatures(tx *fileTx) error {
	names, err := features(tx.Bucket(bucketFile), keyToRead)
	if err != nil {
		return err
	}
	had := len(names)
	for _, name := range []string{feature.SharedBodies, feature.ShortRecords} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == had {
		return nil
	}
	return tx.put(bucketFile, keyToRead, seal(keyToRead, []byte(strings.Join(names, " "))))
}

// getter is a bucket of a bbolt transaction, or of a state.
type getter interface{ Get(key []byte) []byte }

func unknownFeatures(file getter, key []byte) ([]string, error) {
	names, err := features(file, key)
	return feature.Files.Unknown(names), err
}

// features reads a list of features.
func features(file getter, key []byte) ([]string, error) {
	v := file.Get(key)
	if v == nil {
		return nil, nil
	}
	names, ok := unseal(key, v)
	if !ok {
		return nil, errHeader
	}
	return strings.Fields(string(names)), nil
}
