package listappend

import (
	"fmt"
	"slices"
)

// place is where a number stands in the list that it was appended to.
type place struct{ list, at int }

// check is a history under examination.
type check struct {
	*history
	writer map[int]*transaction // by number
	places map[int]place        // of the numbers that stand, by number
	faults []string
}

// violations gives what no execution explains that gives each transaction what its level promises: "KIND: what".
func violations(h *history) []string {
	c := &check{history: h, writer: map[int]*transaction{}, places: map[int]place{}}
	for _, t := range h.transactions {
		for _, o := range t.operations {
			if o.append != 0 {
				c.writer[o.append] = t
			}
		}
	}
	c.placeNumbers()
	for _, t := range h.transactions {
		c.judgeAppends(t)
		c.judgeReads(t)
	}
	if len(c.faults) > 0 {
		return c.faults // what stands is not even a history
	}
	return c.cycles()
}

func (c *check) fault(kind, format string, args ...any) {
	c.faults = append(c.faults, kind+": "+fmt.Sprintf(format, args...))
}

// placeNumbers finds out where each number stands. Whose numbers stand was applied.
func (c *check) placeNumbers() {
	for list, numbers := range c.final {
		for i, n := range numbers {
			if _, twice := c.places[n]; twice || c.writer[n] == nil {
				c.fault("unexpected number", "%d in list %d: %v", n, list, numbers)
				continue
			}
			c.places[n] = place{list, i}
		}
	}
}

// stands says whether a transaction was applied. One of which nobody knows was, if something of it stands.
func (c *check) stands(t *transaction) bool {
	if t.outcome != unknown {
		return t.outcome == committed
	}
	return slices.ContainsFunc(t.operations, func(o operation) bool {
		_, placed := c.places[o.append]
		return o.append != 0 && placed
	})
}

// judgeAppends says what is wrong with the appends of a transaction: all of it stands, or nothing.
func (c *check) judgeAppends(t *transaction) {
	last := map[int]int{} // place by list
	for _, o := range t.operations {
		if o.append == 0 {
			continue
		}
		at, placed := c.places[o.append]
		switch {
		case placed && t.outcome == aborted:
			c.fault("G1a", "list %d has %d of a transaction that was told to be rolled back: %v", o.list, o.append, t)
		case placed && at.list != o.list:
			c.fault("unexpected number", "%d is in list %d: %v", o.append, at.list, t)
		case !placed && t.outcome == committed:
			c.fault("lost append", "list %d lacks %d: %v", o.list, o.append, t)
		case !placed && c.stands(t):
			c.fault("half a transaction", "list %d lacks %d: %v", o.list, o.append, t)
		case placed:
			if before, is := last[o.list]; is && before+1 != at.at {
				c.fault("G0", "list %d has something between two appends, or they are in another order: %v", o.list, t)
			}
			last[o.list] = at.at
		}
	}
}

// base gives how many numbers of others the read at a place of a transaction has seen; ok is false where it has not seen the
// transaction's own, all of them and at the end.
func base(t *transaction, at int) (n int, ok bool) {
	o := t.operations[at]
	var own []int
	for _, before := range t.operations[:at] {
		if before.list == o.list && before.append != 0 {
			own = append(own, before.append)
		}
	}
	n = len(o.read) - len(own)
	return n, n >= 0 && slices.Equal(o.read[n:], own)
}

// judgeReads says what is wrong with the reads of a transaction, also of one that was rolled back: each of them must see a
// state of the list that others have committed, and the transaction's own appends.
func (c *check) judgeReads(t *transaction) {
	for i, o := range t.operations {
		if o.append != 0 {
			continue
		}
		n, ok := base(t, i)
		if !ok {
			c.fault("own append not seen", "read %d, of list %d: %v", i, o.list, t)
			continue
		}
		seen := o.read[:n]
		if at := slices.IndexFunc(seen, func(n int) bool { w := c.writer[n]; return w == nil || w == t || w.outcome == aborted }); at >= 0 {
			c.fault("G1a", "read of %d, which was rolled back, or not written yet: %v", seen[at], t)
			continue
		}
		if final := c.final[o.list]; n > len(final) || !slices.Equal(seen, final[:n]) {
			c.fault("incompatible order", "list %d is %v at the end: %v", o.list, final, t)
			continue
		}
		if n == 0 || n == len(c.final[o.list]) {
			continue
		}
		if w := c.writer[seen[n-1]]; w == c.writer[c.final[o.list][n]] {
			c.fault("G1b", "%d was not the last append to list %d of %v: %v", seen[n-1], o.list, w, t)
		}
	}
}
