package intent

import (
	"slices"
	"sort"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// group is operations that fit an entity group transaction.
type group struct {
	table, partition string
	ops              []operation
	touches          bool // nothing else: see split
	prepared         bool // bears its intents
	unsure           bool // may bear them
	guarded          bool // at home; has guards that the deciding request had no room to delete
}

// operation is one operation of a transaction.
type operation struct {
	engine.Op
	at       int                 // index among all operations of the transaction; noOp: not one of its own
	marker   marker              // of its intent; no id if it leaves none
	unit     string              // of the unit's head: the other RowKeys
	etag     string              // that the entity got with its intent
	free     bool                // its unit has no condition except what was read just now
	required *engine.Requirement // that it is made for
}

// isTouch says whether an operation only changes an ETag.
func isTouch(op *engine.Op) bool { return op.Kind == engine.Merge && len(op.Entity.Names) == 0 }

// isPin says whether it only makes sure that an entity is as it was read.
func isPin(op *engine.Op) bool { return isTouch(op) && op.IfMatch != "" && !op.Touch }

// Bounds of a group: room for the record, and for the properties of intents, whose images are written in base 64.
const (
	groupOps   = 99
	groupBytes = 2 << 20
)

// split divides a commit into groups, and never divides a unit. If there are several groups, touches go into groups of their own, which are
// prepared last: a transaction that reads the parent after a touch then finds the children's intents.
func split(c *touched, before int, l engine.Limits) (groups []*group, err error) {
	most := min(groupOps, l.BatchOps-1)
	if len(c.Ops) <= most && engine.CommitBytes(&c.Commit, groupBytes) <= groupBytes {
		g := &group{table: c.Table, partition: c.PartitionKey}
		for i := range c.Ops {
			g.ops = append(g.ops, c.operation(i, before))
		}
		return []*group{g}, nil
	}
	var order []string
	units := map[string][]operation{}
	touches := &group{table: c.Table, partition: c.PartitionKey, touches: true}
	for i, op := range c.Ops {
		in := c.operation(i, before)
		if isTouch(&op) {
			if len(touches.ops) == most {
				groups = append(groups, touches)
				touches = &group{table: c.Table, partition: c.PartitionKey, touches: true}
			}
			touches.ops = append(touches.ops, in)
			continue
		}
		key := unitOf(&op)
		if _, ok := units[key]; !ok {
			order = append(order, key)
		}
		units[key] = append(units[key], in)
	}
	if len(touches.ops) > 0 {
		groups = append(groups, touches)
	}
	sort.SliceStable(order, func(i, j int) bool { return hasParent(units[order[i]]) && !hasParent(units[order[j]]) }) // so that they share a group
	var open *group
	bytes := 0
	for _, key := range order {
		unit := units[key]
		size := 0
		for i := range unit {
			size += engine.CommitBytes(&engine.Commit{Table: c.Table, PartitionKey: c.PartitionKey, Ops: []engine.Op{unit[i].Op}}, 0)
		}
		if len(unit) > most || size > groupBytes {
			return nil, asOp(engine.Errorf(engine.CodeTooLarge, "a row with its index entries has %d operations of %d bytes; one of a transaction over several partitions has at most %d of %d bytes",
				len(unit), size, most, groupBytes), unit[0].at)
		}
		if open == nil || len(open.ops)+len(unit) > most || bytes+size > groupBytes {
			open, bytes = &group{table: c.Table, partition: c.PartitionKey}, 0
			groups = append(groups, open)
		}
		open.ops = append(open.ops, unit...)
		bytes += size
	}
	return groups, nil
}

func unitOf(op *engine.Op) string {
	if op.Row != "" {
		return op.Row
	}
	return op.Entity.RowKey
}

// hasParent says whether the group must be at home: see engine.Transaction.
func (g *group) hasParent() bool { return hasParent(g.ops) }

func hasParent(ops []operation) bool {
	return slices.ContainsFunc(ops, func(o operation) bool { return o.Parent && !isTouch(&o.Op) })
}

// commit makes a request of what op makes of each operation; op gives false to leave one out.
func (g *group) commit(m *engine.Meter, op func(*operation) (engine.Op, bool)) (c engine.Commit, from []*operation) {
	c = engine.Commit{Table: g.table, PartitionKey: g.partition, Meter: m}
	for i := range g.ops {
		if made, ok := op(&g.ops[i]); ok {
			c.Ops, from = append(c.Ops, made), append(from, &g.ops[i])
		}
	}
	return c, from
}
