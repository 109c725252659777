// Package azure is the engine over Azure Table Storage, and over other services with its protocol: Azurite and Cosmos DB for Table. It turns the
// calls of package engine into requests and their answers into entities, and knows nothing of SQL.
//
//	opts, err := azure.ParseConnectionString(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"))
//	…
//	store, err := azure.Open(opts)
//	…
//	e, err := store.Get(ctx, engine.Get{Table: "customer", PartitionKey: "00", RowKey: "PK!7"})
//
// The SDK's aztables client is used for what it does well, credentials and signatures, and carries requests that are made here: its handling of
// bodies costs 20 to 60 times the CPU, passes all numbers through float64, and repeats writes that may have been applied. See exchange.go.
//
// Three rules keep answers right. A filter that is sent is a superset hint, loosened wherever stores disagree, and left out altogether if the
// store rejects it (filter.go). Every limit of the service is checked before anything is sent. And a write is sent again only if it is certain
// that it was not applied; if that is unknown, Error.Applied says so (retry.go).
//
// The protocol: https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api
package azure
