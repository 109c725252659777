// Package azuretest is a table service in this process, for tests of the azure engine and the layers above it: the REST protocol with any
// engine.Engine as storage, and with what a real service does on a bad day. It is written from the protocol's documentation with encoding/json,
// mime/multipart and net/textproto, independently of the engine's own encoders, so that their faults show.
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
// It supports what the engine sends, and refuses the rest with 400: no not and ne in filters, no InsertOrMerge, no service properties.
package azuretest
