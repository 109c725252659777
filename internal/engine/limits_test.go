package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

var limits = AzureLimits()

func commitOf(n int, values ...Value) *Commit {
	names := make([]string, len(values))
	for i := range names {
		names[i] = fmt.Sprint("Name", i)
	}
	c := &Commit{Table: "orders", PartitionKey: "00"}
	for i := range n {
		c.Ops = append(c.Ops, Op{Entity: Entity{PartitionKey: "00", RowKey: fmt.Sprintf("PK!%08d", i), Names: names, Values: values}})
	}
	return c
}

// TestMessages: an error says what, where, how much, and the limit.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		err  error
		says []string
	}{
		{limits.CheckKey("RowKey", strings.Repeat("k", 600)), []string{"RowKey", "600", "512"}},
		{limits.CheckKey("PartitionKey", "a/b"), []string{"PartitionKey", `"a/b"`, "'/'"}},
		{limits.CheckTable("order_items"), []string{`"order_items"`}},
		{limits.CheckTable("t1"), []string{`"t1"`, "3 to 63"}},
		{limits.CheckCommit(commitOf(101)), []string{"101", "100"}},
		{limits.CheckCommit(commitOf(2, Value{Type: String, S: strings.Repeat("x", 40000)})), []string{"Name0", "40000", "32768"}},
		{limits.CheckCommit(commitOf(1, Value{Type: Binary, S: strings.Repeat("x", 70000)})), []string{"Name0", "70000", "65536"}},
		{limits.CheckEntity(&Entity{Names: []string{"a-b"}, Values: []Value{{}}}), []string{`"a-b"`, "'-'"}},
	} {
		var e *Error
		if !errors.As(c.err, &e) {
			t.Errorf("no error, want one that says %q", c.says)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(e.Error(), s) {
				t.Errorf("%q does not say %s", e, s)
			}
		}
	}
	long := limits.CheckKey("RowKey", strings.Repeat("k", 1<<20)).Error()
	if len(long) > 300 {
		t.Errorf("a message of %d bytes", len(long))
	}
}

// TestEntitySize: the size of an entity is what the service documents, to the byte.
func TestEntitySize(t *testing.T) {
	e := &Entity{PartitionKey: "ab", RowKey: "ü😀",
		Names:  []string{"S", "Name2", "I", "L", "D", "T", "G", "Y", "Gone"},
		Values: []Value{{Type: String, S: "a😀"}, {Type: Binary, S: "abc"}, {Type: Int32}, {Type: Int64}, {Type: Double}, {Type: DateTime, N: uint64(MinDateTime)}, {Type: Guid, S: "0123abcd-4567-89ef-8000-fedcba987654"}, {Type: Boolean}, {}}}
	size := 4 + 2*(2+3) + // the keys
		8 + 2*1 + 4 + 2*3 + // S
		8 + 2*5 + 4 + 3 + // Name2
		8 + 2 + 4 + // I
		3*(8+2+8) + // L, D, T
		8 + 2 + 16 + // G
		8 + 2 + 1 // Y
	l := limits
	l.EntityBytes = size
	if err := l.CheckEntity(e); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	l.EntityBytes--
	if err := l.CheckEntity(e); err == nil || !strings.Contains(err.Error(), fmt.Sprint(size)) {
		t.Errorf("over the limit: %v", err)
	}
}

// TestCommitBytes: the estimate is never under what a body takes, and not far over where it decides.
func TestCommitBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range rnd.IntN(200) {
			b.WriteRune([]rune{'a', '"', '\\', '<', '&', 'ü', '価', '😀', 0, 0x7f, 0x2028, '\n'}[rnd.IntN(12)])
		}
		text := b.String()
		n := len(ascii(t, text))
		if got := jsonBytes(text); got < n {
			t.Fatalf("%q: %d bytes, and JSON takes %d", text, got, n)
		}
		if jsonBytes(text) > worstBytes(text) {
			t.Fatalf("%q: more than the quick bound", text)
		}
	}
	plain := commitOf(100, Value{Type: String, S: strings.Repeat("x", 30000)})
	if n := CommitBytes(plain, 0); n < 3_000_000 || n > 3_200_000 {
		t.Errorf("100 texts of 30,000 letters are estimated at %d bytes", n)
	}
}

// ascii is the JSON of a text with all that is not ASCII escaped.
func ascii(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range string(b[1 : len(b)-1]) {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// TestCheckAllocates: checking an ordinary commit allocates nothing.
func TestCheckAllocates(t *testing.T) {
	c := commitOf(20, Value{Type: Int64, N: 1}, Value{Type: String, S: "some text, größe"}, Value{Type: Boolean, N: 1}, Value{})
	if n := testing.AllocsPerRun(100, func() {
		if err := limits.CheckCommit(c); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCheckCommit(b *testing.B) {
	for _, n := range []int{1, 100} {
		c := commitOf(n, Value{Type: Int64, N: 1}, Value{Type: String, S: "some text of a row"}, Value{Type: Boolean, N: 1}, Value{Type: DateTime, N: uint64(MinDateTime)})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := limits.CheckCommit(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestFoldTable(t *testing.T) {
	for in, want := range map[string]string{"": "", "orders": "orders", "Orders": "orders", "oRDERS1Z": "orders1z"} {
		if got := FoldTable(in); got != want {
			t.Errorf("FoldTable(%q) = %q", in, got)
		}
	}
}

// TestBindDecides: what can be decided by the names alone is.
func TestBindDecides(t *testing.T) {
	has := &Filter{Op: Eq, Property: "A", Value: Value{Type: Int32, N: 1}}
	lacks := &Filter{Op: Eq, Property: "B", Value: Value{Type: Int32, N: 1}}
	and := func(kids ...*Filter) *Filter { return &Filter{Op: And, Kids: kids} }
	or := func(kids ...*Filter) *Filter { return &Filter{Op: Or, Kids: kids} }
	names := []string{"A"}
	for _, c := range []struct {
		f          *Filter
		all, never bool
	}{
		{nil, true, false}, {has, false, false}, {lacks, false, true}, {and(has, lacks), false, true}, {or(has, lacks), false, false},
		{or(lacks, lacks), false, true}, {and(or(lacks), has), false, true}, {and(or(lacks, has), has), false, false},
	} {
		b := c.f.Bind(names)
		if b.All() != c.all || b.Never() != c.never {
			t.Errorf("%+v: all %v, never %v", c.f, b.All(), b.Never())
		}
	}
}

func TestGather(t *testing.T) {
	names := []string{"A", "B", "C", "D"}
	values := []Value{{N: 1}, {N: 2}, {N: 3}, {N: 4}}
	for _, c := range []struct {
		sel  []string
		want []uint64
	}{
		{[]string{}, []uint64{}}, {[]string{"A", "B", "C", "D"}, []uint64{1, 2, 3, 4}}, {[]string{"B", "C"}, []uint64{2, 3}},
		{[]string{"D"}, []uint64{4}}, {[]string{"D", "E"}, []uint64{4, 0}}, {[]string{"C", "A", "X", "B"}, []uint64{3, 1, 0, 2}},
		{[]string{"X"}, []uint64{0}}, {[]string{"A", "A"}, []uint64{1, 1}},
	} {
		got, ns := Gather(names, values, c.sel), []uint64{}
		for _, v := range got {
			ns = append(ns, v.N)
		}
		if fmt.Sprint(ns) != fmt.Sprint(c.want) || cap(got) != len(got) {
			t.Errorf("%q gives %v with room for %d", c.sel, ns, cap(got))
		}
	}
}
