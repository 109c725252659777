package engine

// FilterOp is what a node of a Filter does.
type FilterOp uint8

const (
	And FilterOp = iota
	Or
	Eq
	Gt
	Ge
	Lt
	Le
)

// Filter is a predicate on properties that the store evaluates on its side: a tree of And and Or over comparisons of a property with a constant
// of the property's own type. It is a superset hint: an engine may let through entities that do not match (and must not drop one that does), so
// the sender checks the rows again. A comparison with an absent property, or with one of another type, is false; one with an unknown Timestamp
// (0) is true. Text compares by code point, Binary by octet, and nothing compares with NaN. There is no not and no null, because stores disagree
// about both.
type Filter struct {
	Op       FilterOp
	Kids     []*Filter // And, Or: one or more
	Property string    // comparisons; PartitionKey, RowKey and Timestamp (a DateTime) are properties too
	Value    Value
}

// Timestamp is the name of Entity.Timestamp in a Filter and in a Select.
const Timestamp = "Timestamp"
