package dialect

// Expr is an expression.
type Expr interface{ expr() }

// LiteralKind says how a literal was written.
type LiteralKind uint8

const (
	NullLiteral      LiteralKind = iota
	IntLiteral                   // digits, perhaps too many for 64 bits
	DecimalLiteral               // digits with a point
	FloatLiteral                 // with an exponent
	StringLiteral                // Text is unescaped, except that LIKE patterns keep \% and \_
	HexLiteral                   // X'…', 0x…: Text is the octets
	BitLiteral                   // B'…': Text is the octets
	BoolLiteral                  // TRUE, FALSE: Text is "1" or "0"
	DateLiteral                  // DATE '…'
	TimeLiteral                  // TIME '…'
	TimestampLiteral             // TIMESTAMP '…'
)

// Literal is a constant in the text.
type Literal struct {
	Kind LiteralKind
	Text string
}

// Placeholder is an argument: ? and $n by Index (0-based), :name and @name by Name (and the Index of the first place of that name).
type Placeholder struct {
	Index int
	Name  string
}

// Column is a column's name, perhaps with its table and database.
type Column struct {
	Database, Table, Name string
	Pos                   Pos
}

// Variable is @@name, @@session.name, @@global.name (lower case, without @@ and scope) or, if @name is not a placeholder, a user variable @name:
// in SET and the like, and if the statement sets it.
type Variable struct {
	Name   string
	System bool
}

// Default is the word DEFAULT in VALUES and SET; Column set: DEFAULT(column).
type Default struct{ Column *Column }

// Unary is an operator before its operand: "-", "+", "!", "~", "not", "binary".
type Unary struct {
	Op string
	X  Expr
}

// Binary is an operator between two operands, lower case: arithmetic "+", "-", "*", "/", "div", "%",
// bits "&", "|", "^", "<<", ">>"; logic "and", "or", "xor"; comparison "=", "<=>", "<>", "<", "<=",
// ">", ">="; JSON "->", "->>", "member of"; text "||" where the text means concatenation.
type Binary struct {
	Op   string
	L, R Expr
}

// Like is X [NOT] LIKE Pattern [ESCAPE Escape]. Escape nil: backslash.
type Like struct {
	Not                bool
	X, Pattern, Escape Expr
}

// Regexp is X [NOT] REGEXP Pattern.
type Regexp struct {
	Not        bool
	X, Pattern Expr
}

// In is X [NOT] IN (List) or X [NOT] IN (Query); where Op is a comparison, X Op ANY (Query) or, with All, X Op ALL (Query).
type In struct {
	Not   bool
	X     Expr
	List  []Expr
	Query Query
	Op    string
	All   bool
}

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Not          bool
	X, Low, High Expr
}

// Is is X IS [NOT] NULL, TRUE, FALSE or UNKNOWN (What in lower case; UNKNOWN is "null").
type Is struct {
	Not  bool
	X    Expr
	What string
}

// Tuple is (a, b, …), two or more.
type Tuple struct{ List []Expr }

// Subquery is (SELECT …) as a value or a row.
type Subquery struct{ Query Query }

// Exists is EXISTS (SELECT …).
type Exists struct{ Query Query }

// Case is CASE [Operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one arm of a Case.
type When struct{ Cond, Result Expr }

// Call is a function's call; Name is lower case. Aggregates too. Special forms arrive as calls with
// plain arguments: "substring"(s, from[, len]), "position"(sub, s), "extract"('unit', x),
// "date_add"/"date_sub"(x, *Interval), "trim"('both'|'leading'|'trailing', chars or a blank, s),
// ":="('name', x) for @name := x, "timestampdiff"/"timestampadd"('unit', …), "values"(column), "current_timestamp"([fsp]), "current_date"(), "current_time"([fsp]).
type Call struct {
	Name      string
	Args      []Expr
	Star      bool // COUNT(*)
	Distinct  bool
	OrderBy   []Order // GROUP_CONCAT
	Separator *string // GROUP_CONCAT
	Over      *Window // nil: it is no window function
	Pos       Pos
}

// Interval is INTERVAL X UNIT, unit in lower case.
type Interval struct {
	X    Expr
	Unit string
}

// Cast is CAST(X AS Type) and CONVERT(X, Type).
type Cast struct {
	X    Expr
	Type TypeName
}

// Collate is X COLLATE name; "binary x" is a Unary.
type Collate struct {
	X    Expr
	Name string
}

func (*Literal) expr()     {}
func (*Placeholder) expr() {}
func (*Column) expr()      {}
func (*Variable) expr()    {}
func (*Default) expr()     {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Like) expr()        {}
func (*Regexp) expr()      {}
func (*In) expr()          {}
func (*Between) expr()     {}
func (*Is) expr()          {}
func (*Tuple) expr()       {}
func (*Subquery) expr()    {}
func (*Exists) expr()      {}
func (*Case) expr()        {}
func (*Call) expr()        {}
func (*Interval) expr()    {}
func (*Cast) expr()        {}
func (*Collate) expr()     {}
