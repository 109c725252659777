package dialect

// Pos is an offset in bytes into the statement's text; -1 where it is not known.
type Pos int

// Statement is one parsed SQL statement: *Select, *Union, *Insert, *Update, *Delete, a DDL statement
// (ddl.go), *Show, *Explain, *Use, *Set or a transaction statement.
type Statement interface{ statement() }

// Query is a statement that yields rows: *Select, *Union or *Values.
type Query interface {
	Statement
	query()
}

// Select is SELECT … FROM … of one query block.
type Select struct {
	With     []CTE
	Distinct bool
	Exprs    []SelectExpr
	From     TableExpr // nil: SELECT without FROM. FROM a, b is a Join of kind CrossJoin
	Where    Expr
	GroupBy  []Expr
	Rollup   bool // GROUP BY … WITH ROLLUP
	Having   Expr
	Windows  []NamedWindow
	OrderBy  []Order
	Limit    *Limit
	Lock     bool      // FOR UPDATE, LOCK IN SHARE MODE
	Locking  []Locking // its further clauses
	Hints    []string  // words of /*+ … */ after SELECT, lower case

	CountAll bool // SQL_CALC_FOUND_ROWS: FOUND_ROWS() counts without LIMIT
}

// Locking is FOR UPDATE or FOR SHARE of some tables, or with NOWAIT or SKIP LOCKED.
type Locking struct {
	Of   []TableName // none: all
	Busy BusyRows
}

// BusyRows says what is done with rows that other transactions hold.
type BusyRows uint8

const (
	BusyWait BusyRows = iota
	BusyFail          // NOWAIT
	BusySkip          // SKIP LOCKED
)

// SetOp is how a Union combines two results.
type SetOp uint8

const (
	UnionOp     SetOp = iota // rows of either
	ExceptOp                 // rows of the left that are not in the right
	IntersectOp              // rows that are in both
)

// Union is left UNION, EXCEPT or INTERSECT [ALL] right, with ORDER BY and LIMIT of the whole.
type Union struct {
	With        []CTE
	Op          SetOp
	All         bool
	Left, Right Query
	OrderBy     []Order
	Limit       *Limit
}

// Values is VALUES ROW(…), ROW(…), with ORDER BY and LIMIT.
type Values struct {
	With    []CTE
	Rows    [][]Expr
	OrderBy []Order
	Limit   *Limit
	Pos     Pos
}

// CTE is one WITH name (columns) AS (query).
type CTE struct {
	Name      string
	Columns   []string
	Query     Query
	Recursive bool // the query sees its own name
}

// SelectExpr is one element of a select list.
type SelectExpr struct {
	Star     bool   // * or [Database.]Table.*
	Database string // of Database.Table.*
	Table    string // of Table.*
	Expr     Expr
	As       string // alias, "" without one
	Text     string // the expression as written: the column's name if there is no alias
	At       *Span  // its place, in the query of a view; nil elsewhere
}

// Order is one element of ORDER BY.
type Order struct {
	Expr Expr
	Desc bool
}

// Limit is LIMIT Count [OFFSET Offset]; either may be nil.
type Limit struct{ Count, Offset Expr }

// TableExpr is what FROM names: *TableName, *Derived or *Join.
type TableExpr interface{ tableExpr() }

// TableName is a table [AS alias], perhaps with its database.
type TableName struct {
	Database, Name, As string
	Pos                Pos
	Hints              []IndexHint
}

// IndexHint is USE, FORCE or IGNORE INDEX [FOR JOIN, ORDER BY or GROUP BY] (names) behind a table.
type IndexHint struct {
	Kind  HintKind
	For   HintScope
	Names []string // PRIMARY is the primary key; none: USE INDEX ()
	Pos   Pos
}

// HintKind is what an IndexHint asks for.
type HintKind uint8

const (
	UseIndex HintKind = iota
	ForceIndex
	IgnoreIndex
)

// HintScope is what an IndexHint is about.
type HintScope uint8

const (
	ForAll HintScope = iota
	ForJoin
	ForOrderBy
	ForGroupBy
)

// Derived is [LATERAL] (query) AS alias [(columns)]; As is "" if the text has none, as SQLite allows.
type Derived struct {
	Query   Query
	As      string
	Columns []string
	Lateral bool // the query sees the tables before it
}

// JoinKind is how a Join treats rows without a match.
type JoinKind uint8

const (
	CrossJoin JoinKind = iota // also the comma, and INNER JOIN without ON
	InnerJoin
	LeftJoin
	RightJoin
)

// Join is two tables side by side.
type Join struct {
	Kind        JoinKind
	Natural     bool
	Left, Right TableExpr
	On          Expr
	Using       []string
}

// Insert is INSERT, INSERT IGNORE and REPLACE.
type Insert struct {
	Table     TableName
	Columns   []*Column // nil: all
	Rows      [][]Expr  // VALUES and SET form; an element may be *Default
	Query     Query     // INSERT … SELECT
	Replace   bool
	Ignore    bool
	OnDup     []Assign // ON DUPLICATE KEY UPDATE, ON CONFLICT … DO UPDATE
	Conflict  *Conflict
	Returning []SelectExpr
	Hints     []string
}

// Conflict is ON CONFLICT (columns): OnDup, or doing nothing (DoNothing), deals with duplicates in these columns alone. No columns: any
// duplicate.
type Conflict struct {
	Columns   []string
	DoNothing bool
	Where     Expr // DO UPDATE … WHERE
}

// Assign is column = expression.
type Assign struct {
	Column *Column
	Value  Expr // *Default: the column's default
}

// Update is UPDATE of one table; From is the join of a multi-table UPDATE, nil otherwise.
type Update struct {
	With      []CTE
	Ignore    bool
	Table     TableName
	From      TableExpr
	Set       []Assign
	Where     Expr
	OrderBy   []Order
	Limit     *Limit
	Returning []SelectExpr
	Hints     []string
}

// Delete is DELETE from one table; Targets and From belong to a multi-table DELETE.
type Delete struct {
	With      []CTE
	Ignore    bool
	Table     TableName
	Targets   []TableName
	From      TableExpr
	Where     Expr
	OrderBy   []Order
	Limit     *Limit
	Returning []SelectExpr
	Hints     []string
}

// SelectInto is SELECT … INTO @a, @b.
type SelectInto struct {
	Query Query
	Into  []string // names without @
}

// Do is DO x, y: a query whose row is discarded.
type Do struct{ Query *Select }

func (*SelectInto) statement() {}
func (*Do) statement()         {}

func (*Select) statement() {}
func (*Union) statement()  {}
func (*Values) statement() {}
func (*Insert) statement() {}
func (*Update) statement() {}
func (*Delete) statement() {}
func (*Select) query()     {}
func (*Union) query()      {}
func (*Values) query()     {}

func (*TableName) tableExpr() {}
func (*Derived) tableExpr()   {}
func (*Join) tableExpr()      {}
