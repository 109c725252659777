// Package engine is the contract of an ordered table store: tables of entities sorted by PartitionKey, then RowKey, with entity group
// transactions within a partition. Azure Table Storage is one such store (engine/azure); memory and a local file are two more (engine/embedded).
// Everything above this package is the same for every engine; everything below it knows no SQL.
//
// All engines enforce the limits of the service (see Limits), so that what works in memory works on Azure, and they count requests as the
// service would bill them (see Meter).
package engine

import (
	"context"
	"sync/atomic"
)

// Edm is a property's type in the store, after the OData Entity Data Model.
// https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model
type Edm uint8

// The types. Absent is the zero Value: the store has no null, only missing properties. Files store the numbers, so these never change.
const (
	Absent   Edm = iota
	String       // S, at most 32,768 UTF-16 units
	Int32        // N as int64
	Int64        // N as int64
	Double       // N as float64 bits
	Boolean      // N 0 or 1
	DateTime     // N as 100 ns ticks since year 1; 1601-01-01 to 9999-12-31
	Guid         // S, 36 characters, lower case
	Binary       // S, octets, at most 64 KiB
)

var edmNames = [...]string{"nothing", "String", "Int32", "Int64", "Double", "Boolean", "DateTime", "Guid", "Binary"}

// String gives the service's name of the type.
func (t Edm) String() string { return edmNames[t] }

// Text says whether values of the type have their content in S.
func (t Edm) Text() bool { return t == String || t == Guid || t == Binary }

// Value is a property's value: 32 bytes, comparable with ==.
type Value struct {
	S    string
	N    uint64
	Type Edm
}

// Entity is one entity, or the part of it that was asked for.
//
// Names and Values are aligned; a property is absent if its Value's Type is Absent. If a read names its properties (Select), Names is that very
// slice. An entity belongs to its receiver until the next call of the cursor that gave it; its strings stay valid for ever. The receiver may
// change nothing in it, unless the entity was made for writing.
type Entity struct {
	PartitionKey, RowKey string
	ETag                 string
	Timestamp            int64 // ticks, as DateTime; 0 when not known
	Names                []string
	Values               []Value
}

// Get names one entity to read.
type Get struct {
	Table                string
	PartitionKey, RowKey string
	Select               []string // properties wanted, each once; nil: all. Keys and ETag always come.
	Meter                *Meter   // counts what the read costs; may be nil
	Clock                *int64   // gets the store's time of the answer, as ticks, if the store gives it; may be nil
	Hold                 Hold     // of a transaction's reads
	Row                  RowOf    // of a transaction's reads: the row of an index entry; nil: the entity is the row
	Room                 []Value  // memory for the values, which a store may use; nil: they get their own
}

// Hold is what a transaction does with entities that it reads: whether others may change them before it commits, and what happens if another
// transaction of the process has read them with such a Hold, or written to them. Stores ignore it.
type Hold uint8

const (
	HoldAsAll  Hold = iota // the reader's default
	HoldNot                // others may change it
	HoldOrFail             // it is kept; CodeBusy if another transaction has it
	HoldOrSkip             // it is kept; skipped if another transaction has it
	HoldOrWait             // it is kept; waited for if another transaction has it
)

// Scan names a range of entities to read, in key order.
//
// One partition: PartitionKey set, RowKeys From ≤ k < To. All partitions: AllPartitions set, then
// From and To are ignored, and FromPartition ≤ pk < ToPartition bound the partitions.
// An empty To means no upper bound.
type Scan struct {
	Table                      string
	PartitionKey               string
	From, To                   string
	AllPartitions              bool
	FromPartition, ToPartition string
	Filter                     *Filter  // superset hint evaluated at the entity; nil: none
	Select                     []string // properties wanted, each once; nil: all. []string{} (not nil): keys only
	Limit                      int      // stop after so many entities that pass the filter; 0: no limit
	Whole                      bool     // each chunk is a whole page, read at one moment
	Budget                     *Budget  // pays for its pages; may be nil
	Row                        RowOf    // of a transaction's reads: the row of each entity; nil: the entity is the row
	Decided                    bool     // wait for the transactions that have written to the range and are not decided yet
	Hold                       Hold     // of a transaction's reads
	Meter                      *Meter
	Room                       *Room // nil: the cursor makes its own
}

// RowOf gives the row of an index entry: the table, and the keys of that entity.
type RowOf func(entry *Entity) (table, partitionKey, rowKey string, err error)

// Room is memory for a cursor's entities, for many short scans in a row: each takes it over when the scan before is closed, and the entities of
// that scan are no longer valid then. Only the engine itself looks into it, and not every engine does.
type Room struct {
	Entities []Entity
	Values   []Value
	Before   any // the cursor of the scan before, closed
}

// Cursor walks the entities of a scan, a chunk at a time. Next returns a chunk of one or more
// entities, valid until the next call; io.EOF (with no entities) ends it. After an error or EOF the
// cursor is closed. Close is idempotent, ends requests under way and may be called at any time by the
// goroutine that calls Next.
type Cursor interface {
	Next(ctx context.Context) ([]Entity, error)
	Close() error
}

// OpKind is what an operation of a transaction does with its entity.
type OpKind uint8

const (
	Insert  OpKind = iota // fails with CodeExists when the keys are taken
	Replace               // the whole entity; fails with CodeNotFound, or CodeStale when IfMatch does not match
	Merge                 // the named properties; otherwise as Replace. Cannot remove a property
	Delete                // fails as Replace
	Upsert                // insert or replace, unconditional
)

// Op is one operation of an entity group transaction.
// For Delete, Names and Values are not used. Absent values are not stored.
type Op struct {
	Kind    OpKind
	Entity  Entity
	IfMatch string // Replace, Merge, Delete: an ETag, or "" for whatever is there
	Row     string // of an index entry: the RowKey of its row, with which it is always written; "": it is a row
	Taken   bool   // of an index entry: it was another row's, so conditions on Row say nothing of it
	Parent  bool   // others may touch the entity, without an ETag, to make sure that it stays: see Transaction
	There   bool   // of an Upsert: the entity is believed to exist, which saves requests; else it is new if its row is new or gives up another entry
	Touch   bool   // a Merge of nothing changes the entity's ETag; else it may be left out if IfMatch is ensured otherwise
}

// Commit is one entity group transaction: all of its operations or none.
// One to Limits.BatchOps operations on different entities, Limits.BatchBytes in all. Each entity's
// PartitionKey is the commit's.
type Commit struct {
	Table        string
	PartitionKey string
	Ops          []Op
	Meter        *Meter
	ETags        []string // nil, or as many as Ops: gets the entities' new ETags, "" if not known
}

// Reader is anything that can be read: an engine, or a view of one.
type Reader interface {
	// Get reads one entity; CodeNotFound if there is none, CodeNoTable if there is no table. Keys that no entity can have are not found, and no
	// request is sent.
	Get(ctx context.Context, g Get) (Entity, error)
	// Scan starts a walk; the cursor's first Next reports what is wrong. Memory walks a snapshot taken at the time of the call. The file and the
	// service give each page as it is when it is read, so an entity that a writer moves to another key meanwhile may be seen twice or not at
	// all; a Moment avoids that, see Transactor. No cursor holds up a writer, not even one in its own goroutine.
	Scan(ctx context.Context, s Scan) Cursor
}

// Engine is an open store. All methods may be called from many goroutines.
//
// Errors are *Error (see there) or the context's.
type Engine interface {
	Reader
	// Commit applies one entity group transaction. When it fails, Error.Op is the index of the operation
	// that failed, or -1; nothing of the transaction is applied unless Error.Applied says Unknown.
	Commit(ctx context.Context, c Commit) error
	// CreateTable makes a table; CodeExists if there is one, which a try whose answer was lost may have made.
	CreateTable(ctx context.Context, table string, m *Meter) error
	// DeleteTable deletes a table with all its entities; CodeNoTable when there is none.
	DeleteTable(ctx context.Context, table string, m *Meter) error
	// Tables lists the tables whose names begin with prefix (ASCII, case-insensitive), spelled as they were created, sorted by octets. Names of
	// tables are case-insensitive (FoldTable).
	Tables(ctx context.Context, prefix string, m *Meter) ([]string, error)
	// Shared says whether other processes may be using the same store now. If so, definitions may be trusted only for a time (a lease).
	Shared() bool
	// Limits says what the store can hold.
	Limits() Limits
	// Close ends all use. Calls under way end with an error.
	Close() error
}

// Limits are the bounds of a store. They are checked before anything is sent.
type Limits struct {
	KeyUnits      int // UTF-16 units of a PartitionKey or a RowKey
	Properties    int // properties of an entity, without the keys and Timestamp
	NameUnits     int // UTF-16 units of a property's name
	StringUnits   int // UTF-16 units of a String
	BinaryBytes   int
	EntityBytes   int
	BatchOps      int
	BatchBytes    int
	PageEntities  int // entities a page of a scan
	SortedByKey   bool
	GetEntities   int // entities of a scan that cost as much as one Get: a page of them if requests are what costs
	FilterBytes   int // length of a filter's text
	FilterCompare int // comparisons in a filter
}

// AzureLimits gives the limits of Azure Table Storage.
// https://learn.microsoft.com/azure/storage/tables/scalability-targets
func AzureLimits() Limits {
	return Limits{
		KeyUnits: 512, Properties: 252, NameUnits: 255, StringUnits: 32 << 10, BinaryBytes: 64 << 10,
		EntityBytes: 1 << 20, BatchOps: 100, BatchBytes: 4 << 20, PageEntities: 1000, GetEntities: 1000, SortedByKey: true,
		FilterBytes: 8 << 10, FilterCompare: 100,
	}
}

// Meter counts what statements cost, as the service bills it. Safe for concurrent use; nil counts
// nothing. Embedded engines count the requests that the same call would need on the service: one for
// a Get, a Commit or a table operation, one for each page of a scan (PageEntities read, at least one).
type Meter struct {
	Requests atomic.Int64 // requests sent, retries included
	Retries  atomic.Int64
	Scanned  atomic.Int64 // entities that the store looked at, if known; else those returned
	Returned atomic.Int64 // entities that came back
	Written  atomic.Int64 // operations committed
	BytesIn  atomic.Int64 // body bytes received (embedded: 0)
	BytesOut atomic.Int64 // body bytes sent (embedded: 0)
}

// Add adds what another Meter has counted.
func (m *Meter) Add(of *Meter) {
	addCount(&m.Requests, &of.Requests)
	addCount(&m.Retries, &of.Retries)
	addCount(&m.Scanned, &of.Scanned)
	addCount(&m.Returned, &of.Returned)
	addCount(&m.Written, &of.Written)
	addCount(&m.BytesIn, &of.BytesIn)
	addCount(&m.BytesOut, &of.BytesOut)
}

// addCount adds n to sum. Most counters of a statement are 0, and an addition that all sessions share is not free.
func addCount(sum, n *atomic.Int64) {
	if n := n.Load(); n != 0 {
		sum.Add(n)
	}
}

// Move adds what m has counted to another Meter, which may be nil, and resets m.
func (m *Meter) Move(to *Meter) {
	var counted Meter
	for _, n := range [...][2]*atomic.Int64{
		{&counted.Requests, &m.Requests}, {&counted.Retries, &m.Retries}, {&counted.Scanned, &m.Scanned}, {&counted.Returned, &m.Returned},
		{&counted.Written, &m.Written}, {&counted.BytesIn, &m.BytesIn}, {&counted.BytesOut, &m.BytesOut},
	} {
		n[0].Store(n[1].Swap(0)) // reads ahead may count meanwhile
	}
	if to != nil {
		to.Add(&counted)
	}
}
