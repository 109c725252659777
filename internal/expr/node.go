// Package expr holds bound expressions: trees whose names are resolved to positions in a row and whose
// types are known, compiled to Go functions over rows; with them SQL's functions and aggregates. It
// knows nothing of SQL text (dialect makes that, planner binds it), of tables or of stores.
//
//	n, err := expr.NewCompare(expr.Gt, age, expr.NewConst(value.FromInt(17)))
//	f := expr.Compile(n)
//	v, err := f(&expr.Env{Row: row}) // 1, 0 or NULL
package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// Node is a bound expression. Nodes are immutable and shared between executions.
// Make them with the New… functions, which check and derive types and fold constants.
type Node interface {
	Type() value.Type
	node()
}

// Column is a value of the row, or, Level > 0, of the row of the Level-th enclosing query.
type Column struct {
	Index int    // position in the row
	Name  string // as EXPLAIN shows it: name or alias.name
	T     value.Type
	Level int
	// Nullable is false if the value can never be NULL.
	Nullable  bool
	Aggregate bool // what an aggregate made from the rows of a group, not a column of a table
}

// Const is a constant.
type Const struct {
	V value.Value
	T value.Type
}

// Param is the statement's argument number Index, 0-based.
type Param struct {
	Index int
	T     value.Type // TypeUnknown until execution
}

// CompareOp is a comparison.
type CompareOp uint8

const (
	Eq     CompareOp = iota
	NullEq           // <=>
	Ne
	Lt
	Le
	Gt
	Ge
)

// Compare is L op R. If L is a *Tuple, R is one of the same size.
type Compare struct {
	Op        CompareOp
	L, R      Node
	Collation value.Collation
}

// Tuple is a row of values; only Compare, In and Subquery take one.
type Tuple struct{ List []Node }

// LogicOp is AND, OR or XOR.
type LogicOp uint8

const (
	And LogicOp = iota
	Or
	Xor
)

// Logic joins two or more conditions; nested ANDs and ORs are flattened by NewLogic.
type Logic struct {
	Op   LogicOp
	Kids []Node
	Both bool // of two kids the second is computed even if the first decides: they are a BETWEEN
}

// Not is NOT X. NewNot pushes it into comparisons, IN, LIKE, IS and logic if the result is the same.
type Not struct{ X Node }

// Is is X IS [NOT] NULL / TRUE / FALSE.
type Is struct {
	X    Node
	What IsWhat
	Not  bool
}

// IsWhat is what Is tests.
type IsWhat uint8

const (
	IsNull IsWhat = iota
	IsTrue
	IsFalse
)

// Like is X [NOT] LIKE Pattern; Escape is the escape character, 0 for none.
type Like struct {
	X, Pattern Node
	Escape     rune
	Not        bool
	Collation  value.Collation
}

// In is X [NOT] IN (List); X may be a *Tuple, then so are the elements.
type In struct {
	X         Node
	List      []Node
	Not       bool
	Collation value.Collation
}

// Case is CASE WHEN … (an operand is turned into comparisons by NewCase).
type Case struct {
	Whens []When
	Else  Node // never nil; NULL if there is no ELSE
	T     value.Type
}

// When is one arm of a Case.
type When struct{ Cond, Result Node }

// Arith is an arithmetic or bit operator: + - * / div % & | ^ << >>.
type Arith struct {
	Op   string
	L, R Node
	T    value.Type
}

// Unary is - ~.
type Unary struct {
	Op string
	X  Node
	T  value.Type
}

// Cast is CAST(X AS To).
type Cast struct {
	X  Node
	To value.Type
}

// Call is a scalar function; REGEXP, ||, ->, ->> are calls too.
type Call struct {
	Func *Function
	Args []Node
	T    value.Type
}

// InsertValue is VALUES(column) of ON DUPLICATE KEY UPDATE: a value of the row that was to be inserted.
type InsertValue struct {
	Index  int
	Name   string
	T      value.Type
	Beside bool // a value that is not inserted, of a table that rows are selected from
}

// SubqueryKind is how a Subquery's rows become a value.
type SubqueryKind uint8

const (
	ScalarSubquery SubqueryKind = iota // its one value; NULL without a row; an error with two
	ExistsSubquery                     // 1 or 0
	InSubquery                         // X [NOT] IN (…), X Op ANY (…), X Op ALL (…): 1, 0 or NULL
)

// Subquery is a query as a value. Its Plan belongs to the planner and is run by Env.Subqueries; columns of
// the enclosing row appear in it with Level 1 and more.
type Subquery struct {
	Kind       SubqueryKind
	X          Node // InSubquery; may be a *Tuple
	Not        bool
	Plan       any
	Slot       int  // number of this subquery in the statement, for its cached result
	Correlated bool // depends on the enclosing row: runs for each; otherwise once a statement
	Columns    int
	T          value.Type
	Collations []value.Collation // InSubquery: by column
	Op         CompareOp         // InSubquery: Eq is IN, unless All is set
	All        bool              // InSubquery: X Op ALL (…), not ANY
	// Refs are the outer columns that its Plan reads, with Level counted from the Subquery's place (0 is the row that the Subquery is evaluated
	// over). Walk and Columns visit them; Rewrite does not, because it cannot change the Plan.
	Refs []*Column
	// Repeatable says that a correlated one gives the same result for the same values of Refs throughout an execution.
	Repeatable bool
	Whole      *Whole // another way to the same; nil: there is none
}

// Whole answers a correlated Subquery for all outer rows at once.
type Whole struct {
	Plan       any       // yields the values of Keys, then the Subquery's column; EXISTS has none
	Empty      any       // a plan of one row, the value where Plan has no row; nil: NULL
	Keys       []*Column // outer columns, as in Refs
	Collations []value.Collation
	ByKey      bool    // the Subquery itself reads only by keys, so that a few runs of it cost less
	Entities   float64 // about as many entities as can be read for the cost of Plan; 0: not known
}

func (n *Column) Type() value.Type      { return n.T }
func (n *Const) Type() value.Type       { return n.T }
func (n *Param) Type() value.Type       { return n.T }
func (n *Tuple) Type() value.Type       { return value.Type{} }
func (n *Compare) Type() value.Type     { return truthType }
func (n *Logic) Type() value.Type       { return truthType }
func (n *Not) Type() value.Type         { return truthType }
func (n *Is) Type() value.Type          { return truthType }
func (n *Like) Type() value.Type        { return truthType }
func (n *In) Type() value.Type          { return truthType }
func (n *Case) Type() value.Type        { return n.T }
func (n *Arith) Type() value.Type       { return n.T }
func (n *Unary) Type() value.Type       { return n.T }
func (n *Cast) Type() value.Type        { return n.To }
func (n *Call) Type() value.Type        { return n.T }
func (n *InsertValue) Type() value.Type { return n.T }
func (n *Subquery) Type() value.Type    { return shownType(n.T) }

// truthType is the type of a condition: MySQL's BIGINT 1, 0 or NULL.
var truthType = value.Type{Base: value.TypeBigInt, Truth: true}

func (*Column) node()      {}
func (*Const) node()       {}
func (*Param) node()       {}
func (*Tuple) node()       {}
func (*Compare) node()     {}
func (*Logic) node()       {}
func (*Not) node()         {}
func (*Is) node()          {}
func (*Like) node()        {}
func (*In) node()          {}
func (*Case) node()        {}
func (*Arith) node()       {}
func (*Unary) node()       {}
func (*Cast) node()        {}
func (*Call) node()        {}
func (*InsertValue) node() {}
func (*Subquery) node()    {}
