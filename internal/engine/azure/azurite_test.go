//go:build azurite

package azure_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
)

// TestAzurite runs the contract over a real emulator: tests/azurite/run.sh go test -tags azurite ./…
func TestAzurite(t *testing.T) {
	for name, page := range map[string]int{"TinyPages": 3, "PagesOfOne": 1, "Pages": 0} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine { return openAzurite(t, page) },
				enginetest.TableCase)
		})
	}
}

func openAzurite(t *testing.T, page int) *azure.Engine {
	t.Helper()
	o, err := azure.ParseConnectionString(os.Getenv("NEARLYFREE_AZURITE"))
	if err != nil {
		t.Fatalf("NEARLYFREE_AZURITE: %v", err)
	}
	o.PageEntities = page
	return open(t, o)
}

// azuriteTable makes a table of its own, and gives the engine and the table's name.
func azuriteTable(t *testing.T, page int) (*azure.Engine, string) {
	t.Helper()
	e := openAzurite(t, page)
	table := fmt.Sprintf("Nf%x", time.Now().UnixNano())
	if err := e.CreateTable(t.Context(), table, nil); err != nil {
		t.Fatal(err)
	}
	return e, table
}

// TestAzuriteKeys writes and reads keys that are awkward in a URL, one by one and, but for those with a
// quote, in batches: the emulator takes batches of those apart wrongly, as the service does not.
func TestAzuriteKeys(t *testing.T) {
	e, table := azuriteTable(t, 0)
	commit := func(list ...engine.Op) error {
		return e.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: list[0].Entity.PartitionKey, Ops: list})
	}
	for _, key := range []string{"", " ", "it's", "''", "a%b", "%41", "a+b", "a&b=c", "ä ö", "😀", "(x),y", "a;b", "@:$!*~", "a\"b", "<a>", strings.Repeat("k", 300), strings.Repeat("ß", 511)} {
		for _, kind := range []engine.OpKind{engine.Insert, engine.Replace, engine.Merge, engine.Upsert} {
			if err := commit(ops(kind, key)...); err != nil {
				t.Errorf("%.20q: kind %d: %v", key, kind, err)
			}
		}
		got, err := e.Get(t.Context(), engine.Get{Table: table, PartitionKey: "p", RowKey: key})
		if err != nil || got.RowKey != key || got.Values[0].S != "of "+key {
			t.Errorf("%.20q: Get gives %q, %v", key, got.RowKey, err)
		}
		if !strings.Contains(key, "'") {
			if err := commit(append(ops(engine.Merge, key), ops(engine.Insert, key+"x")...)...); err != nil {
				t.Errorf("%.20q: batch: %v", key, err)
			}
			if err := commit(ops(engine.Delete, key, key+"x")...); err != nil {
				t.Errorf("%.20q: batch of deletes: %v", key, err)
			}
		} else if err := commit(ops(engine.Delete, key)...); err != nil {
			t.Errorf("%.20q: Delete: %v", key, err)
		}
		if _, err := e.Get(t.Context(), engine.Get{Table: table, PartitionKey: "p", RowKey: key}); err == nil {
			t.Errorf("%.20q is still there", key)
		}
	}
}

// TestAzuriteMixedTypes filters a property that has another type in each entity, which the emulator
// answers with 500 where an Int64 is compared.
func TestAzuriteMixedTypes(t *testing.T) {
	e, table := azuriteTable(t, 2)
	values := []engine.Value{
		{Type: engine.Int64, N: 5}, {Type: engine.String, S: "5"}, {Type: engine.Double, N: math.Float64bits(5)},
		{Type: engine.Int32, N: 5}, {Type: engine.Boolean, N: 1}, {Type: engine.Double, N: 1 << 63}, {Type: engine.Binary, S: "\x05"},
		{Type: engine.DateTime, N: 638000000000000001}, {Type: engine.Guid, S: "abcdefab-1234-1234-1234-123456789012"}, {},
	}
	for i, v := range values {
		op := engine.Op{Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprint(i), Names: []string{"V"}, Values: []engine.Value{v}}}
		if err := e.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: "p", Ops: []engine.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range values {
		for _, op := range []engine.FilterOp{engine.Eq, engine.Ge, engine.Le} {
			for _, limit := range []int{0, 1} {
				f := &engine.Filter{Op: op, Property: "V", Value: v}
				c := e.Scan(t.Context(), engine.Scan{Table: table, PartitionKey: "p", Filter: f, Limit: limit})
				var got []string
				for {
					chunk, err := c.Next(t.Context())
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatalf("%+v: %v", f, err)
					}
					for _, x := range chunk {
						got = append(got, x.RowKey)
					}
				}
				if v.Type != engine.Absent && limit == 0 && !slices.Contains(got, fmt.Sprint(i)) || limit == 1 && len(got) > 1 {
					t.Errorf("%+v with limit %d gives %q, which misses %d", f, limit, got, i)
				}
			}
		}
	}
}

// TestAzuriteExists: which operation of a batch failed is told, with the request's id.
func TestAzuriteExists(t *testing.T) {
	e, table := azuriteTable(t, 0)
	for _, keys := range [][]string{{"a"}, {"b", "c", "a"}} {
		err := e.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: "p", Ops: ops(engine.Insert, keys...)})
		if len(keys) == 1 && err == nil {
			continue
		}
		var x *engine.Error
		if !errors.As(err, &x) || x.Code != engine.CodeExists || x.Op != len(keys)-1 || x.Applied != engine.NotApplied || x.RequestID == "" {
			t.Errorf("%q: %+v", keys, err)
		}
	}
}
