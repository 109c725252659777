package otelnearlyfree_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
	"github.com/nearlyfreedb/nearlyfree/otelnearlyfree"
)

// telemetry keeps spans and metrics.
type telemetry struct {
	spans   *tracetest.InMemoryExporter
	tracers *trace.TracerProvider
	metrics *metric.ManualReader
	meters  *metric.MeterProvider
}

func newTelemetry() *telemetry {
	t := &telemetry{spans: tracetest.NewInMemoryExporter(), metrics: metric.NewManualReader()}
	t.tracers = trace.NewTracerProvider(trace.WithSyncer(t.spans))
	t.meters = metric.NewMeterProvider(metric.WithReader(t.metrics))
	return t
}

func (t *telemetry) observer(more ...otelnearlyfree.Option) *otelnearlyfree.Observer {
	return otelnearlyfree.New(append(more, otelnearlyfree.WithTracerProvider(t.tracers), otelnearlyfree.WithMeterProvider(t.meters))...)
}

// take gives the spans since the last call.
func (t *telemetry) take() tracetest.SpanStubs {
	defer t.spans.Reset()
	return t.spans.GetSpans()
}

// attributesOf gives a span's attributes as text, sorted.
func attributesOf(s tracetest.SpanStub) []string {
	var all []string
	for _, a := range s.Attributes {
		all = append(all, fmt.Sprintf("%s=%s", a.Key, a.Value.Emit()))
	}
	slices.Sort(all)
	return all
}

// run runs a statement, and reads its rows.
func run(ctx context.Context, db *sql.DB, statement string, args ...any) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func openShop(t *testing.T, o nearlyfree.Observer) *nearlyfreetest.Account {
	t.Helper()
	a := nearlyfreetest.OpenAccountConfig(t, &nearlyfree.Config{Observer: o, Retry: nearlyfree.RetryOptions{MaxTries: 2}})
	nearlyfreetest.SeedSQL(t, a.DB, "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40), UNIQUE KEY (name)); CREATE TABLE orders (id INT PRIMARY KEY, customer INT); "+
		"INSERT INTO customer VALUES (1, 'Ann'), (2, 'Bob'); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 2)")
	return a
}

// TestSpans: each statement has a span by the conventions, a child of the one around it.
func TestSpans(t *testing.T) {
	t.Parallel()
	telemetry := newTelemetry()
	a := openShop(t, telemetry.observer(otelnearlyfree.WithAttributes(attribute.String("service.tier", "test"))))
	telemetry.take()
	ctx, around := telemetry.tracers.Tracer("test").Start(t.Context(), "around")
	for _, c := range []struct {
		statement, name string
		args            []any
		want            []string
	}{
		{"SELECT name FROM customer WHERE id = ?", "SELECT customer", []any{1}, []string{"db.collection.name=customer", "db.operation.name=SELECT", "db.query.summary=SELECT customer",
			"db.response.returned_rows=1", "nearlyfree.requests=1", "nearlyfree.entities.read=1", "nearlyfree.plan=point read customer", "nearlyfree.scans=false", "nearlyfree.retries=0"}},
		{"SELECT c.name FROM orders o JOIN customer c ON c.id = o.customer WHERE c.name = 'secret'", "SELECT orders customer", nil, []string{"db.operation.name=SELECT", "nearlyfree.scans=true"}},
		{"UPDATE customer SET name = 'secret' WHERE id = ?", "UPDATE customer", []any{2}, []string{"nearlyfree.entities.written=3", "nearlyfree.requests=2", "nearlyfree.rows.changed=1"}},
		{"CREATE INDEX i ON orders (customer)", "CREATE INDEX orders", nil, []string{"db.collection.name=orders"}},
		{"SELECT 1", "SELECT", nil, []string{"nearlyfree.requests=0"}},
	} {
		begun := time.Now()
		if err := run(ctx, a.DB, c.statement, c.args...); err != nil {
			t.Fatal(err)
		}
		spans := telemetry.take()
		if len(spans) != 1 {
			t.Fatalf("%s: %d spans", c.statement, len(spans))
		}
		s := spans[0]
		if s.Name != c.name || s.SpanKind != oteltrace.SpanKindClient || s.Parent.SpanID() != around.SpanContext().SpanID() || s.Status.Code != codes.Unset || s.InstrumentationScope.SchemaURL == "" {
			t.Errorf("%s: %+v", c.statement, s)
		}
		if s.StartTime.Before(begun) || s.EndTime.Before(s.StartTime) || s.EndTime.After(time.Now()) {
			t.Errorf("%s: from %v to %v", c.statement, s.StartTime, s.EndTime)
		}
		got := attributesOf(s)
		for _, want := range append(c.want, "db.system.name=nearlyfree", "db.namespace=nearlyfree", "server.address=fakeaccount.table.core.windows.net", "service.tier=test") {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q lacks %s", c.statement, got, want)
			}
		}
		if text := strings.Join(got, " "); strings.Contains(text, "secret") || strings.Contains(text, "db.query.text") || strings.Contains(text, "parameter") {
			t.Errorf("%s: %s", c.statement, text)
		}
	}
	tx, err := a.DB.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM orders WHERE id = 3"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range telemetry.take() {
		names = append(names, s.Name)
		if s.Parent.SpanID() != around.SpanContext().SpanID() {
			t.Errorf("%s is the child of another span", s.Name)
		}
	}
	if fmt.Sprint(names) != "[BEGIN DELETE orders COMMIT]" {
		t.Error(names)
	}
}

// TestErrors: a span of a failed statement says which error it was, and no value.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, literals := range []bool{false, true} {
		telemetry := newTelemetry()
		var options []otelnearlyfree.Option
		if literals {
			options = append(options, otelnearlyfree.WithLiterals())
		}
		a := openShop(t, telemetry.observer(options...))
		for _, c := range []struct {
			statement   string
			prepare     func()
			kind        string
			code, id    string
			description string
		}{
			{statement: "INSERT INTO customer VALUES (7, 'Ann')", kind: "1062", code: "1062", description: "Error 1062 (23000)"},
			{statement: "SELECT nowhere FROM customer WHERE name = 'secret'", kind: "1054", code: "1054", description: "Error 1054 (42S22)"},
			{statement: "SELECT * FROM customer WHERE id = 1", prepare: func() { a.Inject(nearlyfreetest.Throttled, 2) }, kind: "throttled", id: "fake-fault", description: "throttled"},
		} {
			if c.prepare != nil {
				c.prepare()
			}
			telemetry.take()
			if err := run(t.Context(), a.DB, c.statement); err == nil {
				t.Fatalf("%s runs", c.statement)
			}
			spans := telemetry.take()
			if len(spans) != 1 {
				t.Fatalf("%s: %d spans", c.statement, len(spans))
			}
			text := strings.Join(attributesOf(spans[0]), " ") + " "
			if !strings.Contains(text, "error.type="+c.kind+" ") || strings.Contains(text, "db.response.status_code="+c.code+" ") != (c.code != "") || strings.Contains(text, "azure.service.request.id="+c.id+" ") != (c.id != "") {
				t.Errorf("%s: %s", c.statement, text)
			}
			if s := spans[0].Status; s.Code != codes.Error || !literals && s.Description != c.description || literals && !strings.Contains(text, "db.query.text="+c.statement) {
				t.Errorf("%s: %+v %s", c.statement, s, text)
			}
			if !literals && (strings.Contains(text+spans[0].Status.Description, "Ann") || strings.Contains(text+spans[0].Status.Description, "secret")) {
				t.Errorf("%s: %s %+v", c.statement, text, spans[0].Status)
			}
		}
		a.Inject(nearlyfreetest.NoAnswer, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := run(ctx, a.DB, "SELECT * FROM orders"); err == nil {
			t.Fatal("it was answered")
		}
		cancel()
		if spans := telemetry.take(); len(spans) != 1 || !slices.Contains(attributesOf(spans[0]), "error.type=timeout") {
			t.Errorf("%+v", spans)
		}
	}
}

// TestTexts: what a statement says is told as far as it is asked for.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option otelnearlyfree.Option
		want   []string
	}{
		"text":      {otelnearlyfree.WithQueryText(), []string{"db.query.text=SELECT id FROM customer WHERE name = ? AND id = ?"}},
		"literals":  {otelnearlyfree.WithLiterals(), []string{"db.query.text=SELECT id FROM customer /* by */ WHERE name = 'Ann' AND id = ?"}},
		"arguments": {otelnearlyfree.WithArguments(), []string{"db.query.parameter.0=1"}},
	} {
		telemetry := newTelemetry()
		a := openShop(t, telemetry.observer(c.option))
		telemetry.take()
		if err := run(t.Context(), a.DB, "SELECT id FROM customer /* by */ WHERE name = 'Ann' AND id = ?", 1); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range attributesOf(telemetry.take()[0]) {
			if strings.HasPrefix(a, "db.query.text") || strings.HasPrefix(a, "db.query.parameter") {
				got = append(got, a)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMetrics: the counters add up to what the Connector has counted.
func TestMetrics(t *testing.T) {
	t.Parallel()
	telemetry := newTelemetry()
	o := telemetry.observer()
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Observer: o})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for _, s := range []string{"CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))", "INSERT INTO a VALUES (1, 'secret'), (2, 'y')", "SELECT * FROM a", "SELECT * FROM a WHERE id = 2", "SELECT s FROM nowhere"} {
		_ = run(t.Context(), db, s)
	}
	stats := connector.Stats()
	var got metricdata.ResourceMetrics
	if err := telemetry.metrics.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	for _, m := range got.ScopeMetrics[0].Metrics {
		switch d := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				sums[m.Name] += p.Value
			}
		case metricdata.Histogram[float64]:
			for _, p := range d.DataPoints {
				sums[m.Name] += int64(p.Count)
				operation, _ := p.Attributes.Value("db.operation.name")
				if summary, ok := p.Attributes.Value("db.query.summary"); !ok || !strings.HasPrefix(summary.AsString(), operation.AsString()) || strings.Contains(fmt.Sprint(p.Attributes.ToSlice()), "secret") {
					t.Errorf("%+v", p.Attributes.ToSlice())
				}
			}
			if m.Unit != "s" {
				t.Error(m.Unit)
			}
		case metricdata.Histogram[int64]:
			for _, p := range d.DataPoints {
				sums[m.Name] += p.Sum
			}
		}
	}
	want := map[string]int64{"db.client.operation.duration": 5, "db.client.response.returned_rows": 3, "nearlyfree.requests": stats.Requests - stats.SchemaRequests,
		"nearlyfree.entities.read": stats.EntitiesReturned, "nearlyfree.entities.written": stats.EntitiesWritten}
	if fmt.Sprint(sums) != fmt.Sprint(want) || want["nearlyfree.entities.written"] == 0 {
		t.Errorf("%v, want %v", sums, want)
	}
}

// TestBesideOthers: with others it works in any order, and without a span around it.
func TestBesideOthers(t *testing.T) {
	t.Parallel()
	first, second := newTelemetry(), newTelemetry()
	a := openShop(t, nearlyfree.Observers{first.observer(), &nearlyfree.StatementLog{}, second.observer()})
	first.take()
	second.take()
	if err := run(t.Context(), a.DB, "SELECT * FROM customer WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	outer, inner := first.take(), second.take()
	if len(outer) != 1 || len(inner) != 1 || inner[0].Parent.SpanID() != outer[0].SpanContext.SpanID() || outer[0].Name != "SELECT customer" || inner[0].Name != "SELECT customer" {
		t.Errorf("%+v %+v", outer, inner)
	}
}
