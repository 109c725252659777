package value

import "testing"

// What MariaDB stores of a DOUBLE in VARCHAR(n).
func TestFitFloat(t *testing.T) {
	for _, c := range []struct {
		f     float64
		width int
		want  string
		ok    bool
	}{
		{0.12345678901234, 12, "0.123456789", true}, {123.456, 6, "123.46", true}, {123.456, 4, "123", true}, {123.456, 3, "123", true}, {123.456, 2, "1e", false},
		{1e10, 5, "1e10", true}, {8.15e17, 6, "8.2e17", true}, {-0.00011625, 7, "-1.2e-4", true}, {-0.00011625, 9, "-1.163e-4", true},
		{-3.807579170447651e-15, 17, "-3.8075791704e-15", true}, {-731183.7167794242, 9, "-731183.7", true}, {-0.122, 3, "0", true}, {1e300, 4, "1e30", false},
		{2191250, 5, "2.2e6", true}, {-4217165710544553.5, 19, "-4217165710544553.5", true}, {9007199254740992, 5, "9e15", true},
		{1050000, 5, "1.0e6", true}, {-1305000000, 7, "-1.30e9", true}, {205000000000, 6, "2.0e11", true}, {1999999, 5, "2e6", true},
		{10150000, 5, "1e7", true}, {10040000, 5, "1e7", true},
	} {
		if got, ok := fitFloat(c.f, c.width); got != c.want || ok != c.ok {
			t.Errorf("%v in %d characters: %q %v, want %q %v", c.f, c.width, got, ok, c.want, c.ok)
		}
	}
}
