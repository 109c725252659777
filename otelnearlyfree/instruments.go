package otelnearlyfree

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/nearlyfreedb/nearlyfree"
)

// instruments are the metrics.
type instruments struct {
	duration metric.Float64Histogram
	rows     metric.Int64Histogram
	counters []counter
}

// counter adds up a figure of statements.
type counter struct {
	metric.Int64Counter
	of func(*nearlyfree.Statement) int64
}

func newInstruments(m metric.Meter) (i instruments) {
	var err error
	i.duration, err = m.Float64Histogram("db.client.operation.duration", metric.WithUnit("s"), metric.WithDescription("Duration of database client operations."),
		metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10))
	handle(err)
	i.rows, err = m.Int64Histogram("db.client.response.returned_rows", metric.WithUnit("{row}"), metric.WithDescription("The actual number of records returned by the database operation."),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000))
	handle(err)
	for _, c := range []struct {
		name, unit, description string
		of                      func(*nearlyfree.Statement) int64
	}{
		{"nearlyfree.requests", "{request}", "Requests to the store, which Azure bills.", func(s *nearlyfree.Statement) int64 { return s.Stats.Requests }},
		{"nearlyfree.retries", "{request}", "Requests that were sent again.", func(s *nearlyfree.Statement) int64 { return s.Stats.Retries }},
		{"nearlyfree.entities.read", "{entity}", "Entities that the store gave.", func(s *nearlyfree.Statement) int64 { return s.Stats.EntitiesReturned }},
		{"nearlyfree.entities.written", "{entity}", "Entities that were written.", func(s *nearlyfree.Statement) int64 { return s.Stats.EntitiesWritten }},
		{"nearlyfree.bytes.received", "By", "Bytes of the store's answers.", func(s *nearlyfree.Statement) int64 { return s.Stats.BytesIn }},
		{"nearlyfree.bytes.sent", "By", "Bytes of requests to the store.", func(s *nearlyfree.Statement) int64 { return s.Stats.BytesOut }},
		{"nearlyfree.scans", "{statement}", "Statements that have read a table without a key.", func(s *nearlyfree.Statement) int64 {
			if scans(s) {
				return 1
			}
			return 0
		}},
	} {
		made, err := m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.description))
		handle(err)
		i.counters = append(i.counters, counter{made, c.of})
	}
	return i
}

// count adds a statement to the metrics.
func (i *instruments) count(ctx context.Context, s *nearlyfree.Statement, attributes []attribute.KeyValue) {
	of := metric.WithAttributeSet(attribute.NewSet(attributes...))
	i.duration.Record(ctx, s.Duration.Seconds(), of)
	if s.Err == nil && !changesRows(s) {
		i.rows.Record(ctx, s.Rows, of)
	}
	for _, c := range i.counters {
		if n := c.of(s); n > 0 {
			c.Add(ctx, n, of)
		}
	}
}
