package planner

// joinedSet is a way to join some of the tables of an inner join.
type joinedSet struct {
	rel  *relation
	cost float64
}

// joinedSets has the cheapest way to join the same tables, and the cheapest of those whose rows come in the wanted order.
type joinedSets struct {
	list []joinedSet
	at   map[joinedKey]int
}

type joinedKey struct {
	set     srcSet
	ordered bool
}

func (s *joinedSets) add(rel *relation, cost float64) {
	key := joinedKey{rel.set, rel.ordered}
	at, known := s.at[key]
	switch {
	case !known:
		if s.at == nil {
			s.at = map[joinedKey]int{}
		}
		s.at[key] = len(s.list)
		s.list = append(s.list, joinedSet{rel, cost})
	case cost < s.list[at].cost:
		s.list[at] = joinedSet{rel, cost}
	}
}

// cheapest joins items one after the other, beginning with one of first, in the order that promises the least cost. The cost of a further join
// does not depend on the order of the tables before it, so of all ways to join the same tables only the cheapest is continued.
func (j *joiner) cheapest(items []*joinItem, first []*relation, linking []link) (*relation, float64, error) {
	sets := make([]joinedSets, len(items)+1) // by how many items they join
	for _, rel := range first {
		n := 0
		for _, item := range items {
			if item.set.within(rel.set) {
				n++
			}
		}
		sets[n].add(rel, costOf(rel.requests, rel.rows))
	}
	for n := range items {
		for _, from := range sets[n].list {
			pending := beyond(linking, from.rel.set)
			for _, item := range j.following(items, from.rel, pending) {
				rel, cost, err := j.step(from.rel, item, pending)
				if err != nil {
					return nil, 0, err
				}
				sets[n+1].add(rel, from.cost+cost)
			}
		}
	}
	var best joinedSet
	for _, way := range sets[len(items)].list {
		if way.rel.ordered {
			way.cost *= savedSort
		}
		if best.rel == nil || way.cost < best.cost {
			best = way
		}
	}
	return best.rel, best.cost, nil
}

// following gives the items that may be joined with rel next: those with a condition that needs both, or all if there are none.
func (j *joiner) following(items []*joinItem, rel *relation, links []link) []*joinItem {
	var all, linked []*joinItem
	for _, item := range items {
		if item.set.within(rel.set) {
			continue
		}
		all = append(all, item)
		both := rel.set.union(item.set)
		for _, l := range links {
			if l.refs.within(both) && l.refs.meets(item.set) {
				linked = append(linked, item)
				break
			}
		}
	}
	if linked == nil {
		return all
	}
	return linked
}
