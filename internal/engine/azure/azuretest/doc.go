// Package azuretest is a table service in this process, for tests of the azure engine and of what stands
// above it: the REST protocol over any engine.Engine as storage, with what a real service does on a bad
// day. It is written after the protocol's documents with encoding/json, mime/multipart and net/textproto,
// apart from the engine's own encoders, so that a fault of those shows.
//
//	service := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
//	service.PageEntities = 2
//	transport := &azuretest.Transport{Service: service}
//	transport.SetFault(func(n int, r *http.Request) azuretest.Fault {
//		return azuretest.Fault{LoseAnswer: n == 3}
//	})
//	store, err := azure.Open(azure.Options{
//		Endpoint: azuretest.Endpoint, Account: azuretest.Account, Key: azuretest.Key, Transport: transport,
//	})
//
// It knows what the engine sends, and refuses the rest with 400: no not and ne in filters, no
// InsertOrMerge, no service properties.
package azuretest
