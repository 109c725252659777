package listappend

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// relation says why one transaction is before another one.
type relation string

const (
	writeWrite relation = "ww" // the other one has appended behind it
	writeRead  relation = "wr" // the other one has read what it has appended
	readWrite  relation = "rw" // the other one has appended what it has not read
	realTime   relation = "rt" // it had ended before the other one began
)

type edge struct {
	to  *transaction
	why relation
}

type graph map[*transaction][]edge

func (g graph) add(from, to *transaction, why relation) {
	if from != to && !slices.Contains(g[from], edge{to, why}) {
		g[from] = append(g[from], edge{to, why})
	}
}

// graph gives what must have been before what. That what is read is the newest is promised at the serializable level only.
func (c *check) graph() graph {
	g := graph{}
	for _, numbers := range c.final {
		for i := range numbers[:max(0, len(numbers)-1)] {
			g.add(c.writer[numbers[i]], c.writer[numbers[i+1]], writeWrite)
		}
	}
	var stand []*transaction
	for _, t := range c.transactions {
		if !c.stands(t) {
			continue
		}
		stand = append(stand, t)
		for i, o := range t.operations {
			if o.append != 0 {
				continue
			}
			n, _ := base(t, i)
			numbers := c.final[o.list]
			if n > 0 {
				g.add(c.writer[numbers[n-1]], t, writeRead)
			}
			if n < len(numbers) && t.serializable {
				g.add(t, c.writer[numbers[n]], readWrite)
			}
		}
	}
	for _, t := range stand {
		if t.outcome != committed {
			continue // it may have ended at any time
		}
		first := int64(math.MaxInt64) // the earliest end of those behind it, which stand for all that began later
		for _, u := range stand {
			if u.begin > t.end && u.outcome == committed {
				first = min(first, u.end)
			}
		}
		for _, u := range stand {
			if u.begin > t.end && u.begin <= first {
				g.add(t, u, realTime)
			}
		}
	}
	return g
}

// anomaly is a kind of cycle: of which relations, after one of a kind that it has in any case.
type anomaly struct {
	name  string
	first relation
	rest  []relation
}

// anomalies are the kinds of cycles, the worst first.
var anomalies = []anomaly{
	{"G0", writeWrite, []relation{writeWrite}},
	{"G1c", writeRead, []relation{writeWrite, writeRead}},
	{"G-single", readWrite, []relation{writeWrite, writeRead}},
	{"G2", readWrite, []relation{writeWrite, writeRead, readWrite}},
	{"real time", realTime, []relation{writeWrite, writeRead, readWrite, realTime}},
}

// cycles gives the shortest cycle of the worst kind that there is, if there is one.
func (c *check) cycles() []string {
	g := c.graph()
	for _, a := range anomalies {
		var shortest []edge
		for _, t := range c.transactions {
			for _, e := range g[t] {
				if e.why != a.first {
					continue
				}
				if way := g.way(e.to, t, a.rest); way != nil && (shortest == nil || len(way)+1 < len(shortest)) {
					shortest = append([]edge{e}, way...)
				}
			}
		}
		if shortest != nil {
			return []string{a.name + describe(shortest)}
		}
	}
	return nil
}

// way gives the shortest way between two transactions by some relations; nil: there is none.
func (g graph) way(from, to *transaction, by []relation) []edge {
	type step struct {
		at   *transaction
		edge edge
	}
	came := map[*transaction]step{from: {}}
	for queue := []*transaction{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g[queue[0]] {
			if _, known := came[e.to]; known || !slices.Contains(by, e.why) {
				continue
			}
			came[e.to] = step{queue[0], e}
			if e.to != to {
				queue = append(queue, e.to)
				continue
			}
			var way []edge
			for at := to; at != from; at = came[at].at {
				way = append([]edge{came[at].edge}, way...)
			}
			return way
		}
	}
	return nil
}

func describe(cycle []edge) string {
	var s strings.Builder
	s.WriteString(": each of these is before the next one, and the last one before the first")
	from := cycle[len(cycle)-1].to
	for _, e := range cycle {
		fmt.Fprintf(&s, "\n\t%v\n\t\t%s", from, e.why)
		from = e.to
	}
	return s.String()
}
