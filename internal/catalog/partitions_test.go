package catalog

import (
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestMayOpen: a partition may be opened when it has been known for two leases, to this process or, for longer than clocks
// differ, to anybody.
func TestMayOpen(t *testing.T) {
	store := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer store.Close()
	grow := Open(store, "", time.Hour, nil)
	parsed, err := dialect.Parse("CREATE TABLE t (n INT PRIMARY KEY) PARTITION BY RANGE (n) INTERVAL (10)", dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := define.Define(parsed.Statement.(*dialect.CreateTable), planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := grow.Create(t.Context(), table, nil); err != nil {
		t.Fatal(err)
	}
	next := table.Clone()
	if err := next.GrowPartitions([][]value.Value{{value.FromInt(5)}}, true); err != nil {
		t.Fatal(err)
	}
	if err := grow.ReplacePartitions(t.Context(), table, next, nil); err != nil {
		t.Fatal(err)
	}
	read := func(lease time.Duration) (*Catalog, *schema.Partition) {
		c := Open(store, "", lease, nil)
		s, err := c.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now, err := s.Table(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		return c, now.Partitions.List[0]
	}
	c, p := read(time.Hour)
	if c.MayOpen(p) {
		t.Error("a part may be opened that was published just now")
	}
	old := *p
	old.Published -= int64((noteAge + 2*time.Hour).Seconds()) + 60
	if !c.MayOpen(&old) {
		t.Error("a part may not be opened that was published long ago")
	}
	c, p = read(time.Millisecond)
	if time.Sleep(3 * time.Millisecond); !c.MayOpen(p) {
		t.Error("a part may not be opened that has been known for two leases")
	}
}
