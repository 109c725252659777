package exec

import (
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Counts are how many rows tables had when a query of this process last read all of them. The zero value is empty. Plans do not use
// it: it tells callers what to expect.
type Counts struct {
	mu sync.Mutex
	of map[countedTable]Counted
}

// countedTable distinguishes a table's rows from those of others, including an earlier table of the same name.
type countedTable struct{ physical, rows string }

// Counted is a count of rows.
type Counted struct {
	Rows int64
	At   time.Time
}

func placeOfRows(t *schema.Table) countedTable {
	physical := t.Physical
	if t.IsDivided() && len(t.Partitions.List) > 0 {
		physical = t.Partitions.List[0].Physical
	}
	return countedTable{physical, t.RowName}
}

// Of gives the last count of a table.
func (c *Counts) Of(t *schema.Table) (Counted, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.of[placeOfRows(t)]
	return n, ok
}

// note keeps a count. When there are many, few counts of dropped tables survive.
func (c *Counts) note(t *schema.Table, rows int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostCounted {
		c.of = map[countedTable]Counted{}
	}
	c.of[placeOfRows(t)] = Counted{rows, time.Now()}
}

// mostCounted limits the number of tables whose counts are kept.
const mostCounted = 10_000

// countsAll says whether a scan that is read to its end has seen every row of its table, once.
func countsAll(s *access.Scan) bool {
	return s.ReadsAll() && s.Limit == nil && s.Predicate == nil && !s.IndexJoin
}
