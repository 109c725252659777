package once_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/once"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

const part = "p"

var table = keymap.TableName("shop", "t")

// fault is what becomes of one commit on its way.
type fault string

const (
	fine       fault = "fine"
	lost       fault = "lost"        // it does not arrive
	lostAnswer fault = "lost answer" // it arrives
	twice      fault = "twice"       // it arrives twice, and no answer comes back
	late       fault = "late"        // it arrives before the next call, and no answer comes back
	later      fault = "later"       // it arrives before the one after that
	later2     fault = "much later"  // and before the one after that one
	veryLate   fault = "very late"   // it arrives after all is over
	refused    fault = "refused"     // it is not sent, and that is known
)

// network is an engine that is reached by a network: calls are numbered from 1, reads and commits alike.
type network struct {
	engine.Engine
	t       *testing.T
	faults  []fault        // of the commits; behind them all is fine
	before  map[int]func() // what others do before a call
	calls   int
	commits int
	mine    func(c *engine.Commit) bool
	applied int // commits of the kind that is tested that were applied
	late    []lateCommit
}

type lateCommit struct {
	call int // before which it arrives
	engine.Commit
}

func (n *network) call() {
	n.calls++
	n.late = slices.DeleteFunc(n.late, func(c lateCommit) bool {
		due := c.call <= n.calls
		if due {
			n.arrive(c.Commit)
		}
		return due
	})
	if do := n.before[n.calls]; do != nil {
		do()
	}
}

func (n *network) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	n.call()
	if g.Clock != nil {
		*g.Clock = (time.Now().Unix() + 62135596800) * 1e7
	}
	return n.Engine.Get(ctx, g)
}

func (n *network) Commit(ctx context.Context, c engine.Commit) error {
	n.call()
	f := fine
	if n.commits < len(n.faults) {
		f = n.faults[n.commits]
	}
	n.commits++
	c.Ops = slices.Clone(c.Ops)
	err := error(&engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "no answer"})
	switch f {
	case fine:
		err = n.arrive(c)
	case lostAnswer:
		n.arrive(c)
	case twice:
		n.arrive(c)
		n.arrive(c)
	case late:
		n.late = append(n.late, lateCommit{n.calls + 1, c})
	case later:
		n.late = append(n.late, lateCommit{n.calls + 2, c})
	case later2:
		n.late = append(n.late, lateCommit{n.calls + 3, c})
	case veryLate:
		n.late = append(n.late, lateCommit{math.MaxInt, c})
	case refused:
		err = engine.Errorf(engine.CodeUnreachable, "no connection")
	}
	return err
}

func (n *network) arrive(c engine.Commit) error {
	err := n.Engine.Commit(context.Background(), c)
	if err == nil && n.mine(&c) {
		n.applied++
	}
	return err
}

// text is a property.
func text(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }

func entity(key, v string) engine.Entity {
	return engine.Entity{PartitionKey: part, RowKey: key, Names: []string{"v"}, Values: []engine.Value{text(v)}}
}

func op(kind engine.OpKind, key, match string) engine.Op {
	return engine.Op{Kind: kind, Entity: entity(key, "mine"), IfMatch: match}
}

func touch(key, match string) engine.Op {
	return engine.Op{Kind: engine.Merge, Entity: engine.Entity{PartitionKey: part, RowKey: key}, IfMatch: match}
}

// wide is a row that has no room for an id.
func wide(key, v string) engine.Entity {
	e := entity(key, v)
	for i := len(e.Names); i < engine.AzureLimits().Properties; i++ {
		e.Names, e.Values = append(e.Names, fmt.Sprint("c", i)), append(e.Values, text(v))
	}
	return e
}

// kinds are the commits that are tested. The rows a, b and the entries ea, eb stand; x, ex and the unique key u are free.
var kinds = []struct {
	name  string
	make  func(etag func(key string) string) []engine.Op
	sure  bool // what became of it is known where nobody else writes
	exact bool // and also where others do, as long as these keep the ids and the rows
}{
	{"insert", func(func(string) string) []engine.Op {
		return []engine.Op{op(engine.Insert, "x", ""), op(engine.Upsert, "ex", "")}
	}, true, true},
	{"insert unique", func(func(string) string) []engine.Op {
		return []engine.Op{op(engine.Insert, "x", ""), op(engine.Insert, "u", "")}
	}, true, false},
	{"insert of what is there", func(func(string) string) []engine.Op { return []engine.Op{op(engine.Insert, "a", "")} }, true, false},
	{"insert of a taken unique key", func(func(string) string) []engine.Op {
		return []engine.Op{op(engine.Insert, "x", ""), op(engine.Insert, "ea", "")}
	}, true, false},
	{"insert child", func(func(string) string) []engine.Op { return []engine.Op{op(engine.Insert, "x", ""), touch("a", "")} }, true, true},
	{"update", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Replace, "a", etag("a")), op(engine.Upsert, "ea", "")}
	}, true, true},
	{"update by entry", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Replace, "a", ""), op(engine.Replace, "ea", etag("ea"))}
	}, true, false},
	{"update of a unique key", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Replace, "a", etag("a")), op(engine.Insert, "u", "")}
	}, true, true},
	{"update of two", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Replace, "a", etag("a")), op(engine.Replace, "b", etag("b"))}
	}, true, true},
	{"update without room", func(etag func(string) string) []engine.Op {
		return []engine.Op{{Kind: engine.Replace, Entity: wide("a", "mine"), IfMatch: etag("a")}}
	}, false, false},
	{"move", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Delete, "a", etag("a")), op(engine.Insert, "x", "")}
	}, true, true},
	{"pin", func(etag func(string) string) []engine.Op {
		return []engine.Op{touch("b", etag("b")), op(engine.Insert, "x", "")}
	}, true, false},
	{"pins", func(etag func(string) string) []engine.Op {
		return []engine.Op{touch("a", etag("a")), touch("b", etag("b")), op(engine.Insert, "x", "")}
	}, true, false},
	{"delete", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Delete, "a", etag("a")), op(engine.Delete, "ea", "")}
	}, true, true},
	{"delete two", func(etag func(string) string) []engine.Op {
		return []engine.Op{op(engine.Delete, "a", etag("a")), op(engine.Delete, "b", etag("b"))}
	}, true, true},
	{"unconditional", func(func(string) string) []engine.Op { return []engine.Op{op(engine.Upsert, "a", "")} }, false, false},
}

// others are what another writer does in between. It goes by what it finds: nothing where there is nothing to do.
var others = []struct {
	name string
	do   func(o *other)
	// kept says that it leaves the ids of those before, and the rows.
	kept bool
}{
	{"nobody", func(*other) {}, true},
	{"update", func(o *other) { o.update("a", true) }, true},
	{"update that this process reads", func(o *other) {
		o.update("a", true)
		o.first.Get(context.Background(), engine.Get{Table: table, PartitionKey: part, RowKey: "a"})
	}, true},
	{"update by an older program", func(o *other) { o.update("a", false) }, false},
	{"updates", func(o *other) {
		for range 3 {
			o.update("a", true)
		}
	}, false},
	{"touch", func(o *other) { o.try(touch("a", "")) }, true},
	{"delete", func(o *other) { o.try(op(engine.Delete, "a", ""), op(engine.Delete, "ea", "")) }, false},
	{"delete and insert", func(o *other) {
		o.try(op(engine.Delete, "a", ""))
		o.try(engine.Op{Kind: engine.Insert, Entity: entity("a", "other")})
	}, false},
	{"take the key", func(o *other) { o.try(engine.Op{Kind: engine.Insert, Entity: entity("x", "other")}) }, false},
	{"take the unique key", func(o *other) { o.try(engine.Op{Kind: engine.Insert, Entity: entity("u", "other")}) }, true},
	{"take the unique key for a while", func(o *other) {
		if o.try(engine.Op{Kind: engine.Insert, Entity: entity("u", "other")}) == nil {
			o.undo = op(engine.Delete, "u", "")
		}
	}, true},
	{"update the new row", func(o *other) { o.update("x", true) }, true},
	{"delete the new row", func(o *other) { o.deletedNew = o.try(op(engine.Delete, "x", "")) == nil || o.deletedNew }, false},
}

// other is another process: it has an engine of its own, over the same store.
type other struct {
	t          *testing.T
	store      engine.Engine
	mine       engine.Engine // with ids
	first      engine.Engine // of the process that is tested
	deletedNew bool
	undo       engine.Op // of this, when the commit has returned
}

func (o *other) try(ops ...engine.Op) error {
	return o.mine.Commit(context.Background(), engine.Commit{Table: table, PartitionKey: part, Ops: ops})
}

func (o *other) update(key string, ids bool) {
	e, err := o.mine.Get(context.Background(), engine.Get{Table: table, PartitionKey: part, RowKey: key})
	if err != nil {
		return
	}
	through := o.mine
	if !ids {
		through = o.store
	}
	c := engine.Commit{Table: table, PartitionKey: part, Ops: []engine.Op{{Kind: engine.Replace, Entity: entity(key, "other"), IfMatch: e.ETag}}}
	if err := through.Commit(context.Background(), c); err != nil {
		o.t.Fatal(err)
	}
}

// TestEveryCommit sends each kind of commit through each combination of faults, with each other writer before each call, and
// holds what is said of it against what was applied.
func TestEveryCommit(t *testing.T) {
	faults := []fault{fine, lost, lostAnswer, twice, late, later, later2, veryLate, refused}
	known, unknown := 0, 0
	synctest.Test(t, func(t *testing.T) {
		for k := range kinds {
			for o := range others {
				for at := 1; at <= 6 && (at == 1 || others[o].name != "nobody"); at++ {
					for f := range len(faults) * len(faults) {
						way := []fault{faults[f%len(faults)], faults[f/len(faults)]}
						if way[0] == fine || way[0] == refused || (f+at)%testrun.Of(1, 5) != 0 {
							continue // there is nothing to be settled, or it is not this one's turn
						}
						switch outcome := oneWay(t, k, o, at, way); {
						case t.Failed():
							return
						case outcome == engine.Unknown:
							unknown++
						default:
							known++
						}
					}
				}
			}
		}
	})
	t.Logf("%d commits: what became of %d is known", known+unknown, known)
}

// TestNoticedLate: an insert that is not there long after it was sent may have been there, and is not sent again.
func TestNoticedLate(t *testing.T) {
	for way, c := range map[fault]struct {
		kind    string
		applied engine.Applied
		success bool
	}{
		lost: {"insert", engine.Unknown, false}, lostAnswer: {"insert", engine.NotApplied, true}, veryLate: {"update", engine.NotApplied, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			memory := embedded.OpenMemory(embedded.Options{})
			defer memory.Close()
			must(t, memory.CreateTable(ctx, table, nil))
			net := &network{Engine: memory, t: t, mine: func(*engine.Commit) bool { return true }, faults: []fault{fine, way}}
			e := once.Over(net)
			must(t, e.Commit(ctx, engine.Commit{Table: table, PartitionKey: part, Ops: []engine.Op{op(engine.Insert, "a", "")}}))
			net.before = map[int]func(){3: func() { time.Sleep(time.Minute) }} // before the look
			found, err := e.Get(ctx, engine.Get{Table: table, PartitionKey: part, RowKey: "a"})
			must(t, err)
			net.calls = 1
			ops := []engine.Op{op(engine.Insert, "x", "")}
			if c.kind == "update" {
				ops = []engine.Op{op(engine.Replace, "a", found.ETag)}
			}
			err = e.Commit(ctx, engine.Commit{Table: table, PartitionKey: part, Ops: ops})
			if (err == nil) != c.success || engine.IsUnsure(err) != (c.applied == engine.Unknown) {
				t.Errorf("%s, %s: %v", c.kind, way, err)
			}
		})
	}
}

// oneWay sends one commit.
func oneWay(t *testing.T, k, o, at int, way []fault) engine.Applied {
	ctx := context.Background()
	store := embedded.OpenMemory(embedded.Options{})
	defer store.Close()
	must(t, store.CreateTable(ctx, table, nil))
	second := &other{t: t, store: store, mine: once.Over(store)}
	for _, key := range []string{"a", "b", "ea", "eb"} {
		must(t, second.try(engine.Op{Kind: engine.Insert, Entity: entity(key, "first")}))
	}
	for range 2 {
		second.update("a", true)
	}
	net := &network{Engine: store, t: t, mine: func(c *engine.Commit) bool { return c.Ops[0].Kind != engine.Merge || len(c.Ops) > 1 }}
	e := once.Over(net)
	second.first = e
	ops := kinds[k].make(func(key string) string {
		found, err := e.Get(ctx, engine.Get{Table: table, PartitionKey: part, RowKey: key})
		must(t, err)
		return found.ETag
	})
	time.Sleep(time.Minute) // virtual: the rows are old
	net.calls, net.faults = 0, way
	net.before = map[int]func(){at: func() { others[o].do(second) }}
	err := e.Commit(ctx, engine.Commit{Table: table, PartitionKey: part, Ops: ops})
	now := net.applied
	rowsGone := true
	for _, op := range ops {
		_, getErr := store.Get(ctx, engine.Get{Table: table, PartitionKey: part, RowKey: op.Entity.RowKey})
		rowsGone = rowsGone && op.Kind == engine.Delete && getErr != nil
	}
	if second.undo.Kind == engine.Delete {
		must(t, second.try(second.undo))
	}
	for _, c := range net.late {
		net.arrive(c.Commit)
	}
	what := fmt.Sprintf("%s: %v, %s before call %d", kinds[k].name, way, others[o].name, at)
	var is *engine.Error
	outcome := engine.NotApplied
	if errors.As(err, &is) {
		outcome = is.Applied
	} else if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	again := second.deletedNew || kinds[k].name == "unconditional" // see the package's comment
	switch {
	case net.applied > 1 && !again:
		t.Errorf("%s: applied %d times", what, net.applied)
	case err == nil && now == 0 && !rowsGone:
		t.Errorf("%s: success, but it was not applied", what)
	case err != nil && outcome == engine.NotApplied && net.applied > 0 && !again:
		t.Errorf("%s: applied, in spite of %v", what, err)
	case outcome == engine.Unknown && !slices.Contains(way, refused) && (others[o].name == "nobody" && kinds[k].sure || others[o].kept && kinds[k].exact):
		t.Errorf("%s: %v", what, err)
	}
	if found, getErr := store.Get(ctx, engine.Get{Table: table, PartitionKey: part, RowKey: "a"}); getErr == nil {
		if i := slices.Index(found.Names, keymap.OperationIDs); i >= 0 && len(found.Values[i].S)%10 != 0 {
			t.Errorf("%s: a has the ids %q", what, found.Values[i].S)
		}
	}
	return outcome
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
