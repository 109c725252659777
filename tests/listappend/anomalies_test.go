package listappend

import (
	"fmt"
	"strings"
	"testing"
)

// written makes a history of text: a line for each transaction with its name, begin, end, and operations such as r1:5,6 and a1:7.
// A name in capitals is serializable; with a ! it was rolled back, with a ? nobody knows.
func written(t *testing.T, final map[int][]int, lines string) *history {
	t.Helper()
	h := &history{final: final}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		x := &transaction{name: words[0], outcome: committed, serializable: words[0] == strings.ToUpper(words[0])}
		switch {
		case strings.HasSuffix(x.name, "!"):
			x.outcome = aborted
		case strings.HasSuffix(x.name, "?"):
			x.outcome = unknown
		}
		if _, err := fmt.Sscan(words[1]+" "+words[2], &x.begin, &x.end); err != nil {
			t.Fatal(err)
		}
		for _, w := range words[3:] {
			o := operation{}
			_, err := fmt.Sscanf(w[1:2], "%d", &o.list)
			switch {
			case err != nil:
			case w[0] == 'a':
				_, err = fmt.Sscanf(w[3:], "%d", &o.append)
			default:
				o.read, err = numbersOf(w[3:])
			}
			if err != nil {
				t.Fatal(w, err)
			}
			x.operations = append(x.operations, o)
		}
		h.transactions = append(h.transactions, x)
	}
	return h
}

// TestCheck: what is wrong with a history is found, by its name, and nothing is found where nothing is.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		what, want string // the beginning of what is wrong; "": nothing
		final      map[int][]int
		lines      string
	}{
		{"one after the other", "", map[int][]int{1: {1, 2}}, `
			A 1 2 a1:1
			B 3 4 r1:1 a1:2 r1:1,2
			C 5 6 r1:1,2`},
		{"beside each other, in either order", "", map[int][]int{1: {1, 2}, 2: {3}}, `
			A 1 9 a1:2 r2:
			B 2 8 a1:1 r1:1
			C 3 7 r1:1,2 a2:3`},
		{"what is not known may stand, later than all", "", map[int][]int{1: {1}}, `
			A? 1 2 a1:1
			B 3 4 r1:`},
		{"or not", "", map[int][]int{}, `
			A? 1 2 a1:1
			B 3 4 r1:`},
		{"two orders of writes", "G0", map[int][]int{1: {1, 2}, 2: {4, 3}}, `
			a 1 9 a1:1 a2:3
			b 2 8 a1:2 a2:4`},
		{"a write between two", "G0", map[int][]int{1: {1, 3, 2}}, `
			a 1 9 a1:1 a1:2
			b 2 8 a1:3`},
		{"a read of what was rolled back", "G1a", map[int][]int{}, `
			a! 1 9 a1:1
			b 2 8 r1:1`},
		{"the same, by one that was rolled back itself", "G1a", map[int][]int{}, `
			a! 1 9 a1:1
			b! 2 8 r1:1`},
		{"what was rolled back stands", "G1a", map[int][]int{1: {1}}, `
			a! 1 9 a1:1`},
		{"a read in the middle", "G1b", map[int][]int{1: {1, 2}}, `
			a 1 9 a1:1 a1:2
			b 2 8 r1:1`},
		{"both read what the other one writes", "G1c", map[int][]int{1: {1}, 2: {2}}, `
			a 1 9 a1:1 r2:2
			b 2 8 a2:2 r1:1`},
		{"read skew", "G-single", map[int][]int{1: {1}, 2: {2}}, `
			A 1 9 r1: r2:2
			B 2 8 a1:1 a2:2`},
		{"read skew is no fault of read committed", "", map[int][]int{1: {1}, 2: {2}}, `
			a 1 9 r1: r2:2
			b 2 8 a1:1 a2:2`},
		{"a lost update", "G-single", map[int][]int{1: {1, 2}}, `
			A 1 9 r1: a1:2
			B 2 8 r1: a1:1`},
		{"write skew", "G2", map[int][]int{1: {1}, 2: {2}}, `
			A 1 9 r1: a2:2
			B 2 8 r2: a1:1`},
		{"write skew of two, one of which is of read committed", "", map[int][]int{1: {1}, 2: {2}}, `
			A 1 9 r1: a2:2
			b 2 8 r2: a1:1`},
		{"two who read two writes in different orders", "G2", map[int][]int{1: {1}, 2: {2}}, `
			A 1 9 a1:1
			B 1 9 a2:2
			C 1 9 r1:1 r2:
			D 1 9 r1: r2:2`},
		{"what was written before is not read", "real time", map[int][]int{1: {1}}, `
			A 1 2 a1:1
			B 3 4 r1:`},
		{"the same, by three", "real time", map[int][]int{1: {1}, 2: {2}}, `
			A 1 2 a1:1
			B 3 4 a2:2
			C 5 6 r1:`},
		{"writes in another order than their times", "real time", map[int][]int{1: {2, 1}}, `
			a 1 2 a1:1
			b 3 4 a1:2`},
		{"a lost append", "lost append", map[int][]int{1: {2}}, `
			a 1 2 a1:1
			b 3 4 a1:2`},
		{"half a transaction", "half a transaction", map[int][]int{1: {1}}, `
			a? 1 2 a1:1 a2:2`},
		{"a number that stands twice", "unexpected number", map[int][]int{1: {1, 1}}, `
			a 1 2 a1:1`},
		{"a number that nobody wrote", "unexpected number", map[int][]int{1: {1}}, ``},
		{"an own append that is not seen", "own append", map[int][]int{1: {1}}, `
			a 1 2 a1:1 r1:`},
		{"reads that do not fit", "incompatible order", map[int][]int{1: {1, 2}}, `
			a 1 9 a1:1
			b 1 9 a1:2
			c 1 9 r1:2`},
		{"what was read of an unknown one is gone", "incompatible order", map[int][]int{}, `
			a? 1 9 a1:1
			b 1 9 r1:1`},
	} {
		got := violations(written(t, c.final, c.lines))
		if c.want == "" && got != nil || c.want != "" && (got == nil || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
