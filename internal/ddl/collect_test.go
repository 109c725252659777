package ddl

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"testing"
)

// TestDistinctCount: few texts are counted, many are estimated.
func TestDistinctCount(t *testing.T) {
	for _, n := range []int{0, 1, mostDistinct, 50_000, 400_000} {
		d := distinctCount{seed: maphash.MakeSeed()}
		for i := range n {
			text := []byte(fmt.Sprint(i))
			d.add(text)
			d.add(text)
		}
		if got := d.count(); n <= mostDistinct && got != float64(n) || math.Abs(got-float64(n)) > 0.1*float64(n) {
			t.Errorf("%d different texts: %v", n, got)
		}
	}
}

// TestDuj1: what a tenth of the rows says of all of them.
func TestDuj1(t *testing.T) {
	const rows, kept = 100_000, 10_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, values := range []int{10, 1000, 30_000, rows} {
		all := make([]int, rows)
		for i := range all {
			all[i] = i % values
		}
		random.Shuffle(rows, func(i, j int) { all[i], all[j] = all[j], all[i] })
		counts := map[int]int{}
		for _, v := range all[:kept] {
			counts[v]++
		}
		once := 0.0
		for _, n := range counts {
			if n == 1 {
				once++
			}
		}
		if got := duj1(kept, rows, float64(len(counts)), once); got < 0.7*float64(values) || got > 1.4*float64(values) {
			t.Errorf("%d values: %v", values, got)
		}
	}
}
