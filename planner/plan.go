// Package planner turns statements into plans: it resolves names against a schema, binds expressions,
// chooses how each table is read (point read, row-key range, filtered scan) and in which order tables are
// joined, and prints the result as EXPLAIN's text. It never sees an engine: the same statement has the
// same plan whatever the store.
//
//	p, err := planner.Build(stmt, tables, planner.Options{})
//	fmt.Println(p.Explain(nil))
//
// Nothing of this package is promised: it serves the driver, takes types that only the driver can make, and may change with any
// version. What other programs may use is package [github.com/nearlyfreedb/nearlyfree/planner/explain], which makes a plan of texts.
// It is a separate package because it makes definitions (package define), whose defaults and CHECKs this package binds.
package planner

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Plan is a statement ready to run, any number of times, by many goroutines at once.
type Plan struct {
	Root      Node            // SELECT and UNION; nil for a write without RETURNING rows
	Columns   []ResultColumn  // of the rows that come back (RETURNING too)
	Write     Write           // *Insert, *Update, *Delete; nil for a query
	Params    int             // arguments expected
	Slots     int             // number of expr.Subquery slots
	Blocks    int             // number of query blocks, each use of a WITH counted
	Tables    []*schema.Table // the definitions that the plan was made against
	ForUpdate bool
	Waits     bool // in a transaction it waits for rows that another transaction holds: FOR UPDATE without NOWAIT and SKIP LOCKED
	// CountsRows says that the Root, a Limit, tells the session the value of FOUND_ROWS().
	CountsRows bool
	AllowScan  bool // the hint allow_scan: reads without a key are meant
	Passing    bool // the plan must not be kept: a table that a foreign key names does not exist, and nothing tells when it does
	// TimeLimit is what the hint MAX_EXECUTION_TIME gives a query; 0: the session's limit.
	TimeLimit time.Duration
	Most      Most
	// IgnoredHints are the hints that have no effect, in upper case; each causes a warning.
	IgnoredHints []string

	// Compiled is where the executor keeps its own form of the plan, made at the first execution.
	Compiled atomic.Value
}

// Most is what a statement may read and cost by its hints, in place of the general bounds. 0: no hint; negative: no bound.
type Most struct {
	Entities, Requests int64
	Cost               float64 // dollars
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
	Width() int // values in a row
}

// Values yields constant rows: SELECT without FROM (one row of no values).
type Values struct {
	Rows  [][]expr.Node
	Total int
}

// Filter passes the rows that satisfy Cond. Once: Cond is the same for all rows, and is checked before the first row is read.
type Filter struct {
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

// Sort orders rows. With Limit it keeps no more than Limit + Offset rows (top n).
type Sort struct {
	Input         Node
	Keys          []access.SortKey
	Limit, Offset expr.Node // of the Limit above, nil if there is none
}

// Limit passes Count rows after the first Offset. Either may be nil.
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

// Aggregate groups rows. Its rows are the Group values, then the Aggs' results. Without Group there is one row, even for no input. Sorted: input
// comes in the order of Group, so one group is kept at a time.
//
// With Rollup there is also a row for each group of the first n of Group, n from all but one down to none, behind the rows of that
// group. The other values of Group are NULL there. Behind the Group values all rows have n, then. Rows come in the order of Group.
type Aggregate struct {
	Input  Node
	Group  []expr.Node
	Aggs   []*expr.Aggregate
	Sorted bool
	Rollup bool
	Rows   float64 // estimated
}

// JoinKind is what happens to left rows without a match. All joins yield rows in the order of their left
// input.
type JoinKind uint8

const (
	InnerJoin JoinKind = iota
	LeftJoin           // they come with NULLs
	SemiJoin           // left rows that have a match, once
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
	// Dynamic: a key's values may be of several kinds, which are compared as On says. On has all conditions then.
	Dynamic bool
	Rows    float64 // estimated
}

// LookupJoin reads, for a batch of left rows, their matches by key: Right.Keys refer to columns of the left row. Whole, if set, is the same join
// with the right side held in memory. The number of left rows is not known beforehand, so the join changes over to Whole when that is likely to
// cost less.
type LookupJoin struct {
	Kind  JoinKind
	Left  Node
	Right *access.Scan
	On    expr.Node // further conditions of the match
	Rows  float64   // of Left that are likely to be wanted
	Whole *HashJoin
	After float64 // how many requests are made by key before any for Whole; 0: Whole is tried first

	Lookups, Joined float64 // estimated: keys that Right is read by, and rows that come of it
}

// WholeFirst says whether the right side is more likely read whole than by key.
func (n *LookupJoin) WholeFirst() bool { return n.Whole != nil && n.After == 0 }

// otherWay is the right side as n reads it after changing over.
func (n *LookupJoin) otherWay() *access.Scan {
	if n.WholeFirst() {
		return n.Right
	}
	return n.Whole.Right.(*access.Scan)
}

// LoopJoin matches every pair, Right held in memory.
type LoopJoin struct {
	Kind        JoinKind
	Left, Right Node
	On          expr.Node
	Rows        float64 // estimated
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

// Insert is INSERT, REPLACE and their relatives. Rows of the source have the values of Columns; the other columns get their defaults. An element
// of Rows may be nil: the column's default.
type Insert struct {
	Table     *schema.Table
	Columns   []int
	Rows      [][]expr.Node
	Source    Node           // INSERT … SELECT: rows of len(Columns) values, and those of Beside
	Beside    []ResultColumn // what OnDup refers to of the query's tables: InsertValues behind the row
	Generated []int          // generated columns among Columns that a row gives a value all the same; Rows has their defaults
	Replace   bool
	Ignore    bool      // INSERT IGNORE, ON CONFLICT DO NOTHING
	SkipUnfit bool      // INSERT IGNORE: rows that fail a CHECK are left out, too
	Target    *Conflict // the one key whose duplicates are dealt with; nil: any
	OnDup     []Assign  // evaluated with Env.Row = existing row, Env.Insert = new row
	OnDupCond expr.Node
	Children  []schema.Family // see Update; set if the statement may delete a row or change its key
	Related   Related
	Check     *ViewCheck  // nil: its rows may be any
	Returning []expr.Node // over the table's row
}

// Conflict names a key: Primary or an index.
type Conflict struct {
	Primary bool
	Index   *schema.Index
}

// Assign is column = expression over the table's row; Value nil: the column's default.
type Assign struct {
	Column int
	Value  expr.Node
}

// Update changes the rows of the Targets that Source yields. A row of the source has the rows of all tables of a join, with NULLs for a missing
// one. If a join yields the same row several times, the first one counts.
type Update struct {
	Targets   []Target // in the order of FROM, which is that of their rows' changes
	Source    Node
	Ignore    bool // rows that cannot be changed stay as they are
	Related   Related
	Returning []expr.Node // of one target
}

// Target is a table whose rows are written: whole rows with their ETags, at Offset of the source's row. Set is evaluated in order over that row
// (Env.Row). As in MySQL, an assignment sees the values set by earlier ones in its own table, and other tables as they were before the
// statement.
type Target struct {
	Table    *schema.Table
	Alias    string // or the table's name
	Offset   int
	Set      []Assign        // of an UPDATE
	Children []schema.Family // the tables interleaved in it
	Check    *ViewCheck      // nil: its rows may be any

	view *rowTarget // if the table is written through a view: its columns by the view's names; nil: by their own
}

// MovesKey says whether the statement may change a column of a unique key.
func (t *Target) MovesKey() bool {
	return t.changes(t.Table.Key) || slices.ContainsFunc(t.Table.Indexes, func(ix *schema.Index) bool { return ix.Unique && t.changes(ix.Key) })
}

// changes says whether the statement may change a column of a key.
func (t *Target) changes(key []schema.KeyColumn) bool {
	return slices.ContainsFunc(key, func(p schema.KeyColumn) bool {
		c := t.Table.Columns[p.Column]
		return c.Generated != "" || c.OnUpdate != "" || slices.ContainsFunc(t.Set, func(a Assign) bool { return a.Column == p.Column })
	})
}

// Delete deletes the rows that Source yields, as with Update.
type Delete struct {
	Targets   []Target
	Source    Node
	Ignore    bool          // rows that cannot be deleted stay
	All       bool          // no condition at all
	Whole     *access.Cover // tells whether whole partitions are deleted; nil if that never happens. If set, Source is a Scan
	Related   Related
	Returning []expr.Node
}

// Written are the tables that a write changes.
func Written(w Write) []*schema.Table {
	switch w := w.(type) {
	case *Insert:
		return []*schema.Table{w.Table}
	case *Update:
		return tablesOf(w.Targets)
	case *Delete:
		return tablesOf(w.Targets)
	}
	return nil
}

func (*Insert) write() {}
func (*Update) write() {}
func (*Delete) write() {}

func (n *Values) Width() int     { return n.Total }
func (n *Filter) Width() int     { return n.Input.Width() }
func (n *Project) Width() int    { return len(n.Exprs) }
func (n *Sort) Width() int       { return n.Input.Width() }
func (n *Limit) Width() int      { return n.Input.Width() }
func (n *Distinct) Width() int   { return n.Input.Width() }
func (n *HashJoin) Width() int   { return n.Left.Width() }
func (n *LookupJoin) Width() int { return n.Left.Width() }
func (n *FamilyScan) Width() int { return n.Child.Total }
func (n *LoopJoin) Width() int   { return n.Left.Width() }
func (n *Derived) Width() int    { return n.Total }
func (n *Concat) Width() int     { return n.Inputs[0].Width() }

// Width counts the groups, the level of a Rollup, and the aggregates.
func (n *Aggregate) Width() int {
	if n.Rollup {
		return len(n.Group) + 1 + len(n.Aggs)
	}
	return len(n.Group) + len(n.Aggs)
}

// Children gives the operators whose rows n takes.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *Filter:
		return []Node{n.Input}
	case *Project:
		return []Node{n.Input}
	case *Sort:
		return []Node{n.Input}
	case *Limit:
		return []Node{n.Input}
	case *Distinct:
		return []Node{n.Input}
	case *Aggregate:
		return []Node{n.Input}
	case *Window:
		return []Node{n.Input}
	case *Derived:
		return []Node{n.Input}
	case *Shared:
		return []Node{n.Input}
	case *HashJoin:
		return []Node{n.Left, n.Right}
	case *LookupJoin:
		if n.WholeFirst() {
			return Children(n.Whole)
		}
		return []Node{n.Left, n.Right}
	case *LoopJoin:
		return []Node{n.Left, n.Right}
	case *Apply:
		return []Node{n.Left, n.Right}
	case *SetMatch:
		return []Node{n.Left, n.Right}
	case *Concat:
		return n.Inputs
	case *Recursive:
		return append([]Node{n.Seed}, n.Steps...)
	}
	return nil
}
