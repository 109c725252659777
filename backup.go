package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// BackupFile copies a database file, the PATH of a data source name file:PATH, into a new file, as of one moment. A program that has the file
// open, in this process or another, can go on writing without waiting. The copy has everything that was committed before. BackupFile fails with
// ErrLocked if others write so much that the file never stays unchanged for as long as the copy takes.
//
// The copy is a database file like any other: to look into a file that is in use, open its copy.
func BackupFile(ctx context.Context, path, to string) error {
	return translate(embedded.CopyFile(ctx, path, to), "")
}
