package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A definition changes in steps. Between two steps, processes use the former definition and the next one at the same time, but
// none uses an older one. So each thing in a definition may only go from state to state as its steps say.
var steps = map[thing]map[step]bool{
	// A process that does not know of a property would write rows without it. So all processes write it before any reads it, and none
	// reads it by the time one stops writing it.
	propertyThing: {
		{absent, WriteOnly}: true, {WriteOnly, Public}: true, // a new column, or a column's next form
		{Public, WriteOnly}: true, {WriteOnly, DeleteOnly}: true, {DeleteOnly, absent}: true, // a dropped column
		{Public, replaced}: true, {replaced, Public}: true, {replaced, DeleteOnly}: true, // the form that the next one replaces
	},
	// A process that does not know of an index would leave its entries when it deletes rows. So all processes delete entries before
	// any makes them, and all make them before any reads them.
	indexThing: {
		{absent, DeleteOnly}: true, {DeleteOnly, WriteOnly}: true, {WriteOnly, Public}: true,
		{Public, WriteOnly}: true, {WriteOnly, DeleteOnly}: true, {DeleteOnly, absent}: true,
	},
	// A rule is a CHECK, a FOREIGN KEY or NOT NULL. All processes enforce it before any relies on it. It may be dropped at any time.
	ruleThing: {
		{absent, WriteOnly}: true, {WriteOnly, Public}: true, {WriteOnly, absent}: true,
		{Public, WriteOnly}: true, {Public, absent}: true,
	},
}

// thing is a kind of part of a definition that has states.
type thing uint8

const (
	propertyThing thing = iota // the form of a column in the store; DeleteOnly: rows not rewritten still have it
	indexThing
	ruleThing
)

// States that are never stored.
const (
	absent   State = WriteOnly + 1 + iota // the definition does not have it
	replaced                              // public, and another form follows
)

var stateNames = [...]string{Public: "public", DeleteOnly: "delete-only", WriteOnly: "write-only", absent: "absent", replaced: "public before another form"}

type step struct{ from, to State }

// member is a thing of one definition, by a name that never changes.
type member struct {
	thing
	name string
}

func (m member) String() string {
	return [...]string{propertyThing: "property ", indexThing: "index ", ruleThing: "rule "}[m.thing] + m.name
}

// CheckStep says whether next may follow t while other processes write by t: the error names what would take two steps at once.
func (t *Table) CheckStep(next *Table) error {
	from, to := t.states(), next.states()
	all := maps.Clone(from)
	maps.Copy(all, to)
	for _, m := range slices.SortedFunc(maps.Keys(all), func(a, b member) int { return strings.Compare(a.String(), b.String()) }) {
		s := step{stateOf(from, m), stateOf(to, m)}
		if s.from != s.to && !steps[m.thing][s] {
			return fmt.Errorf("table %s: %s goes from %s to %s at once", t.Name, m, stateNames[s.from], stateNames[s.to])
		}
	}
	return nil
}

func stateOf(states map[member]State, m member) State {
	if s, ok := states[m]; ok {
		return s
	}
	return absent
}

// states gives the state of each thing of a definition.
func (t *Table) states() map[member]State {
	out := map[member]State{}
	for _, p := range t.Retired {
		out[member{propertyThing, p}] = DeleteOnly
	}
	for _, c := range t.Columns {
		out[member{propertyThing, c.Property}] = c.State
		notNull := member{ruleThing, c.Property + " NOT NULL"}
		switch {
		case c.State != Public:
			out[notNull] = WriteOnly // no process relies on it, whatever is written
		case c.NotNull:
			out[notNull] = Public
		}
		if f := c.NextForm; f != nil {
			if f.Property != c.Property {
				out[member{propertyThing, c.Property}], out[member{propertyThing, f.Property}] = replaced, WriteOnly
			}
			if f.NotNull && !c.NotNull || f.Property != c.Property {
				out[member{ruleThing, f.Property + " NOT NULL"}] = WriteOnly
			}
		}
		if f := c.PreviousForm; f != nil {
			out[member{propertyThing, f.Property}] = DeleteOnly
		}
	}
	for _, ix := range t.Indexes {
		out[member{indexThing, ix.KeyName}] = ix.State
	}
	for _, c := range t.Checks {
		if c.NotEnforced {
			continue
		}
		out[member{ruleThing, "CHECK " + c.Name + " " + c.Text}] = c.State
	}
	for _, k := range t.ForeignKeys {
		if k.NotEnforced {
			continue
		}
		name := k.Name
		if i := strings.LastIndex(name, "_ibfk_"); i >= 0 {
			name = name[i:] // what precedes it is the table's name, and changes with it
		}
		for _, c := range k.Columns {
			name += " " + t.Columns[c].Property
		}
		out[member{ruleThing, "FOREIGN KEY " + name}] = k.State
	}
	return out
}
