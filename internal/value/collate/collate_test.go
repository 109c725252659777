package collate

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestFrozen: keys hold what these tables give. Who changes one needs a new collation beside the old one.
func TestFrozen(t *testing.T) {
	for _, f := range []struct {
		name string
		data []byte
		want string
	}{
		{"general", generalData, "1cad5284997e9ea3"},
		{"uca400", uca400Data, "b523695efcc76162"},
		{"uca520", uca520Data, "695ce16c1122aee3"},
		{"uca1400", uca1400Data, "6d15d059d0d7badb"},
		{"accents", accentsData, "6e8b26cd0d7242cd"},
		{"forms", formsData, "638c77fc82fb9d92"},
	} {
		sum := sha256.Sum256(f.data)
		if got := hex.EncodeToString(sum[:8]); got != f.want {
			t.Errorf("table %s: %s, want %s", f.name, got, f.want)
		}
	}
}
