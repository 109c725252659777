package once

import (
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// TestSeen: what is remembered is of one version of an entity, and does not grow without end.
func TestSeen(t *testing.T) {
	var s seen
	note := func(key, etag, ids string) {
		s.note("t", &engine.Entity{PartitionKey: "p", RowKey: key, ETag: etag, Names: []string{"v", keymap.OperationIDs}, Values: []engine.Value{{}, {Type: engine.String, S: ids}}})
	}
	idsOf := func(key, etag string) string { return s.idsOf(place{"t", "p", key}, etag) }
	const one, two = "1111111111", "2222222222"
	note("a", "1", one)
	note("a", "2", two+one)
	if idsOf("a", "1") != "" || idsOf("a", "2") != two+one || idsOf("a", "") != "" || idsOf("b", "2") != "" {
		t.Errorf("of a: %q, %q", idsOf("a", "1"), idsOf("a", "2"))
	}
	note("b", "1", "")
	note("c", "1", "short")
	if len(s.last) != 1 {
		t.Errorf("%v", s.last)
	}
	for i := range 3 * maxSeen {
		note(strings.Repeat("x", i), "1", one)
	}
	if len(s.last) != maxSeen || idsOf("a", "2") != "" || idsOf(strings.Repeat("x", 3*maxSeen-1), "1") != one {
		t.Errorf("%d are remembered", len(s.last))
	}
}
