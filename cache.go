package nearlyfree

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// The statement cache holds so many statements, of texts up to so many bytes.
const (
	cachedStatements = 512
	cachedText       = 16 << 10
)

// prepared is a parsed statement with the plan that was made of it last.
type prepared struct {
	parsed *dialect.Parsed
	plan   atomic.Pointer[plannedAt]
}

// plannedAt is a plan and the definitions that it was made against.
type plannedAt struct {
	plan     *planner.Plan
	header   *header
	snapshot *catalog.Snapshot
	open     bool // a table is among them that nobody declared: what is known of it does not last
}

// statementCache finds statements by their text; the least recently used one goes first.
type statementCache struct {
	mu    sync.Mutex
	items map[string]*list.Element
	order list.List // of *cached, most recently used in front
}

type cached struct {
	text string
	stmt *prepared
}

func (c *statementCache) get(text string) *prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[text]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).stmt
}

func (c *statementCache) put(text string, p *prepared) {
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
	c.items[text] = c.order.PushFront(&cached{text, p})
	if len(c.items) > cachedStatements {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(*cached).text)
	}
}
