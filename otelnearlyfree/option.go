package otelnearlyfree

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Option changes what an Observer tells, and whom.
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

// WithTracerProvider names who makes spans; otherwise it is the global one.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithMeterProvider names who keeps metrics; otherwise it is the global one.
func WithMeterProvider(p metric.MeterProvider) Option { return func(o *options) { o.meters = p } }

// WithAttributes adds attributes to all spans and metrics.
func WithAttributes(more ...attribute.KeyValue) Option {
	return func(o *options) { o.attributes = append(o.attributes, more...) }
}

// WithQueryText has spans tell the text of a statement, db.query.text, with ? for each literal and without comments.
func WithQueryText() Option { return func(o *options) { o.text = true } }

// WithLiterals has spans tell the text as it was sent, and the messages of errors. Both may hold what is nobody's business.
func WithLiterals() Option { return func(o *options) { o.text, o.literals = true, true } }

// WithArguments has spans tell the arguments, db.query.parameter.0 and so on. They may hold what is nobody's business.
func WithArguments() Option { return func(o *options) { o.arguments = true } }
