package otelnearlyfree_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

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
