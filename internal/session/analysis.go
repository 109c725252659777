package session

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// analysisKey is that of a context whose statements are to be analyzed while they run.
type analysisKey struct{}

// WithAnalysis gives a context. Of each statement that is run by it, tell is told what EXPLAIN ANALYZE would say, when it is over; also of
// one that failed, as far as it came.
func WithAnalysis(ctx context.Context, tell func(*planner.Explanation)) context.Context {
	return context.WithValue(ctx, analysisKey{}, tell)
}

// beginAnalysis begins to find out what a statement does, where its context asks for that.
func (s *Session) beginAnalysis(ctx context.Context, args []value.Value) {
	if tell, asked := ctx.Value(analysisKey{}).(func(*planner.Explanation)); asked {
		s.profiled = &profiled{args: args, begun: time.Now(), tell: tell}
	}
}

// endAnalysis counts what the statement has cost, and tells who asked.
func (s *Session) endAnalysis(found *profiled, w *watched, rows int64) {
	if found == nil {
		return
	}
	s.count(found.cost(), w)
	if found.plan != nil {
		found.tell(s.analyzed(found, rows))
	}
}
