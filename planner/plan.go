// Package planner turns statements into plans: it resolves names against a schema, binds expressions,
// chooses how each table is read (point read, row-key range, filtered scan) and in which order tables are
// joined, and prints the result as EXPLAIN's text. It never sees an engine: the same statement has the
// same plan whatever the store.
//
//	p, err := planner.Build(stmt, schema, planner.Options{})
//	fmt.Println(p.Explain(nil))
package planner

import (
	"slices"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Plan is a statement ready to run, any number of times, by many goroutines at once.
type Plan struct {
	Root      Node           // SELECT and UNION; nil for a write without RETURNING rows
	Columns   []ResultColumn // of the rows that come back (RETURNING too)
	Write     Write          // *Insert, *Update, *Delete; nil for a query
	Params    int            // arguments expected
	Slots     int            // number of expr.Subquery slots
	Blocks    int            // number of query blocks, each use of a WITH counted
	Tables    []*Table       // the definitions that the plan was made against
	ForUpdate bool
	// CountsRows says that the Root, a Limit, tells the session what FOUND_ROWS() is.
	CountsRows bool
	AllowScan  bool // the hint allow_scan: reads without a key are meant

	// Compiled is where the executor keeps its own form of the plan, made at the first execution.
	Compiled atomic.Value
}

// ResultColumn describes a column of the result.
type ResultColumn struct {
	Name     string
	Type     value.Type
	Nullable bool
}

// Node is an operator. Rows flow from the leaves up.
//
// Inside one query block (one SELECT) all operators below its Aggregate or Project pass rows of the same
// width, in which each table of FROM has its own place (Scan.Offset): a Scan fills its place, a join
// combines places, so a column's position never depends on the join order. Aggregate and Project start a
// new layout.
type Node interface {
	Children() []Node
	Width() int // values in a row
}

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
	Table  *Table
	Alias  string
	Offset int // where its row begins in the block's row
	Total  int // width of the block's row

	Access   Access
	Index    *Index    // whose entries are read; nil: the rows themselves
	Fetch    bool      // Index entries lack columns that are needed: the rows are read by key after them
	Keys     *KeyPlan  // how keys and spans are computed at each execution; nil for PartitionScan (of one-partition tables), TableScan, VirtualScan
	Filter   *Filter   // sent to the store; nil: none
	Recheck  expr.Node // conditions that Keys stands for: checked only when Reads.Exact is false
	Residual expr.Node // conditions that are checked on every row
	Columns  []int     // ordinals that are needed, ascending; ETagOrdinal where it is
	Ordered  bool      // rows must come in key order, over all spans and partitions
	Order    []SortKey // the order that Ordered stands for: what runs of cut keys (keymap.Stem) are sorted by, and all rows when Reads.Unordered
	// PartOrder: of an Ordered scan of a table with parts, whose keys come in the wanted order when the parts
	// are read one after the other, as they are listed (1) or backwards (-1); 0: they have to be merged.
	PartOrder int
	Without   []string  // names of parts that are not read
	Limit     expr.Node // no more rows than this are wanted (pushed: nothing above drops rows); nil: all

	Rows     float64 // estimates, for the choice of path
	Requests float64
}

// Reads is what a Scan reads at one execution: points or spans, never both. Which of them is not for
// Scan.Access to say: a point read becomes a span where an argument is of a type that the key does not
// sort by (a number for a text column), and with arguments that nothing can equal there is neither.
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

// Key is the key of one entity. Part is nil for a table without parts.
type Key struct {
	Part           *Part
	Partition, Row string
}

// Span is a range of row keys, From ≤ k < To, of one partition, or of every partition when All is set.
// To "" is no upper bound. With All, FromPartition and ToPartition bound the partitions in the same way; only
// foreign tables have such spans.
type Span struct {
	Part      *Part
	Partition string
	All       bool
	From, To  string

	FromPartition, ToPartition string
}

// Filter is a predicate for the store, its constants not yet known: And and Or over comparisons of a
// column with a value. It lets through all rows that satisfy the condition it was made from, perhaps more.
type Filter struct {
	Op     FilterOp
	Kids   []*Filter
	Column int // ordinal
	Value  expr.Node
}

// FilterOp is what a Filter does.
type FilterOp uint8

const (
	FilterAnd FilterOp = iota
	FilterOr
	FilterEq
	FilterGt
	FilterGe
	FilterLt
	FilterLe
)

// Values yields constant rows: SELECT without FROM (one row of no values).
type Values struct {
	Rows  [][]expr.Node
	Total int
}

// Select passes the rows that satisfy Cond. Once: Cond is the same for all rows, and is asked before the first of
// them is read.
type Select struct {
	Input Node
	Cond  expr.Node
	Once  bool
}

// Project computes a row.
type Project struct {
	Input Node
	Exprs []expr.Node
	Names []string
}

// SortKey is one key of an order.
type SortKey struct {
	Expr expr.Node
	Desc bool
}

// Sort orders rows. With Limit it keeps no more than Limit + Offset rows (top n).
type Sort struct {
	Input         Node
	Keys          []SortKey
	Limit, Offset expr.Node // of the Limit above, nil where there is none
}

// Limit passes Count rows behind the first Offset. Either may be nil.
type Limit struct {
	Input         Node
	Count, Offset expr.Node
	CountAll      bool // rows beyond are read and counted, for FOUND_ROWS()
}

// Distinct passes each row once.
type Distinct struct {
	Input     Node
	Collation []value.Collation // by column
}

// Aggregate groups rows. Its rows are the Group values, then the Aggs' results. Without Group there is one
// row, also over no input. Sorted: input comes in the order of Group, so one group is kept at a time.
type Aggregate struct {
	Input  Node
	Group  []expr.Node
	Aggs   []*expr.Aggregate
	Sorted bool
}

// JoinKind is what happens to left rows without a partner. All joins yield rows in the order of their left
// input.
type JoinKind uint8

const (
	InnerJoin JoinKind = iota
	LeftJoin           // they come with NULLs
	SemiJoin           // left rows that have a partner, once
	AntiJoin           // left rows that have none
)

// HashJoin matches by equality of LeftKeys and RightKeys, Right held in memory.
type HashJoin struct {
	Kind                JoinKind
	Left, Right         Node
	LeftKeys, RightKeys []expr.Node
	NullSafe            []bool // by key: <=>
	Collation           []value.Collation
	On                  expr.Node // further conditions of the match
}

// LookupJoin reads, for a batch of left rows, their partners by key: Right.Keys refer to columns of the left row.
type LookupJoin struct {
	Kind  JoinKind
	Left  Node
	Right *Scan
	On    expr.Node // further conditions of the match
}

// LoopJoin matches every pair, Right held in memory.
type LoopJoin struct {
	Kind        JoinKind
	Left, Right Node
	On          expr.Node
}

// Derived is a query block inside FROM: its rows are moved to their place in the outer block's row.
type Derived struct {
	Input  Node
	Name   string
	Offset int
	Total  int
}

// Concat is UNION ALL: the inputs' rows, one input after the other. Types are those of Columns.
type Concat struct {
	Inputs  []Node
	Columns []ResultColumn
}

// Write is *Insert, *Update or *Delete.
type Write interface{ write() }

// Insert is INSERT, REPLACE and their relatives. Rows of the source have Columns' values; the other columns
// get their defaults. An element of Rows may be nil: the column's default.
type Insert struct {
	Table     *Table
	Columns   []int
	Rows      [][]expr.Node
	Source    Node // INSERT … SELECT: rows of len(Columns) values
	Replace   bool
	Ignore    bool      // INSERT IGNORE, ON CONFLICT DO NOTHING
	SkipUnfit bool      // INSERT IGNORE: rows that a CHECK is false for are left out too
	Target    *Conflict // the one key whose duplicates are dealt with; nil: any
	OnDup     []Assign  // evaluated with Env.Row = existing row, Env.Insert = new row
	OnDupCond expr.Node
	Children  []Family    // see Update; of statements that may delete a row or change its key
	Returning []expr.Node // over the table's row
}

// Conflict names a key: Primary or an index.
type Conflict struct {
	Primary bool
	Index   *Index
}

// Assign is column = expression over the table's row; Value nil: the column's default.
type Assign struct {
	Column int
	Value  expr.Node
}

// Update changes the rows that Source yields: whole rows of Table with their ETags, at Offset. Set is
// evaluated in order with Env.Row = the source's row (those of other tables of a join come behind), in which
// each assignment sees the values that those before it have set, as MySQL has it. A join may yield the same
// row several times; the first one counts.
type Update struct {
	Table     *Table
	Source    Node
	Offset    int
	Set       []Assign
	Ignore    bool     // rows that cannot be changed stay as they are
	Children  []Family // what lives inside the table
	Returning []expr.Node
}

// MovesKey says whether the statement may change a column of a unique key.
func (u *Update) MovesKey() bool {
	changes := func(p KeyPart) bool {
		c := u.Table.Columns[p.Column]
		return c.Generated != "" || c.OnUpdateExpr != nil || slices.ContainsFunc(u.Set, func(a Assign) bool { return a.Column == p.Column })
	}
	return slices.ContainsFunc(u.Table.Key, changes) || slices.ContainsFunc(u.Table.Indexes, func(ix *Index) bool {
		return ix.Unique && slices.ContainsFunc(ix.Parts, changes)
	})
}

// Delete deletes the rows that Source yields, as Update's.
type Delete struct {
	Table     *Table
	Source    Node
	Offset    int
	Ignore    bool     // rows that cannot be deleted stay
	All       bool     // no condition at all
	Whole     *Cover   // how to tell that whole parts are deleted; nil where they never are. Then Source is a Scan
	Children  []Family // what lives inside the table
	Returning []expr.Node
}

func (*Insert) write() {}
func (*Update) write() {}
func (*Delete) write() {}

func (n *Scan) Children() []Node       { return nil }
func (n *Values) Children() []Node     { return nil }
func (n *Select) Children() []Node     { return []Node{n.Input} }
func (n *Project) Children() []Node    { return []Node{n.Input} }
func (n *Sort) Children() []Node       { return []Node{n.Input} }
func (n *Limit) Children() []Node      { return []Node{n.Input} }
func (n *Distinct) Children() []Node   { return []Node{n.Input} }
func (n *Aggregate) Children() []Node  { return []Node{n.Input} }
func (n *HashJoin) Children() []Node   { return []Node{n.Left, n.Right} }
func (n *LookupJoin) Children() []Node { return []Node{n.Left, n.Right} }
func (n *FamilyScan) Children() []Node { return nil }
func (n *LoopJoin) Children() []Node   { return []Node{n.Left, n.Right} }
func (n *Derived) Children() []Node    { return []Node{n.Input} }
func (n *Concat) Children() []Node     { return n.Inputs }

func (n *Scan) Width() int       { return n.Total }
func (n *Values) Width() int     { return n.Total }
func (n *Select) Width() int     { return n.Input.Width() }
func (n *Project) Width() int    { return len(n.Exprs) }
func (n *Sort) Width() int       { return n.Input.Width() }
func (n *Limit) Width() int      { return n.Input.Width() }
func (n *Distinct) Width() int   { return n.Input.Width() }
func (n *Aggregate) Width() int  { return len(n.Group) + len(n.Aggs) }
func (n *HashJoin) Width() int   { return n.Left.Width() }
func (n *LookupJoin) Width() int { return n.Left.Width() }
func (n *FamilyScan) Width() int { return n.Child.Total }
func (n *LoopJoin) Width() int   { return n.Left.Width() }
func (n *Derived) Width() int    { return n.Total }
func (n *Concat) Width() int     { return n.Inputs[0].Width() }
