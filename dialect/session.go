package dialect

// Show is SHOW …, DESCRIBE and DESC of a table.
type Show struct {
	What   string // "tables", "columns", "index", "create table", "databases", "variables", "status", "warnings", "count warnings", "engines", "collation", "charset", "processlist", "table status", …
	Full   bool
	Global bool      // STATUS of all sessions
	Table  TableName // columns, index, create table
	From   string    // database; the user of grants, as name@host: "" is the current one
	Like   *string
	Where  Expr
	Limit  *Limit // warnings, errors
}

// Explain is EXPLAIN [ANALYZE] [FORMAT = x] statement.
type Explain struct {
	Analyze   bool
	Format    string // "", "text", "json", …
	Statement Statement
}

// Use is USE database.
type Use struct{ Database string }

// SetVar is one name = value of SET; Scope is "", "@@" (SET @@x = …), "session", "global", "user" (SET @x = …), "names",
// "charset" or "transaction" (then Name is the text behind, and Text "session", "global" or "").
type SetVar struct {
	Scope, Name string
	Value       Expr // nil for DEFAULT and ON/OFF words, which are in Text
	Text        string
}

// IsSystem says whether it sets a system variable.
func (v *SetVar) IsSystem() bool {
	return v.Scope == "" || v.Scope == "@@" || v.Scope == "session" || v.Scope == "global"
}

// Set is SET a = 1, b = 2; SET NAMES utf8mb4; SET TRANSACTION ….
type Set struct{ Vars []SetVar }

// Prepare is PREPARE Name FROM 'Text' or @Variable.
type Prepare struct{ Name, Text, Variable string }

// Execute is EXECUTE Name USING @a, @b.
type Execute struct {
	Name  string
	Using []string // names without @
}

// Deallocate is DEALLOCATE PREPARE or DROP PREPARE.
type Deallocate struct{ Name string }

func (*Prepare) statement()    {}
func (*Execute) statement()    {}
func (*Deallocate) statement() {}

// Kill is KILL [CONNECTION | QUERY] ID.
type Kill struct {
	Query bool // the session stays
	ID    Expr
}

func (*Kill) statement() {}

// TransactionKind is what a Transaction statement does.
type TransactionKind uint8

const (
	Begin TransactionKind = iota
	Commit
	Rollback
	Savepoint
	ReleaseSavepoint
	RollbackTo
)

// Transaction is BEGIN, START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, RELEASE or ROLLBACK TO.
type Transaction struct {
	Kind      TransactionKind
	Name      string // savepoints
	ReadOnly  bool
	ReadWrite bool
	Snapshot  bool // WITH CONSISTENT SNAPSHOT
	Chain     bool // AND CHAIN: another transaction of the same characteristics follows
}

// NoOp is a statement that is read but does nothing here: LOCK TABLES, FLUSH, an empty text …. Text is the statement in upper case, with a blank
// between words and marks.
type NoOp struct{ Text string }

func (*Show) statement()        {}
func (*Explain) statement()     {}
func (*Use) statement()         {}
func (*Set) statement()         {}
func (*Transaction) statement() {}
func (*NoOp) statement()        {}
