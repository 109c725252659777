package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestCacheBytes: the statement cache is bounded by what its plans take, not by their number alone.
func TestCacheBytes(t *testing.T) {
	var c statementCache
	put := func(text string, blocks int) *Prepared {
		p := &Prepared{}
		c.put(cacheKey{nil, text}, p)
		c.planned(p, blocks)
		return p
	}
	for i := range 2000 {
		put(fmt.Sprintf("SELECT %d", i), 1)
	}
	if len(c.items) != cachedStatements || c.order.Len() != cachedStatements {
		t.Errorf("it holds %d small statements, want %d", len(c.items), cachedStatements)
	}
	for i := range 2000 {
		put(fmt.Sprintf("SELECT %d %s", i, strings.Repeat("x", cachedText-20)), 1)
	}
	if c.bytes > cachedBytes || len(c.items) > cachedBytes/(128*(cachedText-20)) {
		t.Errorf("it holds %d long statements, %d bytes", len(c.items), c.bytes)
	}
	before := c.bytes
	giant := put("SELECT giant", 10_000)
	if giant.place != nil || c.bytes > before || len(c.items) == 0 {
		t.Errorf("a giant plan is held, or has driven out the others: %d bytes, %d statements", c.bytes, len(c.items))
	}
	before = c.bytes
	c.planned(giant, 1) // it is gone, and nothing is counted
	if c.bytes != before {
		t.Errorf("%d bytes became %d", before, c.bytes)
	}
}
