package engine

import "context"

// Maintainer is an engine that can look after what it has stored. The service does that itself.
type Maintainer interface {
	// Verify reads all of a table and says what of it is not as it was written, a text for each fault.
	Verify(ctx context.Context, table string) (faults []string, err error)
	// Salvage removes from a table what is not as it was written, and gives a text for each entity that is lost. The rest
	// is whole. It keeps the whole table in memory, and lets nobody write until it is done.
	Salvage(ctx context.Context, table string) (lost []string, err error)
	// Compact gives the space of what was deleted back to the system. It takes about as long as copying the store.
	Compact(ctx context.Context) error
}
