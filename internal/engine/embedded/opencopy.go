package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// OpenCopy opens a file for reading that another process writes to, as it is now, by a copy of its own: the other one is not asked, and does
// not wait. Pages that it gives back and uses again cannot be read beside it without its knowledge for longer than to its next checkpoint.
//
// The copy has no name any more when OpenCopy returns, so nothing of it is left where the process is killed; but on Windows, where Close
// removes it.
func OpenCopy(ctx context.Context, path string, o FileOptions) (engine.Engine, error) {
	resolved, err := ResolvePath(path)
	if err != nil {
		return nil, errFile(path, err)
	}
	folder, err := os.MkdirTemp("", "nearlyfree-")
	if err != nil {
		return nil, errCopy(path, err)
	}
	defer os.RemoveAll(folder)
	copied := filepath.Join(folder, filepath.Base(path))
	if err := copyWhole(ctx, path, resolved, copied); err != nil {
		return nil, errCopy(path, err)
	}
	o.ReadOnly = true
	e, err := OpenFile(copied, o)
	if err != nil {
		return nil, errCopy(path, err)
	}
	f := e.(*File)
	f.path, f.folder = path, folder // errors name the file that was meant
	return f, nil
}

// errCopy says why a file in use cannot be read, unless that says it itself.
func errCopy(path string, err error) error {
	var known *engine.Error
	if errors.As(err, &known) && known.Code != engine.CodeOther || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &engine.Error{Code: engine.CodeOther, Op: -1, Cause: err,
		Message: "file " + path + " is in use by another process, and cannot be copied into the folder " + os.TempDir() + " to be read"}
}
