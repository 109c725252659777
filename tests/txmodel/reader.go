package txmodel

import "fmt"

// readerSteps gives what the reader may do next.
func (x *explorer) readerSteps(s *state, emit func(*state, label)) {
	r := &s.reader
	if r.over {
		return
	}
	does := func(what string, at int, change func(*state, *reader)) {
		next := *s
		change(&next, &next.reader)
		emit(&next, label{-1, what, int8(at)})
	}
	if !r.has {
		does("reads partition", int(r.at), func(s *state, r *reader) { x.ask(s, r) })
		return
	}
	for _, e := range r.page {
		other := int(e.marker) - 1
		if other < 0 || r.known.has(other) || r.open.has(other) {
			continue
		}
		does("looks for the record of", other, func(s *state, r *reader) { x.look(s, r, other) })
		return
	}
	does("has partition", int(r.at), func(s *state, r *reader) { x.finish(s, r) })
}

// ask reads a page.
func (x *explorer) ask(s *state, r *reader) {
	r.has, r.stale, r.open, r.moment = true, false, 0, s.commits
	r.page = [maxEntities]entity{}
	for e := range x.Entities {
		if x.Entities[e].Partition == int(r.at) {
			r.page[e] = s.entities[e]
		}
	}
}

// look looks for the record of a transaction whose intent is in the page.
func (x *explorer) look(s *state, r *reader, other int) {
	switch {
	case r.stale:
		r.has = false
	case s.records[other] == committed:
		r.known = r.known.with(other)
		r.has = x.Rules.ShowAtOnce // else the page is read again: its home group is in it as it was before
	default:
		r.open = r.open.with(other)
	}
}

// finish gives the rows of a page. They must be those of the moment at which the page was read.
func (x *explorer) finish(s *state, r *reader) {
	for e := range x.Entities {
		if x.Entities[e].Partition != int(r.at) {
			continue
		}
		is := &r.page[e]
		other := int(is.marker) - 1
		forward := other >= 0 && r.known.has(other)
		got := is.resolve(forward)
		if want := s.history[r.moment][e]; got != want {
			x.wrong = fmt.Sprintf("the reader has %v of entity %d, which was %v when the page was read", got, e, want)
		}
		r.rows[r.pass][e], r.versions[r.pass][e] = got, is.seen()
		if other >= 0 && !forward {
			r.versions[r.pass][e] = is.base
		}
	}
	r.has, r.page, r.open, r.stale = false, [maxEntities]entity{}, 0, false
	if r.at++; r.at < maxPartitions {
		return
	}
	r.at = 0
	switch {
	case x.Reader == PageReader:
		r.over = true
	case r.pass == 0:
		r.pass, r.middle = 1, s.commits
	default:
		r.over = true
		if r.rows[0] != r.rows[1] || r.versions[0] != r.versions[1] {
			return // the code reads again
		}
		for e := range x.Entities {
			if got, want := r.rows[0][e], s.history[r.middle][e]; got != want {
				x.wrong = fmt.Sprintf("two equal passes give %v of entity %d, which was %v between them", got, e, want)
			}
		}
	}
}
