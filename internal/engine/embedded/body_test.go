package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// rowOps writes a row with its index entries, all with the same properties.
func rowOps(kind engine.OpKind, id string, entries int, text string) []engine.Op {
	names, values := []string{"Id", "Text"}, []engine.Value{{Type: engine.String, S: id}, {Type: engine.String, S: text}}
	row := "PK!" + id
	if strings.HasSuffix(id, "1") {
		row = "Other" + row
	}
	ops := []engine.Op{{Kind: kind, Entity: engine.Entity{PartitionKey: "p", RowKey: row, Names: names, Values: values}}}
	for i := range entries {
		ops = append(ops, engine.Op{Kind: engine.Upsert, Row: row, Entity: engine.Entity{
			PartitionKey: "p", RowKey: fmt.Sprintf("%c!%s", "AZ"[i], id), Names: names, Values: values}})
	}
	return ops
}

// content is what a table holds, as text, without what differs from one store to the next.
func content(t *testing.T, e engine.Reader, s engine.Scan) string {
	t.Helper()
	s.Table, s.PartitionKey = "tab", "p"
	var b strings.Builder
	must(t, engine.Each(t.Context(), e, s, func(e *engine.Entity) error {
		fmt.Fprintln(&b, e.RowKey, e.Names, e.Values)
		return nil
	}))
	return b.String()
}

// TestSharedBodies: whatever is written of rows and entries that share a body, each entity holds what was written last of it, as in
// memory, where each has its own. ETags, moments from before, the check and what is salvaged go by that, too, and records as earlier versions wrote them.
func TestSharedBodies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	file := openFile(t, path, embedded.FileOptions{NoSync: true})
	memory := embedded.OpenMemory(embedded.Options{})
	for _, e := range []engine.Engine{file, memory} {
		must(t, e.CreateTable(t.Context(), "tab", nil))
	}
	random := rand.New(rand.NewPCG(3, 4))
	var moment engine.Moment
	var then string
	for round := range testrun.Of(3000, 600) {
		id, text := fmt.Sprintf("%04d", random.IntN(12)), fmt.Sprint("text ", random.IntN(5))
		ops := rowOps(engine.Upsert, id, random.IntN(3), text)
		switch random.IntN(8) {
		case 0: // entries before their row
			slices.Reverse(ops)
		case 1: // the row alone, or an entry alone
			ops = ops[len(ops)-1:]
		case 2: // an entry with something else
			last := &ops[len(ops)-1].Entity
			last.Names, last.Values = []string{"Text"}, []engine.Value{{Type: engine.String, S: "own"}}
		case 3: // a touch, or a property more, of the row or of an entry
			one := ops[random.IntN(len(ops))]
			one.Kind = engine.Merge
			one.Entity.Names, one.Entity.Values = one.Entity.Names[:random.IntN(2)], one.Entity.Values[:1]
			one.Entity.Values = one.Entity.Values[:len(one.Entity.Names)]
			ops = []engine.Op{one}
		case 4:
			one := ops[random.IntN(len(ops))]
			one.Kind = engine.Delete
			ops = []engine.Op{one}
		case 5: // two rows at once
			ops = append(ops, rowOps(engine.Upsert, id+"b", 2, text)...)
		}
		var errs [2]string
		for i, e := range []engine.Engine{file, memory} {
			commit := engine.Commit{Table: "tab", PartitionKey: "p", Ops: slices.Clone(ops)}
			if ops[0].Kind == engine.Merge || ops[0].Kind == engine.Delete {
				now, err := e.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: ops[0].Entity.RowKey})
				if err == nil {
					commit.Ops[0].IfMatch = now.ETag
				}
			}
			errs[i] = fmt.Sprint(e.Commit(t.Context(), commit))
		}
		if errs[0] != errs[1] {
			t.Fatalf("round %d: %s in the file, %s in memory", round, errs[0], errs[1])
		}
		for _, s := range []engine.Scan{{}, {Select: []string{}}, {Select: []string{"Text"}}, {From: "Z", Filter: &engine.Filter{
			Op: engine.Eq, Property: "Text", Value: engine.Value{Type: engine.String, S: text}}, Select: []string{"Id"}}} {
			if got, want := content(t, file, s), content(t, memory, s); got != want {
				t.Fatalf("round %d, %v: the file holds\n%s\nwant\n%s", round, ops, got, want)
			}
		}
		switch {
		case moment == nil:
			moment, then = file.(engine.Transactor).Moment(), content(t, file, engine.Scan{})
			must(t, moment.Begin())
		case round%50 == 0:
			if got := content(t, moment, engine.Scan{}); got != then {
				t.Fatalf("a moment holds\n%s\nwant\n%s", got, then)
			}
			moment.Release()
			moment = nil
			if faults, err := file.(engine.Maintainer).Verify(t.Context(), "tab"); err != nil || len(faults) > 0 {
				t.Fatalf("round %d: %q, %v", round, faults, err)
			}
		case round%151 == 0:
			moment.Release()
			moment = nil
			must(t, file.Close())
			if round%302 == 151 {
				embedded.LengthenRecords(t, path)
			}
			file = openFile(t, path, embedded.FileOptions{NoSync: true})
		case round%270 == 0:
			if lost, err := file.(engine.Maintainer).Salvage(t.Context(), "tab"); err != nil || len(lost) > 0 {
				t.Fatalf("%q, %v", lost, err)
			}
		case round%310 == 0:
			must(t, file.(engine.Maintainer).Compact(t.Context()))
		}
	}
}

// TestEntriesAreSmall: a row's body is in a file once, however many entries share it.
func TestEntriesAreSmall(t *testing.T) {
	size := func(entries int) int64 {
		path := filepath.Join(t.TempDir(), "store.db")
		e := openFile(t, path, embedded.FileOptions{NoSync: true})
		must(t, e.CreateTable(t.Context(), "tab", nil))
		for i := range 500 {
			must(t, e.Commit(t.Context(), engine.Commit{Table: "tab", PartitionKey: "p",
				Ops: rowOps(engine.Insert, fmt.Sprintf("%06d", i), entries, strings.Repeat("x", 1000))}))
		}
		must(t, e.(engine.Maintainer).Compact(t.Context()))
		must(t, e.Close())
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	none, two := size(0), size(2)
	if each := (two - none) / 1000; each > 64 {
		t.Errorf("an entry takes %d octets", each)
	}
}
