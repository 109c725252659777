package session

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// The limits of the statement cache: statements, bytes of one statement's text, and bytes in all, plans included.
const (
	cachedStatements = 512
	cachedText       = 16 << 10
	cachedBytes      = 64 << 20
)

// weight is about what a statement and its plan take in memory.
func weight(text string, blocks int) int { return 4<<10 + 128*len(text) + 8<<10*blocks }

// Prepared is a parsed statement with its latest plan.
type Prepared struct {
	Parsed *dialect.Parsed
	in     *Schema // the database of tables that it names without one
	plan   atomic.Pointer[plannedAt]
	zoned  atomic.Pointer[plannedAt] // the plan for sessions whose time zone is not UTC
	place  *list.Element             // in the statement cache, under its lock; nil: not there

	shape    *Prepared     // has the plan, if the text differs from others only in literals
	literals []value.Value // the arguments of shape
}

// plannedAt is a plan, with the definitions and the collation of literals by which it was made.
type plannedAt struct {
	plan      *planner.Plan
	header    *Header
	snapshot  *catalog.Snapshot
	collation value.Collation
	others    []*catalog.Snapshot // of other databases that it names
	open      bool                // it uses an undeclared table: what is known of that does not last
}

// cacheKey distinguishes statements: the same text means other tables in another database.
type cacheKey struct {
	in   *Schema
	text string
}

// statementCache finds statements by their text; the least recently used one is dropped first.
type statementCache struct {
	mu    sync.Mutex
	items map[cacheKey]*list.Element
	order list.List // of *cached, most recently used in front
	bytes int       // of all
}

type cached struct {
	cacheKey
	stmt  *Prepared
	bytes int
}

func (c *statementCache) get(key cacheKey) *Prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).stmt
}

func (c *statementCache) put(key cacheKey, p *Prepared) {
	if len(key.text) > cachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = map[cacheKey]*list.Element{}
	}
	if c.items[key] != nil {
		return
	}
	p.place = c.order.PushFront(&cached{cacheKey: key, stmt: p})
	c.items[key] = p.place
	c.weigh(p, 0)
}

// planned notes that a statement has a plan of so many query blocks.
func (c *statementCache) planned(p *Prepared, blocks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.place != nil {
		c.weigh(p, blocks)
	}
}

// weigh counts what a statement takes. If all together take too much, it drops the least recently used.
func (c *statementCache) weigh(p *Prepared, blocks int) {
	own := p.place.Value.(*cached)
	bytes := weight(own.text, blocks)
	c.bytes += bytes - own.bytes
	own.bytes = bytes
	if bytes > cachedBytes/8 {
		c.drop(p.place) // rather than many others
	}
	for len(c.items) > cachedStatements || c.bytes > cachedBytes {
		c.drop(c.order.Back())
	}
}

func (c *statementCache) drop(place *list.Element) {
	gone := c.order.Remove(place).(*cached)
	delete(c.items, gone.cacheKey)
	c.bytes -= gone.bytes
	gone.stmt.place = nil
}
