package embedded

import (
	"runtime"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// TestMemRecord checks what records give back, at each size near those that memory is given out in: what points behind a record
// ends the program when memory is cleared.
func TestMemRecord(t *testing.T) {
	table := newMemTable("t")
	names := []string{"a", "b", "c", "d", "e"}
	var kept []engine.Value
	for n := range 300 {
		given := []engine.Value{
			{Type: engine.String, S: strings.Repeat("x", n)}, {Type: engine.Double, N: uint64(n) << 40}, {},
			{Type: engine.Binary}, {Type: engine.String},
		}
		r := table.newRecord(names, given)
		r.sign(string(appendETag(nil, uint64(n))), int64(n))
		e := table.entity(r, "p", "r")
		want := []engine.Value{given[0], given[1], given[3], given[4]}
		if strings.Join(e.Names, "") != "abde" || e.ETag != string(appendETag(nil, uint64(n))) || e.Timestamp != int64(n) {
			t.Fatalf("%d: %q, ETag %s, at %d", n, e.Names, e.ETag, e.Timestamp)
		}
		for i := range want {
			if e.Values[i] != want[i] {
				t.Fatalf("%d: %s is %+v", n, e.Names[i], e.Values[i])
			}
		}
		kept = append(kept, e.Values...)
	}
	runtime.GC()
	runtime.GC()
	runtime.KeepAlive(kept)
	if shapes := len(*table.shapes.Load()); shapes != 1 {
		t.Errorf("%d shapes", shapes)
	}
	table.newRecord(names, []engine.Value{{Type: engine.Int32}, {}, {}, {}, {}})
	table.newRecord(names, []engine.Value{{Type: engine.Int64}, {}, {}, {}, {}})
	if shapes := len(*table.shapes.Load()); shapes != 3 {
		t.Errorf("%d shapes", shapes)
	}
}

// TestMemRecordLetsGo: what is kept of a large entity does not keep all of it.
func TestMemRecordLetsGo(t *testing.T) {
	table := newMemTable("t")
	var kept []string
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 200 {
		r := table.newRecord([]string{"name", "text"}, []engine.Value{{Type: engine.String, S: "short"}, {Type: engine.String, S: strings.Repeat("x", 60<<10)}})
		r.sign(string(appendETag(nil, 7)), 1)
		e := table.entity(r, "p", "r")
		kept = append(kept, e.Values[0].S, e.ETag)
	}
	if grown := int64(heap() - before); grown > 1<<20 {
		t.Errorf("%d octets are kept for %d short texts", grown, len(kept))
	}
	runtime.KeepAlive(kept)
}
