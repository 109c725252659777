package azure

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Engine is an open account. It implements engine.Engine.
type Engine struct {
	carrier  *aztables.Client
	at       address
	secrets  redaction
	retry    Retry
	log      *slog.Logger
	limits   engine.Limits
	page     int // $top of a page; 0: none
	readOnly bool
	slots    chan struct{} // nil: no bound on requests under way
	idle     func()        // closes the idle connections of our own pool

	closing context.Context
	close   context.CancelFunc
}

var _ engine.Engine = (*Engine)(nil)

// Open makes an Engine. It sends nothing: a wrong account or credential only shows with the first call.
func Open(o Options) (*Engine, error) {
	endpoint, err := o.check()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		at:       newAddress(endpoint, o.SAS),
		secrets:  newRedaction(&o),
		retry:    o.Retry.withDefaults(),
		log:      o.Logger,
		limits:   engine.AzureLimits(),
		page:     o.PageEntities,
		readOnly: o.ReadOnly,
		idle:     func() {},
	}
	if o.Key != "" {
		e.at.sas = ""
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.at.cosmos {
		cosmosLimits(&e.limits)
	}
	if e.page > 0 {
		e.limits.PageEntities = e.page
	}
	if o.Parallel > 0 {
		e.slots = make(chan struct{}, o.Parallel)
	}
	transport := o.Transport
	if transport == nil {
		own := newPool(o.Parallel)
		transport, e.idle = own, own.CloseIdleConnections
	}
	transport = withoutRedirects(transport)
	if e.carrier, err = newCarrier(&o, &e.at, transport); err != nil {
		return nil, err
	}
	e.closing, e.close = context.WithCancel(context.Background())
	return e, nil
}

// cosmosLimits sets the limits in which Cosmos DB for Table differs. https://learn.microsoft.com/azure/cosmos-db/table/faq
func cosmosLimits(l *engine.Limits) {
	l.SortedByKey = false
	l.KeyUnits = 255
	l.BatchBytes = 2 << 20
}

// Shared is true: other processes may be using the account.
func (e *Engine) Shared() bool { return true }

// Limits are those of the service that the endpoint names.
func (e *Engine) Limits() engine.Limits { return e.limits }

// Close ends all requests under way, and closes idle connections.
func (e *Engine) Close() error {
	e.close()
	e.idle()
	return nil
}

// refuse gives the error of a call that must not be sent at all.
func (e *Engine) refuse(ctx context.Context, write bool) error {
	switch {
	case e.closing.Err() != nil:
		return engine.Errorf(engine.CodeClosed, "the store is closed")
	case write && e.readOnly:
		return engine.Errorf(engine.CodeReadOnly, "the store was opened for reading only")
	}
	return ctx.Err()
}

// logAnswer logs one try. It leaves out keys and values, which are the user's, and the query, which may hold a signature.
func (e *Engine) logAnswer(ctx context.Context, rq *request, try int, took time.Duration, status int, failed *failure) {
	level := slog.LevelDebug
	if failed != nil && !failed.expected() {
		level = slog.LevelWarn
	}
	if !e.log.Enabled(ctx, level) {
		return
	}
	table, _, _ := strings.Cut(strings.TrimPrefix(rq.path, "/"), "(")
	attrs := []slog.Attr{
		slog.String("method", rq.method), slog.String("table", table), slog.Int("try", try),
		slog.Duration("took", took), slog.Int("status", status),
	}
	if failed != nil {
		attrs = append(attrs, slog.String("error", failed.err.Error()))
	}
	e.log.LogAttrs(ctx, level, "azure table request", attrs...)
}
