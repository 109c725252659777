package mariadb

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	statements = flag.Int("statements", 20000, "statements that TestOracle sends to both")
	seed       = flag.Uint64("seed", 1, "first seed of TestOracle")
	quick      = flag.Bool("quick", false, "do not make small what the table of differences knows as it is, for long runs")
	faults     = flag.Int("faults", 30, "different disagreements after which TestOracle ends")
	shown      = flag.String("show", "", "print what the table of differences knows by this name, or under * all")
)

// TestOracle sends random statements to this driver and to MariaDB. What they disagree about is made small, and printed
// unless the table of differences knows it.
func TestOracle(t *testing.T) {
	needServer(t)
	n := *statements
	if testing.Short() {
		n /= 10
	}
	o := &oracle{t: t, findings: map[string]*finding{}, times: map[string]int{}}
	began := time.Now()
	for s := *seed; o.ran < n && len(o.findings) < *faults && !t.Failed(); s++ {
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { o.round(t, s) })
	}
	o.report()
	t.Logf("%d statements in %v; %d disagreements, %d of them in the table", o.ran, time.Since(began).Round(time.Second), o.differed, o.known)
	for _, d := range differences {
		t.Logf("%6d %s", o.times[d.name], d.name)
	}
}

// oracle is one run over all seeds.
type oracle struct {
	t                    *testing.T
	ran, differed, known int
	findings             map[string]*finding
	times                map[string]int // that each difference of the table was met
}

// finding is a disagreement, made small.
type finding struct {
	seed         uint64
	times        int
	what         string
	setup        string // what the statement stands on, "" where it stands alone
	of           string // the types of the columns that it writes
	text         string
	ours, theirs answer
	ask          func(text string) *finding // about another query; nil where it would write
}

func (o *oracle) add(f finding) {
	if o.knows(&f) {
		return
	}
	o.differed++
	key := f.key()
	if have := o.findings[key]; have != nil {
		have.times++
		return
	}
	f.times = 1
	o.findings[key] = &f
}

// knows says whether a disagreement is in the table, and counts it.
func (o *oracle) knows(f *finding) bool {
	d := knownDifference(f)
	if d != nil {
		o.counts(d, f)
	}
	return d != nil
}

func (o *oracle) counts(d *difference, f *finding) {
	o.differed++
	o.known++
	o.times[d.name]++
	if *shown == d.name || *shown == "*" {
		o.t.Logf("%s: seed %d: %s", d.name, f.seed, f)
	}
}

func (f *finding) String() string {
	return fmt.Sprintf("%s\n  %s%s\n  here:    %s\n  MariaDB: %s", f.what, f.setup, f.text, f.ours, f.theirs)
}

var constants = regexp.MustCompile(`(?:DATE|TIME|TIMESTAMP)?'(?:[^'\\]|''|\\.)*'|-?\b[0-9][0-9a-fx.e+-]*|\bNULL\b|\bTRUE\b|\bFALSE\b`)

// key tells findings apart that are not of one shape.
func (f *finding) key() string {
	return fmt.Sprint(f.what, f.ours.number, f.theirs.number, constants.ReplaceAllString(f.text, "?"))
}

func (o *oracle) report() {
	keys := slices.Sorted(maps.Keys(o.findings))
	slices.SortStableFunc(keys, func(a, b string) int { return o.findings[b].times - o.findings[a].times })
	for _, k := range keys {
		f := o.findings[k]
		o.t.Errorf("seed %d, %d times: %s", f.seed, f.times, f)
	}
}

// round is what is done with one seed.
type round struct {
	*oracle
	t       *testing.T
	g       *generator
	seed    uint64
	ours    *side
	bare    *side // without indexes
	theirs  *side
	subject *subject
	other   *subject // to be joined: its columns begin with r_
	stored  []string
	written []*written
}

// open makes the tables of a seed on all sides.
func (o *oracle) open(t *testing.T, seed uint64) *round {
	r := &round{oracle: o, t: t, g: newGenerator(seed), seed: seed}
	r.ours, r.bare, r.theirs = openOurs(t, "here", "mem://"), openOurs(t, "here without indexes", "mem://"), openTheirs(t)
	r.subject, r.other = newSubject(r.g, "t", ""), newSubject(r.g, "t2", "r_")
	r.g.home = r.subject.byKind()
	r.g.columns = r.g.home
	for _, s := range []*side{r.ours, r.bare, r.theirs} {
		for _, text := range append(r.subject.create(s == r.bare), r.other.create(s == r.bare)...) {
			if a := s.exec(text); a.err != nil {
				t.Fatalf("%s: %s: %v", s.name, text, a.err)
			}
		}
	}
	r.createStored()
	r.createWritten()
	return r
}

// round asks both sides about statements of one seed.
func (o *oracle) round(t *testing.T, seed uint64) {
	r := o.open(t, seed)
	for range 20 {
		r.expressions(20)
		r.conditions(10)
		r.queries(10)
		r.stores(10)
		r.writes(10)
	}
}

// expressions asks for many expressions at once, over every row; one by one where the answers differ.
func (r *round) expressions(n int) {
	all := make([]*node, n)
	texts := make([]string, n)
	for i := range all {
		all[i] = r.g.expr(pick(r.g, []string{"int", "dec", "dbl", "text", "date", "dt", "time", "bool", "json", "any"}), 1+r.g.IntN(3))
		texts[i] = all[i].text()
	}
	r.ran += n
	if r.ask("SELECT "+strings.Join(texts, ", ")+" FROM t ORDER BY id") == nil {
		return
	}
	for _, n := range all {
		r.settle(asked(n))
	}
}

// asked is the query for an expression over the rows of the table.
func asked(n *node) *node {
	return say("SELECT ##", n, leaf(" FROM t ORDER BY id").perhaps()).framed()
}

// conditions asks which rows conditions hold for.
func (r *round) conditions(n int) {
	for range n {
		r.ran++
		r.settle(say("SELECT id FROM t WHERE # ORDER BY id", r.g.expr("bool", 1+r.g.IntN(3))).framed())
	}
}

// ask runs a query here, here without indexes, and there. It gives nil where all agree.
func (r *round) ask(text string) *finding {
	want := r.theirs.query(text)
	for _, s := range []*side{r.ours, r.bare} {
		got := s.query(text)
		if what := got.differs(want); what != "" {
			return &finding{seed: r.seed, what: failure(what, got, want), text: text, ours: got, theirs: want, ask: r.ask}
		}
	}
	return nil
}

// failure says which side fails, where only one does.
func failure(what string, got, want answer) string {
	switch {
	case got.err != nil && want.err == nil:
		return "fails here"
	case got.err == nil && want.err != nil:
		return "fails there"
	}
	return what
}

// settle compares one query, and makes it small where the answers differ.
func (r *round) settle(n *node) {
	f := r.ask(n.text())
	if f == nil {
		return
	}
	if r.skips(f) {
		return
	}
	last := *f
	reduce(n, values(r.subject, r.other), func() bool {
		g := r.ask(n.text())
		if !g.shows(f) {
			return false
		}
		last = *g
		return true
	})
	if strings.HasPrefix(last.text, "SELECT id FROM t WHERE ") { // is it the condition that differs, or how its rows are found?
		if g := r.ask(asked(n.kids[0]).text()); g != nil {
			r.settle(asked(n.kids[0]))
			return
		}
	}
	last.shorten()
	if knownDifference(&last) == nil {
		if d := r.cause(n); d != nil {
			r.counts(d, &last)
			return
		}
	}
	r.add(last)
}

// cause is the difference of the table by which a part of a query differs: then the whole differs since its parts do.
func (r *round) cause(query *node) (cause *difference) {
	query.walk(func(part *node) {
		if cause != nil || part.frame || part == query {
			return
		}
		text := part.text()
		from := " FROM t ORDER BY id"
		switch theirs, ours := ofOther.MatchString(text), r.subject.names.MatchString(text); {
		case theirs && ours:
			from = " FROM t, t2 ORDER BY id, r_id"
		case theirs:
			from = " FROM t2 ORDER BY r_id"
		}
		if f := r.ask("SELECT " + text + from); f != nil {
			f.shorten()
			cause = knownDifference(f)
		}
	})
	return cause
}

// ofOther finds the columns of the second table.
var ofOther = regexp.MustCompile(`\br_[a-z]`)

// skips counts a disagreement that the table knows as it is, where -quick says that this is enough.
func (o *oracle) skips(f *finding) bool {
	return *quick && o.knows(f)
}

// shows says whether f is the disagreement that of is: which side fails, and with what.
func (f *finding) shows(of *finding) bool {
	return f != nil && f.what == of.what && f.ours.number == of.ours.number && f.theirs.number == of.theirs.number
}

// shorten leaves one row of the answers: one that differs.
func (f *finding) shorten() {
	for i := range f.ours.rows {
		if i < len(f.theirs.rows) && !slices.EqualFunc(f.ours.rows[i], f.theirs.rows[i], cell.equal) {
			f.ours.rows, f.theirs.rows = f.ours.rows[i:i+1], f.theirs.rows[i:i+1]
			return
		}
	}
}
