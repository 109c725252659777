package engine

import "context"

// Sweeper is an engine in which writers that died may have left something that no reader sees, but that costs space and requests.
type Sweeper interface {
	// Sweep takes away what was left in tables, or counts it (dry). It may wait for some time until it can take it.
	Sweep(ctx context.Context, tables []string, dry bool, m *Meter) (Swept, error)
}

// Swept is what a Sweep has found.
type Swept struct {
	Entities int // that bore what a writer has not brought to an end
	Records  int // of transactions, which nobody needs any more
}
