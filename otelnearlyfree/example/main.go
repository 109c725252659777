// Example prints a span for each statement.
package main

import (
	"context"
	"database/sql"
	"log"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/otelnearlyfree"
)

func main() {
	exporter, err := stdouttrace.New(stdouttrace.WithPrettyPrint()) // or otlptracegrpc.New
	if err != nil {
		log.Fatal(err)
	}
	tracers := trace.NewTracerProvider(trace.WithBatcher(exporter))
	defer tracers.Shutdown(context.Background())
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:    "mem://",
		Observer: otelnearlyfree.New(otelnearlyfree.WithTracerProvider(tracers)),
	})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))"); err != nil {
		log.Fatal(err)
	}
}
