package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Hold is what a query FOR UPDATE does with the rows of a table: whether others may change them until the transaction ends, and what happens to
// rows that another transaction holds.
type Hold uint8

const (
	HoldAsAll  Hold = iota // as with all rows of the statement
	HoldNot                // others may change them
	HoldOrFail             // NOWAIT
	HoldOrSkip             // SKIP LOCKED
	HoldOrWait             // neither
)

// Access is how a Scan reaches its entities.
type Access uint8

const (
	PointRead     Access = iota // one entity by its key
	PointReads                  // several, side by side
	RangeScan                   // one or more spans of row keys
	PartitionScan               // all rows of one partition
	TableScan                   // all rows of all partitions
	VirtualScan                 // an in-memory table
)

// Scan reads one table.
type Scan struct {
	Table  *schema.Table
	Alias  string
	Offset int // where its row begins in the block's row
	Total  int // width of the block's row

	Access    Access
	Index     *schema.Index // whose entries are read; nil: the rows themselves
	IndexJoin bool          // the entries of Index lack columns that are needed, so the rows are read by key after them
	Keys      *KeyPlan      // computes keys and spans at each execution; nil for PartitionScan (of one-partition tables), TableScan, VirtualScan
	Predicate *Predicate    // sent to the store; nil: none
	Recheck   expr.Node     // conditions that Keys implies: checked only if Reads.Exact is false
	Residual  expr.Node     // conditions that are checked on every row
	Databases expr.Node     // the part of Residual that reads nothing but the DatabaseColumns of an in-memory table; nil: none
	Names     []expr.Node   // the only databases that satisfy these; nil: any may
	Columns   []int         // ordinals that are needed, ascending; ETagOrdinal may be among them
	Ordered   bool          // rows must come in key order, over all spans and partitions
	Order     []SortKey     // the order of an Ordered scan: runs of cut keys (keymap.Stem) are sorted by it, and all rows if Reads.Unordered
	// PartitionOrder is for an Ordered scan of a divided table. Its rows come in the wanted order if the partitions are read one
	// after the other: as they are listed (1), or backwards (-1). 0: the partitions must be merged.
	PartitionOrder int
	Without        []string  // names of partitions that are not read
	Limit          expr.Node // how many rows are wanted at most, if no operator above drops rows; nil: all

	Hold Hold // of a query FOR UPDATE

	Rows     float64 // estimates, for the choice of path
	Entities float64 // that are read for them
	Seeks    float64 // keys that reading begins at
	Requests float64
}

// Reads is what a Scan reads at one execution: points or spans, never both. Scan.Access is what the plan expects, but the arguments
// decide. A point read becomes a span if the key is not in the order of the argument's type (a number for a text column). If no
// row can equal the arguments there are neither points nor spans.
type Reads struct {
	Points []Key  // distinct, ascending
	Spans  []Span // disjoint, ascending
	Exact  bool   // every row in them satisfies the conditions that the keys imply
	// Unordered: with these arguments the keys are not in the order of Scan.Order, so an Ordered scan sorts its rows, and
	// pushes no limit. This is rare: it takes an argument of such a type.
	Unordered bool
	// Copies: the spans may also hold stored parent copies (WITH PARENT), which are no rows of the table. Each one lies before the
	// children of its parent.
	Copies bool
}

// Key is the key of one entity.
type Key struct {
	Partition            *schema.Partition
	PartitionKey, RowKey string
}

// Span is a span of RowKeys in one store partition or, if All is set, in every one whose PartitionKey is in PartitionKeys. These are
// all PartitionKeys, except in external tables.
type Span struct {
	Partition    *schema.Partition
	PartitionKey string
	keymap.Span

	All           bool
	PartitionKeys keymap.Span
}

// SortKey is one expression of an ORDER BY.
type SortKey struct {
	Expr expr.Node
	Desc bool
}

// ReadsAll says whether no condition says where the rows lie: all of the table is read, or as many rows as are wanted.
func (s *Scan) ReadsAll() bool {
	switch {
	case len(s.Without) > 0 || s.Table.IsExternal() || s.Index != nil && s.Index.Child != "":
		return false
	case s.Access == TableScan || s.Access == PartitionScan:
		return s.Keys == nil || s.Keys.Conds == nil
	}
	return s.Access == RangeScan && s.Keys.Depth() == 0 && s.Table.Spread == nil && !s.Table.IsDivided()
}

// Width is the number of values in a row.
func (n *Scan) Width() int { return n.Total }
