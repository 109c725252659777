package engine

import "math"

// Slots that stand for the keys and the Timestamp in a Bound; property slots count from 0.
const (
	slotPartitionKey = -1
	slotRowKey       = -2
	slotTimestamp    = -3
)

// Bound is a Filter bound to one list of names, so that matching an entity looks up no name. The zero Bound lets everything through. It may be
// used by many goroutines.
type Bound struct {
	root *boundNode
}

// boundNode is a node of a bound filter. A comparison that can never hold, because its property is not among the names, has become an Or without
// kids.
type boundNode struct {
	op    FilterOp
	slot  int
	value Value
	kids  []boundNode
}

// Bind makes the form of f that matches entities with exactly these names. A nil filter lets
// everything through.
func (f *Filter) Bind(names []string) Bound {
	if f == nil {
		return Bound{}
	}
	n := f.bind(names)
	return Bound{root: &n}
}

func (f *Filter) bind(names []string) boundNode {
	switch f.Op {
	case And, Or:
		n := boundNode{op: f.Op, kids: make([]boundNode, 0, len(f.Kids))}
		for _, kid := range f.Kids {
			k := kid.bind(names)
			switch {
			case !k.never():
				n.kids = append(n.kids, k)
			case f.Op == And:
				return boundNode{op: Or}
			}
		}
		return n
	}
	switch f.Property {
	case "PartitionKey":
		return boundNode{op: f.Op, slot: slotPartitionKey, value: f.Value}
	case "RowKey":
		return boundNode{op: f.Op, slot: slotRowKey, value: f.Value}
	case Timestamp:
		return boundNode{op: f.Op, slot: slotTimestamp, value: f.Value}
	}
	for i, name := range names {
		if name == f.Property {
			return boundNode{op: f.Op, slot: i, value: f.Value}
		}
	}
	return boundNode{op: Or}
}

func (n *boundNode) never() bool { return n.op == Or && len(n.kids) == 0 }

// All says whether b lets everything through.
func (b Bound) All() bool { return b.root == nil }

// Never says whether b lets nothing through, whatever the values.
func (b Bound) Never() bool { return b.root != nil && b.root.never() }

// AppendSlots appends the positions of the values that b looks at.
func (b Bound) AppendSlots(dst []int) []int {
	if b.root == nil {
		return dst
	}
	return b.root.appendSlots(dst)
}

func (n *boundNode) appendSlots(dst []int) []int {
	switch {
	case n.op == And || n.op == Or:
		for i := range n.kids {
			dst = n.kids[i].appendSlots(dst)
		}
	case n.slot >= 0:
		dst = append(dst, n.slot)
	}
	return dst
}

// Match says whether an entity with these keys, Timestamp and values passes. The values are aligned with the
// names that the filter was bound to.
func (b Bound) Match(partitionKey, rowKey string, timestamp int64, values []Value) bool {
	return b.root == nil || b.root.match(partitionKey, rowKey, timestamp, values)
}

func (n *boundNode) match(pk, rk string, timestamp int64, values []Value) bool {
	switch n.op {
	case And:
		for i := range n.kids {
			if !n.kids[i].match(pk, rk, timestamp, values) {
				return false
			}
		}
		return true
	case Or:
		for i := range n.kids {
			if n.kids[i].match(pk, rk, timestamp, values) {
				return true
			}
		}
		return false
	}
	switch n.slot {
	case slotPartitionKey:
		return n.value.Type == String && compareText(n.op, pk, n.value.S)
	case slotRowKey:
		return n.value.Type == String && compareText(n.op, rk, n.value.S)
	case slotTimestamp:
		return compareTimestamp(n.op, timestamp, &n.value)
	}
	return compare(n.op, &values[n.slot], &n.value)
}

// Match says whether e passes f; a nil filter lets everything through. To match many entities with the same names, Bind once.
func (f *Filter) Match(e *Entity) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case And:
		for _, kid := range f.Kids {
			if !kid.Match(e) {
				return false
			}
		}
		return true
	case Or:
		for _, kid := range f.Kids {
			if kid.Match(e) {
				return true
			}
		}
		return false
	}
	switch f.Property {
	case "PartitionKey":
		return f.Value.Type == String && compareText(f.Op, e.PartitionKey, f.Value.S)
	case "RowKey":
		return f.Value.Type == String && compareText(f.Op, e.RowKey, f.Value.S)
	case Timestamp:
		return compareTimestamp(f.Op, e.Timestamp, &f.Value)
	}
	for i, name := range e.Names {
		if name == f.Property {
			return compare(f.Op, &e.Values[i], &f.Value)
		}
	}
	return false
}

// compare says whether "v op c" holds. Values of different types, and absent ones, compare as false.
func compare(op FilterOp, v, c *Value) bool {
	if v.Type != c.Type {
		return false
	}
	switch v.Type {
	case String, Guid, Binary:
		return compareText(op, v.S, c.S)
	case Int32, Int64, DateTime:
		return ordered(op, int64(v.N), int64(c.N))
	case Boolean:
		return ordered(op, v.N, c.N)
	case Double:
		return ordered(op, math.Float64frombits(v.N), math.Float64frombits(c.N))
	}
	return false
}

// compareTimestamp lets an unknown Timestamp through.
func compareTimestamp(op FilterOp, timestamp int64, c *Value) bool {
	return timestamp == 0 || c.Type == DateTime && ordered(op, timestamp, int64(c.N))
}

// compareText compares by octets, which is the order of code points.
func compareText(op FilterOp, a, b string) bool {
	if op == Eq {
		return a == b // compares lengths first
	}
	return ordered(op, a, b)
}

func ordered[T int64 | uint64 | float64 | string](op FilterOp, a, b T) bool {
	switch op {
	case Eq:
		return a == b
	case Gt:
		return a > b
	case Ge:
		return a >= b
	case Lt:
		return a < b
	case Le:
		return a <= b
	}
	return false
}
