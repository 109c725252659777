package txmodel

import "slices"

// actorSteps gives what an actor may do next.
func (x *explorer) actorSteps(s *state, i int, emit func(*state, label)) {
	def := &x.Actors[i]
	does := func(what string, at int, change func(*state, *actor)) {
		next := *s
		change(&next, &next.actors[i])
		emit(&next, label{int8(i), what, int8(at)})
	}
	fails := func(what string, at int, change func(*state, *actor)) {
		if s.faults > 0 {
			does(what, at, func(s *state, a *actor) { s.faults--; change(s, a) })
		}
	}
	a := &s.actors[i]
	switch a.pc {
	case beginning:
		does("notes that it is pending", -1, func(s *state, a *actor) { s.records[i], a.pc = pending, reading })
	case reading:
		if a.met.actor != 0 {
			x.meetingSteps(s, i, does, func(s *state, a *actor) { a.met = meeting{} })
			return
		}
		p, more := x.nextPartition(i, a.at, x.touched)
		if !more {
			does("has read", -1, func(_ *state, a *actor) {
				if a.pc, a.at = preparing, 0; def.Plain {
					a.pc = writing
				}
			})
			return
		}
		does("reads partition", p, func(s *state, a *actor) { x.read(s, a, i, p) })
	case preparing:
		x.prepareSteps(s, i, does, fails)
	case validating:
		if a.met.actor != 0 {
			x.validateMet(s, i, does)
			return
		}
		p, more := x.nextPartition(i, a.at, x.readsIn)
		if !more {
			does("has validated", -1, func(_ *state, a *actor) { a.pc, a.at = deciding, 0 })
			return
		}
		does("validates partition", p, func(s *state, a *actor) { x.validate(s, a, i, p) })
	case deciding:
		does("decides", -1, func(s *state, a *actor) { x.decided(s, a, i, x.decide(s, i)) })
		fails("decides, which is lost", -1, func(s *state, a *actor) { x.lostDecision(s, a, i) })
		fails("decides, and the answer is lost", -1, func(s *state, a *actor) { x.decide(s, i); x.lostDecision(s, a, i) })
		fails("decides, which will be late", -1, func(s *state, a *actor) { s.late |= lateBit(i, lateDecide); x.lostDecision(s, a, i) })
		fails("decides, which arrives twice", -1, func(s *state, a *actor) { s.late |= lateBit(i, lateDecide); x.decided(s, a, i, x.decide(s, i)) })
	case resolving:
		does("aborts itself, or finds its record", -1, func(s *state, a *actor) {
			if s.records[i] == absent || s.records[i] == pending {
				s.records[i] = aborted
			}
			x.decided(s, a, i, s.records[i] == committed)
		})
	case forwarding:
		x.settleSteps(s, i, true, does, fails)
	case backing:
		x.settleSteps(s, i, false, does, fails)
	case cleaning:
		if s.late&lateBit(i, lateDecide) == 0 {
			does("deletes its record", -1, func(s *state, a *actor) { x.forget(s, i); a.pc = done })
		}
	case writing:
		does("writes", -1, func(s *state, a *actor) { x.writePlain(s, a, i) })
	}
}

// doer takes a step.
type doer func(what string, at int, change func(*state, *actor))

// nextPartition gives the first partition from at on in which an actor has something to do.
func (x *explorer) nextPartition(i int, at uint8, in func(actor, partition int) []int) (int, bool) {
	for p := int(at); p < maxPartitions; p++ {
		if len(in(i, p)) > 0 {
			return p, true
		}
	}
	return 0, false
}

func (x *explorer) readsIn(actor, partition int) (out []int) {
	for _, e := range x.Actors[actor].Reads {
		if x.Entities[e].Partition == partition {
			out = append(out, e)
		}
	}
	return out
}

// read reads a page. Another transaction's intent is settled first.
func (x *explorer) read(s *state, a *actor, i, p int) {
	for _, e := range x.touched(i, p) {
		is := &s.entities[e]
		if is.foreign(i) && !(x.Rules.IgnoreIntents && x.Actors[i].Plain) {
			a.met = meeting{actor: is.marker, entity: uint8(e), copy: *is}
			return
		}
		a.rows[e], a.versions[e] = is.resolve(false), is.seen()
	}
	a.at = uint8(p) + 1
	for _, e := range x.Actors[i].Unless {
		if a.rows[e].there {
			x.giveUp(s, a, i)
		}
	}
}

// meetingSteps settles an intent that was met, and continues with after. A transaction may give up instead.
func (x *explorer) meetingSteps(s *state, i int, does doer, after func(*state, *actor)) {
	m := &s.actors[i].met
	other := int(m.actor) - 1
	switch {
	case !m.looked:
		does("looks for the record of", other, func(s *state, a *actor) { a.met.looked, a.met.record = true, s.records[other] })
		if !x.Actors[i].Plain {
			does("gives up for", other, func(s *state, a *actor) { x.giveUp(s, a, i) })
		}
	case m.record == absent || m.record == pending:
		does("aborts", other, func(s *state, a *actor) { x.push(s, a, other) })
	default:
		does("settles the intent on", int(m.entity), func(s *state, a *actor) {
			x.settleMet(s, &a.met)
			after(s, a)
		})
	}
}

// push inserts the record "aborted" of another transaction. If there is a record by now, it has to be looked at again.
func (x *explorer) push(s *state, a *actor, other int) {
	if s.records[other] != a.met.record {
		a.met.looked = false
		return
	}
	s.records[other], a.met.record = aborted, aborted
}

// settleMet settles the unit of an intent that was met, in one request: on condition that all of it is unchanged.
func (x *explorer) settleMet(s *state, m *meeting) {
	is := &s.entities[m.entity]
	forward := m.record == committed
	if x.Rules.SettleBlindly {
		version := is.version
		*is = m.copy
		is.version = version
		is.settle(forward)
		return
	}
	if is.marker != m.actor || is.version != m.copy.version {
		return
	}
	for e := range x.Entities {
		if x.Entities[e].Unit == x.Entities[m.entity].Unit && s.entities[e].marker == m.actor && (!x.Rules.SettleParts || e == int(m.entity)) {
			s.entities[e].settle(forward)
		}
	}
}

func (x *explorer) giveUp(s *state, a *actor, i int) {
	a.pc, a.met = backing, meeting{}
	if s.records[i] == pending {
		s.records[i] = aborted
	}
	x.tell(s, i, notApplied)
}

func (x *explorer) prepareSteps(s *state, i int, does, fails doer) {
	def, a := &x.Actors[i], &s.actors[i]
	validates := def.Serializable && len(def.Reads) > 0
	left := false
	for p := range maxPartitions {
		group := x.group(i, p)
		if len(group) == 0 || a.prepared&(1<<p) != 0 || p == def.Home && (!validates || x.Rules.ValidateFirst) {
			continue
		}
		left = true
		does("prepares partition", p, func(s *state, a *actor) {
			if !x.prepare(s, a, i, p, true) {
				x.giveUp(s, a, i)
			}
		})
		lost := func(s *state, a *actor) {
			if !x.Rules.RepeatPrepare {
				x.giveUp(s, a, i)
			}
		}
		fails("prepares, which is lost, partition", p, lost)
		fails("prepares, and the answer is lost, partition", p, func(s *state, a *actor) { x.prepare(s, a, i, p, false); lost(s, a) })
		fails("prepares, which will be late, partition", p, func(s *state, a *actor) { s.late |= lateBit(i, latePrepare+p); lost(s, a) })
		if inserts := !slices.ContainsFunc(group, func(w Write) bool { return w.Kind == Update || w.Kind == Delete }); x.Repeats || !inserts {
			fails("prepares, which arrives twice, partition", p, func(s *state, a *actor) {
				s.late |= lateBit(i, latePrepare+p)
				if !x.prepare(s, a, i, p, true) {
					x.giveUp(s, a, i)
				}
			})
		}
	}
	if !left {
		does("has prepared", -1, func(_ *state, a *actor) {
			if a.pc, a.at = deciding, 0; validates {
				a.pc = validating
			}
		})
	}
}

// prepare puts intents on the entities of a group, all or none. known: the actor receives the answer.
func (x *explorer) prepare(s *state, a *actor, i, p int, known bool) bool {
	group := x.group(i, p)
	mine := true // for a prepare that is sent again under the same id
	for _, w := range group {
		mine = mine && w.Kind.bears() && int(s.entities[w.Entity].marker)-1 == i
	}
	if !mine || !x.Rules.RepeatPrepare {
		if !x.matches(s, a, group) {
			return false
		}
		for _, w := range group {
			s.entities[w.Entity].intend(w.Kind, i)
		}
	}
	if known {
		a.prepared |= 1 << p
		for _, w := range group {
			if w.Kind.bears() {
				a.marked[w.Entity] = s.entities[w.Entity].version
			}
		}
	}
	return true
}

func (x *explorer) matches(s *state, a *actor, group []Write) bool {
	for _, w := range group {
		if !w.Any && !s.entities[w.Entity].matches(w.Kind, a.versions[w.Entity]) {
			return false
		}
	}
	return true
}

// validate compares what was read with what is there now.
func (x *explorer) validate(s *state, a *actor, i, p int) {
	a.at = uint8(p) + 1
	for _, e := range x.readsIn(i, p) {
		is := &s.entities[e]
		switch {
		case is.foreign(i):
			a.met = meeting{actor: is.marker, entity: uint8(e), copy: *is}
		case is.seen() != a.versions[e]:
			x.giveUp(s, a, i)
			return
		}
	}
}

// validateMet decides what an intent means for what was read.
func (x *explorer) validateMet(s *state, i int, does doer) {
	m := &s.actors[i].met
	other := int(m.actor) - 1
	same := func(s *state, a *actor) {
		if a.met.copy.base != a.versions[a.met.entity] {
			x.giveUp(s, a, i)
		}
		a.met = meeting{}
	}
	switch {
	case !m.looked:
		does("looks, for its reads, for the record of", other, func(s *state, a *actor) { a.met.looked, a.met.record = true, s.records[other] })
		does("gives up its reads for", other, func(s *state, a *actor) { x.giveUp(s, a, i) })
	case m.record == committed:
		does("finds its reads changed by", other, func(s *state, a *actor) { x.giveUp(s, a, i) })
	case m.record == aborted, x.Rules.UndecidedIsSame:
		does("takes for unchanged what bears an intent of", other, same)
	default:
		does("aborts, for its reads,", other, func(s *state, a *actor) { x.push(s, a, other) })
	}
}

// decide carries out the deciding request, as it arrives.
func (x *explorer) decide(s *state, i int) bool {
	def, a := &x.Actors[i], &s.actors[i]
	free := absent
	if def.Long {
		free = pending
	}
	if s.records[i] != free {
		return false
	}
	var group []Write
	if def.Home >= 0 {
		group = x.group(i, def.Home)
	}
	locked := def.Home >= 0 && a.prepared&(1<<def.Home) != 0
	if !locked && !x.matches(s, a, group) {
		return false
	}
	for _, w := range group {
		is := &s.entities[w.Entity]
		if locked && w.Kind.bears() && (int(is.marker)-1 != i || is.version != a.marked[w.Entity]) || w.Kind == Late && is.there {
			return false
		}
	}
	s.records[i] = committed
	for _, w := range group {
		if is := &s.entities[w.Entity]; locked && w.Kind.bears() {
			is.settle(true)
		} else if !locked || w.Kind == Late {
			is.write(w.Kind, i)
		}
	}
	x.commit(s, i)
	if a.told == notApplied {
		x.wrong = "what was told not to be applied is committed"
	}
	return true
}

func (x *explorer) decided(s *state, a *actor, i int, yes bool) {
	if !yes {
		a.pc = backing
		x.tell(s, i, notApplied)
		return
	}
	a.pc = forwarding
	x.tell(s, i, applied)
}

func (x *explorer) lostDecision(s *state, a *actor, i int) {
	a.pc = resolving
	if x.Rules.AckEarly {
		x.tell(s, i, applied)
	}
}

// settleSteps settles the actor's own intents, as far as it knows of them.
func (x *explorer) settleSteps(s *state, i int, forward bool, does, fails doer) {
	def, a := &x.Actors[i], &s.actors[i]
	left := false
	for p := range maxPartitions {
		if a.prepared&(1<<p) == 0 || a.settled&(1<<p) != 0 || forward && p == def.Home {
			continue
		}
		left = true
		does("settles partition", p, func(s *state, a *actor) { a.settled |= 1 << p; x.settleOwn(s, a, i, p, forward) })
		if forward {
			fails("settles, which is lost, partition", p, func(_ *state, a *actor) { a.settled |= 1 << p; a.unsure = true })
			fails("settles, which will be late, partition", p, func(s *state, a *actor) {
				s.late |= lateBit(i, lateForward+p)
				a.settled |= 1 << p
				a.unsure = true
			})
		}
	}
	if !left {
		does("has settled", -1, func(_ *state, a *actor) {
			if a.pc = done; forward && !a.unsure {
				a.pc = cleaning
			}
		})
	}
}

// settleOwn settles the entities of a group that still bear the intent, on condition of their versions.
func (x *explorer) settleOwn(s *state, a *actor, i, p int, forward bool) {
	for _, w := range x.group(i, p) {
		if is := &s.entities[w.Entity]; int(is.marker)-1 == i && is.version == a.marked[w.Entity] {
			is.settle(forward)
		}
	}
}

// lateSteps lets late requests arrive.
func (x *explorer) lateSteps(s *state, i int, emit func(*state, label)) {
	for request := range lateKinds {
		if s.late&lateBit(i, request) == 0 {
			continue
		}
		next := *s
		next.late &^= lateBit(i, request)
		a := &next.actors[i]
		what := "has its late decision arrive"
		switch {
		case request == lateDecide:
			x.decide(&next, i)
		case request < lateDecide:
			what = "has a late intent arrive"
			x.prepare(&next, a, i, request-latePrepare, false)
		default:
			what = "has a late settlement arrive"
			x.settleOwn(&next, a, i, request-lateForward, true)
		}
		emit(&next, label{int8(i), what, -1})
	}
}

// writePlain writes a group that needs no record.
func (x *explorer) writePlain(s *state, a *actor, i int) {
	var group []Write
	for p := range maxPartitions {
		group = append(group, x.group(i, p)...)
	}
	ok := x.matches(s, a, group)
	if x.Rules.IgnoreIntents {
		ok = true
		for _, w := range group {
			is := &s.entities[w.Entity]
			ok = ok && (w.Kind == Touch && is.there || is.seen() == a.versions[w.Entity])
		}
	}
	if !ok {
		a.tries--
		if a.pc, a.at = reading, 0; a.tries == 0 {
			a.pc = done
			x.tell(s, i, notApplied)
		}
		return
	}
	for _, w := range group {
		is := &s.entities[w.Entity]
		is.write(w.Kind, i)
		if w.Kind.bears() {
			is.marker = 0
		}
	}
	x.commit(s, i)
	a.pc = done
	x.tell(s, i, applied)
}
