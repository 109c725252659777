package dialect

// TypeName is a type as written.
type TypeName struct {
	Name     string   // upper case; one word for synonyms of several words: "DOUBLE" for DOUBLE PRECISION
	Args     []int    // (10), (10,2)
	Members  []string // ENUM, SET
	Unsigned bool
	Charset  string // CHARACTER SET, lower case
	Collate  string // lower case
}

// ColumnDef is a column of CREATE TABLE or ALTER TABLE ADD.
type ColumnDef struct {
	Name          string
	Type          TypeName
	NotNull       bool
	Null          bool   // NULL written out
	Default       Expr   // nil: none
	DefaultText   string // the expression as written
	OnUpdate      Expr   // ON UPDATE CURRENT_TIMESTAMP
	AutoIncrement bool
	PrimaryKey    bool
	Unique        bool
	Global        bool // UNIQUE GLOBAL
	Comment       string
	Check         Expr
	CheckText     string
	CheckName     string // CONSTRAINT name CHECK (…), "" without a name
	CheckRests    bool   // NOT ENFORCED
	Generated     Expr   // [GENERATED ALWAYS] AS (expr)
	GeneratedText string
	Stored        bool // STORED or PERSISTENT, not VIRTUAL
	Invisible     bool
	References    *ForeignKey
	Property      string // PROPERTY 'name', of an external table
	Edm           string // EDM type, as the service calls it: Int32
	Pos           Pos
}

// KeyColumn is one column of a key, with its prefix length (col(10)) and direction. For an expression, which no key can have here, it is the
// text as written, with its parentheses.
type KeyColumn struct {
	Column string
	Expr   string
	Length int
	Desc   bool
}

// IndexDef is a PRIMARY KEY, UNIQUE KEY or KEY.
type IndexDef struct {
	Name    string // "" when not given; "PRIMARY" for the primary key
	Primary bool
	Unique  bool
	Parts   []KeyColumn
	Include []string // INCLUDE (a, b); see Copy
	Copy    string   // "": whole row; "include": Include's columns; "keys": keys alone
	Global  bool     // GLOBAL: unique wherever its rows lie
	Comment string
	IfNot   bool // CREATE INDEX IF NOT EXISTS
	Using   string
	Pos     Pos

	ForForeignKey bool // not in the statement: a FOREIGN KEY adds it
}

// ForeignKey is [CONSTRAINT Name] FOREIGN KEY [IndexName] (Columns) REFERENCES Table (RefColumns).
type ForeignKey struct {
	Name        string
	IndexName   string
	Columns     []string
	Table       TableName
	RefColumns  []string
	OnDelete    string // "", "cascade", "restrict", "set null", "no action", "set default"
	OnUpdate    string
	NotEnforced bool
	Pos         Pos
}

// Check is [CONSTRAINT name] CHECK (Expr).
type Check struct {
	Name        string
	Expr        Expr
	Text        string
	NotEnforced bool
	Pos         Pos
}

// Partitioning is PARTITION BY.
type Partitioning struct {
	Kind    string // "key", "hash", "range", "list", "range columns", "list columns"
	Columns []string
	Expr    Expr // HASH(expr), RANGE(expr)
	Text    string
	Count   int // PARTITIONS n
	Parts   []PartitionDef
	Every   int    // RANGE (column) INTERVAL (n unit): parts are made as rows arrive
	Unit    string // HOUR, DAY, WEEK, MONTH, QUARTER or YEAR; "" for numbers
	// Automatic is LIST (column) AUTOMATIC: a part for each value is made as rows arrive, as in Oracle.
	Automatic bool
	Pos       Pos
}

// PartitionDef is PARTITION name VALUES LESS THAN (…) or IN (…).
type PartitionDef struct {
	Name     string
	LessThan []Expr // nil element or Max: MAXVALUE
	Max      bool
	In       []Expr
	Options  map[string]string // as of CreateTable
}

// CreateTable is CREATE TABLE.
type CreateTable struct {
	Table        TableName
	IfNotExists  bool
	Temporary    bool
	Columns      []ColumnDef
	Indexes      []IndexDef
	ForeignKeys  []ForeignKey
	Checks       []Check
	Partitioning *Partitioning
	Options      map[string]string // ENGINE, CHARSET, COLLATE, COMMENT, AUTO_INCREMENT …; keys upper case
	Like         *TableName        // CREATE TABLE a LIKE b
	As           Query             // CREATE TABLE a AS SELECT
	External     *External         // CREATE EXTERNAL TABLE
	Unsupported  []UnsupportedKey
}

// UnsupportedKey is a key of an unsupported kind: FULLTEXT or SPATIAL or, with Kind "", over expressions.
type UnsupportedKey struct {
	Kind, Name string
	Unique     bool
	Expr       string // the first expression, with its parentheses
	Pos        Pos
}

// External is what CREATE EXTERNAL TABLE says about a physical table that another program writes:
//
//	CREATE EXTERNAL TABLE log (tenant TEXT, at DATETIME(7), id UUID, text TEXT PROPERTY 'Message' EDM String)
//	  LOCATION 'WebLog' PARTITION KEY '{tenant}' ROW KEY '{at:R19}_{id}'
type External struct {
	Location             string // the physical table; "" for the name itself
	PartitionKey, RowKey string // how columns make up the keys
	Pos                  Pos
}

// DropTable is DROP TABLE.
type DropTable struct {
	Tables    []TableName
	IfExists  bool
	Temporary bool // only those of the session
}

// CreateIndex is CREATE INDEX, also inside ALTER TABLE as ADD INDEX.
type CreateIndex struct {
	Table   TableName
	Index   IndexDef
	Options map[string]string // ALGORITHM, LOCK
}

// DropIndex is DROP INDEX name ON table; without ON, Table is empty.
type DropIndex struct {
	Table    TableName
	Name     string
	IfExists bool
	Options  map[string]string // ALGORITHM, LOCK
}

// AlterTable is ALTER TABLE with its actions in order.
type AlterTable struct {
	Table       TableName
	Actions     []AlterAction
	Unsupported []UnsupportedKey // that it would add
}

// AlterKind is what an AlterAction does.
type AlterKind uint8

const (
	AddColumn         AlterKind = iota // Column, After/First
	DropColumn                         // Name
	RenameColumn                       // Name → NewName
	ModifyColumn                       // Column (same name); CHANGE COLUMN: Name → Column
	AlterDefault                       // Name, Column.Default or none
	AddIndex                           // Index (PRIMARY too)
	DropIndexAction                    // Name
	DropPrimaryKey                     //
	RenameIndex                        // Name → NewName
	RenameTableTo                      // NewName
	AddForeignKey                      // ForeignKey
	DropForeignKey                     // Name
	AddCheck                           // Check
	DropCheck                          // Name
	DropPartition                      // Names
	TruncatePartition                  // Names
	AddPartition                       // Parts
	TableOption                        // Options
	DropConstraint                     // Name: of a check, a foreign key or a unique key
	AlterCheck                         // Name, Check.NotEnforced
	AlterConstraint                    // the same; another constraint of that name is refused
	AlterVisibility                    // Name, Column.Invisible
	OrderRows                          // ORDER BY Names: no table has another order than its key's
)

// AlterAction is one action of ALTER TABLE.
type AlterAction struct {
	Kind       AlterKind
	Name       string
	NewName    string
	NewIn      string // the database of RENAME TO; "": none is named
	IfExists   bool   // DROP … IF EXISTS, ADD … IF NOT EXISTS
	Column     ColumnDef
	First      bool
	After      string
	Index      IndexDef
	ForeignKey ForeignKey
	Check      Check
	Names      []string
	Parts      []PartitionDef
	Options    map[string]string
	Pos        Pos
}

// Truncate is TRUNCATE [TABLE].
type Truncate struct{ Table TableName }

// RenameTable is RENAME TABLE a TO b, c TO d.
type RenameTable struct{ From, To []TableName }

// DatabaseOptions are the options of CREATE DATABASE and ALTER DATABASE; "" for an option not given.
type DatabaseOptions struct{ Charset, Collate, Encryption string }

// CreateDatabase is CREATE DATABASE.
type CreateDatabase struct {
	Name  string
	IfNot bool
	DatabaseOptions
}

// AlterDatabase is ALTER DATABASE. Name "" is the current one.
type AlterDatabase struct {
	Name string
	DatabaseOptions
}

// DropDatabase is DROP DATABASE.
type DropDatabase struct {
	Name     string
	IfExists bool
}

// MaintainTable is CHECK, REPAIR, ANALYZE or OPTIMIZE TABLE (Verb in upper case).
type MaintainTable struct {
	Verb     string
	Tables   []TableName
	Extended bool // the last word of it
}

// Checksum is CHECKSUM TABLE.
type Checksum struct {
	Tables []TableName
	Quick  bool // only if it is kept
}

// Rows is the query of all rows of a table, for its checksum.
func (*Checksum) Rows(table TableName) *Select {
	return &Select{Exprs: []SelectExpr{{Star: true, Text: "*"}}, From: &table}
}

func (*Checksum) statement()       {}
func (*CreateTable) statement()    {}
func (*DropTable) statement()      {}
func (*CreateIndex) statement()    {}
func (*DropIndex) statement()      {}
func (*AlterTable) statement()     {}
func (*Truncate) statement()       {}
func (*RenameTable) statement()    {}
func (*CreateDatabase) statement() {}
func (*AlterDatabase) statement()  {}
func (*DropDatabase) statement()   {}
func (*MaintainTable) statement()  {}
