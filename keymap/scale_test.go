package keymap

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

// TestScale: keys of places are in the places' order, and a place's key is at that place.
func TestScale(t *testing.T) {
	s := NewScale("0123456789abcdef-")
	for _, pair := range [][2]string{{"1", "2"}, {"0fff", "1000"}, {"abc", "abd"}, {"12-34", "12a"}, {"7", "70000000000000000001"}} {
		lo, hi := s.Place(pair[0]), s.Place(pair[1])
		if lo.Cmp(hi) >= 0 {
			t.Errorf("%s is not below %s", pair[0], pair[1])
		}
		sum := new(big.Int).Add(lo, hi)
		middle := s.Key(sum.Rsh(sum, 1))
		if middle <= pair[0] || middle >= pair[1] || s.Place(middle).Cmp(sum) != 0 {
			t.Errorf("between %s and %s: %s", pair[0], pair[1], middle)
		}
	}
	if key := s.Key(new(big.Int).Sub(s.Top(), big.NewInt(1))); key != strings.Repeat("f", scaleUnits) {
		t.Errorf("below the top: %s", key)
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		lo, hi, key string
		want        float64
	}{
		{"8000000000000000", "8000000000000064", "8000000000000032", 0.5},
		{"80000000000000f0", "8000000000000110", "8000000000000100", 0.5},
		{"a", "c", "b", 0.5}, {"a", "c", "0", 0}, {"a", "c", "d", 1}, {"a", "a", "a", 0},
	} {
		if got := Between(c.lo, c.hi, c.key); math.Abs(got-c.want) > 0.06 {
			t.Errorf("%s between %s and %s: %v, want %v", c.key, c.lo, c.hi, got, c.want)
		}
	}
}
