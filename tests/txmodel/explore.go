package txmodel

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// Result is what an exploration found.
type Result struct {
	States int
	Wrong  string   // what is wrong in a state; "": no state has a fault
	Trace  []string // the steps that led to it
}

// explorer goes through all states of a scenario, the nearest first.
type explorer struct {
	*Scenario
	seen  map[uint64]struct{}
	paths []path
	next  []found
	wrong string // in the state that was made last
	ended bool   // by last
	last  path
}

// path says how a state was reached.
type path struct {
	from int32
	label
}

type found struct {
	state
	path int32
}

// label says what has happened: which actor did what, and where.
type label struct {
	who  int8 // -1: the reader
	what string
	at   int8 // a partition, an entity or another actor; -1: nowhere
}

// Explore goes through every run of a scenario, and stops at the first state in which something is wrong. It compares states by 64-bit hashes.
// An error says that there are more states than bound.
func Explore(s *Scenario, bound int) (*Result, error) {
	x := &explorer{Scenario: s, seen: map[uint64]struct{}{}}
	seed := maphash.MakeSeed()
	first := x.first()
	x.next = []found{{first, 0}}
	x.paths = []path{{-1, label{}}}
	x.seen[maphash.Comparable(seed, first)] = struct{}{}
	for len(x.next) > 0 {
		level := x.next
		x.next = nil
		for i := range level {
			from := &level[i]
			stuck := true
			x.steps(&from.state, func(next *state, l label) {
				stuck = false
				if x.ended {
					return
				}
				p := path{from.path, l}
				if x.check(next); x.wrong != "" {
					x.last, x.ended = p, true
					return
				}
				hash := maphash.Comparable(seed, *next)
				if _, ok := x.seen[hash]; ok {
					return
				}
				x.seen[hash] = struct{}{}
				x.paths = append(x.paths, p)
				x.next = append(x.next, found{*next, int32(len(x.paths) - 1)})
			})
			if stuck && !from.over() {
				x.wrong, x.last, x.ended = "nobody can go on", x.paths[from.path], true
			}
			if x.ended {
				return &Result{len(x.seen), x.wrong, x.trace(x.last)}, nil
			}
		}
		if len(x.seen) > bound {
			return nil, fmt.Errorf("%s: more than %d states", s.Name, bound)
		}
	}
	return &Result{States: len(x.seen)}, nil
}

func (x *explorer) trace(p path) (out []string) {
	for ; p.from >= 0; p = x.paths[p.from] {
		who := fmt.Sprint("actor ", p.who)
		if p.who < 0 {
			who = "reader"
		}
		at := ""
		if p.at >= 0 {
			at = fmt.Sprint(" ", p.at)
		}
		out = append([]string{who + " " + p.what + at}, out...)
	}
	return out
}

// String gives a readable form of a result.
func (r *Result) String() string {
	if r.Wrong == "" {
		return fmt.Sprint(r.States, " states")
	}
	return r.Wrong + " after\n  " + strings.Join(r.Trace, "\n  ")
}

func (x *explorer) first() state {
	s := state{faults: uint8(x.Faults), crashes: uint8(x.Crashes)}
	for i, e := range x.Entities {
		if e.There {
			s.entities[i] = entity{version: 1, there: true}
			s.history[0][i].there = true
		}
	}
	for i := range s.actors {
		a := &s.actors[i]
		switch {
		case i >= len(x.Actors):
			a.pc = done
		case x.Actors[i].Long:
			a.pc = beginning
		default:
			a.pc, a.tries = reading, 2
		}
	}
	s.reader.over = x.Reader == NoReader
	return s
}

// steps gives every state that may follow s.
func (x *explorer) steps(s *state, emit func(*state, label)) {
	for i := range x.Actors {
		x.actorSteps(s, i, emit)
		x.lateSteps(s, i, emit)
		a := &s.actors[i]
		if s.crashes > 0 && a.pc != done && a.pc != dead && !x.Actors[i].Plain {
			next := *s
			next.crashes--
			next.actors[i] = actor{pc: dead, told: a.told, versions: a.versions, rows: a.rows, marked: a.marked, prepared: a.prepared}
			emit(&next, label{int8(i), "dies", -1})
		}
		// The record of a transaction that is over is removed when no request of it can be under way.
		over := a.pc == done || a.pc == dead
		if s.records[i] == aborted && over && (s.late&lateBit(i, lateDecide) == 0 || x.Rules.ForgetAborts) {
			next := *s
			x.forget(&next, i)
			emit(&next, label{int8(i), "has its record 'aborted' deleted", -1})
		}
	}
	x.readerSteps(s, emit)
}

// over says whether all actors have ended.
func (s *state) over() bool {
	for i := range s.actors {
		if a := &s.actors[i]; a.pc != done && a.pc != dead {
			return false
		}
	}
	return s.reader.over
}

// forget deletes a record. It has outlived the pages in which its intents were seen: a reader with such a page reads it again.
func (x *explorer) forget(s *state, i int) {
	s.records[i] = absent
	if x.Rules.ForgetRecords || !s.reader.has {
		return
	}
	for _, e := range s.reader.page {
		if int(e.marker)-1 == i {
			s.reader.stale = true
		}
	}
}

// commit notes that what an actor writes is true from now on.
func (x *explorer) commit(s *state, i int) {
	s.history[s.commits+1] = s.history[s.commits]
	s.commits++
	now := &s.history[s.commits]
	for _, w := range x.Actors[i].Writes {
		r := &now[w.Entity]
		switch w.Kind {
		case Insert, Late, InsertAside:
			*r = row{true, one(i)}
		case Update:
			r.value = r.value.with(i)
		case Delete, DeleteAside:
			*r = row{}
		}
	}
	x.order(s, i)
}

// order makes sure that serializable transactions that are committed have an order: none comes before itself.
func (x *explorer) order(s *state, i int) {
	if !x.Actors[i].Serializable {
		return
	}
	in := func(j int) bool { return j < len(x.Actors) && x.Actors[j].Serializable && s.records[j] == committed }
	after := one(i)
	for range x.Actors {
		for j := range x.Actors {
			for k := range x.Actors {
				if j != k && in(j) && in(k) && after.has(j) && x.before(s, j, k) {
					if after = after.with(k); k == i {
						x.wrong = fmt.Sprintf("serializable transaction %d has read what was before one that read what was before it", i)
					}
				}
			}
		}
	}
}

// before says whether i must come before j: i has not seen a write of j, or j has seen one of i.
func (x *explorer) before(s *state, i, j int) bool {
	return x.saw(s, i, j, false) || x.saw(s, j, i, true)
}

// saw says whether i has read an entity that j writes and has seen its write (seen), or has not seen it (not seen).
func (x *explorer) saw(s *state, i, j int, seen bool) bool {
	for p := range maxPartitions {
		for _, e := range x.touched(i, p) {
			for _, w := range x.Actors[j].Writes {
				r := s.actors[i].rows[e]
				if w.Entity == e && w.Kind != Touch && w.Kind != Pin && (r.value.has(j) || w.Kind == Delete && !r.there) == seen {
					return true
				}
			}
		}
	}
	return false
}

// check looks for what is wrong in a state.
func (x *explorer) check(s *state) {
	now := &s.history[s.commits]
	for e := range x.Entities {
		is := &s.entities[e]
		decided := is.marker != 0 && s.records[is.marker-1] == committed
		if got := is.resolve(decided); got != now[e] && x.wrong == "" {
			x.wrong = fmt.Sprintf("entity %d is %v, and what was committed is %v", e, got, now[e])
		}
	}
	if x.HasChild && now[x.Child].there && !now[x.Parent].there {
		x.wrong = "a child has no parent"
	}
}

// tell notes what a caller is told, and checks that it is true.
func (x *explorer) tell(s *state, i int, what told) {
	s.actors[i].told = what
	if is := s.records[i] == committed; x.Actors[i].Plain || is == (what == applied) {
		return
	}
	x.wrong = fmt.Sprintf("transaction %d is told %v, and its record is %v", i, [...]string{"nothing", "applied", "not applied"}[what], [...]string{"absent", "pending", "committed", "aborted"}[s.records[i]])
}
