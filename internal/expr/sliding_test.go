package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// TestSliding holds each aggregate over frames that move at random against the same rows gathered anew.
func TestSliding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := map[string]func() value.Value{
		"integer":  func() value.Value { return value.FromInt(random.Int64() >> random.IntN(60)) },
		"unsigned": func() value.Value { return value.FromUint(random.Uint64() >> random.IntN(60)) },
		"decimal": func() value.Value {
			return value.FromDecimalText(fmt.Sprintf("%d.%02d", random.IntN(2000)-1000, random.IntN(100)))
		},
		"double": func() value.Value { return value.FromFloat(float64(random.IntN(4000)-2000) / 8) }, // sums of which are exact
	}
	types := map[string]value.Type{
		"integer": intType, "unsigned": unsignedType, "decimal": decimalType(8, 2), "double": doubleType,
	}
	for name := range aggregates {
		if name == "JSON_OBJECTAGG" {
			continue // takes two
		}
		for kind, of := range values {
			t.Run(name+" of "+kind, func(t *testing.T) {
				rows := make([][]value.Value, 200)
				for i := range rows {
					rows[i] = []value.Value{of()}
					if random.IntN(8) == 0 {
						rows[i][0] = value.NullValue
					}
				}
				a, err := NewAggregate(name, []Node{&Column{T: types[kind], Nullable: true}}, false, false, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := a.NewSliding(func(i int) []value.Value { return rows[i] }, func() error { return nil })
				for lo, hi := 0, 0; hi < len(rows); {
					if hi = min(hi+random.IntN(4), len(rows)); random.IntN(30) == 0 {
						hi = min(hi+20, len(rows))
					}
					lo = min(lo+random.IntN(5), hi)
					if err := s.Move(lo, hi); err != nil {
						t.Fatal(err)
					}
					got, err := s.Result()
					if err != nil {
						t.Fatal(err)
					}
					anew := a.NewState()
					for _, row := range rows[lo:hi] {
						if err := anew.Add(&Env{Row: row}); err != nil {
							t.Fatal(err)
						}
					}
					want, err := anew.Result()
					if err != nil {
						t.Fatal(err)
					}
					if value.Text(got) != value.Text(want) && !closeFloats(got, want) {
						t.Fatalf("rows %d to %d: %s, want %s", lo, hi, value.Text(got), value.Text(want))
					}
				}
			})
		}
	}
}

// closeFloats says whether two DOUBLEs differ in their last digits alone.
func closeFloats(a, b value.Value) bool {
	if a.Kind() != value.Float || b.Kind() != value.Float {
		return false
	}
	d := a.Float() - b.Float()
	return d*d <= 1e-18*(1+b.Float()*b.Float())
}

// TestSlidingPauses: an error of whoever interrupts the work ends it.
func TestSlidingPauses(t *testing.T) {
	a, err := NewAggregate("MAX", []Node{&Column{T: intType}}, false, false, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	s := a.NewSliding(func(i int) []value.Value { return []value.Value{value.FromInt(int64(i))} }, func() error { return stop })
	if err := s.Move(0, 5000); err != stop {
		t.Errorf("got %v", err)
	}
}
