package session

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// analysisKey is the key of a context whose statements are analyzed while they run.
type analysisKey struct{}

// WithAnalysis gives a context. After each statement run with it, tell gets what EXPLAIN ANALYZE would say; for a statement that
// failed, as far as it got.
func WithAnalysis(ctx context.Context, tell func(*planner.Explanation)) context.Context {
	return context.WithValue(ctx, analysisKey{}, tell)
}

// beginAnalysis begins to analyze a statement if its context asks for that.
func (s *Session) beginAnalysis(ctx context.Context, args []value.Value) {
	if tell, asked := ctx.Value(analysisKey{}).(func(*planner.Explanation)); asked {
		s.profiled = &profiled{args: args, begun: time.Now(), tell: tell}
	}
}

// endAnalysis counts what the statement has cost, and tells the caller that asked.
func (s *Session) endAnalysis(found *profiled, w *watched, rows int64) {
	if found == nil {
		return
	}
	s.count(found.cost(), w)
	if found.plan != nil {
		found.tell(s.analyzed(found, rows))
	}
}
