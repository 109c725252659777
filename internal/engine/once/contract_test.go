package once_test

import (
	"context"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/once"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// withoutIDs gives what was written, and not the ids.
type withoutIDs struct{ engine.Engine }

func (w withoutIDs) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := w.Engine.Get(ctx, g)
	return withoutID(e), err
}

func (w withoutIDs) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return cursorWithoutIDs{w.Engine.Scan(ctx, s)}
}

type cursorWithoutIDs struct{ engine.Cursor }

func (c cursorWithoutIDs) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	chunk = slices.Clone(chunk)
	for i := range chunk {
		chunk[i] = withoutID(chunk[i])
	}
	return chunk, err
}

func withoutID(e engine.Entity) engine.Entity {
	if i := slices.Index(e.Names, keymap.OperationIDs); i >= 0 {
		e.Names, e.Values = slices.Delete(slices.Clone(e.Names), i, i+1), slices.Delete(slices.Clone(e.Values), i, i+1)
	}
	return e
}

// TestContract: but for the ids, the engine is the one that it lies over.
func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		return withoutIDs{once.Over(engine.InGroups(embedded.OpenMemory(embedded.Options{PageEntities: 3})))}
	}, enginetest.ExactFilters, enginetest.CountsScanned, enginetest.Snapshots)
}
