package intent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// silent is a store that answers nothing any more behind some commits: each request takes as long as six tries of a minute.
type silent struct {
	engine.Engine
	commits int
}

func (s *silent) no(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(6 * time.Minute):
		return &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "no answer", Cause: errors.New("no answer")}
	}
}

func (s *silent) Commit(ctx context.Context, c engine.Commit) error {
	if s.commits--; s.commits < 0 {
		return s.no(ctx)
	}
	return s.Engine.Commit(ctx, c)
}

func (s *silent) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if s.commits < 0 {
		return engine.Entity{}, s.no(ctx)
	}
	return s.Engine.Get(ctx, g)
}

// TestSilentStore: a store that falls silent holds a transaction up for its requests under way, and not for each that is left.
func TestSilentStore(t *testing.T) {
	for _, after := range []int{50, 101, 102} {
		synctest.Test(t, func(t *testing.T) {
			base := emptyBase(t)
			s := intent.New(&silent{base, after}, intent.Options{Records: inRecords, Parallel: 1})
			var tx []engine.Commit
			for i := range 100 {
				tx = append(tx, commitOf(put(engine.Insert, fmt.Sprint("p", i), "r", "", 1)))
			}
			began := time.Now()
			err := s.Transact(t.Context(), engine.Transaction{Commits: tx})
			if took := time.Since(began); took > 15*time.Minute {
				t.Errorf("silent after %d requests: %v in %v", after, err, took)
			}
			s.Close()
			synctest.Wait()
		})
	}
}
