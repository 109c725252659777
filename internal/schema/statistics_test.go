package schema_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// TestShares: common values have their own shares, the others what is left, by the histogram.
func TestShares(t *testing.T) {
	c := &schema.ColumnStatistics{Distinct: 101, Null: 0.1, Common: []schema.CommonValue{{Code: "050", Share: 0.4}}, Bounds: []string{"000", "025", "050", "075", "100"}}
	for _, s := range []struct {
		what      string
		got, want float64
	}{
		{"NULL", c.ShareOf(""), 0.1}, {"common", c.ShareOf("050"), 0.4}, {"another", c.ShareOf("007"), 0.005},
		{"one", c.ShareOfOne(), 0.9 / 101},
		{"all", c.ShareBetween("", "~"), 1}, {"not NULL", c.ShareBetween("!", "~"), 0.9},
		{"a half without the common one", c.ShareBetween("051", "~"), 0.25}, {"with it", c.ShareBetween("050", "~"), 0.65},
		{"a quarter", c.ShareBetween("025", "050"), 0.125}, {"outside", c.ShareBetween("2", "3"), 0},
	} {
		if math.Abs(s.got-s.want) > 0.01 {
			t.Errorf("%s: %v, want %v", s.what, s.got, s.want)
		}
	}
	if n := fmt.Sprint((&schema.ColumnStatistics{}).ShareBetween("a", "b")); n != "0" {
		t.Error(n)
	}
}
