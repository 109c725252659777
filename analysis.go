package nearlyfree

import (
	"context"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Analysis holds what EXPLAIN ANALYZE would print about a statement that was run for its rows. Make one for each statement.
//
//	var a nearlyfree.Analysis
//	rows, err := db.QueryContext(nearlyfree.WithAnalysis(ctx, &a), "SELECT …")
//	… // read and close the rows
//	fmt.Println(a.JSON())
type Analysis struct {
	mu sync.Mutex
	x  *planner.Explanation
}

// WithAnalysis returns a context. A statement that runs with it notes what each of its operators does, and a has that when the statement is over
// and its rows are closed. After a failed or cancelled statement, a has what it did until then. After several statements, a has the last one.
func WithAnalysis(ctx context.Context, a *Analysis) context.Context {
	return session.WithAnalysis(ctx, func(x *planner.Explanation) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.x = x
	})
}

// JSON is what EXPLAIN ANALYZE FORMAT=JSON gives; "" if the statement is not over, or has no plan.
func (a *Analysis) JSON() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.x == nil {
		return ""
	}
	return a.x.JSON()
}

// Text is what EXPLAIN ANALYZE gives, one line an operator.
func (a *Analysis) Text() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.x == nil {
		return nil
	}
	return a.x.Text()
}
