package intent_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// wire is a process's way to a store: requests take time, get lost, lose their answers, arrive late, or twice.
type wire struct {
	engine.Engine
	mu     sync.Mutex
	rnd    *rand.Rand
	faults int // of a hundred writes
	most   int // operations of a commit; 0: as the store has it
	dead   bool
	late   *sync.WaitGroup
}

var errDead = engine.Errorf(engine.CodeClosed, "the process is dead")

func (w *wire) chance() (n int, pause time.Duration, dead bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(100), time.Duration(1+w.rnd.IntN(5000)) * time.Microsecond, w.dead
}

func (w *wire) Limits() engine.Limits {
	l := w.Engine.Limits()
	if w.most > 0 {
		l.BatchOps = w.most
	}
	return l
}

func (w *wire) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	_, pause, dead := w.chance()
	time.Sleep(pause)
	if dead {
		return engine.Entity{}, errDead
	}
	e, err := w.Engine.Get(ctx, g)
	time.Sleep(pause / 2)
	return e, err
}

func (w *wire) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return &wireCursor{wire: w, scan: s}
}

// wireCursor reads each page when it is asked for.
type wireCursor struct {
	wire  *wire
	scan  engine.Scan
	ended bool
}

func (c *wireCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if c.ended {
		return nil, io.EOF
	}
	_, pause, dead := c.wire.chance()
	time.Sleep(pause)
	if dead {
		return nil, errDead
	}
	inner := c.wire.Engine.Scan(ctx, c.scan)
	defer inner.Close()
	chunk, err := inner.Next(ctx)
	if err != nil {
		c.ended = true
		return nil, err
	}
	chunk = slices.Clone(chunk)
	last := chunk[len(chunk)-1]
	if c.scan.From = last.RowKey + "\x00"; c.scan.Limit > 0 {
		c.scan.Limit -= len(chunk)
		c.ended = c.scan.Limit <= 0
	}
	time.Sleep(pause / 2)
	return chunk, nil
}

func (c *wireCursor) Close() error { return nil }

func (w *wire) Commit(ctx context.Context, commit engine.Commit) error {
	n, pause, dead := w.chance()
	time.Sleep(pause)
	if dead {
		return errDead
	}
	lost := &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "the answer was lost"}
	again := func(after time.Duration) {
		commit.ETags = nil
		w.late.Go(func() {
			time.Sleep(after)
			_ = w.Engine.Commit(context.Background(), commit)
		})
	}
	switch kind := n % 4; {
	case n >= w.faults:
	case kind == 0: // lost
		return lost
	case kind == 1:
		_ = w.Engine.Commit(ctx, commit)
		return lost
	case kind == 2:
		again(100 * pause)
		return lost
	case !onlyInserts(commit): // twice: see package txmodel
		defer again(50 * pause)
	}
	err := w.Engine.Commit(ctx, commit)
	time.Sleep(pause / 2)
	return err
}

// onlyInserts says whether a commit could be applied once more when what it inserted is deleted again.
func onlyInserts(c engine.Commit) bool {
	return !slices.ContainsFunc(c.Ops, func(op engine.Op) bool { return op.Kind != engine.Insert && op.IfMatch != "" })
}

var histories = flag.Int("histories", 150, "random histories to run")

const (
	historyPartitions = 3
	historyAccounts   = 2 // in each
	historyMoney      = 100
)

// history is a run: processes move money between accounts of several partitions and tables, insert and delete entries in several
// partitions at once, and read.
type history struct {
	*testing.T
	store  engine.Engine
	tables []string
	wires  []*wire
	stores []*intent.Store
	late   sync.WaitGroup

	mu       sync.Mutex
	told     map[string]string // by the name of an entry: "applied", "not", "unknown"
	seen     map[string]bool   // entries that were read
	applied  int
	conflict int
}

func (h *history) account(n int) engine.Get {
	return engine.Get{Table: h.tables[n%len(h.tables)], PartitionKey: fmt.Sprint("p", n%historyPartitions), RowKey: fmt.Sprint("a", n/historyPartitions), Select: []string{"N"}}
}

// transfer moves money between two or three accounts, and leaves an entry beside each.
func (h *history) transfer(ctx context.Context, s *intent.Store, rnd *rand.Rand, name string, serializable bool) error {
	m := s.Moment()
	defer m.Release()
	var t engine.Transaction
	if serializable {
		t.Since = m
	}
	read := engine.Reader(m)
	if !serializable {
		read = s
	}
	put := func(table, pk string, ops ...engine.Op) {
		at := slices.IndexFunc(t.Commits, func(c engine.Commit) bool { return c.Table == table && c.PartitionKey == pk })
		if at < 0 {
			at, t.Commits = len(t.Commits), append(t.Commits, engine.Commit{Table: table, PartitionKey: pk})
		}
		t.Commits[at].Ops = append(t.Commits[at].Ops, ops...)
	}
	n := 2 + rnd.IntN(2)
	for i, a := range rnd.Perm(historyPartitions * historyAccounts)[:n] {
		g := h.account(a)
		e, err := read.Get(ctx, g)
		if err != nil {
			return err
		}
		money := int64(e.Values[0].N) + 1
		if i == 0 {
			money -= int64(n)
		}
		kind := engine.Merge
		if rnd.IntN(2) == 0 {
			kind = engine.Replace
		}
		put(g.Table, g.PartitionKey, engine.Op{Kind: kind, IfMatch: e.ETag, Entity: engine.Entity{PartitionKey: g.PartitionKey, RowKey: g.RowKey,
			Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int64, N: uint64(money)}}}})
		put(g.Table, g.PartitionKey, engine.Op{Kind: engine.Insert, Row: g.RowKey, Entity: engine.Entity{PartitionKey: g.PartitionKey, RowKey: "e" + name,
			Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int64, N: uint64(n)}}}})
	}
	return s.Transact(ctx, t)
}

// sum reads everything as of one moment, and says whether it could.
func (h *history) sum(ctx context.Context, s *intent.Store) error {
	m := s.Moment()
	defer m.Release()
	money, entries := int64(0), map[string][2]int{}
	for _, table := range h.tables {
		for p := range historyPartitions {
			c := m.Scan(ctx, engine.Scan{Table: table, PartitionKey: fmt.Sprint("p", p)})
			for {
				chunk, err := c.Next(ctx)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return err
				}
				for _, e := range chunk {
					n := int64(e.Values[0].N)
					if name, is := strings.CutPrefix(e.RowKey, "e"); is {
						entries[name] = [2]int{entries[name][0] + 1, int(n)}
					} else {
						money += n
					}
				}
			}
		}
	}
	if err := s.Transact(ctx, engine.Transaction{Since: m}); err != nil {
		return err
	}
	if want := int64(historyPartitions * historyAccounts * historyMoney); money != want {
		h.Errorf("one moment has %d, want %d", money, want)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, e := range entries {
		if e[0] != e[1] {
			h.Errorf("one moment has %d of %d entries of %s", e[0], e[1], name)
		}
		if h.told[name] == "not" {
			h.Errorf("one moment has entries of %s, which was told not to be applied", name)
		}
		h.seen[name] = true
	}
	for name, told := range h.told {
		if told == "applied before" && entries[name][0] == 0 {
			h.Errorf("one moment lacks %s, which was applied", name)
		}
	}
	return nil
}

func runHistory(t *testing.T, seed uint64) (applied, conflicts int) {
	rnd := rand.New(rand.NewPCG(seed, 77))
	h := &history{T: t, store: embedded.OpenMemory(embedded.Options{PageEntities: 1 + rnd.IntN(4)}), tables: []string{"one", "two"}[:1+rnd.IntN(2)], told: map[string]string{}, seen: map[string]bool{}}
	defer h.store.Close()
	ctx := t.Context()
	for _, table := range append(slices.Clone(h.tables), records) {
		if err := h.store.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	for a := range historyPartitions * historyAccounts {
		g := h.account(a)
		c := engine.Commit{Table: g.Table, PartitionKey: g.PartitionKey, Ops: []engine.Op{{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: g.PartitionKey, RowKey: g.RowKey,
			Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int64, N: historyMoney}}}}}}
		if err := h.store.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	faults := rnd.IntN(3) * 12
	var wg sync.WaitGroup
	for p := range 3 {
		w := &wire{Engine: engine.InGroups(h.store), rnd: rand.New(rand.NewPCG(seed, uint64(p))), faults: faults, late: &h.late}
		s := intent.New(w, intent.Options{Records: inRecords, Parallel: 1 + rnd.IntN(4)})
		h.wires, h.stores = append(h.wires, w), append(h.stores, s)
		for k := range 2 {
			own := rand.New(rand.NewPCG(seed, uint64(10+10*p+k)))
			wg.Go(func() {
				for i := range 6 {
					name := fmt.Sprintf("%d.%d.%d", p, k, i)
					inner, cancel := context.WithCancel(ctx)
					if own.IntN(12) == 0 {
						cancel()
						inner, cancel = context.WithTimeout(ctx, time.Duration(own.IntN(30))*time.Millisecond)
					}
					err := h.transfer(inner, s, own, name, own.IntN(2) == 0)
					ended := inner.Err() != nil
					cancel()
					h.mu.Lock()
					switch {
					case err == nil:
						h.told[name] = "applied"
						h.applied++
					case engine.IsUnsure(err), errors.Is(err, errDead), ended:
						h.told[name] = "unknown"
					default:
						h.told[name] = "not"
						h.conflict++
					}
					h.mu.Unlock()
					if own.IntN(3) == 0 {
						_ = h.sum(ctx, s) // a conflict is no fault
					}
				}
			})
		}
	}
	if rnd.IntN(2) == 0 { // one of them dies
		wg.Go(func() {
			time.Sleep(time.Duration(rnd.IntN(60)) * time.Millisecond)
			h.wires[0].mu.Lock()
			h.wires[0].dead = true
			h.wires[0].mu.Unlock()
		})
	}
	wg.Wait()
	time.Sleep(time.Minute) // what goes on behind the ends of contexts
	h.late.Wait()
	for name, told := range h.told {
		if told == "applied" {
			h.told[name] = "applied before"
		}
	}
	// Another process comes, and settles what is left.
	last := intent.New(engine.InGroups(h.store), intent.Options{Records: inRecords, Parallel: 1})
	for a := range historyPartitions * historyAccounts {
		for range 20 {
			name := fmt.Sprint("last", a)
			g := h.account(a)
			e, err := last.Get(ctx, g)
			if err == nil {
				err = last.Commit(ctx, engine.Commit{Table: g.Table, PartitionKey: g.PartitionKey, Ops: []engine.Op{
					{Kind: engine.Merge, IfMatch: e.ETag, Entity: engine.Entity{PartitionKey: g.PartitionKey, RowKey: g.RowKey, Names: e.Names, Values: e.Values}}}})
			}
			if err == nil {
				break
			}
			var known *engine.Error
			if !errors.As(err, &known) || known.Code != engine.CodeStale {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for err := h.sum(ctx, last); err != nil; err = h.sum(ctx, last) {
		var known *engine.Error
		if !errors.As(err, &known) || known.Code != engine.CodeStale {
			t.Fatal(err)
		}
	}
	for _, s := range append(h.stores, last) {
		_ = s.Close()
	}
	h.late.Wait()
	return h.applied, h.conflict
}

// TestHistories: whatever gets lost, comes late or twice, and whoever dies, what is told of transactions is true, and each moment
// that is read has all of a transaction or nothing.
func TestHistories(t *testing.T) {
	applied, conflicts := 0, 0
	for seed := range uint64(*histories) {
		synctest.Test(t, func(t *testing.T) {
			a, c := runHistory(t, seed)
			applied, conflicts = applied+a, conflicts+c
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if *histories >= 150 && (applied < 500 || conflicts < 100) {
		t.Errorf("too little: %d transactions were applied, and %d met a conflict", applied, conflicts)
	}
}
