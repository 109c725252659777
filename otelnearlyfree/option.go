package otelnearlyfree

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Option changes what an Observer reports, and to whom.
type Option func(*options)

type options struct {
	tracers        trace.TracerProvider
	meters         metric.MeterProvider
	attributes     []attribute.KeyValue
	text, literals bool
	arguments      bool
}

func newOptions(all []Option) options {
	o := options{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for _, set := range all {
		set(&o)
	}
	return o
}

// WithTracerProvider sets the provider that makes spans; the default is the global one.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithMeterProvider sets the provider that keeps metrics; the default is the global one.
func WithMeterProvider(p metric.MeterProvider) Option { return func(o *options) { o.meters = p } }

// WithAttributes adds attributes to all spans and metrics.
func WithAttributes(more ...attribute.KeyValue) Option {
	return func(o *options) { o.attributes = append(o.attributes, more...) }
}

// WithQueryText adds to spans the text of a statement, db.query.text, with ? for each literal and without comments.
func WithQueryText() Option { return func(o *options) { o.text = true } }

// WithLiterals adds to spans the text as it was sent, and the messages of errors. Both may hold private data.
func WithLiterals() Option { return func(o *options) { o.text, o.literals = true, true } }

// WithArguments adds to spans the arguments, db.query.parameter.0 and so on. They may hold private data.
func WithArguments() Option { return func(o *options) { o.arguments = true } }
