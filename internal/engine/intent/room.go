package intent

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// markerRoom is how much space a marker and a unit's head are assumed to need.
const markerRoom = 1 << 10

// crowded counts the operations whose entities seem to have no room for an intent: for the new content next to the old, which is not known here
// and is taken to be the same size. The home group needs no room unless something is validated.
func (g *group) crowded(l engine.Limits) (n int) {
	for i := range g.ops {
		if !g.ops[i].hasRoom(l) {
			n++
		}
	}
	return n
}

func (o *operation) hasRoom(l engine.Limits) bool {
	enough := l.EntityBytes / 4
	one := engine.Commit{Ops: []engine.Op{o.Op}}
	if isTouch(&o.Op) || len(o.Entity.Names)+mostImages+2 <= l.Properties && engine.CommitBytes(&one, enough) <= enough {
		return true
	}
	e := o.Entity
	e.Names, e.Values = slices.Clone(e.Names), slices.Clone(e.Values)
	if o.Kind != engine.Insert {
		e.Names, e.Values, _ = putImage(e.Names, e.Values, appendImage(nil, o.Entity.Names, o.Entity.Values), l.BinaryBytes)
	}
	e.Names, e.Values = append(e.Names, markerProperty, unitProperty), append(e.Values, text(strings.Repeat(" ", markerRoom)), text(""))
	return l.CheckEntity(&e) == nil
}

// noRoom is the error of an operation whose entity has no room for its intent.
func noRoom(g *group, o *operation, cause error) error {
	e := engine.Errorf(engine.CodeTooLarge, "entity %q, %q of table %s has no room for what a transaction over several partitions or tables notes on it until it is committed (2 to 18 properties, and the new content): "+
		"change rows of more than 512 KiB, or 234 columns, in transactions of one partition of one table", g.partition, o.Entity.RowKey, g.table)
	e.Op, e.Cause = o.at, cause
	return e
}
