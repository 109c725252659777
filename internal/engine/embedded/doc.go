// Package embedded holds the engines that run in this process, with no account: memory and one local
// file. Both keep the whole contract of package engine, the limits of Azure Table Storage included,
// and count the requests that the same calls would need there.
//
//	m := embedded.OpenMemory(embedded.Options{})
//	f, err := embedded.OpenFile("expenses.db", embedded.FileOptions{})
//
// Memory is trees under one root. A reader of more than one entity holds the root that it found, with all its tables: the next commit copies the
// nodes that it changes, and makes another root. While no reader holds the root, commits change it in place, and readers wait for at most one
// commit.
//
// The file is a bbolt file. Commits that wait together are written to a log with one fsync, and each is on disk before it is acknowledged
// (filelog.go). They are pending in memory until many of them are merged into the pages of the file (pending.go). A reader of a moment of the
// file keeps a transaction of bbolt open, with what was pending then, for as long as it likes: the file has addresses to grow into, because
// bbolt must wait for its readers whenever the file outgrows its map (filemap.go).
//
// It is not a server: one process at a time has the file open for writing, and any other gets engine.CodeLocked.
package embedded
