// Package schema says what a table is: its columns, keys, indexes and partitions, and where its rows are stored. It
// computes a row's keys, and writes the statement that recreates the table. It knows no statement and no engine.
//
//	key, err := table.AppendRowKey(nil, row)
//	sql := schema.CreateTableSQL(table)
package schema

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Table is a table's definition, as queries are planned against it. It is immutable once it is
// published: a change makes a new one with a higher Version. Package stored has the form in which the catalog keeps it;
// Init computes what follows from that.
type Table struct {
	Database string
	Name     string // as written; names are found without regard to case
	Physical string // the service's table
	// Temporary: it belongs to one session, and is kept in memory until that ends.
	Temporary bool
	Version   int64
	// WriteVersion is the Version of the last change that a statement writing by the definition must not miss:
	// any but those that only added partitions. The catalog sets both.
	WriteVersion int64
	Columns      []*Column
	Key          []KeyColumn // of the primary key; never empty (a table without one gets a hidden row id)
	Indexes      []*Index
	Checks       []CheckDef
	ForeignKeys  []ForeignKey // without the one that interleaves the table
	Referrers    []Relative   // the tables whose foreign keys refer to this one
	Comment      string
	Collation    value.Collation // the default of new text columns
	// External says how another program's entities make up the table; nil: the table is the driver's own.
	External *External
	// Spread says how rows are spread over the store's partitions; nil: all in one.
	Spread *Spread
	// Partitions says how rows are divided over physical tables; nil: Physical holds them all.
	Partitions *Partitions
	// FirstAutoIncrement is the AUTO_INCREMENT option; 0: none.
	FirstAutoIncrement int64
	// KeyNames are all index key names ever used, so that none is used again for another index.
	KeyNames []string
	// Retired are the properties of former columns. Some row may still hold one, so none is used again before every row has been
	// rewritten.
	Retired []string
	// Change is the change of columns and checks that is under way; nil: none. Indexes have states of their own.
	Change *Change
	// RowName begins the row keys of an interleaved table; "" is keymap.RowPrefix.
	RowName string
	// Interleaved ties a table to its parent; nil: it is not interleaved.
	Interleaved *Interleaving
	// Children are the names of the tables interleaved in this one.
	Children []string
	// View is the query that the table stands for; nil: it is not a view. A view has no columns of its own, no key and no physical table.
	View *View
	// Statistics are what is known of the rows; nil: nothing. They never change: a newer definition has others.
	Statistics *Statistics
	// Created is when the table was made, in ticks; 0: unknown. CREATE_TIME shows it, and nothing else depends on it.
	Created int64

	// Unwritable says why this version of the program must not write to the table: a newer version gave it something that
	// this one does not know. nil: it may.
	Unwritable error

	// Virtual gives the rows of a table that is not stored (information_schema); nil otherwise. Rows of databases that are not wanted
	// may be left out.
	Virtual func(ctx context.Context, of Wanted) ([][]value.Value, error)
	// DatabaseColumns are the columns of such a table that name the database.
	DatabaseColumns []int

	texts  *boundTexts // nil before Init
	byName map[string]int
	Layout KeyLayout    // of its rows
	whole  []*Partition // AllPartitions of an undivided table
}

// Wanted are the databases whose rows may satisfy the conditions of a statement.
type Wanted struct {
	Names []string                            // only these; nil: any
	Pass  func(database string) (bool, error) // refuses others
}

// Column is a column's definition.
type Column struct {
	Name          string
	Type          value.Type
	Property      string // the property that holds it (its first, for long values)
	NotNull       bool
	AutoIncrement bool
	Hidden        bool   // found only by its name, not by *: the row id of a table without a primary key
	Invisible     bool   // the same, but shown
	State         State  // WriteOnly: a change adds or drops it, and statements do not find it
	Default       string // SQL text of the default; "" if none
	HasDefault    bool
	OnUpdate      string // SQL text; ON UPDATE CURRENT_TIMESTAMP
	Comment       string
	Generated     string // SQL text of a generated column
	Stored        bool
	// Initial is the value, as text, of the column in rows written before it existed: they lack its property.
	// A row that is NULL there has another property that says so (keymap.PropertyNull). nil: rows without the property are
	// NULL.
	Initial []byte
	// NextForm is the form that an announced change will give the column; nil: none. Statements still write the column's
	// own form, but refuse a value that does not fit the next one. They read both, because some rows may already have the next form.
	NextForm *Form
	// PreviousForm is the form that the column had before the last change; nil once every row was rewritten. A row with its
	// property instead of Property was not rewritten yet.
	PreviousForm *Form

	// Source and Edm are for external tables: the part of an entity that the column is, and the type that the property is
	// declared with or was seen to have ("Int32", as the service writes it; "" if unknown).
	Source Source
	Edm    string
}

// Form is how a column is stored.
type Form struct {
	Property string
	Type     value.Type
	NotNull  bool
	Initial  []byte // see Column
}

// KeyColumn is one column of a key.
type KeyColumn struct {
	Column int // ordinal in Table.Columns
	Desc   bool
	Prefix int // KEY (col(n)): the first n characters; 0: all
	Cut    int // see keymap.Part.Cut
}

// State is how far the addition to a definition, or removal from it, of one of its parts has got. It changes one step at a time, so
// that two processes whose definitions are one state apart do no harm to each other.
type State uint8

const (
	Public     State = iota // written and read
	DeleteOnly              // entries of an index are deleted with their rows, but none are made
	WriteOnly               // written and kept, but not read and not relied on
)

// CopyKind says what an index entry holds besides its key.
type CopyKind uint8

const (
	CopyRow     CopyKind = iota // the whole row
	CopyInclude                 // the columns in Include, and those of the keys
	CopyKeys                    // the columns of the index and of the primary key
)

// Index is a secondary index's definition.
type Index struct {
	Name    string
	KeyName string // begins its row keys; see keymap.IndexName
	Unique  bool
	Key     []KeyColumn
	State   State
	Step    int // how often State was changed: tells a process that takes it from state to state whether another one does, too
	Copy    CopyKind
	Include []int
	Comment string
	// ForForeignKey: a foreign key brought it along. As in MySQL, it is dropped when another key begins with its columns.
	ForForeignKey bool
	// Child is the table, interleaved in this one WITH PARENT, before whose rows the entries are stored; "" for a declared
	// index. See parentcopy.go.
	Child string
	// Global is the number of store partitions over which the entries are spread, by the hash of their values, wherever their rows are: a
	// unique index over all of a spread table. 0: each entry is in the store partition of its row.
	Global int

	Segments []Segment // of the entries' RowKeys
	layout   KeyLayout // of a Global one's entries
}

// CheckDef is a CHECK constraint.
type CheckDef struct {
	Name  string
	Text  string
	State State // WriteOnly: new rows are checked, older rows were not yet
	// NotEnforced: it is shown, but rows are not checked.
	NotEnforced bool
}

// SQL is the constraint as written in the definition.
func (c *CheckDef) SQL() string {
	s := "CONSTRAINT " + QuoteName(c.Name) + " CHECK (" + c.Text + ")"
	if c.NotEnforced {
		s += " NOT ENFORCED"
	}
	return s
}

// SpreadKind is how rows are spread over the store's partitions.
type SpreadKind uint8

const (
	SpreadByKey  SpreadKind = iota + 1 // one partition per value of Columns
	SpreadByHash                       // Count partitions by the hash of Columns
)

// Spread spreads a table's rows over the store's partitions of its physical table. Its columns are part of
// the primary key, so that a row never moves.
type Spread struct {
	Kind    SpreadKind
	Columns []int
	Cut     int
	Count   int // SpreadByHash
}

// RowWidth is the number of values in a row of the table as operators pass it: its columns, then the
// ETag of the entity that was read.
func (t *Table) RowWidth() int { return len(t.Columns) + 1 }

// ETagOrdinal is the position of the ETag in such a row. SQL sees it as the column ETag, if the table
// has no column of that name.
func (t *Table) ETagOrdinal() int { return len(t.Columns) }

// IsAutoKey says whether an AUTO_INCREMENT column is part of a key; a nil ix is the primary key.
func (t *Table) IsAutoKey(ix *Index) bool {
	parts := t.Key
	if ix != nil {
		parts = ix.Key
	}
	return slices.ContainsFunc(parts, func(p KeyColumn) bool { return t.Columns[p.Column].AutoIncrement })
}

// KeymapPart is how a key column's values become key text.
func (t *Table) KeymapPart(p KeyColumn) keymap.Part {
	return keymap.Part{Type: t.Columns[p.Column].Type, Desc: p.Desc, Prefix: p.Prefix, Cut: p.Cut}
}

// Tables finds tables. The planner asks it for each table that a statement names.
type Tables interface {
	// Table gives the definition of a table; database is "" for the session's. If there is none, the error
	// is a *NoTableError.
	Table(database, name string) (*Table, error)
}

// Stored gives the tables without those of a session: definitions never name these.
func Stored(t Tables) Tables {
	if s, ok := t.(interface{ Stored() Tables }); ok {
		return s.Stored()
	}
	return t
}

// RefersToRow says whether n, which may be nil, depends on columns.
func RefersToRow(n expr.Node) bool {
	refers := false
	if n != nil {
		expr.Columns(n, func(*expr.Column) { refers = true })
	}
	return refers
}

// DefaultOfRow says whether the column's default is computed from other columns.
func (c ColumnTexts) DefaultOfRow() bool { return c.HasDefault && RefersToRow(c.DefaultExpr) }

// FilterOrder says whether the column's property sorts as its values do, so that < and > may be sent to
// the store. The text of a decimal or of an ENUM member does not, nor does a value split over several properties beyond the first.
func (c *Column) FilterOrder() bool {
	switch c.Type.Kind() {
	case value.Int, value.Uint, value.Float, value.Date, value.Time, value.Duration:
		return true
	}
	return c.Type.IsFreeText() && c.Type.Collation.IsBinary()
}

// FilterEqual says whether = may be sent.
func (c *Column) FilterEqual() bool {
	switch c.Type.Kind() {
	case value.Bool, value.Decimal, value.UUID:
		return true
	}
	return c.Type.HasMembers() || c.FilterOrder()
}

// Limits of a definition.
const (
	MaxColumns    = 252 // properties of an entity, without the three that every entity has
	MaxKeyColumns = 16  // columns of one key, MySQL's limit
	MaxBuckets    = 1 << 16

	// GlobalBuckets is Index.Global in a table with a store partition per value: enough for the entries not to be the
	// bottleneck, few enough for many rows to share the requests for their entries.
	GlobalBuckets = 16
)
