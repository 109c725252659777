package azure

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

func compare(op engine.FilterOp, property string, v engine.Value) *engine.Filter {
	return &engine.Filter{Op: op, Property: property, Value: v}
}

func allOf(kids ...*engine.Filter) *engine.Filter { return &engine.Filter{Op: engine.And, Kids: kids} }
func anyOf(kids ...*engine.Filter) *engine.Filter { return &engine.Filter{Op: engine.Or, Kids: kids} }

// hintText gives what is sent of a filter, "" for nothing.
func hintText(t *testing.T, f *engine.Filter, maxBytes, maxCompare int) string {
	t.Helper()
	raw, ok := appendHint(nil, f, maxBytes, maxCompare)
	if ok != (len(raw) > 0) || len(raw) > maxBytes {
		t.Fatalf("%d bytes, ok %t", len(raw), ok)
	}
	text, err := url.QueryUnescape(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHint(t *testing.T) {
	text := func(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }
	i32 := func(n int32) engine.Value { return engine.Value{Type: engine.Int32, N: uint64(int64(n))} }
	double := func(f float64) engine.Value { return engine.Value{Type: engine.Double, N: math.Float64bits(f)} }
	date := func(ticks int64) engine.Value { return engine.Value{Type: engine.DateTime, N: uint64(ticks)} }
	guid := func(s string) engine.Value { return engine.Value{Type: engine.Guid, S: s} }
	const zero = " or a eq guid'" + negativeZero + "')"
	unsent := compare(engine.Lt, "a", engine.Value{Type: engine.Binary, S: "x"})
	for _, c := range []struct {
		f    *engine.Filter
		want string
	}{
		{compare(engine.Eq, "a", text("it's")), "a eq 'it''s'"},
		{compare(engine.Eq, "a", text("")), "a eq ''"},
		{compare(engine.Eq, "a", text("ä")), "a eq 'ä'"},
		{compare(engine.Gt, "a", text("b")), "a gt 'b'"},
		{compare(engine.Le, "PartitionKey", text("b")), "PartitionKey le 'b'"},
		// What is not plain ASCII cuts a bound.
		{compare(engine.Gt, "a", text("bä")), "a ge 'b'"},
		{compare(engine.Lt, "a", text("bä")), "a lt 'c'"},
		{compare(engine.Le, "a", text("x~ä")), ""},
		{compare(engine.Ge, "a", text("ä")), ""},
		{compare(engine.Eq, "a", text("b\x00c")), "(a ge 'b' and a lt 'c')"},
		{compare(engine.Eq, "a", text("~\n")), "a ge '~'"},
		{compare(engine.Eq, "a", text("\x00")), ""},
		{compare(engine.Lt, "a", text("b\n")), "a lt 'c'"},

		{compare(engine.Eq, "a", i32(-5)), "a eq -5"},
		{compare(engine.Ge, "a", engine.Value{Type: engine.Int64, N: 1 << 63}), "a ge -9223372036854775808L"},
		{compare(engine.Gt, "a", double(5)), "a gt 5.0"},
		{compare(engine.Lt, "a", double(-1.5)), "a lt -1.5"},
		{compare(engine.Gt, "a", double(1e21)), "a gt 1000000000000000000000.0"},
		{compare(engine.Gt, "a", double(math.NaN())), ""},
		{compare(engine.Lt, "a", double(math.Inf(1))), ""},
		// -0 is stored as a Guid, and passes what 0 does.
		{compare(engine.Eq, "a", double(math.Copysign(0, -1))), "(a eq 0.0" + zero},
		{compare(engine.Gt, "a", double(0)), "a gt 0.0"},
		{compare(engine.Ge, "a", double(0)), "(a ge 0.0" + zero},
		{compare(engine.Lt, "a", double(5)), "(a lt 5.0" + zero},
		{compare(engine.Gt, "a", double(-5)), "(a gt -5.0" + zero},

		{compare(engine.Eq, "a", engine.Value{Type: engine.Boolean, N: 1}), "a eq true"},
		{compare(engine.Gt, "a", engine.Value{Type: engine.Boolean}), ""},
		// A millisecond outwards, and with it.
		{compare(engine.Gt, "a", date(ticksAtEpoch+12345)), "a ge datetime'1970-01-01T00:00:00.001Z'"},
		{compare(engine.Lt, "a", date(ticksAtEpoch+12345)), "a le datetime'1970-01-01T00:00:00.002Z'"},
		{compare(engine.Eq, "a", date(ticksAtEpoch+10000)), "a eq datetime'1970-01-01T00:00:00.001Z'"},
		{compare(engine.Eq, "a", date(ticksAtEpoch+1)), "(a ge datetime'1970-01-01T00:00:00.000Z' and a le datetime'1970-01-01T00:00:00.001Z')"},
		{compare(engine.Le, "a", date(engine.MaxDateTime)), "a le datetime'9999-12-31T23:59:59.9999999Z'"},
		{compare(engine.Ge, "a", date(0)), ""},
		{compare(engine.Eq, "a", guid("12345678-1234-1234-1234-123456789012")), "a eq guid'12345678-1234-1234-1234-123456789012'"},
		{compare(engine.Eq, "a", guid("abcdefab-1234-1234-1234-123456789012")), "(a eq guid'abcdefab-1234-1234-1234-123456789012' or a eq guid'ABCDEFAB-1234-1234-1234-123456789012')"},
		{compare(engine.Eq, "a", guid("' or a eq '")), ""},
		{compare(engine.Gt, "a", guid("12345678-1234-1234-1234-123456789012")), ""},
		{compare(engine.Eq, "a", engine.Value{Type: engine.Binary, S: "\x00\xff"}), "a eq X'00ff'"},
		{unsent, ""},

		{allOf(), ""},
		{anyOf(), ""},
		{allOf(compare(engine.Eq, "a", i32(1)), compare(engine.Eq, "b", i32(2))), "(a eq 1 and b eq 2)"},
		{allOf(unsent, compare(engine.Eq, "b", i32(2))), "b eq 2"},
		{allOf(unsent), ""},
		{anyOf(unsent, compare(engine.Eq, "b", i32(2))), ""},
		{anyOf(compare(engine.Eq, "b", i32(2))), "b eq 2"},
		{anyOf(allOf(unsent, compare(engine.Eq, "a", i32(1)), compare(engine.Eq, "b", i32(2))), compare(engine.Eq, "c", i32(3))), "((a eq 1 and b eq 2) or c eq 3)"},
		{allOf(anyOf(unsent, unsent), compare(engine.Eq, "c", i32(3)), anyOf(compare(engine.Eq, "a", i32(1)), compare(engine.Eq, "b", i32(2)))), "(c eq 3 and (a eq 1 or b eq 2))"},

		{compare(engine.Eq, "not", i32(1)), ""},
		{compare(engine.Eq, "TRUE", i32(1)), ""},
		{compare(engine.Eq, "größe", i32(1)), ""},
		{compare(engine.Eq, "a eq 1 or a", i32(1)), ""},
		{compare(engine.Eq, "a", engine.Value{}), ""},
	} {
		if got := hintText(t, c.f, 4096, 15); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestHintIsBounded: of an And, what comes first is sent; an Or is sent whole or not at all.
func TestHintIsBounded(t *testing.T) {
	var kids []*engine.Filter
	for i := range 50 {
		kids = append(kids, compare(engine.Eq, "a", engine.Value{Type: engine.Int32, N: uint64(i)}))
	}
	for _, c := range []struct{ bytes, compare, want int }{{1 << 20, 50, 50}, {1 << 20, 10, 10}, {100, 50, 9}, {5, 50, 0}, {1 << 20, 0, 0}} {
		if got := strings.Count(hintText(t, allOf(kids...), c.bytes, c.compare), "eq"); got != c.want {
			t.Errorf("And in %d bytes and %d comparisons: %d are sent, want %d", c.bytes, c.compare, got, c.want)
		}
		want := 0
		if c.want == len(kids) {
			want = c.want
		}
		if got := strings.Count(hintText(t, anyOf(kids...), c.bytes, c.compare), "eq"); got != want {
			t.Errorf("Or in %d bytes and %d comparisons: %d are sent, want %d", c.bytes, c.compare, got, want)
		}
	}
	last := 0
	for room := range 600 {
		n := strings.Count(hintText(t, allOf(kids...), room, 50), "eq")
		if n < last {
			t.Fatalf("And in %d bytes: %d are sent, and %d in one byte less", room, n, last)
		}
		last = n
	}
	if last != len(kids) {
		t.Errorf("And in 600 bytes: %d are sent", last)
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		s    engine.Scan
		want string
	}{
		{engine.Scan{PartitionKey: "p"}, "PartitionKey eq 'p'"},
		{engine.Scan{}, "PartitionKey eq ''"},
		{engine.Scan{PartitionKey: "it's", From: "a!", To: "a\""}, "PartitionKey eq 'it''s' and RowKey ge 'a!' and RowKey lt 'a\"'"},
		{engine.Scan{PartitionKey: "p", To: "ä"}, "PartitionKey eq 'p' and RowKey lt 'ä'"},
		{engine.Scan{AllPartitions: true, From: "x"}, ""},
		{engine.Scan{AllPartitions: true, FromPartition: "a", ToPartition: "b"}, "PartitionKey ge 'a' and PartitionKey lt 'b'"},
	} {
		got, err := url.QueryUnescape(string(appendSpan(nil, &c.s)))
		if err != nil || got != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
}
