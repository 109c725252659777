// Package embedded holds the engines that run in this process, with no account: memory and one local
// file. Both keep the whole contract of package engine, the limits of Azure Table Storage included,
// and count the requests that the same calls would need there.
//
//	m := embedded.OpenMemory(embedded.Options{})
//	f, err := embedded.OpenFile("expenses.db", embedded.FileOptions{})
//
// Memory is trees under one root. Who reads more than one entity holds the root that he found, all tables of it: the next commit
// copies the nodes that it changes, and makes another root. While nobody holds a root, commits change it in place, and readers wait
// for one at most.
//
// The file is a bbolt file. Commits that wait together are written to a log with one fsync, and each is on disk before it is
// acknowledged (filelog.go). They are pending in memory until many of them are merged into the pages of the file (pending.go).
// Whoever reads a moment of it keeps a transaction of bbolt open, with what was pending then, for as long as he likes: the file has
// addresses to grow into, as bbolt must wait for its readers whenever it outgrows its map (filemap.go).
//
// It is not a server: one process at a time has the file open for writing, and another one gets
// engine.CodeLocked.
package embedded
