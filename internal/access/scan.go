package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
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
	IndexJoin bool          // Index entries lack columns that are needed: the rows are read by key after them
	Keys      *KeyPlan      // how keys and spans are computed at each execution; nil for PartitionScan (of one-partition tables), TableScan, VirtualScan
	Predicate *Predicate    // sent to the store; nil: none
	Recheck   expr.Node     // conditions that Keys stands for: checked only when Reads.Exact is false
	Residual  expr.Node     // conditions that are checked on every row
	Columns   []int         // ordinals that are needed, ascending; ETagOrdinal where it is
	Ordered   bool          // rows must come in key order, over all spans and partitions
	Order     []SortKey     // the order that Ordered stands for: what runs of cut keys (keymap.Stem) are sorted by, and all rows when Reads.Unordered
	// PartitionOrder: of an Ordered scan of a table with partitions, whose keys come in the wanted order when the partitions
	// are read one after the other, as they are listed (1) or backwards (-1); 0: they have to be merged.
	PartitionOrder int
	Without        []string  // names of partitions that are not read
	Limit          expr.Node // no more rows than this are wanted (pushed: nothing above drops rows); nil: all

	Rows     float64 // estimates, for the choice of path
	Requests float64
}

// Reads is what a Scan reads at one execution: points or spans, never both. Scan.Access is the plan; the arguments decide. A point
// read becomes a span where the key does not sort by the argument's type (a number for a text column). With arguments that
// nothing can equal there is neither.
type Reads struct {
	Points []Key  // distinct, ascending
	Spans  []Span // disjoint, ascending
	Exact  bool   // every row in them satisfies the conditions that the keys stand for
	// Unordered: with these arguments the keys are not in the order of Scan.Order, and an Ordered scan has
	// to sort its rows by it (and cannot push a limit). Rare, for the reason above.
	Unordered bool
	// Copies: in the spans there may be copies of parents' rows, too (WITH PARENT), which are no rows of the table. Each
	// lies before the rows that live inside one parent.
	Copies bool
}

// Key is the key of one entity.
type Key struct {
	Partition            *schema.Partition
	PartitionKey, RowKey string
}

// Span is a span of RowKeys in one partition of the store or, when All is set, in every one whose PartitionKey is in
// PartitionKeys. Only in external tables these are not all.
type Span struct {
	Partition    *schema.Partition
	PartitionKey string
	keymap.Span

	All           bool
	PartitionKeys keymap.Span
}

// SortKey is one key of an order.
type SortKey struct {
	Expr expr.Node
	Desc bool
}

// Width is the number of values in a row.
func (n *Scan) Width() int { return n.Total }
