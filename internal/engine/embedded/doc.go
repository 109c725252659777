// Package embedded holds the engines that run in this process, with no account: memory and one local
// file. Both keep the whole contract of package engine, the limits of Azure Table Storage included,
// and count the requests that the same calls would need there.
//
//	m := embedded.OpenMemory(embedded.Options{})
//	f, err := embedded.OpenFile("expenses.db", embedded.FileOptions{})
//
// Memory keeps each table as copy-on-write trees: a writer publishes a new root with one atomic store,
// and readers walk the root that they loaded, so that no reader ever waits.
//
// The file is a bbolt file. Commits that wait together are written with one fsync, and each is on disk
// before it is acknowledged. A scan reads page by page in short transactions, because bbolt must
// wait for its readers whenever the file outgrows its map: a cursor left open by a goroutine that goes
// on to write would wait for itself.
//
// It is not a server: one process at a time has the file open for writing, and another one gets
// engine.CodeLocked.
package embedded
