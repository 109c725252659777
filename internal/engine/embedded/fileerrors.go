package embedded

import (
	"errors"
	"io/fs"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
)

var (
	errIrregular = errors.New("not a regular file")
	errForeign   = errors.New("the file belongs to another program")
	errCutOff    = errors.New("the file is shorter than it says")
	errPages     = errors.New("a page is damaged")
	errTables    = errors.New("the list of tables is damaged")
	errHeader    = errors.New("the record of the file's format is damaged")
)

// errFile says what is wrong with a file, in the contract's terms.
func errFile(path string, err error) error {
	var done *engine.Error
	var newer *feature.Error
	if errors.As(err, &done) || errors.As(err, &newer) {
		return err
	}
	var system *fs.PathError
	if errors.As(err, &system) && system.Path == path {
		err = system.Err // the path is in the message
	}
	code, message := engine.CodeOther, "file "+path
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return engine.Errorf(engine.CodeLocked, "file %s is in use by another process: readonly=true in the data source name looks into it as it is now, nearlyfree backup copies it", path)
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return errClosed()
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch),
		errors.Is(err, errForeign), errors.Is(err, errHeader), errors.Is(err, errCutOff), errors.Is(err, errTables), errors.Is(err, errPages),
		errors.Is(err, errMeta), errors.Is(err, errLog), errors.Is(err, errOtherLog), errors.Is(err, errLogElsewhere), isDamage(err):
		code, message = engine.CodeCorrupt, "file "+path+" cannot be read"
	}
	return &engine.Error{Code: code, Op: -1, Message: message, Cause: err}
}

// isCorrupt says whether an error means that the file is damaged.
func isCorrupt(err error) bool {
	return engine.Is(err, engine.CodeCorrupt)
}

// isDamage says whether an error means that something was read that was never written.
func isDamage(err error) bool {
	for _, damage := range []error{errRecordShort, errRecordFormat, errRecordType, errRecordName, errRecordEnd, errBody, errSharers, errChecksum, errKey, errOrder, errAstray, errTables} {
		if errors.Is(err, damage) {
			return true
		}
	}
	return false
}
