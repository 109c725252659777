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

// The bounds of the statement cache: statements, bytes of one statement's text, and bytes in all, plans included.
const (
	cachedStatements = 512
	cachedText       = 16 << 10
	cachedBytes      = 64 << 20
)

// weight is about what a statement and its plan take in memory.
func weight(text string, blocks int) int { return 4<<10 + 128*len(text) + 8<<10*blocks }

// prepared is a parsed statement with the plan that was made of it last.
type Prepared struct {
	Parsed *dialect.Parsed
	plan   atomic.Pointer[plannedAt]
	zoned  atomic.Pointer[plannedAt] // the plan for sessions whose time zone is not UTC
	place  *list.Element             // in the statement cache, under its lock; nil: it is not there

	shape    *Prepared     // has the plan, where the text differs from others in literals alone
	literals []value.Value // the arguments of shape
}

// plannedAt is a plan, with the definitions and the collation of literals that it was made by.
type plannedAt struct {
	plan      *planner.Plan
	header    *Header
	snapshot  *catalog.Snapshot
	collation value.Collation
	open      bool // a table is among them that nobody declared: what is known of it does not last
}

// statementCache finds statements by their text; the least recently used one goes first.
type statementCache struct {
	mu    sync.Mutex
	items map[string]*list.Element
	order list.List // of *cached, most recently used in front
	bytes int       // of all
}

type cached struct {
	text  string
	stmt  *Prepared
	bytes int
}

func (c *statementCache) get(text string) *Prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[text]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).stmt
}

func (c *statementCache) put(text string, p *Prepared) {
	if len(text) > cachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = map[string]*list.Element{}
	}
	if c.items[text] != nil {
		return
	}
	p.place = c.order.PushFront(&cached{text: text, stmt: p})
	c.items[text] = p.place
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

// weigh counts what a statement takes. Where all take too much it drops those that were not used for longest.
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
	delete(c.items, gone.text)
	c.bytes -= gone.bytes
	gone.stmt.place = nil
}
