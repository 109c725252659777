package keymap

import "math/big"

// Scale reads keys as numbers: each of its letters is a digit, and the letters that occur are all the digits. So it can make a key in the middle
// between two others, and say how far a key is from either, without knowing what the keys are made of.
type Scale struct {
	digit   [256]int64 // of a letter; for one that does not occur, that of the letter before
	letters []byte
	size    *big.Int
}

// scaleUnits is how many letters of a key count, after the common prefix of all.
const scaleUnits = 40

// NewScale makes the scale of keys like these, without their common prefix.
func NewScale(keys ...string) *Scale {
	var have [256]bool
	for _, key := range keys {
		for i := range len(key) {
			have[key[i]] = ' ' <= key[i] && key[i] <= '~' // half a character is no letter
		}
	}
	s := &Scale{}
	for c := range have {
		if have[c] {
			s.letters = append(s.letters, byte(c))
		}
		s.digit[c] = int64(max(0, len(s.letters)-1))
	}
	for len(s.letters) < 2 { // a number needs two digits
		s.letters = append(s.letters, '~')
	}
	s.size = big.NewInt(int64(len(s.letters)))
	return s
}

// Place is the number of a key.
func (s *Scale) Place(key string) *big.Int {
	n, d := new(big.Int), new(big.Int)
	for i := range scaleUnits {
		n.Mul(n, s.size)
		if i < len(key) {
			n.Add(n, d.SetInt64(s.digit[key[i]]))
		}
	}
	return n
}

// Top is above all places.
func (s *Scale) Top() *big.Int { return new(big.Int).Exp(s.size, big.NewInt(scaleUnits), nil) }

// Key is the key of a place.
func (s *Scale) Key(place *big.Int) string {
	n, d := new(big.Int).Set(place), new(big.Int)
	out := make([]byte, scaleUnits)
	for i := scaleUnits - 1; i >= 0; i-- {
		n.QuoRem(n, s.size, d)
		out[i] = s.letters[d.Int64()]
	}
	end := len(out)
	for end > 1 && out[end-1] == s.letters[0] {
		end--
	}
	return string(out[:end])
}

// Between says how far key is on the way from lo to hi: 0 to 1.
func Between(lo, hi, key string) float64 {
	switch {
	case key <= lo:
		return 0
	case key >= hi:
		return 1
	}
	n := 0
	for n < len(lo) && n < len(hi) && lo[n] == hi[n] {
		n++
	}
	lo, hi, key = lo[n:], hi[n:], key[n:]
	s := NewScale(lo, hi, key, hexDigits)
	from := s.Place(lo)
	whole := new(big.Int).Sub(s.Place(hi), from)
	if whole.Sign() <= 0 {
		return 0
	}
	part, _ := new(big.Rat).SetFrac(new(big.Int).Sub(s.Place(key), from), whole).Float64()
	return min(1, max(0, part))
}
