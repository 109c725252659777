package otelnearlyfree

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/nearlyfreedb/nearlyfree"
)

// scope names this package to readers of spans and metrics.
const scope = "github.com/nearlyfreedb/nearlyfree/otelnearlyfree"

// system is db.system.name: the conventions know no name for this one.
const system = "nearlyfree"

// maxSummary bounds db.query.summary, as the conventions say.
const maxSummary = 255

// Observer makes spans and metrics of statements. Give it to Config.Observer, alone or among nearlyfree.Observers.
type Observer struct {
	options
	tracer trace.Tracer
	instruments
}

var _ nearlyfree.BeginObserver = (*Observer)(nil)

// New makes an Observer.
func New(all ...Option) *Observer {
	o := newOptions(all)
	return &Observer{
		options:     o,
		tracer:      o.tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		instruments: newInstruments(o.meters.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))),
	}
}

// spanKey is the context key of the span that an Observer has made for a statement. Other spans may surround it.
type spanKey struct{ *Observer }

// Begin implements nearlyfree.BeginObserver.
func (o *Observer) Begin(ctx context.Context, s *nearlyfree.Statement) context.Context {
	ctx, span := o.tracer.Start(ctx, s.Operation(), trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(s.Begun),
		trace.WithAttributes(o.attributes...), trace.WithAttributes(known(s)...))
	return context.WithValue(ctx, spanKey{o}, span)
}

// Statement implements nearlyfree.Observer.
func (o *Observer) Statement(ctx context.Context, s *nearlyfree.Statement) {
	attributes := append(known(s), found(s)...)
	o.count(ctx, s, append(attributes, o.attributes...))
	span, ok := ctx.Value(spanKey{o}).(trace.Span)
	if !ok {
		return
	}
	if span.IsRecording() {
		span.SetName(summary(s))
		span.SetAttributes(attributes...)
		span.SetAttributes(cost(s)...)
		span.SetAttributes(o.said(s)...)
		o.fail(span, s.Err)
	}
	span.End(trace.WithTimestamp(s.Begun.Add(s.Duration)))
}

// known are the attributes of a statement that are known when it begins.
func known(s *nearlyfree.Statement) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.DBSystemNameKey.String(system), semconv.DBOperationName(s.Operation())}
	if s.Database != "" {
		all = append(all, semconv.DBNamespace(s.Database))
	}
	if s.Server == "" {
		return all
	}
	host, port, err := net.SplitHostPort(s.Server)
	if err != nil {
		return append(all, semconv.ServerAddress(s.Server))
	}
	if n, err := strconv.Atoi(port); err == nil {
		all = append(all, semconv.ServerPort(n))
	}
	return append(all, semconv.ServerAddress(host))
}

// found are the attributes known at its end.
func found(s *nearlyfree.Statement) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.DBQuerySummary(summary(s))}
	if tables := s.Tables(); len(tables) == 1 {
		all = append(all, semconv.DBCollectionName(tables[0]))
	}
	if s.Err != nil {
		kind, code := typeOf(s.Err)
		all = append(all, semconv.ErrorTypeKey.String(kind))
		if code != "" {
			all = append(all, semconv.DBResponseStatusCode(code))
		}
	}
	return all
}

// summary is the operation and its tables, cut between two of them.
func summary(s *nearlyfree.Statement) string {
	text := s.Operation()
	for _, t := range s.Tables() {
		if strings.ContainsAny(t, " \t\n") {
			t = strconv.Quote(t)
		}
		if len(text)+1+len(t) > maxSummary {
			break
		}
		text += " " + t
	}
	return text
}

// cost says what a statement cost, and how it was run.
func cost(s *nearlyfree.Statement) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.Int64("nearlyfree.requests", s.Stats.Requests), attribute.Int64("nearlyfree.retries", s.Stats.Retries),
		attribute.Int64("nearlyfree.entities.read", s.Stats.EntitiesReturned), attribute.Int64("nearlyfree.entities.written", s.Stats.EntitiesWritten),
		attribute.Int64("nearlyfree.bytes.received", s.Stats.BytesIn), attribute.Int64("nearlyfree.bytes.sent", s.Stats.BytesOut),
		attribute.Bool("nearlyfree.scans", scans(s)),
	}
	if changesRows(s) {
		all = append(all, attribute.Int64("nearlyfree.rows.changed", s.Rows))
	} else {
		all = append(all, semconv.DBResponseReturnedRows(int(s.Rows)))
	}
	if plan := s.Plan(); plan != "" {
		all = append(all, attribute.String("nearlyfree.plan", plan))
	}
	return all
}

// changesRows says whether Statement.Rows counts changed rows, rather than returned ones.
func changesRows(s *nearlyfree.Statement) bool {
	switch s.Operation() {
	case "INSERT", "REPLACE", "UPDATE", "DELETE":
		return true
	}
	return false
}

// scans says whether a statement has read a table without a key, by more than one request.
func scans(s *nearlyfree.Statement) bool { return s.Stats.Requests > 1 && s.Scans() != nil }

// said is the content of the statement, as far as it was asked for.
func (o *Observer) said(s *nearlyfree.Statement) (all []attribute.KeyValue) {
	switch {
	case o.literals:
		all = append(all, semconv.DBQueryText(s.Text))
	case o.text:
		all = append(all, semconv.DBQueryText(s.Outline()))
	}
	if o.arguments {
		for i, a := range s.Args() {
			all = append(all, attribute.String("db.query.parameter."+strconv.Itoa(i), fmt.Sprint(a)))
		}
	}
	return all
}

// fail notes what ended a statement.
func (o *Observer) fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	text, request := describe(err)
	if o.literals {
		text = err.Error()
	}
	span.SetStatus(codes.Error, text)
	if request != "" {
		span.SetAttributes(semconv.AzureServiceRequestID(request))
	}
}

// handle reports errors that cannot be reported otherwise.
func handle(err error) {
	if err != nil {
		otel.Handle(err)
	}
}
