// Package sqllogic runs tests in the format of SQLite's sqllogictest through database/sql, and holds this
// driver against scripts of its own and, where it is given, against the public corpus:
//
//	go test ./tests/sqllogic -run TestCorpus -corpus DIR
//
// The format: https://www.sqlite.org/sqllogictest/doc/trunk/about.wiki. The driver takes part as "mysql",
// whose meaning it has: records that say skipif mysql are left out, those that say onlyif mysql are run.
package sqllogic
