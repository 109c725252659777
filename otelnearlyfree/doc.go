// Package otelnearlyfree reports the statements that github.com/nearlyfreedb/nearlyfree runs to OpenTelemetry: a span for each, and metrics, by
// the semantic conventions for databases.
//
//	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
//		Store:    "file:shop.db",
//		Observer: otelnearlyfree.New(),
//	})
//	db := sql.OpenDB(connector)
//
// A span is a child of the span in the context that the statement was called with. It begins before the statement is planned and ends when its
// rows are closed. Requests to Azure have it in their context. Its name, db.query.summary, is the operation and the tables: "SELECT customer".
// Besides the conventions' attributes it has
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
// and for an error MySQL's number (db.response.status_code), and the id by which Azure knows the failed request (azure.service.request.id).
//
// The metrics are db.client.operation.duration and db.client.response.returned_rows, and as counters nearlyfree.requests,
// nearlyfree.retries, nearlyfree.entities.read, nearlyfree.entities.written, nearlyfree.bytes.received, nearlyfree.bytes.sent and
// nearlyfree.scans, by operation and table.
//
// A statement's content stays private unless asked for: no text, no literal, no argument, and only the number of an error. WithQueryText reports
// the text without its literals, WithLiterals all of it and the messages of errors, WithArguments the arguments.
package otelnearlyfree
