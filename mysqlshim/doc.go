// Package mysql takes the place of github.com/go-sql-driver/mysql: it has the same name and public API and registers the driver
// "mysql", but opens a nearlyfree store. A program written for MySQL runs on it as it is, with one line more in its go.mod:
//
//	replace github.com/go-sql-driver/mysql => github.com/nearlyfreedb/nearlyfree/mysqlshim v…
//
// or, where this repository lies beside the program, by folders. A replacement's own replacements do not count, so nearlyfree is named, too:
//
//	replace github.com/go-sql-driver/mysql => ../nearlyfree/mysqlshim
//	replace github.com/nearlyfreedb/nearlyfree => ../nearlyfree
//
// Then "go mod tidy". Go allows a replacement to call itself by the path that it replaces or by the path that stands behind =>; this
// module does the latter, so that it can be part of a workspace.
//
// # Which store
//
// The environment variable NEARLYFREE_STORE is a data source name of nearlyfree: "mem://test", "file:shop.db", an Azure connection
// string. The data source name of MySQL says which of its databases is meant, by option database. {host}, {port}, {addr}, {user} and
// {database} in the variable stand for the parts of MySQL's name, so that a program that opens several servers gets several stores:
// "mem://{addr}". Memory lives as long as the process, like a server. SetStore gives a rule in Go. Without either, connecting fails.
//
// Unless the store's name says a collation, text compares as in MySQL 8: neither case nor accents count (utf8mb4_0900_ai_ci).
//
// # What is honoured
//
// The database; every parameter that sets a variable of the session (sql_mode, time_zone, transaction_isolation, …; of sql_mode=ANSI all but REAL_AS_FLOAT); charset and collation;
// clientFoundRows, interpolateParams, loc, multiStatements, parseTime, timeTruncate; BeforeConnect; the user for {user}. Values have
// the Go types that MySQL's driver gives: what is sent without arguments, or with interpolateParams, comes as from the text protocol,
// everything else as from a prepared statement. Errors are *MySQLError with MySQL's number and state (1105 where MySQL knows no such
// error), and errors.As finds the *nearlyfree.Error within. A session keeps its variables, its locks and an open transaction when its connection goes
// back to the pool, as with MySQL.
//
// What concerns a network means nothing and is accepted: user and password, TLS, dialers, public keys, compression, timeouts, packet
// sizes, connection attributes, checkConnLiveness, rejectReadOnly. columnsWithAlias is refused, and so is LOAD DATA, for which a file or reader
// may be registered all the same.
package mysql
