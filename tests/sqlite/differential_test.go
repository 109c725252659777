package sqlite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
)

var (
	statements = flag.Int("statements", 20000, "statements that the differential tests run")
	seed       = flag.Uint64("seed", 1, "first seed of the differential tests")
	faults     = flag.Int("faults", 20, "disagreements after which the differential tests end")
)

// perSeed is how many statements one set of random tables gets.
const perSeed = 80

// TestDifferential runs random statements here, here without indexes, and on SQLite: all rows and all errors
// must agree. No statement may take fewer requests than EXPLAIN says that it takes at least.
func TestDifferential(t *testing.T) {
	n := *statements
	if testing.Short() {
		n /= 20
	}
	var total tally
	for s := *seed; total.ran < n; s++ {
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { total.add(compare(t, s)) })
		if total.differed > *faults {
			t.Fatalf("too many disagreements; the last seed is %d", s)
		}
	}
	if total.least == 0 {
		t.Error("EXPLAIN says of no statement that it takes a request")
	}
	t.Logf("%d statements run, %d of them refused by all; %d disagreements; the slowest took %v, on SQLite %v: %s",
		total.ran, total.refused, total.differed, total.slowest, total.beside, total.slow)
}

// tally counts what was run.
type tally struct {
	ran, refused, differed int
	least                  int64         // requests that EXPLAIN says are needed
	slowest, beside        time.Duration // and how long SQLite took for the same
	slow                   string
}

func (t *tally) add(o tally) {
	t.ran, t.refused, t.differed, t.least = t.ran+o.ran, t.refused+o.refused, t.differed+o.differed, t.least+o.least
	if o.slowest > t.slowest {
		t.slowest, t.beside, t.slow = o.slowest, o.beside, o.slow
	}
}

// comparison is one set of tables on all sides.
type comparison struct {
	tally
	t       *testing.T
	g       *generator
	seed    uint64
	sides   []*database // ours, ours without indexes
	lite    *database
	history []string
}

func compare(t *testing.T, seed uint64) tally {
	c := &comparison{t: t, seed: seed, g: newGenerator(seed)}
	c.sides = []*database{open(t, "ours", "nearlyfree", "mem://"), open(t, "ours without indexes", "nearlyfree", "mem://")}
	c.sides[1].bare = true
	c.lite = open(t, "SQLite", "sqlite", ":memory:")
	c.statements()
	return c.tally
}

func (c *comparison) statements() {
	for _, s := range c.g.create() {
		if !c.write(s, nil) {
			return
		}
		if c.refused > 0 && s.plain { // but a unique index of a column twice
			c.t.Fatalf("seed %d: a table is refused: %s", c.seed, s.ours)
		}
	}
	for _, t := range c.g.tables {
		for range c.fills() {
			if !c.write(c.g.fill(t, 20), t) {
				return
			}
		}
	}
	c.analyze()
	for i := 0; i < perSeed && c.differed == 0; i++ {
		t := pick(c.g, c.g.tables...)
		switch {
		case c.g.one(40):
			for _, s := range c.g.copied() {
				if c.ask(s); c.differed > 0 {
					return
				}
			}
		case c.g.one(20):
			c.write(c.g.define(t), t)
		case c.g.one(16) && t.spread == "":
			c.transaction(t)
		case c.g.one(3):
			c.write(c.g.write(t), t)
		default:
			c.ask(c.g.query())
		}
	}
	for _, t := range c.g.tables {
		if c.differed == 0 {
			c.check(t)
		}
	}
}

// analyze has every other seed plan by what its tables hold.
func (c *comparison) analyze() {
	if c.seed%2 > 0 {
		return
	}
	for _, t := range c.g.tables {
		if r := c.sides[0].run(statement{sql: both("ANALYZE TABLE %s", t.name), rows: true}, nil); r.err != nil {
			c.t.Fatal(r.err)
		}
	}
}

// fills is how many times 20 rows a table begins with.
func (c *comparison) fills() int {
	if c.g.wide {
		return 20
	}
	return c.g.IntN(2)
}

// ask runs a query, or any statement; now and then a second time with other arguments.
func (c *comparison) ask(s statement) {
	c.run(s)
	if len(s.params) > 0 && s.rows && c.differed == 0 {
		c.run(s)
	}
}

// write runs a statement that changes t, and compares the table that it leaves.
func (c *comparison) write(s statement, t *table) bool {
	ok := c.run(s)
	c.history = append(c.history, s.ours)
	if ok && s.done != nil {
		s.done()
	}
	if t != nil && c.differed == 0 {
		c.run(statement{sql: both("SELECT * FROM %s", t.name), rows: true, plain: true})
	}
	return c.differed == 0
}

// transaction runs some statements and keeps what they did, or does not.
func (c *comparison) transaction(t *table) {
	c.all("BEGIN")
	c.g.held = true
	defer func() { c.g.held = false }()
	for range 1 + c.g.IntN(4) {
		if c.differed > 0 {
			break
		}
		if c.g.one(2) {
			c.write(c.g.write(t), t)
		} else {
			c.ask(c.g.query())
		}
	}
	c.all(pick(c.g, "COMMIT", "COMMIT", "ROLLBACK"))
	if c.differed == 0 {
		c.run(statement{sql: both("SELECT * FROM %s", t.name), rows: true, plain: true})
	}
}

// all runs a statement of a transaction on all sides. A transaction that is too large ends everywhere.
func (c *comparison) all(text string) {
	c.history = append(c.history, text)
	s := statement{sql: both("%s", text)}
	for _, d := range append(c.sides[:2:2], c.lite) {
		r := d.run(s, nil)
		if tooLarge(r.err) {
			s.sql = both("ROLLBACK")
			continue
		}
		if r.err != nil && text != "ROLLBACK" {
			c.report(s, nil, d.name+" says "+r.err.Error())
		}
	}
}

// run runs s on all sides, and says whether it went well.
func (c *comparison) run(s statement) bool {
	c.ran++
	values := make([]any, len(s.params))
	for i, p := range s.params {
		switch {
		case p.values != nil:
			values[i] = pick(c.g, p.values...)
		case !c.g.one(15):
			values[i] = c.g.draw(p.kind)
		}
	}
	begin := time.Now()
	want := c.lite.run(s, values)
	beside := time.Since(begin)
	if errors.Is(want.err, context.DeadlineExceeded) {
		return false // too much for a comparison
	}
	if want.err != nil {
		c.refused++
	}
	for i, d := range c.sides {
		if i > 0 && !s.plain {
			continue
		}
		var least int64
		if !c.g.held {
			least = d.promised(s, values)
		}
		before := d.sent()
		begin = time.Now()
		got := d.run(s, values)
		if took := time.Since(begin); took > c.slowest {
			c.slowest, c.beside, c.slow = took, beside, s.ours
		}
		if what := s.differs(got, want); what != "" {
			c.report(s, values, d.name+": "+what)
			break
		}
		if sent := d.sent() - before; got.err == nil && sent < least {
			c.report(s, values, fmt.Sprintf("%s: %d requests, where EXPLAIN says %d or more", d.name, sent, least))
			break
		}
		c.least += least
	}
	return want.err == nil
}

// check has the driver say whether all index entries are those of the rows.
func (c *comparison) check(t *table) {
	for _, d := range c.sides {
		r := d.run(statement{sql: both("CHECK TABLE %s", t.name), rows: true}, nil)
		if r.err != nil || len(r.rows) != 1 || r.rows[0][len(r.rows[0])-1] != `"OK"` {
			c.report(statement{sql: both("CHECK TABLE %s", t.name)}, nil, fmt.Sprintf("%s: %v %v", d.name, r.err, r.rows))
			return
		}
	}
}

func (c *comparison) report(s statement, values []any, what string) {
	c.differed++
	var args strings.Builder
	for i, v := range values {
		fmt.Fprintf(&args, " :%s=%v", s.params[i].name, v)
	}
	c.t.Errorf("seed %d: %s\n  ours: %s\n  lite: %s\n  args:%s\nafter:\n  %s;",
		c.seed, what, s.ours, s.lite, args.String(), strings.Join(c.history, ";\n  "))
}
