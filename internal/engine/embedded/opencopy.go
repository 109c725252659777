package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// OpenCopy opens a file that another process writes to, for reading and as it is now, by making a private copy: the other process is not asked,
// and does not wait. Without that process's knowledge, the file itself cannot be read past its next checkpoint, because it reuses pages.
//
// The copy no longer has a name when OpenCopy returns, so nothing is left of it if the process is killed; on Windows, Close removes it instead.
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

// errCopy says why a file in use cannot be read, unless the error says so itself.
func errCopy(path string, err error) error {
	var known *engine.Error
	if errors.As(err, &known) && known.Code != engine.CodeOther || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &engine.Error{Code: engine.CodeOther, Op: -1, Cause: err,
		Message: "file " + path + " is in use by another process, and cannot be copied into the folder " + os.TempDir() + " to be read"}
}
