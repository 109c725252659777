package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// BackupFile copies a database file, the PATH of a data source name file:PATH, into a new one, as of one moment. Whoever has it open, in
// this process or another one, may go on writing to it: nobody waits. All that was committed before is in the copy. It fails with
// ErrLocked where so much is written that the file never stays what it is for as long as it takes to copy.
//
// The copy is a database file like any other one: to look into a file that is in use, open one.
func BackupFile(ctx context.Context, path, to string) error {
	return translate(embedded.CopyFile(ctx, path, to), "")
}
