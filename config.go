package nearlyfree

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// ScanPolicy says what happens to a statement that would read a whole table or partition without a key.
type ScanPolicy string

// The policies. A hint /*+ allow_scan */ behind the statement's first word overrules warn and deny.
const (
	ScanAllow ScanPolicy = "allow" // it runs; the default
	ScanWarn  ScanPolicy = "warn"  // it runs, and Config.Logger gets a warning
	ScanDeny  ScanPolicy = "deny"  // it fails with ErrScanRefused
)

// Layout says which physical tables of the store new tables are put into. A table keeps the one that it has: any
// Config reads and writes both.
type Layout string

// The layouts.
const (
	LayoutTable  Layout = "table"  // a table has one of its own; the default
	LayoutSingle Layout = "single" // all share one, so one entity group transaction may write to several tables
)

// Transactions says how large a transaction may be.
type Transactions string

// What transactions there are.
const (
	TransactionsFull  Transactions = "full"  // any number of rows, tables and partitions, at every isolation level; the default
	TransactionsGroup Transactions = "group" // one entity group transaction, read committed
)

// Bulk says how one statement is written outside of a transaction that takes several entity group transactions.
type Bulk string

// The ways to write it.
const (
	BulkAtomic  Bulk = "atomic"  // all or nothing; the default
	BulkChunked Bulk = "chunked" // one entity group transaction after the other; a PartialError says how far it came
)

// Config has the settings of a data source name, and values that a text cannot hold. The zero Config with a Store is
// ready to use.
type Config struct {
	// Store says where the data is, without options: "mem://", "mem://NAME", "file:PATH", an Azure storage
	// connection string, or the URL of a table endpoint, with or without a SAS query.
	Store string

	// Database keeps the tables of one account apart by a prefix of their names; "" is the default
	// database. Up to 30 letters, digits, _ and -.
	Database string
	// Layout "" means LayoutTable. LayoutSingle puts every new table into one physical table of
	// the database, so that one entity group transaction, of up to 100 entities of one partition, can cover several
	// tables. It has no effect on tables divided by ranges or lists. See docs/patterns.md.
	Layout Layout
	// Transactions "" means TransactionsFull. TransactionsGroup refuses a transaction that needs more than one entity group transaction
	// of the service, which has up to 100 entities of one partition of one physical table.
	Transactions Transactions
	// Bulk "" means BulkAtomic. On Azure, BulkChunked halves the requests of a statement that writes more than 100 entities.
	Bulk Bulk
	// Scan "" means ScanAllow.
	Scan ScanPolicy
	// MaxEntities is the number of entities that one statement may read; a statement that needs more fails
	// with ErrTooManyEntities. The hint MAX_ENTITIES(n) of a statement overrules it. 0: no bound.
	MaxEntities int64
	// MaxRequests is the number of requests that one statement may make. A statement that is sure to need more is refused before it begins. Any
	// other fails with ErrTooManyRequests before it makes one more, and writes nothing, except with BulkChunked. Not counted are COMMIT,
	// retries after a failure, and requests that finish a transaction of several partitions. The hint
	// MAX_REQUESTS(n) of a statement overrules it; MAX_REQUESTS(0) sets no bound. 0: no bound.
	MaxRequests int64
	// MaxCost is MaxRequests in dollars of one statement, by ListPrice: 0.0001 is 2,777 requests. If both are given, the smaller one holds.
	// The hint MAX_COST(dollars) overrules it. 0: no bound.
	MaxCost float64
	// MaxMemory is the number of bytes that one statement may hold: in sorts, groups and hashes, in rows to be
	// written, and in the values of an expression. A statement that needs more fails with ErrMemory.
	// 0: DefaultMaxMemory. Negative: no bound.
	MaxMemory int64
	// TotalMemory is the number of bytes that all statements of the Connector may hold together, counted as for
	// MaxMemory. A statement that needs more fails with ErrMemory. 0: no bound. SetMemoryLimit bounds the whole process.
	TotalMemory int64
	// Parallel is the number of requests of one statement that may be under way at once. 0: DefaultParallel.
	Parallel int
	// ReadOnly refuses every write before anything is sent. A file must exist; it is opened for reading only, so several
	// processes can read it at once. Within one process, it is shared with a Connector that writes to it. If another process
	// writes to it, the first connection makes a copy in the folder for temporary files, and all connections see the file as of that moment: the
	// writer does not wait, and may end meanwhile. To look again, open the file again. See BackupFile for what a copy holds.
	// If no process writes to it, none can open it for writing while it is open for reading only (ErrLocked).
	ReadOnly bool
	// ANSIQuotes makes "x" an identifier and || a concatenation, as in standard SQL.
	ANSIQuotes bool
	// Exact refuses to store a value that a column would round or cut, as MySQL does: 19.999 for a DECIMAL(10,2), a
	// time with microseconds for a DATETIME. A FLOAT or DOUBLE still stores the nearest float of its size.
	Exact bool
	// ClientFoundRows makes RowsAffected and ROW_COUNT() count all rows that an UPDATE or ON DUPLICATE KEY UPDATE has found, even if
	// it does not change them, as MySQL's flag of this name does.
	ClientFoundRows bool
	// SkipUnsupportedKeys is skip_unsupported_keys of new sessions: definitions leave out FULLTEXT and SPATIAL keys, keys over expressions
	// that are not UNIQUE, and zero dates as defaults, and make geometries BLOB, each with a warning. Without it they are refused.
	// So a program whose tables have such keys runs unchanged, except for searches by MATCH.
	SkipUnsupportedKeys bool
	// TimeZone is time_zone of new sessions: '+02:00', 'Europe/Berlin'; "" is UTC. NOW() and its like follow it. TIMESTAMP
	// columns are stored in UTC and shown in it. A time.Time, as an argument or a result, is the moment at which the clock
	// there shows the value. SET time_zone changes it in a session.
	TimeZone string
	// SQLMode is sql_mode of new sessions: "TRADITIONAL", "NO_ENGINE_SUBSTITUTION", "''" for no word at all; "" is MySQL's default.
	// Without STRICT_TRANS_TABLES a column stores the nearest value if one does not fit. SET sql_mode changes it in a session.
	SQLMode string
	// Collation is the collation of literals, and of new tables that name none. SHOW COLLATION lists the collations. "" is
	// utf8mb4_0900_bin, which distinguishes case. Programs written for MySQL 8 expect its default, utf8mb4_0900_ai_ci.
	Collation string
	// SchemaLease is how long a process trusts table definitions before it asks a shared store again.
	// A change of a definition waits for processes that run statements, at most twice as long. All
	// programs that use a store should set the same value. 0: 5 s.
	SchemaLease time.Duration

	// Credential is used for an endpoint URL without a SAS. nil: azidentity.NewDefaultAzureCredential.
	Credential azcore.TokenCredential
	// Transport sends the requests to Azure. nil: a transport of our own with 64 idle connections.
	Transport policy.Transporter
	// Retry says how requests to Azure are tried again.
	Retry RetryOptions
	// Logger gets retries, throttling, and scans that were refused or warned of; never arguments or secrets. nil: silent.
	Logger *slog.Logger
	// Observer gets each statement when it is over, with its cost: a *StatementLog, or an Observer of your own. It does not get a text
	// that is not a statement. nil: none, which costs nothing.
	Observer Observer
	// Partitions makes each Statement tell the Observer which store partitions it has read and written. A StatementLog logs them, and
	// "nearlyfree stats --log" adds them up. A PartitionKey may hold private data: the values of the columns of PARTITION BY KEY.
	Partitions bool
}

// The defaults of Config's fields.
const (
	DefaultMaxMemory = 256 << 20
	DefaultParallel  = 16
)

// RetryOptions say how a request to Azure is tried again after a transient error (throttling, a lost connection). A write is sent again only
// when it is certain that it was not applied.
type RetryOptions struct {
	MaxTries   int           // tries in all; 0: 6, 1: no retry
	FirstDelay time.Duration // before the second try, doubled for each after it, with jitter; 0: 100 ms
	MaxDelay   time.Duration // longest delay, also for a delay that the service requests by Retry-After; 0: 30 s
	TryTimeout time.Duration // of one try, including its body; 0: 60 s
}

// String is FormatDSN without secrets.
func (c Config) String() string { return c.format(true) }

// GoString keeps secrets out of %#v.
func (c Config) GoString() string { return "nearlyfree.Config{" + c.String() + "}" }

// Format keeps secrets out of printed output, whatever the verb: %d would otherwise show the fields.
func (c Config) Format(f fmt.State, verb rune) {
	text := c.String()
	switch {
	case verb == 'v' && f.Flag('#'):
		text = c.GoString()
	case verb == 'q':
		text = strconv.Quote(text)
	}
	_, _ = io.WriteString(f, text)
}

// LogValue keeps secrets out of logs.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText keeps secrets out of JSON and other encodings.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

func (c *Config) maxMemory() int64 {
	switch {
	case c.MaxMemory == 0:
		return DefaultMaxMemory
	case c.MaxMemory < 0:
		return 0
	}
	return c.MaxMemory
}

// maxRequests is what MaxRequests and MaxCost allow; 0: no bound.
func (c *Config) maxRequests() int64 {
	if c.MaxCost <= 0 {
		return c.MaxRequests
	}
	bought := max(1, int64(c.MaxCost/pricePerRequest))
	if c.MaxRequests > 0 {
		return min(c.MaxRequests, bought)
	}
	return bought
}

// collation is the collation that Collation, already checked, names.
func (c *Config) collation() value.Collation {
	collation, _ := value.CollationNamed(c.Collation)
	return collation
}

// mode is SQLMode.
func (c *Config) mode() (session.Mode, error) {
	mode, err := session.NewMode(c.SQLMode, c.ANSIQuotes)
	return mode, translate(err, "")
}

// settings are the settings of the sessions; the SQL mode is already parsed.
func (c *Config) settings(mode session.Mode) session.Settings {
	logger := c.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := session.Settings{
		Name: schema.DatabaseName(c.Database), TimeZone: c.TimeZone, Mode: mode, Collation: c.collation(),
		ANSIQuotes: c.ANSIQuotes, Exact: c.Exact, FoundRows: c.ClientFoundRows, SkipKeys: c.SkipUnsupportedKeys, ReadOnly: c.ReadOnly, SharedTable: c.Layout == LayoutSingle,
		DenyScans: c.Scan == ScanDeny, WarnOfScans: c.Scan == ScanWarn, Options: optionNames(), Logger: logger,
	}
	s.Begin, s.Observe = c.observe()
	s.Partitions = c.Partitions
	return s
}

func (c *Config) parallel() int {
	if c.Parallel == 0 {
		return DefaultParallel
	}
	return c.Parallel
}
