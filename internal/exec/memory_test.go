package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// contended is an engine in which another writer is faster so many times.
type contended struct {
	engine.Engine
	times int
}

func (c *contended) Commit(ctx context.Context, commit engine.Commit) error {
	if c.times--; c.times >= 0 {
		return engine.Errorf(engine.CodeStale, "another writer was faster")
	}
	return c.Engine.Commit(ctx, commit)
}

// A write that is tried again holds what one try takes, and gives all of it back.
func TestTriesShareNoMemory(t *testing.T) {
	db := newTestDB(t, 1, 100)
	table := newTable(t, "t", 1, "id INT", "v VARCHAR(10000)")
	db.create(table)
	long := text(strings.Repeat("x", 10000))
	for i := range 10 {
		db.insert(table, []value.Value{value.FromInt(int64(i)), long})
	}
	others := &contended{Engine: db.engine, times: 4}
	db.rt = &Runtime{Engine: others, Parallel: 1, Account: &Account{Max: 300_000}} // a try holds some 100 000
	x := db.execution(db.plan("UPDATE t SET v = CONCAT('y', SUBSTRING(v, 2))"))
	x.Store = others
	got, err := db.rt.Write(t.Context(), x)
	if err != nil || got.Affected != 10 {
		t.Errorf("%d rows are changed, %v", got.Affected, err)
	}
	if others.times >= 0 {
		t.Errorf("the write was to meet %d others more", others.times+1)
	}
	if held := db.rt.Account.held.Load(); held != 0 {
		t.Errorf("%d bytes are held behind the write", held)
	}
}
