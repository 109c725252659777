package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// definition is what another program reads of a stored definition, see docs/format.md.
type definition struct {
	Name    string
	Columns []json.RawMessage
	Key     []json.RawMessage
	Indexes []struct {
		Name    string
		Unique  bool
		Columns []json.RawMessage
	}
}

// keyOf makes the key of some columns, and gives their names.
func (d *definition) keyOf(t *testing.T, parts []json.RawMessage) (keymap.Key, []string) {
	t.Helper()
	var columns []keymap.Column
	var names []string
	for _, part := range parts {
		var place struct{ Column string }
		mustJSON(t, part, &place)
		for _, raw := range d.Columns {
			var c keymap.Column
			var named struct{ Name string }
			if mustJSON(t, raw, &named); named.Name == place.Column {
				mustJSON(t, raw, &c)
				mustJSON(t, part, &c)
				columns, names = append(columns, c), append(names, named.Name)
			}
		}
	}
	k, err := keymap.NewKey(columns...)
	if err != nil || len(columns) != len(parts) {
		t.Fatalf("key of %s: %v", parts, err)
	}
	return k, names
}

func mustJSON(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// TestKeysOfOthers: with what the catalog says of a table, keymap gives the keys that the driver writes, and reads them.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	store := embedded.OpenMemory(embedded.Options{})
	db, _ := openConfig(t, &nearlyfree.Config{
		Store:     "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport: &azuretest.Transport{Service: azuretest.NewService(store)},
	})
	mustExec(t, db, `CREATE TABLE t (id BIGINT UNSIGNED, name VARCHAR(400), at DATETIME(6), price DECIMAL(10,2), kind ENUM('a','b'), tags SET('x','y'),
		flag BOOL, bits BIT(12), f DOUBLE, day DATE, span TIME(3), code VARBINARY(20), u UUID, folded VARCHAR(20) COLLATE nocase,
		PRIMARY KEY (id, kind DESC), KEY (name), UNIQUE KEY (at, price), KEY (tags, flag, bits), KEY (f, day DESC, span), KEY (code DESC, u), KEY (folded(3)))`)
	long := strings.Repeat("long ", 70)
	for i, row := range [][]any{
		{uint64(7), "Smith", time.Date(2024, 5, 1, 10, 0, 0, 123456000, time.UTC), "12.50", "a", "x,y", true, 9, -1.5, "2024-02-29", "-10:00:00.125", []byte{0, 255}, "00112233-4455-6677-8899-aabbccddeeff", "Ab"},
		{uint64(1<<63 + 1), long, time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), "-0.01", "b", "", false, 4095, 0.0, "0001-01-01", "838:59:59", []byte{}, "ffffffff-4455-6677-8899-aabbccddeeff", ""},
		{uint64(0), "", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), "0.00", "a", nil, nil, nil, nil, nil, nil, nil, nil, nil},
	} {
		if _, err := db.Exec("INSERT INTO t VALUES ("+strings.Repeat("?, ", len(row)-1)+"?)", row...); err != nil {
			t.Fatal(i, err)
		}
	}
	var d definition
	read := func(table, prefix string, each func(*engine.Entity)) {
		err := engine.Each(t.Context(), store, engine.Scan{Table: table, AllPartitions: true}, func(e *engine.Entity) error {
			if strings.HasPrefix(e.RowKey, prefix) {
				each(e)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read(keymap.CatalogTable(""), "table!", func(e *engine.Entity) {
		mustJSON(t, []byte(e.Values[slices.Index(e.Names, "Definition")].S), &d)
	})
	stored := map[string]bool{}
	read(keymap.TableName("", d.Name), "", func(e *engine.Entity) { stored[e.RowKey] = true })

	primary, ids := d.keyOf(t, d.Key)
	check := func(name string, k keymap.Key, columns []string) {
		t.Helper()
		rows, err := db.Query("SELECT " + strings.Join(columns, ", ") + " FROM t")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			values := make([]any, len(columns))
			if err := rows.Scan(slices.Collect(pointers(values))...); err != nil {
				t.Fatal(err)
			}
			key, err := k.Encode(name, values...)
			if err != nil || !stored[key] {
				t.Errorf("%s of %v: %v, %v, and there are %q", name, values, key, err, slices.Sorted(maps.Keys(stored)))
				continue
			}
			delete(stored, key)
			back, got, err := k.Decode(key)
			if unreadable := slices.Contains(columns, "folded") && values[0] != nil || values[0] == long; unreadable {
				if err == nil {
					t.Errorf("%q was read as %v", key, got)
				}
			} else if err != nil || back != name || fmt.Sprint(got) != fmt.Sprint(values) {
				t.Errorf("%q was read as %s %v, %v, want %v", key, back, got, err, values)
			}
		}
	}
	for _, ix := range d.Indexes {
		k, columns := d.keyOf(t, ix.Columns)
		if !ix.Unique { // else the values are the whole key, as none of them is NULL
			k, columns = k.And(primary), append(columns, ids...)
		}
		check(keymap.IndexName(ix.Name), k, columns)
	}
	check(keymap.RowPrefix, primary, ids)
	if len(stored) > 0 {
		t.Errorf("other keys: %q", slices.Sorted(maps.Keys(stored)))
	}
}

func pointers(values []any) func(func(any) bool) {
	return func(yield func(any) bool) {
		for i := range values {
			if !yield(&values[i]) {
				return
			}
		}
	}
}
