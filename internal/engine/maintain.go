package engine

import "context"

// Maintainer is an engine that can check and repair what it has stored. The service does that itself.
type Maintainer interface {
	// Verify reads a whole table and reports what is not as it was written, a text for each fault.
	Verify(ctx context.Context, table string) (faults []string, err error)
	// Salvage removes from a table what is not as it was written, and gives a text for each entity that is lost. The rest stays complete. It
	// keeps the whole table in memory, and blocks all writers until it is done.
	Salvage(ctx context.Context, table string) (lost []string, err error)
	// Compact returns the space of deleted data to the system. It takes about as long as copying the store.
	Compact(ctx context.Context) error
}
