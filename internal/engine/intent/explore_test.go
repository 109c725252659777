package intent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// fate is what becomes of a call.
type fate uint8

const (
	arrives fate = iota
	isLost
	losesAnswer
	endsProcess
	isSlow // others take it for dead
	fates
)

var errLost = &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "the answer was lost"}

// stepper has the calls of several processes to one store wait for their turns.
type stepper struct {
	mu    sync.Mutex
	calls []*steppedCall
}

type steppedCall struct {
	process int
	writes  bool
	turn    chan fate
}

// steppedProcess is a process's way to the store.
type steppedProcess struct {
	engine.Engine
	*stepper
	number int
	dead   bool
}

func (p *steppedProcess) turn(writes bool) fate {
	if p.dead {
		return endsProcess
	}
	c := &steppedCall{p.number, writes, make(chan fate)}
	p.mu.Lock()
	p.calls = append(p.calls, c)
	p.mu.Unlock()
	f := <-c.turn
	p.dead = p.dead || f == endsProcess
	return f
}

func (p *steppedProcess) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if p.turn(false) == endsProcess {
		return engine.Entity{}, errDead
	}
	return p.Engine.Get(ctx, g)
}

func (p *steppedProcess) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return &steppedCursor{of: p, scan: s}
}

// steppedCursor reads its range in one call.
type steppedCursor struct {
	of    *steppedProcess
	scan  engine.Scan
	inner engine.Cursor
}

func (c *steppedCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if c.inner == nil {
		if c.of.turn(false) == endsProcess {
			return nil, errDead
		}
		c.inner = c.of.Engine.Scan(ctx, c.scan)
	}
	return c.inner.Next(ctx)
}

func (c *steppedCursor) Close() error { return nil }

func (p *steppedProcess) Commit(ctx context.Context, c engine.Commit) error {
	switch p.turn(true) {
	case endsProcess:
		return errDead
	case isLost:
		return errLost
	case losesAnswer:
		_ = p.Engine.Commit(ctx, c)
		return errLost
	}
	return p.Engine.Commit(context.WithoutCancel(ctx), c) // it was sent
}

// outcome is what the processes were told of their transactions.
type outcome []error

// mayBe says whether a process's transaction may be applied, and whether it must be.
func (o outcome) mayBe(process int) (may, must bool) {
	err := o[process]
	return err == nil || engine.IsUnsure(err) || errors.Is(err, errDead), err == nil
}

// steps is a scenario: what each process does, and what must hold of what is there in the end.
type steps struct {
	name      string
	before    []engine.Commit
	processes []func(ctx context.Context, s *intent.Store) error
	check     func(now map[string]uint64, o outcome) string
}

// choice is one of a number of ways to go on.
type choice struct{ at, of int }

// run makes the calls in the order that choices say, and in the first one that there is behind them. Each process goes on until its turn
// is given to another one, which costs a preemption; each fate but arriving costs a fault.
func (sc *steps) run(t *testing.T, choices []int, preemptions, faults int) (made []choice, trace []string, wrong string) {
	ctx := t.Context()
	memory := embedded.OpenMemory(embedded.Options{})
	defer memory.Close()
	base := engine.InGroups(memory)
	for _, table := range []string{"table", records} {
		if err := base.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range sc.before {
		if err := base.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	s := &stepper{}
	told := make(outcome, len(sc.processes))
	var wg sync.WaitGroup
	running := len(sc.processes)
	for i, do := range sc.processes {
		store := intent.New(&steppedProcess{base, s, i, false}, intent.Options{Records: inRecords, Parallel: 1})
		wg.Go(func() {
			told[i] = do(ctx, store)
			s.mu.Lock()
			running--
			s.mu.Unlock()
			_ = store.Close()
		})
	}
	last := -1
	for {
		synctest.Wait()
		s.mu.Lock()
		calls, left := slices.Clone(s.calls), running
		s.mu.Unlock()
		if len(calls) == 0 {
			if left == 0 {
				break
			}
			time.Sleep(100 * time.Millisecond) // somebody waits for another one
			continue
		}
		slices.SortStableFunc(calls, func(a, b *steppedCall) int {
			if (a.process == last) != (b.process == last) {
				if a.process == last {
					return -1
				}
				return 1
			}
			return a.process - b.process
		})
		type option struct {
			*steppedCall
			fate
			preempts bool
		}
		var options []option
		for _, c := range calls {
			preempts := calls[0].process == last && c.process != last
			if preempts && preemptions == 0 {
				continue
			}
			for f := range fates {
				if f == arrives || faults > 0 && (c.writes || f == endsProcess) {
					options = append(options, option{c, f, preempts})
				}
			}
		}
		at := 0
		if len(made) < len(choices) {
			at = min(choices[len(made)], len(options)-1)
		}
		made = append(made, choice{at, len(options)})
		o := options[at]
		if o.preempts {
			preemptions--
		}
		if o.fate != arrives {
			faults--
		}
		last = o.process
		trace = append(trace, fmt.Sprintf("%d%s", o.process, []string{"", " lost", " answer lost", " dies", " slow"}[o.fate]))
		s.mu.Lock()
		s.calls = slices.DeleteFunc(s.calls, func(c *steppedCall) bool { return c == o.steppedCall })
		s.mu.Unlock()
		if o.fate == isSlow {
			go func() {
				time.Sleep(2 * intent.Expiry)
				o.turn <- arrives
			}()
			continue
		}
		o.turn <- o.fate
	}
	wg.Wait()
	now, err := sc.now(ctx, base)
	if err != nil {
		return made, trace, err.Error()
	}
	return made, trace, sc.check(now, told)
}

// now is what is there when all that was left is settled.
func (sc *steps) now(ctx context.Context, base engine.Engine) (map[string]uint64, error) {
	s := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	defer s.Close()
	for try := 0; ; try++ {
		now := map[string]uint64{}
		m := s.Moment()
		c := m.Scan(ctx, engine.Scan{Table: "table", AllPartitions: true})
		var err error
		for {
			var chunk []engine.Entity
			if chunk, err = c.Next(ctx); err != nil {
				break
			}
			for _, e := range chunk {
				now[e.PartitionKey+e.RowKey] = e.Values[0].N
			}
		}
		c.Close()
		if errors.Is(err, io.EOF) {
			err = s.Transact(ctx, engine.Transaction{Since: m})
		}
		m.Release()
		if err == nil || try == 20 {
			return now, err
		}
	}
}

// adds is a transaction that adds to entities, by their keys. Where others were faster it is tried once more.
func adds(amounts map[string]int) func(ctx context.Context, s *intent.Store) error {
	return func(ctx context.Context, s *intent.Store) error {
		err := add(ctx, s, amounts)
		var known *engine.Error
		if errors.As(err, &known) && known.Code == engine.CodeStale {
			err = add(ctx, s, amounts)
		}
		return err
	}
}

func add(ctx context.Context, s *intent.Store, amounts map[string]int) error {
	var t engine.Transaction
	for _, key := range []string{"a", "b", "c"} {
		n, changes := amounts[key]
		if !changes {
			continue
		}
		e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: key, RowKey: "r"})
		if err != nil {
			return err
		}
		op := put(engine.Replace, key, "r", "", int(e.Values[0].N)+n)
		op.IfMatch = e.ETag
		t.Commits = append(t.Commits, commitOf(op))
	}
	return s.Transact(ctx, t)
}

// sums is a transaction that reads all entities at one moment, whose sum is always the same.
func sums(ctx context.Context, s *intent.Store) error {
	m := s.Moment()
	defer m.Release()
	sum := 0
	if err := engine.Each(ctx, m, engine.Scan{Table: "table", PartitionKey: "b"}, func(e *engine.Entity) error { sum += int(e.Values[0].N); return nil }); err != nil {
		return err
	}
	for _, key := range []string{"a", "c"} {
		e, err := m.Get(ctx, engine.Get{Table: "table", PartitionKey: key, RowKey: "r"})
		if err != nil {
			return err
		}
		sum += int(e.Values[0].N)
	}
	if err := s.Transact(ctx, engine.Transaction{Since: m}); err != nil {
		return err
	}
	if sum != 300 {
		return errWrongSum
	}
	return nil
}

var errWrongSum = errors.New("a moment has half of a transaction")

// checkAdds says whether what is there is what some of the transactions have added that may be applied, with all that must be.
func checkAdds(all ...map[string]int) func(now map[string]uint64, o outcome) string {
	return func(now map[string]uint64, o outcome) string {
		if slices.Contains(o, errWrongSum) {
			return errWrongSum.Error()
		}
		for set := range 1 << len(all) {
			fits := true
			want := map[string]int{"a": 100, "b": 100, "c": 100}
			for i, amounts := range all {
				may, must := o.mayBe(i)
				has := set&(1<<i) != 0
				fits = fits && (has && may || !has && !must)
				for key, n := range amounts {
					if has {
						want[key] += n
					}
				}
			}
			for key, n := range want {
				fits = fits && int(now[key+"r"]) == n
			}
			if fits {
				return ""
			}
		}
		return fmt.Sprintf("there is %v, and the processes were told %v", now, o)
	}
}

// child is a row that comes to a parent by one request.
func child(ctx context.Context, s *intent.Store) error {
	return s.Commit(ctx, commitOf(put(engine.Insert, "a", "parent child", "", 1), engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "a", RowKey: "parent"}}))
}

// checkChild says whether the child has its parent, and whether what was written together is there together.
func checkChild(parentThere bool) func(now map[string]uint64, o outcome) string {
	return func(now map[string]uint64, o outcome) string {
		_, parent := now["aparent"]
		_, kid := now["aparent child"]
		other := now["br"] == 2
		may, must := o.mayBe(0)
		mayKid, mustKid := o.mayBe(1)
		if kid && !parent || other != (parent != parentThere) || other && !may || !other && must || kid && !mayKid || !kid && mustKid {
			return fmt.Sprintf("there is %v, and the processes were told %v", now, o)
		}
		return ""
	}
}

var three = []engine.Commit{commitOf(put(engine.Insert, "a", "r", "", 100)), commitOf(put(engine.Insert, "b", "r", "", 100)), commitOf(put(engine.Insert, "c", "r", "", 100))}

// other is the second partition of a transaction, and the larger one.
func other(ctx context.Context, s *intent.Store) (engine.Commit, error) {
	e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: "b", RowKey: "r"})
	op := put(engine.Replace, "b", "r", "", 2)
	op.IfMatch = e.ETag
	return commitOf(op, put(engine.Insert, "b", "s", "", 1)), err
}

var scenarios = []steps{
	{"two transfers that cross, and a sum", three, []func(context.Context, *intent.Store) error{adds(map[string]int{"a": -1, "b": 1}), adds(map[string]int{"b": -10, "a": 10}), sums},
		checkAdds(map[string]int{"a": -1, "b": 1}, map[string]int{"b": -10, "a": 10})},
	{"a transfer, and another one, in a row", three, []func(context.Context, *intent.Store) error{adds(map[string]int{"a": -1, "b": 1}), adds(map[string]int{"b": -10, "c": 10})},
		checkAdds(map[string]int{"a": -1, "b": 1}, map[string]int{"b": -10, "c": 10})},
	{"a transfer, and a plain change", three, []func(context.Context, *intent.Store) error{adds(map[string]int{"a": -1, "b": 1, "c": 0}), adds(map[string]int{"b": 5})},
		checkAdds(map[string]int{"a": -1, "b": 1, "c": 0}, map[string]int{"b": 5})},
	{"a parent goes, a child comes", []engine.Commit{commitOf(put(engine.Insert, "a", "parent", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))},
		[]func(context.Context, *intent.Store) error{func(ctx context.Context, s *intent.Store) error {
			e, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent"})
			if err != nil {
				return err
			}
			none := engine.Scan{Table: "table", PartitionKey: "a", From: "parent ", To: "parent!", Decided: true}
			if err := engine.Each(ctx, s, none, func(*engine.Entity) error { return errors.New("it has a child") }); err != nil {
				return err
			}
			second, err := other(ctx, s)
			if err != nil {
				return err
			}
			op := put(engine.Delete, "a", "parent", "", 0)
			op.IfMatch, op.Parent = e.ETag, true
			return s.Transact(ctx, engine.Transaction{Commits: []engine.Commit{commitOf(op), second}})
		}, child}, checkChild(true)},
	{"a parent is inserted by who validates, a child comes", []engine.Commit{commitOf(put(engine.Insert, "b", "r", "", 1))},
		[]func(context.Context, *intent.Store) error{func(ctx context.Context, s *intent.Store) error {
			m := s.Moment()
			defer m.Release()
			if _, err := m.Get(ctx, engine.Get{Table: "table", PartitionKey: "c", RowKey: "none"}); err == nil {
				return errors.New("it is there")
			}
			second, err := other(ctx, s)
			if err != nil {
				return err
			}
			return s.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{newParent("a"), second}})
		}, child}, checkChild(false)},
}

// TestCallByCall explores scenarios as package txmodel does, over the code itself: in every order of the calls that takes so many
// preemptions, and with each fault at each call.
func TestCallByCall(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios {
		bounds := [][2]int{{2, 0}, {1, 1}} // preemptions, faults
		if testrun.Of(1, 0) == 1 {
			bounds = [][2]int{{3, 0}, {2, 1}, {1, 2}}
		}
		runs := 0
		for _, bound := range bounds {
			var choices []int
			for more := true; more; runs++ {
				var made []choice
				var trace []string
				var wrong string
				synctest.Test(t, func(t *testing.T) { made, trace, wrong = sc.run(t, choices, bound[0], bound[1]) })
				if wrong != "" {
					t.Fatalf("%s: %s\n%s", sc.name, wrong, strings.Join(trace, ", "))
				}
				last := len(made) - 1
				for last >= 0 && made[last].at+1 >= made[last].of {
					last--
				}
				if more = last >= 0; more {
					choices = choices[:0]
					for _, c := range made[:last+1] {
						choices = append(choices, c.at)
					}
					choices[last]++
				}
			}
		}
		t.Logf("%s: %d runs", sc.name, runs)
	}
}
