package planner

// SetMatch is EXCEPT [ALL] and INTERSECT [ALL]: the rows of Left that Right does not have, or has. Right is
// read first and held in memory. Without All each row comes once. Types are those of Columns.
type SetMatch struct {
	Left, Right Node
	Intersect   bool
	All         bool
	Columns     []ResultColumn
}

// Children are the inputs, the left one first.

// Width is that of both inputs.
func (n *SetMatch) Width() int { return n.Left.Width() }
