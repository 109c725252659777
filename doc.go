// Package nearlyfree is a database/sql driver that speaks MySQL's dialect of SQL on Azure Table Storage, one of the
// cheapest and largest stores there is. The same SQL runs inside the process, in memory or on one file, with
// no account: only the data source name differs.
//
//	import (
//		"database/sql"
//
//		_ "github.com/nearlyfreedb/nearlyfree"
//	)
//
//	db, err := sql.Open("nearlyfree", "file:expenses.db")
//	// or, on Azure:
//	db, err := sql.Open("nearlyfree", os.Getenv("AZURE_STORAGE_CONNECTION_STRING"))
//
// # Data source names
//
// ParseDSN lists them with their options. In short: mem://NAME, file:PATH, an Azure connection string, or the
// URL of a table endpoint with a SAS query or with Microsoft Entra ID. NewConnector takes the same as a
// Config for sql.OpenDB, and values that a text cannot hold: a credential, a transport, a logger.
//
// # SQL
//
// The dialect is MySQL's, in strict mode; docs/differences.md lists what differs. VERSION() returns 8.0.23-nearlyfree. The driver
// refuses by name what it does not support. It accepts LOCK TABLES and FLUSH, and does nothing. SET takes the variables in
// docs/variables.md, which says what each does, and refuses all others.
//
// A store has any number of databases: CREATE DATABASE, DROP DATABASE, USE, SHOW DATABASES, and database.table in every statement. The data
// source name names the first one (option database; nearlyfree without it). That one needs no CREATE DATABASE, and exists until it is
// dropped. USE lasts as long as you hold a sql.Conn: a connection that comes back from the pool is in the data source name's database
// again. A prepared statement stays in the database in which it was prepared. A transaction may write to tables of several databases,
// and is atomic. A foreign key may refer to a table of another database. RENAME cannot move a table to another database. Whoever can use
// the store can use all of its databases: the option protects nothing.
//
// A view that picks rows and computes columns is merged into the statement that names it, so that the keys of its tables serve.
// Its text keeps the names that the tables had when it was made.
//
// EXPLAIN prints how a statement will run, and the least number of requests that it makes. If there may be more, it says what they are
// for: "requests ≥ 1 as 1 + 1 for each a.id". FORMAT=TREE draws the plan, FORMAT=JSON is for programs. After ANALYZE TABLE it also
// estimates how many rows each operator returns, how many requests the statement makes and what a million of them cost, and warns if
// an operator reads much for few rows. For a write it says how many entities it changes; the requests are what an account bills.
// EXPLAIN ANALYZE runs the statement, even one that writes, and says for each operator
// its rows, requests, entities and bytes, and the time in it and below it.
//
// ANALYZE TABLE finds out about how many rows a table has, and which values its keys and indexes have, and keeps that with the
// definition. In memory and in a file it reads the whole table; on Azure it reads a sample, of 100 requests a table unless SET
// analyze_requests says otherwise. Plans use it until the next ANALYZE TABLE. Without it they assume the same of every table, on
// every store. With it, a join is planned for the fewest rows in memory and in a file, but for the fewest requests on Azure: set
// max_requests, max_entities or scan=deny to get Azure's plan at home.
//
// Connector.Stats counts what statements cost; after sql.Open, call StatsConn through sql.Conn.Raw. Config.Observer gets each statement
// when it is over, with its plan and its cost; a *StatementLog writes that to a
// slog.Logger. SHOW STATUS and SHOW GLOBAL STATUS have MySQL's counters of statements, and Nearlyfree_requests, …_entities_read,
// …_dollars. SHOW PROCESSLIST and information_schema.PROCESSLIST show what the sessions of this sql.DB do, and what that has cost so far.
// KILL QUERY id ends the statement of another session, as if its context had ended, with error 1317. KILL id ends the session, too, and
// the pool of the sql.DB opens another one in its place. CONNECTION_ID() is a session's id. Neither reaches another sql.DB or another process.
//
// Placeholders are ?, or $1, or the names :id or @id for sql.Named; a statement uses one of these kinds. If no argument has its name,
// or beside ?, @id is a variable of the session (a sql.Conn). It is NULL until it is set by SET @id = …, @id := … or
// SELECT … INTO @id. PREPARE, EXECUTE … USING @id and DO are MySQL's. Exec takes several statements with
// semicolons between them, if none has an argument: they run in turn, each a statement of its own, up to the
// first error.
//
// CREATE TEMPORARY TABLE makes a table of the session, in the memory of this process: it makes no requests, other sessions
// do not see it, and it hides a table of the same name. Use it in a sql.Conn or a sql.Tx, because a sql.DB gives each call whichever
// connection is free. Like the variables of the session, it is gone when the connection goes back to the pool. CREATE and DROP TEMPORARY
// TABLE do not end a transaction. ROLLBACK takes its rows back, but leaves the table, and the rows from AS SELECT. Its rows count for
// the option total_memory. The table has no foreign keys and no partitions, and views do not see it.
//
// The store keeps a row under its primary key, and a copy of the whole row under each index. So a query by key is one point
// read, and a query by an indexed column or its prefix (LIKE 'x%') is one range read. Anything else is a filtered
// scan; the option scan=deny refuses those. USE, FORCE and IGNORE INDEX after a table say which of its keys, PRIMARY among
// them, may serve; FORCE INDEX wins over what costs less.
//
// # Types
//
//	SQL                              Go value of a column        stored as
//	TINYINT … BIGINT                 int64                       Edm.Int64
//	BIGINT UNSIGNED                  uint64                      Edm.String, 20 digits
//	FLOAT, DOUBLE                    float64                     Edm.Double
//	DECIMAL(p,s)                     string, exact               Edm.String
//	BOOL                             bool                        Edm.Boolean
//	BIT(n)                           []byte                      Edm.Int64, of 64 bits Edm.String of 20 digits
//	CHAR, VARCHAR, TEXT, ENUM, SET   string                      Edm.String, split over several when long
//	BINARY, VARBINARY, BLOB          []byte                      Edm.Binary, split over several when long
//	DATETIME, TIMESTAMP              time.Time in UTC            Edm.String, 2006-01-02T15:04:05.0000000Z
//	DATE                             time.Time in UTC            Edm.String, 2006-01-02
//	TIME                             string, [-]HH:MM:SS[.f]     Edm.Int64, units of 100 ns
//	JSON                             []byte                      Edm.String, split when long
//	UUID                             string, lower case          Edm.Guid
//
// Expressions return the Go type of their SQL type, the same in all rows. ScanType of sql.ColumnType is a type that takes every value
// of the column, as in MySQL's Go driver: int32, string, sql.NullInt64 if it may be NULL.
//
// A column keeps what it declares, as in MySQL's strict mode. It rounds a number to its decimal places and a time
// to its digits of a second. A DATE drops the time of day, a TIME drops the date, and a text that is too long loses the blanks at its end.
// The column refuses values that would lose more: a longer text, a number out of range, '1x' as a number. The option exact=true refuses
// all of this rounding and dropping.
//
// With IGNORE, or if the option sql_mode or SET sql_mode leaves out STRICT_TRANS_TABLES, the column stores the nearest value instead, and
// SHOW WARNINGS says so. An invalid date becomes NULL then, because MySQL's zero date cannot be stored. In strict mode an INSERT,
// UPDATE or DELETE fails where a SELECT only warns: for 1/0, '5x' + 1, DATE('x').
//
// An ENUM or SET is stored as its text. Beside numbers, in ORDER BY and in keys it counts as its number. A BIT is a number,
// and BIT(1) is no exception: Go programs written for MySQL scan it as []byte{1}. Hexadecimal and bit literals are numbers
// beside numbers, and binary strings beside texts.
//
// TINYINT(1) is an integer from -128 to 127, and BOOL is true or false; information_schema says tinyint(1) for both, as MySQL
// does. A DATETIME, TIMESTAMP or TIME without a number of digits keeps whole seconds. DATETIME(6) keeps the microseconds of
// time.Now(); DATETIME(7), which MySQL lacks, keeps everything in the store's and .NET's own times. A TIMESTAMP goes from
// 1970-01-01 00:00:01 to 2038-01-19 03:14:07. A VARCHAR needs a length.
//
// A time.Time argument is cut to 100 ns, the finest that a DATETIME holds. In a comparison with a column it is rounded to
// microseconds, as in MySQL, except with a DATETIME(7). So it finds what a DATETIME(6) has stored of it; in a column with fewer
// digits it finds only a time that equals it. A FLOAT has single precision: as in MySQL, f = 0.1 does not find the 0.1 that
// was stored in it, and f = CAST(0.1 AS FLOAT) does.
//
// A session has a time zone, UTC unless the option time_zone or SET time_zone says otherwise: an offset such as +02:00, or a
// name such as Europe/Berlin, for which Go needs its time zone data (import time/tzdata if the machine has none). NOW(),
// CURDATE(), UNIX_TIMESTAMP() and the like follow it, UTC_TIMESTAMP() does not. A TIMESTAMP column is stored in UTC; it is shown,
// compared and set in the session's time zone, and keys and indexes serve it. A DATETIME stays as written. A time.Time is a
// moment: as an argument it becomes what the session's clock shows then, and as a result it is the moment at which that clock shows
// the value. A text with an offset, '2024-01-01 10:00:00+02:00', is a moment, too. If the clock shows a time twice,
// the first one is meant. A TIMESTAMP is UTC in a CHECK, a generated column and
// PARTITION BY, as a constant DEFAULT, and in ALTER TABLE.
//
// A text that is an integer compares with integers exactly, so you may pass an id of 64 bits as text. Numbers with a
// fraction compare with texts as floats of 15 digits, as in MySQL: compare a longer DECIMAL with CAST(? AS DECIMAL(p,s)).
// A TIME compares with a DATE or DATETIME as a time of the day on which the statement began, as in MySQL.
//
// A JSON column stores the document, not its text: you read what MySQL prints, with the keys sorted and each once.
// A value that is compared with JSON becomes JSON, and the types have MySQL's order: neither the string "1" nor true equals 1.
// Where a number or a condition is wanted, a document counts as its scalar: true, 1 and "1" are true; false, null, arrays and
// objects are not. From 8.0.21 on MySQL compares with JSON's 0 there, so that false is true, and warns of it. A time in a
// document is stored as a string; in a comparison with a time it is read as a time.
//
// # Collations
//
// A text column has a collation, its own or its table's. Its keys and all comparisons with it use that collation.
//
//	utf8mb4_0900_bin         by code point, the default; MySQL's own is utf8mb4_0900_ai_ci
//	utf8mb4_bin              by code point, padded: blanks at the end of a text do not count
//	utf8mb4_0900_ai_ci       neither case nor accents count
//	utf8mb4_0900_as_ci       accents count, case does not
//	utf8mb4_0900_as_cs       both count, in the order of letters
//	utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_general_ci    neither counts, padded
//	nocase                   accents count, case does not, by simple folding; in the order of code points
//
// If texts of two collations meet, COLLATE decides; without it a column or CAST rather than a literal; of two columns the binary one
// (utf8mb4_bin or utf8mb4_0900_bin; of these two the first), as in MySQL. Otherwise the statement is refused (1267). A nocase column
// wins over everything but COLLATE: MySQL has no such collation. COERCIBILITY(x) tells how readily a text yields.
//
// Names that begin with utf8_ and utf8mb3_, and ascii_bin, ascii_general_ci and latin1_bin, mean the same collations of utf8mb4; others are
// refused (1273). All text is UTF-8, whatever CHARACTER SET says, and a character set alone means the default collation. The
// option collation, or Config.Collation, is the default of new tables and the collation of literals; SET NAMES … COLLATE
// changes the collation of literals in its connection. Letters are equal exactly when they are in MySQL, except in contractions. Up to
// z they sort as in MySQL, and after it by code point. In a padded collation a text with a control character at its end sorts
// after the text without it.
//
// # Transactions
//
// A transaction holds its writes back, shows them to its own statements, and sends them at Commit: all or nothing. It may have any
// size, in any number of tables and partitions; max_memory bounds what it holds. In memory and in a file this costs nothing.
//
// On Azure one request writes what fits an entity group transaction: up to 100 entities (a row and each of its index entries count as
// one each) of one physical table and partition. That is one table with those interleaved in it, or several tables if they were made
// with the option layout=single. A larger transaction is divided into groups of up to 99 entities. Each group takes a request that
// prepares it and one that finishes it, and one request decides for all; if all groups are of one table, the deciding request writes a group of its
// own, too. So two partitions take 3 requests, two tables 5. Meanwhile no reader
// waits, except the commit of a serializable transaction that only reads. A process that dies leaves nothing
// half done: whoever meets what it has left finds out whether the transaction was decided, decides after 10 s that it was not, and finishes it.
//
// On Azure one transaction cannot do the following, and is refused with ErrTooLarge:
//
//   - insert, delete or re-key rows that other tables are interleaved in, in more than one partition, or more than 99 of
//     them with their index entries;
//   - write to a table that other programs made together with anything else;
//   - write a row that is 99 entities with its index entries, or 2 MiB.
//
// The statement that goes too far gets the error and leaves nothing; the transaction goes on. The option transactions=group refuses
// in the same way whatever needs more than one entity group transaction, on every store. Two cases show only at Commit: an entity
// of more than 512 KiB, or 234 properties, that has no room for the new content beside the old one; and a serializable transaction
// that reads more after it has written to a table of other programs.
//
// If a transaction reads rows in order to write them, Commit writes them only if nobody has changed them since. ErrConflict says that you
// may run the transaction again, and RunTx does so. A program that computes something from rows should ask for an isolation level, or read them
// FOR UPDATE: the commit then fails if somebody else has changed them meanwhile. Such rows count as entities of the
// transaction.
//
// The default is read committed: each statement reads one moment of the store, on Azure each page of a partition does.
// LevelWriteCommitted and all above it, and MySQL's REPEATABLE READ, are serializable: Commit repeats all reads, even those
// that found nothing, and returns ErrConflict if one has another result by then. In memory and in a file, all reads of such a transaction
// are of the moment when it begins, or when its first statement begins if that is FOR UPDATE. On Azure each read is of its own moment, so what you have read may not fit together
// before Commit has succeeded, and Commit makes the requests of the reads once more, except for points of a single partition
// that the transaction writes to. A transaction with ReadOnly reads one moment in memory and in a file, unless it asks for
// read committed, and never meets a conflict; on Azure it needs a level for that, and its Commit says whether it was one
// moment. The same goes for a single query if the session's level is serializable: the driver holds its rows back until it has read them
// twice, and reads them anew if they differ. SET TRANSACTION, SET transaction_isolation, autocommit = 0, SAVEPOINT and START
// TRANSACTION with READ ONLY or WITH CONSISTENT SNAPSHOT are MySQL's. A transaction that reads one moment cannot read a
// table whose definition has changed since then (ErrSchemaChanged). If it has read nothing before, it gets a later
// moment instead.
//
// You may write BEGIN, COMMIT and ROLLBACK as SQL in one sql.Conn, or in one text of several statements. A sql.DB gives
// each statement whichever connection is free, and a transaction that BEGIN opened ends when its connection goes back to the pool. A
// statement that changes definitions commits first, as in MySQL, and what follows it is in no transaction. If another writer is
// faster, a single statement runs again by itself: for a minute if others have changed its rows, up to 12 times (25 with
// nested retries) if others have changed its tables' definitions. Then ErrConflict says that you may try again. In memory and in
// a file such a statement waits its turn instead: writers of one table that meet wait in line, until their contexts
// end. A request that the store does not answer is sent up to 6 times (Config.Retry).
//
// Outside a transaction a statement writes all of its rows or none, even an UPDATE or DELETE of several tables. With the option
// bulk=chunked, a statement whose rows need more than one entity group transaction writes them in several, whole rows each, which halves
// the requests on Azure; if one fails, the error says exactly which rows were written. On Azure statements on rows that other tables are interleaved in,
// and on tables that other programs made, always work this way.
//
// What can happen while others write, in a transaction and between single statements:
//
//	                                         memory and file    serializable       Azure
//	dirty read                               no                 no                 no
//	lost update, UPDATE … SET n = n + 1      no                 no                 no
//	lost update, SELECT then UPDATE          unless FOR UPDATE  no                 unless FOR UPDATE
//	another value when read twice            yes                no                 yes
//	write skew                               unless FOR UPDATE  no                 unless FOR UPDATE
//	phantom                                  yes                no                 yes
//	rows of two moments, of one table        no                 no                 yes
//	rows of two moments, of several tables   no                 no                 yes
//
// The last column is the default level; on Azure "serializable" holds for what a transaction has read once its
// Commit has succeeded. At read committed, the commit of a transaction that writes nothing checks nothing. Write skew: two transactions
// each read what the other one writes; each takes one of the last two people off duty, and nobody is
// left. A phantom is a row that another transaction inserts where this one has looked.
//
// FOR UPDATE protects rows that exist; others can still be inserted. It waits for rows that another transaction has read FOR UPDATE or
// written to, if that is one of this sql.DB, or one of this process on the same memory or file. It waits as long as innodb_lock_wait_timeout
// says (1205); with SKIP LOCKED it skips such rows, with NOWAIT they are an error (3572). A transaction that would close a circle of
// waiters is rolled back at once, and gets ErrConflict. Other statements wait for nobody, and a conflict with another process shows at Commit.
//
// GET_LOCK holds among all processes that use the store. On Azure a lock is an entity, which its holder renews every 10 s: 2
// requests each, and about 2 to take it and 2 to give it back. If the process ends, or
// cannot reach the store, a waiter gets the lock after 30 s. RELEASE_LOCK by the former holder then returns 0.
//
// # Unique keys
//
// If PARTITION BY KEY or HASH spreads the rows, a unique key must have the columns of that clause, or say UNIQUE KEY (mail) GLOBAL. A global
// key holds over all rows, and finds a row in 2 requests. On Azure an INSERT takes 3 requests with it and 1 without.
//
// # Foreign keys
//
// A foreign key ties any two tables, as in MySQL: RESTRICT, CASCADE and SET NULL, ON DELETE and ON UPDATE, to a primary or
// unique key. The transaction that writes makes the store check the foreign key, so it holds at every isolation
// level and nobody waits. A statement is checked as a whole, after its cascades; MySQL checks row by row. If others
// were faster, COMMIT returns ErrConflict. SET foreign_key_checks = 0 switches checks off in its session. On Azure each row that
// the check looks for takes a request, or one request reads many that lie close. That is all if both tables lie in one store partition (layout=single); otherwise
// the write takes 3 requests where a write without a foreign key takes 1. The foreign key of an
// interleaved table costs nothing. NOT ENFORCED is shown and has no effect. With transactions=group only the foreign key
// of an interleaved table is allowed.
//
// # Files
//
// A file is one bbolt file. Everything in it carries a checksum: reading a damaged row returns ErrCorrupt, never another
// row. CHECK TABLE reads a whole table and reports damage. REPAIR TABLE gives damaged rows up and keeps the
// rest. OPTIMIZE TABLE writes the file anew, without the space of deleted rows; closing a file that needs up to 256 MB does so if
// a third of it is free. While the file is open, its commits are in a log beside it, PATH.log, which goes when the file is closed. If the process was
// killed, the next one to open the file needs the log: copy a closed file, or both files, or one in use by BackupFile. Open rows and transactions
// hold up nobody, but the space of what is deleted meanwhile is freed only when they are closed. A file gets 64 GB of addresses to
// grow into, or four times its size. Without these addresses, as on Windows and in a process of 32 bits, and beyond them, rows
// that are open while the file grows may end with ErrConflict. A file that may have lost its last commit opens only with the
// option readonly.
//
// With readonly a program looks into a file that another process has open and writes to. The first connection copies it into the
// folder for temporary files (TMPDIR), by a reflink if the file system of both supports that. All connections see the
// moment of that copy, with everything committed before. The writer does not wait, and nothing is left of the copy when
// the process ends. To look again, close the sql.DB and open another one.
//
// # Versions
//
// A later version reads what an earlier release wrote. If the store uses a feature that this version does not know, it refuses with
// ErrNewer, which names the feature: to read, or only to write if reading is safe. docs/format.md has the rules.
//
// # Memory
//
// max_memory bounds what one statement holds (256 MiB unless it says otherwise), total_memory what all statements of a sql.DB
// hold together, and SetMemoryLimit what the whole process holds. A statement that needs more fails with ErrMemory.
//
// # Limits
//
// Every engine checks the limits of Azure Table Storage before it sends anything. An entity has at most 252
// properties and 1 MiB. Text takes 2 bytes a character (UTF-16), so a row holds about 500,000 characters. A key has at most 512
// UTF-16 units; a longer text is cut there, and a hash tells it apart from others.
//
// # Errors
//
// errors.As finds an *Error in every error, except the context's error if nothing was written. It has MySQL's number and state, if
// there is one, the place in the statement, whether a failed write was applied, and whether a retry is safe. If the context
// ended a write and some rows were written, or may have been, the *Error says so, and errors.Is finds the context's error in it, too.
//
// If the answer to a write is lost, the driver asks the store what became of it, and sends it again if it was not applied: an id
// in one of the rows tells. The result stays AppliedUnknown in these cases: the context has ended; the table belongs to other programs; others
// have written or deleted the rows in that moment, so that nothing tells any more; an INSERT is refused when it is
// sent again, for a row that was written a moment ago; or its row is not there when the loss shows after ten seconds.
//
// errors.Is knows ErrDuplicateKey, ErrConflict, ErrTooLarge and the other targets.
// A mock may return &nearlyfree.Error{Number: nearlyfree.CodeDuplicateEntry}, which is ErrDuplicateKey.
package nearlyfree
