// Package otelnearlyfree tells OpenTelemetry of the statements that github.com/nearlyfreedb/nearlyfree runs: a span for each, and metrics,
// by the semantic conventions for databases.
//
//	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
//		Store:    "file:shop.db",
//		Observer: otelnearlyfree.New(),
//	})
//	db := sql.OpenDB(connector)
//
// A span is a child of the one in the context that the statement was called with. It begins before the statement is planned and ends when its
// rows were closed. Requests to Azure have it in their context. Its name, db.query.summary, is the operation and the tables:
// "SELECT customer". Besides the conventions' attributes it has
//
//	nearlyfree.requests            requests to the store; in memory and on a file, what the same work takes on Azure
//	nearlyfree.retries             those of them that were sent again
//	nearlyfree.entities.read       entities that came back: rows, or entries of indexes
//	nearlyfree.entities.written
//	nearlyfree.bytes.received, nearlyfree.bytes.sent
//	nearlyfree.plan                how it was run: "row-key range customer.surname"
//	nearlyfree.scans               true: a table was read without a key, by more than one request
//	nearlyfree.rows.changed        of INSERT, REPLACE, UPDATE and DELETE
//
// and of an error MySQL's number (db.response.status_code), and the id by which Azure knows the request that failed (azure.service.request.id).
//
// The metrics are db.client.operation.duration and db.client.response.returned_rows, and as counters nearlyfree.requests,
// nearlyfree.retries, nearlyfree.entities.read, nearlyfree.entities.written, nearlyfree.bytes.received, nearlyfree.bytes.sent and
// nearlyfree.scans, by operation and table.
//
// What a statement says is nobody's business unless asked for: no text, no literal, no argument, and of an error its number alone. WithQueryText
// has the text without its literals told, WithLiterals all of it and the messages of errors, WithArguments the arguments.
package otelnearlyfree
