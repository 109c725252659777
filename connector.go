package nearlyfree

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/touched"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Connector is one open store, shared by its connections. Make it with NewConnector, give it to sql.OpenDB; closing the sql.DB closes it.
type Connector struct {
	config  *Config       // a pointer: printing a Connector, or a struct that holds one, does not follow it
	closing chan struct{} // closed by Close

	opening  chan struct{}    // holds a value while a goroutine opens or closes the store: a lock that a context can interrupt
	store    *store           // nil before the first connection
	database session.Database // of the store
}

// NewConnector checks c, which is copied, and opens nothing yet: the first connection does.
func NewConnector(c *Config) (*Connector, error) {
	parsed, err := ParseDSN(c.Store)
	if err != nil {
		return nil, err
	}
	if (*parsed != Config{Store: parsed.Store}) {
		return nil, configError("Config.Store holds options: put them into the fields of Config, or use ParseDSN")
	}
	read, err := ParseDSN(c.FormatDSN())
	if err != nil {
		return nil, err // a field holds a value that its option would refuse
	}
	mode, err := c.mode()
	if err != nil {
		return nil, err
	}
	own := *c
	own.Store, own.Scan, own.Layout, own.Transactions, own.Bulk = parsed.Store, read.Scan, read.Layout, read.Transactions, read.Bulk // in lower case
	k := &Connector{config: &own, closing: make(chan struct{}), opening: make(chan struct{}, 1)}
	k.database.Settings, k.database.Closing = own.settings(mode), k.closing
	return k, nil
}

// Format keeps secrets out of printed output, whatever the verb.
func (k *Connector) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "nearlyfree.Connector("+k.config.String()+")")
}

// LogValue keeps secrets out of logs.
func (k *Connector) LogValue() slog.Value { return k.config.LogValue() }

// Driver gives the driver.
func (k *Connector) Driver() driver.Driver { return Driver{} }

// Connect opens the store if it is not open yet, and gives a connection, which is only a session: all connections share the store's own.
func (k *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if k.isClosed() {
		return nil, errDatabaseClosed() // Close may hold the lock for a while
	}
	select {
	case k.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.opening }()
	if k.isClosed() {
		return nil, errDatabaseClosed()
	}
	if k.store == nil {
		s, err := openStore(ctx, k.config)
		if err != nil {
			return nil, translate(err, "")
		}
		k.use(s)
	}
	return &conn{connector: k, session: session.New(&k.database)}, nil
}

// use makes s the store of the Connector.
func (k *Connector) use(s *store) {
	k.store = s
	d := &k.database
	d.Locks = &s.locks
	d.Catalog = s.catalog(k.config.Database, k.config.SchemaLease, k.parallel(), &d.Maintenance)
	d.Open = func(database string) *catalog.Catalog {
		return s.catalog(database, k.config.SchemaLease, k.parallel(), &d.Maintenance)
	}
	e := s.engine
	if k.config.Transactions == TransactionsGroup {
		e = engine.InGroups(e)
	} else if _, ok := e.(engine.Transactor); !ok {
		e = s.transactor(k.parallel())
	}
	if k.config.Partitions {
		e = touched.Over(e)
	}
	d.Runtime = &exec.Runtime{
		Engine: e, Parallel: k.parallel(), MaxEntities: k.config.MaxEntities,
		MaxRequests: k.config.maxRequests(), Price: pricePerRequest,
		MaxMemory: k.config.maxMemory(), Account: exec.NewAccount("TotalMemory", max(0, k.config.TotalMemory)), Logger: d.Logger, Sequences: d.Tables(), Definitions: d.Tables(),
		Group: &s.group, Counts: &s.counts, Chunked: k.config.Bulk == BulkChunked, KeysOnly: k.config.Scan == ScanDeny,
	}
	if _, ok := e.(engine.Transactor); ok {
		d.Runtime.Lines = &s.lines
	}
}

// parallel is how many requests of a statement may be under way at once. In memory requests are not waited for.
func (k *Connector) parallel() int {
	if strings.HasPrefix(k.config.Store, "mem:") {
		return 1
	}
	return k.config.parallel()
}

// Close closes the store. Statements under way end with an error.
func (k *Connector) Close() error {
	k.opening <- struct{}{}
	defer func() { <-k.opening }()
	if k.isClosed() {
		return nil
	}
	close(k.closing)
	if k.store == nil {
		return nil
	}
	return translate(k.store.release(), "")
}

func (k *Connector) isClosed() bool {
	select {
	case <-k.closing:
		return true
	default:
		return false
	}
}

// Stats are what a Connector, or a statement, has cost so far, as the service bills it. On memory and file,
// Requests is what the same work would have needed on Azure, and bytes are not counted.
type Stats struct {
	Requests         int64 // sent, retries included
	SchemaRequests   int64 // those of Requests that read table definitions or keep them fresh, that make partitions as rows arrive, and that Sizes makes
	Retries          int64
	EntitiesScanned  int64 // looked at by the store, if that is known; else those that came back
	EntitiesReturned int64
	EntitiesWritten  int64 // operations in transactions
	BytesIn          int64 // of bodies
	BytesOut         int64
}

// Stats gives the counters since the Connector was made. Entities are those of the statements.
func (k *Connector) Stats() Stats {
	m, u := &engine.Meter{}, &k.database.Maintenance
	k.database.AddTo(m)
	return Stats{
		Requests: m.Requests.Load() + u.Requests.Load(), SchemaRequests: u.Requests.Load(), Retries: m.Retries.Load() + u.Retries.Load(),
		EntitiesScanned: m.Scanned.Load(), EntitiesReturned: m.Returned.Load(), EntitiesWritten: m.Written.Load(),
		BytesIn: m.BytesIn.Load() + u.BytesIn.Load(), BytesOut: m.BytesOut.Load() + u.BytesOut.Load(),
	}
}

// StatsConn is what sql.Conn.Raw passes to its function. A program that called sql.Open has no Connector, and reads the counters here. They
// count the work of all connections of the sql.DB.
type StatsConn interface {
	driver.Conn
	Stats() Stats
	// Warnings is how many conditions the last statement of this connection left, which SHOW WARNINGS lists. Unlike SHOW COUNT(*) WARNINGS, it
	// does not change FOUND_ROWS() and ROW_COUNT().
	Warnings() int
}

var _ StatsConn = (*conn)(nil)

// Stats gives the counters of the Connector.
func (c *conn) Stats() Stats { return c.connector.Stats() }

// Warnings is how many conditions the last statement left.
func (c *conn) Warnings() int { return c.session.Warnings() }

// Sub gives the difference s - before.
func (s Stats) Sub(before Stats) Stats {
	return Stats{
		Requests: s.Requests - before.Requests, SchemaRequests: s.SchemaRequests - before.SchemaRequests, Retries: s.Retries - before.Retries,
		EntitiesScanned:  s.EntitiesScanned - before.EntitiesScanned,
		EntitiesReturned: s.EntitiesReturned - before.EntitiesReturned,
		EntitiesWritten:  s.EntitiesWritten - before.EntitiesWritten,
		BytesIn:          s.BytesIn - before.BytesIn, BytesOut: s.BytesOut - before.BytesOut,
	}
}

// DollarsPerMillion is the price of a million times these requests. Azure bills requests: a transaction of
// 100 operations, or a page of 1,000 entities, is one.
func (s Stats) DollarsPerMillion(p Price) float64 {
	return float64(s.Requests) * p.Per10000Operations * 100
}

// Price is what the service charges; see https://azure.microsoft.com/pricing/details/storage/tables/ for the figures of a region and redundancy.
type Price struct {
	Per10000Operations float64 // dollars
	PerGBMonth         float64 // dollars
}

// ListPrice is the price of locally redundant storage in a cheap region, for estimates.
var ListPrice = Price{Per10000Operations: pricePerRequest * 10_000, PerGBMonth: 0.045}

const pricePerRequest = planner.PricePerRequest // dollars
