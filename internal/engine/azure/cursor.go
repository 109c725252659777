package azure

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Scan starts a walk. Pages are fetched as they are needed, and one ahead once the caller has shown that it reads on: the first page is given
// out in two chunks, and asking for the second is that sign. So a reader that stops early causes no needless request.
func (e *Engine) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return e.newCursor(ctx, s, appendSpan(nil, &s))
}

// cursor walks the pages of a query. Two pages are in use at most: the one given out, and the next one,
// which is fetched by a goroutine that ends before Close returns.
type cursor struct {
	engine *Engine
	scan   engine.Scan
	span   []byte // the keys' range as a filter
	hint   []byte // the caller's filter, or nil
	decode decoder
	match  engine.Bound // what must hold for an entity to count for the limit; with a limit and a filter only
	failed error
	steps  progress

	ctx    context.Context // of all fetches; ends with Close
	cancel context.CancelFunc

	page    *page           // given out in part or whole
	rest    []engine.Entity // of page, not given out yet
	spare   *page           // to be filled
	more    bool            // another page may follow
	left    int             // entities up to the limit; with one only
	reading bool            // the caller reads on: fetch ahead
	ahead   chan fetched    // the page under way, or nil
}

type fetched struct {
	page *page
	err  error
}

func (e *Engine) newCursor(ctx context.Context, s engine.Scan, span []byte) *cursor {
	c := &cursor{engine: e, scan: s, span: span, more: true, left: s.Limit, page: new(page), spare: new(page)}
	c.ctx, c.cancel = context.WithCancel(ctx)
	if c.failed = e.limits.CheckScan(&s); c.failed != nil {
		return c
	}
	c.decode = newDecoder(s.Select, s.Select)
	if s.Filter == nil {
		return c
	}
	c.hint, _ = appendHint(nil, s.Filter, min(e.limits.FilterBytes, maxQuery-len(span)), e.limits.FilterCompare)
	if s.Limit > 0 && s.Select != nil {
		// The limit counts only entities that pass, and the store may return more: so the filter's properties are needed here, too.
		c.decode.want = appendProperties(append(make([]string, 0, len(s.Select)+4), s.Select...), s.Filter)
		c.match = s.Filter.Bind(c.decode.want)
	}
	return c
}

// appendProperties appends the properties that f compares and that are not in names.
func appendProperties(names []string, f *engine.Filter) []string {
	for _, kid := range f.Kids {
		names = appendProperties(names, kid)
	}
	switch f.Property {
	case "", "PartitionKey", "RowKey":
		return names
	}
	for _, name := range names {
		if name == f.Property {
			return names
		}
	}
	return append(names, f.Property)
}

// Next gives the rest of a page, or a first part of the first one.
func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if c.failed == nil {
		c.failed = ctx.Err()
	}
	if c.failed != nil {
		return nil, c.fail(c.failed)
	}
	for len(c.rest) == 0 {
		if err := c.turn(ctx); err != nil {
			return nil, c.fail(err)
		}
	}
	chunk := c.rest
	if !c.reading && c.more && !c.scan.Whole {
		const part = 8
		chunk = chunk[:(len(chunk)+part-1)/part]
		c.reading = true
	} else if c.more && c.ahead == nil {
		c.fetchAhead()
	}
	c.rest = c.rest[len(chunk):]
	return chunk, nil
}

// fail closes the cursor because of err, and returns err from then on.
func (c *cursor) fail(err error) error {
	c.failed = err
	c.Close()
	return err
}

// turn goes on to the next page; io.EOF when there is none.
func (c *cursor) turn(ctx context.Context) error {
	if !c.more {
		return io.EOF
	}
	next, err := c.receive(ctx)
	if err != nil {
		return err
	}
	c.page, c.spare = next, c.page
	c.more = !next.next.end()
	c.rest = next.entities
	if c.scan.Limit > 0 {
		c.limit()
	}
	if m := c.scan.Meter; m != nil {
		m.Returned.Add(int64(len(next.entities)))
		m.Scanned.Add(int64(len(next.entities)))
	}
	return nil
}

// limit drops entities that do not count, and ends the walk at the limit.
func (c *cursor) limit() {
	kept := c.rest[:0]
	for i := range c.rest {
		x := &c.rest[i]
		if c.scan.Filter != nil {
			if c.scan.Select == nil {
				if !c.scan.Filter.Match(x) {
					continue
				}
			} else {
				if !c.match.Match(x.PartitionKey, x.RowKey, x.Timestamp, x.Values) {
					continue
				}
				n := len(c.scan.Select)
				x.Values = x.Values[:n:n]
			}
		}
		kept = append(kept, *x)
		if c.left--; c.left == 0 {
			c.more = false
			break
		}
	}
	c.rest = kept
}

// receive gives the next page: the one under way, or one fetched now.
func (c *cursor) receive(ctx context.Context) (*page, error) {
	if c.ahead == nil {
		// The context of this call ends the fetch, too.
		stop := context.AfterFunc(ctx, c.cancel)
		p, from := c.spare, c.page.next
		err := c.fetch(p, from)
		if !stop() && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return p, err
	}
	select {
	case f := <-c.ahead:
		c.ahead = nil
		return f.page, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetchAhead begins to fetch the next page. It fills the page that is not given out.
func (c *cursor) fetchAhead() {
	ahead := make(chan fetched, 1)
	c.ahead = ahead
	p, from := c.spare, c.page.next
	go func() { ahead <- fetched{p, c.fetch(p, from)} }()
}

// fetch reads one page into p. Only one fetch is under way at a time. A store that rejects the filter (Azurite fails with 500 if a property has
// different types in different entities) is asked again without it, since it is only a hint.
func (c *cursor) fetch(p *page, from token) error {
	for {
		if err := c.scan.Budget.Take(1); err != nil {
			return err
		}
		rq := request{
			method: http.MethodGet, path: "/" + c.scan.Table + "()", query: c.query(from),
			meter: c.scan.Meter, hinted: c.hint != nil,
		}
		f := c.engine.do(c.ctx, &rq, func(r *response) *failure {
			p.reset()
			if err := c.decode.page(r.body.Bytes(), p); err != nil {
				return badBody(r, err)
			}
			p.next = token{
				partition: r.header.Get("x-ms-continuation-NextPartitionKey"),
				row:       r.header.Get("x-ms-continuation-NextRowKey"),
			}
			if err := c.check(p); err != nil {
				return badBody(r, err)
			}
			return nil
		})
		switch {
		case f == nil && c.steps.repeats(p.next):
			return corrupt(errNoAdvance)
		case f == nil:
			return nil
		case rq.hinted && f.refusesHint():
			c.hint = nil
		default:
			return f.err
		}
	}
}

// check says what is wrong with a page: an entity that was not asked for, or no progress.
func (c *cursor) check(p *page) error {
	for i := range p.entities {
		if !inRange(&c.scan, &p.entities[i]) {
			return errOutside
		}
	}
	return nil
}

var (
	errOutside   = errors.New("it holds an entity outside of the range that was asked for")
	errNoAdvance = errors.New("its continuation was given before: the answers go round in a circle")
)

// inRange says whether an entity is within a scan's keys. It accepts all keys beyond ASCII, because stores sort them differently.
func inRange(s *engine.Scan, e *engine.Entity) bool {
	if s.AllPartitions {
		return within(e.PartitionKey, s.FromPartition, s.ToPartition)
	}
	return e.PartitionKey == s.PartitionKey && within(e.RowKey, s.From, s.To)
}

func within(key, from, to string) bool {
	return key >= from && (to == "" || key < to) || !engine.IsASCII(key) || !engine.IsASCII(from) || !engine.IsASCII(to)
}

// progress detects continuations that form a cycle, of whatever length, by keeping one of them (Brent's algorithm).
type progress struct {
	kept         token
	steps, until int
}

// repeats says whether next was given before.
func (p *progress) repeats(next token) bool {
	if next.end() {
		return false
	}
	if p.until > 0 && next == p.kept {
		return true
	}
	if p.steps++; p.steps > p.until {
		p.kept, p.until = next, 2*p.until+1
	}
	return false
}

// query composes the query for a page.
func (c *cursor) query(from token) string {
	dst := make([]byte, 0, 256+len(c.span)+len(c.hint))
	if len(c.span)+len(c.hint) > 0 {
		dst = append(dst, "&$filter="...)
		dst = append(dst, c.span...)
		if len(c.span) > 0 && len(c.hint) > 0 {
			dst = append(dst, "+and+"...)
		}
		dst = append(dst, c.hint...)
	}
	if c.decode.want != nil {
		dst = appendSelect(dst, c.decode.want)
	}
	top := c.engine.page
	if c.left > 0 {
		top = min(c.left, c.engine.limits.PageEntities)
	}
	if top > 0 {
		dst = strconv.AppendInt(append(dst, "&$top="...), int64(top), 10)
	}
	if !from.end() {
		// For an empty PartitionKey the emulator's token is empty, too.
		dst = appendEscaped(append(dst, "&NextPartitionKey="...), from.partition)
	}
	if from.row != "" {
		dst = appendEscaped(append(dst, "&NextRowKey="...), from.row)
	}
	if len(dst) == 0 {
		return ""
	}
	return string(dst[1:])
}

// Close ends a fetch that is under way and waits until it has ended.
func (c *cursor) Close() error {
	c.cancel()
	if c.ahead != nil {
		<-c.ahead
		c.ahead = nil
	}
	if c.failed == nil {
		c.failed = engine.Errorf(engine.CodeClosed, "the cursor is closed")
	}
	return nil
}
