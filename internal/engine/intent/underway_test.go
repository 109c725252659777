package intent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// TestLeaveBeside: a store may be left while others write.
func TestLeaveBeside(t *testing.T) {
	base := emptyBase(t)
	s := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	defer s.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 500 {
			k := fmt.Sprint(i)
			if err := s.Transact(context.Background(), engine.Transaction{Commits: []engine.Commit{
				commitOf(put(engine.Insert, "a", k, "", 1)), commitOf(put(engine.Insert, "b", k, "", 1))}}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for {
		s.Leave(t.Context())
		select {
		case <-done:
			return
		default:
		}
	}
}
