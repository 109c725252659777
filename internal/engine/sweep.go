package engine

import "context"

// Sweeper is an engine in which dead writers may have left something that no reader sees, but that costs space and requests.
type Sweeper interface {
	// Sweep removes what was left in tables, or with dry only counts it. It may have to wait for some time first.
	Sweep(ctx context.Context, tables []string, dry bool, m *Meter) (Swept, error)
}

// Swept is what a Sweep found.
type Swept struct {
	Entities int // that bore unfinished work of a writer
	Records  int // of transactions, no longer needed
}
