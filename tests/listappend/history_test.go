// Package listappend holds transactions to what they promise, as Elle does: clients append unique numbers to lists and read them.
// What a list holds tells which appends came before which, and so which transaction must have been before which other one. Where
// those relations make a cycle, no order of the transactions explains what was seen.
//
// The clients belong to several processes over one simulated account whose requests get lost, come late or twice and are turned
// away, and one of the processes may die; or to one process, in memory and over a file. By default there are few histories; the flag -histories
// says how many.
package listappend

import (
	"fmt"
	"strings"
)

// operation appends a number to a list, or reads the list where that is 0.
type operation struct {
	list   int
	append int
	read   []int
}

// outcome is what a client was told of its transaction.
type outcome string

const (
	committed outcome = "committed"
	aborted   outcome = "aborted"
	unknown   outcome = "unknown"
)

// transaction is what a client did and saw. All that happens has a number: what ended before another one began has a smaller one.
type transaction struct {
	name         string
	serializable bool
	operations   []operation
	begin, end   int64
	outcome      outcome
}

func (t *transaction) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s (%d to %d, %s", t.name, t.begin, t.end, t.outcome)
	if t.serializable {
		s.WriteString(", serializable")
	}
	s.WriteString(")")
	for _, o := range t.operations {
		if o.append != 0 {
			fmt.Fprintf(&s, " append(%d, %d)", o.list, o.append)
		} else {
			fmt.Fprintf(&s, " read(%d) = %v", o.list, o.read)
		}
	}
	return s.String()
}

// history is what all clients did and saw, and what the lists hold at the end.
type history struct {
	transactions []*transaction
	final        map[int][]int // by list
}
