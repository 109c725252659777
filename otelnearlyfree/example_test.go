package otelnearlyfree_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/otelnearlyfree"
)

// A program has its exporter in place of the one in memory: otlptracegrpc, stdouttrace.
func Example() {
	exporter := tracetest.NewInMemoryExporter()
	tracers := trace.NewTracerProvider(trace.WithSyncer(exporter))
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:    "mem://",
		Observer: otelnearlyfree.New(otelnearlyfree.WithTracerProvider(tracers), otelnearlyfree.WithQueryText()),
	})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	ctx := context.Background()
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))`,
		`INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula')`,
		`UPDATE book SET title = 'Emil' WHERE id = 1`,
	} {
		if _, err := db.ExecContext(ctx, s); err != nil {
			log.Fatal(err)
		}
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name)
		for _, a := range span.Attributes {
			switch a.Key {
			case "db.query.text", "nearlyfree.requests", "nearlyfree.plan":
				fmt.Printf("  %s: %s\n", a.Key, a.Value.Emit())
			}
		}
	}
	// Output:
	// CREATE TABLE book
	//   nearlyfree.requests: 4
	//   db.query.text: CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))
	// INSERT book
	//   nearlyfree.requests: 1
	//   nearlyfree.plan: insert book
	//   db.query.text: INSERT INTO book VALUES (?, ?), (?, ?)
	// UPDATE book
	//   nearlyfree.requests: 2
	//   nearlyfree.plan: update book: point read book
	//   db.query.text: UPDATE book SET title = ? WHERE id = ?
}

// What statements say is told as far as it is asked for: here all of it, for a program on one's own machine.
func ExampleNew() {
	exporter, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	observer := otelnearlyfree.New(
		otelnearlyfree.WithTracerProvider(trace.NewTracerProvider(trace.WithSyncer(exporter))),
		otelnearlyfree.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))),
		otelnearlyfree.WithAttributes(attribute.String("tenant", "acme")),
		otelnearlyfree.WithLiterals(),
		otelnearlyfree.WithArguments(),
	)
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Observer: observer})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.Exec("SELECT ? + 1", 41); err != nil {
		log.Fatal(err)
	}
	for _, a := range exporter.GetSpans()[0].Attributes {
		switch a.Key {
		case "db.query.text", "db.query.parameter.0", "tenant":
			fmt.Println(a.Key, a.Value.Emit())
		}
	}
	// Output:
	// tenant acme
	// db.query.text SELECT ? + 1
	// db.query.parameter.0 41
}
