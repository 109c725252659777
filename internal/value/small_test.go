package value

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestSmall: where a Small is ok it is what the long way gives, to the digit.
func TestSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := func() Value {
		if random.IntN(4) == 0 {
			return FromInt(random.Int64() >> random.IntN(64) * int64(1-2*random.IntN(2)))
		}
		digits := strconv.FormatInt(random.Int64()>>random.IntN(64), 10)
		if scale := random.IntN(20); scale > 0 {
			digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
			digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
		}
		if random.IntN(2) == 0 && strings.Trim(digits, "0.") != "" {
			digits = "-" + digits
		}
		v, err := ParseDecimal(digits)
		if err != nil {
			t.Fatal(digits, err)
		}
		return v
	}
	fits := 0
	for range 200_000 {
		a, b := number(), number()
		x, okA := SmallOf(a)
		y, okB := SmallOf(b)
		if okA && a.Kind() == Decimal && x.Value() != a {
			t.Fatalf("%s became %s", a.Text(), x.Value().Text())
		}
		if !okA || !okB {
			continue
		}
		for _, op := range []struct {
			sign  string
			small func(x, y Small) (Small, bool)
			long  func(a, b Value) (Value, error)
		}{{"+", Small.Plus, Add}, {"-", Small.Minus, Sub}, {"*", Small.Times, Mul}} {
			got, ok := op.small(x, y)
			if !ok {
				continue
			}
			fits++
			if want, err := op.long(a, b); err != nil || got.Value() != want {
				t.Fatalf("%s %s %s: got %s, want %s %v", Text(a), op.sign, Text(b), got.Value().Text(), want.Text(), err)
			}
		}
	}
	if fits < 50_000 {
		t.Errorf("only %d fitted", fits)
	}
}
