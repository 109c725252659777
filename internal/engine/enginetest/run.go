// Package enginetest is the contract of package engine as one test suite, to be run over every engine:
//
//	func TestContract(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) engine.Engine {
//			return embedded.OpenMemory(embedded.Options{PageEntities: 3})
//		}, enginetest.ExactFilters, enginetest.Snapshots)
//	}
//
// Give the engine pages so small that scans cross them. Traits tell what an engine does beyond the contract, or what a store cannot do. Tables
// get unique names, so that many runs may share a store, and are deleted at the end.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Trait is a difference between engines that the contract allows.
type Trait int

const (
	// ExactFilters: a scan gives no entity that its filter does not let through.
	ExactFilters Trait = iota
	// Snapshots: a scan gives the table as it was when the scan began.
	Snapshots
	// CountsScanned: the Meter counts entities that were looked at and did not pass.
	CountsScanned
	// NoNegativeZero: a Double -0 may come back as 0.
	NoNegativeZero
	// NoZeroBytes: a String with U+0000 cannot be kept, and is not tried.
	NoZeroBytes
	// Intents: a commit that finds a key taken checks whether an intent is the reason, and a transaction writes more than its operations.
	Intents
	// TableCase: entities are found only by the exact name of their table as it was created, case included.
	TableCase
)

// Run runs the suite, side by side. open gives an engine that the suite closes.
func Run(t *testing.T, open func(t *testing.T) engine.Engine, traits ...Trait) {
	for _, part := range []struct {
		name string
		test func(*fixture)
	}{
		{"Values", testValues},
		{"Select", testSelect},
		{"Kinds", testKinds},
		{"Failures", testFailures},
		{"AllOrNothing", testAllOrNothing},
		{"FullBatch", testFullBatch},
		{"ETags", testETags},
		{"Ownership", testOwnership},
		{"Ranges", testRanges},
		{"Partitions", testPartitions},
		{"OddKeys", testOddKeys},
		{"ScanLimit", testScanLimit},
		{"ScanSelect", testScanSelect},
		{"WriteWhileScanning", testWriteWhileScanning},
		{"Cursor", testCursor},
		{"Clear", testClear},
		{"Filters", testFilters},
		{"FilterKeys", testFilterKeys},
		{"FilterTimestamp", testFilterTimestamp},
		{"Tables", testTables},
		{"NoTable", testNoTable},
		{"Limits", testLimits},
		{"MergeLimits", testMergeLimits},
		{"Meter", testMeter},
		{"OneWins", testOneWins},
		{"Counter", testCounter},
		{"ReadersDuringWrites", testReadersDuringWrites},
		{"Transact", testTransact},
		{"Moment", testMoment},
		{"Reads", testReads},
		{"Requires", testRequires},
		{"RequiresTogether", testRequiresTogether},
		{"Transfers", testTransfers},
		{"Cancel", testCancel},
		{"Close", testClose},
		{"Model", testModel},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			f := &fixture{T: t, ctx: t.Context(), e: open(t), traits: traits}
			t.Cleanup(func() {
				if err := f.e.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			f.table = f.newTable()
			part.test(f)
		})
	}
}

// fixture is an open engine with one empty table.
type fixture struct {
	*testing.T
	ctx    context.Context
	e      engine.Engine
	table  string
	traits []Trait
}

func (f *fixture) has(t Trait) bool { return slices.Contains(f.traits, t) }

// newName gives a name that no other test has, for a table of ours that holds rows.
func newName() string { return fmt.Sprintf("NfZ8%016x", rand.Uint64()) }

// newTable makes a table and deletes it at the end of the test, if it is still there.
func (f *fixture) newTable() string {
	f.Helper()
	name := newName()
	if err := f.e.CreateTable(f.ctx, name, nil); err != nil {
		f.Fatalf("CreateTable: %v", err)
	}
	f.Cleanup(func() {
		err := f.e.DeleteTable(context.Background(), name, nil)
		if c := code(err); err != nil && c != engine.CodeNoTable && c != engine.CodeClosed {
			f.Errorf("DeleteTable: %v", err)
		}
	})
	return name
}

// props are the properties of an entity, by name.
type props map[string]engine.Value

func (p props) lists() ([]string, []engine.Value) {
	names := make([]string, 0, len(p))
	for name := range p {
		names = append(names, name)
	}
	sort.Strings(names)
	values := make([]engine.Value, len(names))
	for i, name := range names {
		values[i] = p[name]
	}
	return names, values
}

func str(s string) engine.Value  { return engine.Value{Type: engine.String, S: s} }
func bin(s string) engine.Value  { return engine.Value{Type: engine.Binary, S: s} }
func guid(s string) engine.Value { return engine.Value{Type: engine.Guid, S: s} }
func i32(n int32) engine.Value   { return engine.Value{Type: engine.Int32, N: uint64(int64(n))} }
func i64(n int64) engine.Value   { return engine.Value{Type: engine.Int64, N: uint64(n)} }
func dbl(x float64) engine.Value { return engine.Value{Type: engine.Double, N: math.Float64bits(x)} }
func ticks(n int64) engine.Value { return engine.Value{Type: engine.DateTime, N: uint64(n)} }
func boolean(b bool) engine.Value {
	if b {
		return engine.Value{Type: engine.Boolean, N: 1}
	}
	return engine.Value{Type: engine.Boolean}
}

func op(kind engine.OpKind, pk, rk string, p props) engine.Op {
	o := engine.Op{Kind: kind, Entity: engine.Entity{PartitionKey: pk, RowKey: rk}}
	o.Entity.Names, o.Entity.Values = p.lists()
	return o
}

func opIf(kind engine.OpKind, pk, rk string, p props, etag string) engine.Op {
	o := op(kind, pk, rk, p)
	o.IfMatch = etag
	return o
}

// commit applies operations of one partition.
func (f *fixture) commit(ops ...engine.Op) error {
	return f.e.Commit(f.ctx, engine.Commit{Table: f.table, PartitionKey: ops[0].Entity.PartitionKey, Ops: ops})
}

func (f *fixture) must(ops ...engine.Op) {
	f.Helper()
	if err := f.commit(ops...); err != nil {
		f.Fatalf("Commit: %v", err)
	}
}

// fails expects a commit to fail with a code at an operation.
func (f *fixture) fails(want engine.Code, at int, ops ...engine.Op) {
	f.Helper()
	err := f.commit(ops...)
	var e *engine.Error
	if !errors.As(err, &e) {
		f.Fatalf("Commit: got %v, want an *engine.Error with code %d", err, want)
	}
	if e.Code != want || e.Op != at || e.Applied != engine.NotApplied {
		f.Fatalf("Commit: got code %d, operation %d, applied %d (%v), want code %d, operation %d", e.Code, e.Op, e.Applied, err, want, at)
	}
}

func (f *fixture) get(pk, rk string) engine.Entity {
	f.Helper()
	e, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: pk, RowKey: rk})
	if err != nil {
		f.Fatalf("Get %q, %q: %v", pk, rk, err)
	}
	return e
}

// holds expects an entity with exactly these properties.
func (f *fixture) holds(pk, rk string, want props) {
	f.Helper()
	f.same(f.get(pk, rk), pk, rk, want)
}

func (f *fixture) missing(pk, rk string) {
	f.Helper()
	_, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: pk, RowKey: rk})
	if code(err) != engine.CodeNotFound {
		f.Fatalf("Get %q, %q: got %v, want not found", pk, rk, err)
	}
}

// same expects e to be the entity with these keys and exactly these properties.
func (f *fixture) same(e engine.Entity, pk, rk string, want props) {
	f.Helper()
	if e.PartitionKey != pk || e.RowKey != rk {
		f.Fatalf("got the entity %q, %q, want %q, %q", e.PartitionKey, e.RowKey, pk, rk)
	}
	if e.ETag == "" {
		f.Fatalf("entity %q, %q has no ETag", pk, rk)
	}
	got := present(f.T, e)
	for name, w := range want {
		if g := got[name]; !f.equal(g, w) {
			f.Fatalf("entity %q, %q: property %s is %s, want %s", pk, rk, name, show(g), show(w))
		}
	}
	for name, g := range got {
		if want[name].Type == engine.Absent {
			f.Fatalf("entity %q, %q: unexpected property %s = %s", pk, rk, name, show(g))
		}
	}
}

func (f *fixture) equal(got, want engine.Value) bool {
	if got.Type != want.Type {
		return false
	}
	if want.Type == engine.Double {
		g, w := math.Float64frombits(got.N), math.Float64frombits(want.N)
		if math.IsNaN(w) {
			return math.IsNaN(g)
		}
		if w == 0 && f.has(NoNegativeZero) {
			return g == 0
		}
	}
	return got == want
}

// present gives the properties that an entity has.
func present(t *testing.T, e engine.Entity) props {
	t.Helper()
	if len(e.Names) != len(e.Values) {
		t.Fatalf("entity %q, %q: %d names, %d values", e.PartitionKey, e.RowKey, len(e.Names), len(e.Values))
	}
	p := props{}
	for i, v := range e.Values {
		if v.Type != engine.Absent {
			p[e.Names[i]] = v
		}
	}
	return p
}

func show(v engine.Value) string {
	s := fmt.Sprintf("{type %d, N %#x, S %q}", v.Type, v.N, v.S)
	if len(s) > 200 {
		s = fmt.Sprintf("%s… (%d bytes)", s[:200], len(v.S))
	}
	return s
}

// scan reads a whole scan. It copies the entities, because the cursor may reuse their memory.
func (f *fixture) scan(s engine.Scan) []engine.Entity {
	f.Helper()
	all, err := f.tryScan(s)
	if err != nil {
		f.Fatalf("Scan: %v", err)
	}
	return all
}

func (f *fixture) tryScan(s engine.Scan) ([]engine.Entity, error) {
	if s.Table == "" {
		s.Table = f.table
	}
	c := f.e.Scan(f.ctx, s)
	defer c.Close()
	return drain(f.ctx, c)
}

func drain(ctx context.Context, c engine.Cursor) ([]engine.Entity, error) {
	var all []engine.Entity
	for {
		chunk, err := c.Next(ctx)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if len(chunk) == 0 {
			return all, errors.New("a chunk of Next is empty")
		}
		for _, e := range chunk {
			e.Values = slices.Clone(e.Values)
			all = append(all, e)
		}
	}
}

// keysOf gives "pk/rk" of each entity.
func keysOf(entities []engine.Entity) []string {
	keys := []string{}
	for _, e := range entities {
		keys = append(keys, e.PartitionKey+"/"+e.RowKey)
	}
	return keys
}

// gives expects a scan to give entities with these keys, in order.
func (f *fixture) gives(s engine.Scan, want ...string) {
	f.Helper()
	if got := keysOf(f.scan(s)); !slices.Equal(got, append([]string{}, want...)) {
		f.Fatalf("scan %+v gives %q, want %q", s, got, want)
	}
}

func code(err error) engine.Code {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return engine.CodeOther
}
