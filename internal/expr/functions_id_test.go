package expr

import (
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func idOf(t *testing.T, name string, args ...Node) value.Value {
	t.Helper()
	n, err := NewCall(name, args)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Compile(n)(&Env{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestReverseTicks: numbers go down, also where the clock stands still and from several goroutines; of a given
// time it is a constant, and later times are less.
func TestReverseTicks(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[int64]bool{}
	for range 4 {
		wg.Go(func() {
			last := int64(value.MaxTicks)
			for range 2000 {
				n := idOf(t, "REVERSE_TICKS").Int()
				mu.Lock()
				if n >= last || seen[n] {
					t.Errorf("%d behind %d, seen %v", n, last, seen[n])
				}
				seen[n], last = true, n
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	at := func(text string) Node {
		n, err := NewCall("REVERSE_TICKS", []Node{NewConst(value.FromString(text))})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first, second := at("2026-01-01"), at("2026-01-01 00:00:00.0000001")
	a, ok1 := first.(*Const)
	b, ok2 := second.(*Const)
	if !ok1 || !ok2 || a.V.Int() != b.V.Int()+1 {
		t.Errorf("%v, %v", first, second)
	}
	if last := at("9999-12-31 23:59:59.9999999").(*Const); last.V.Int() != 0 {
		t.Errorf("the last of all times is %d", last.V.Int())
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for range 2000 {
		id := idOf(t, "UUID_V7").Text()
		if id <= last || len(id) != 36 || id[14] != '7' {
			t.Fatalf("%s behind %s", id, last)
		}
		last = id
		short := idOf(t, "SHORT_ID").Text()
		if seen[short] || len(short) != 16 {
			t.Fatal(short)
		}
		seen[short] = true
	}
	for _, n := range []int64{1, 11, 64} {
		if id := idOf(t, "SHORT_ID", NewConst(value.FromInt(n))).Text(); len(id) != int(n) {
			t.Errorf("SHORT_ID(%d) = %s", n, id)
		}
	}
	for _, v := range []value.Value{value.FromInt(0), value.FromInt(65), value.NullValue, value.FromInt(-1)} {
		n, err := NewCall("SHORT_ID", []Node{NewConst(v)})
		if err == nil {
			_, err = Compile(n)(&Env{})
		}
		if err == nil {
			t.Errorf("SHORT_ID(%v) is no error", v)
		}
	}
}
