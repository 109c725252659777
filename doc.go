// Package nearlyfree is a database/sql driver that puts a small SQL dialect on Azure Table Storage, one of the
// cheapest and largest stores there is. The same SQL runs inside the process, on memory or on one file, with
// no account: only the data source name differs.
//
//	import (
//		"database/sql"
//
//		_ "github.com/nearlyfreedb/nearlyfree"
//	)
//
//	db, err := sql.Open("nearlyfree", "file:expenses.db")
//	db, err := sql.Open("nearlyfree", os.Getenv("AZURE_STORAGE_CONNECTION_STRING"))
//
// # Data source names
//
// ParseDSN lists them with their options. In short: mem://NAME, file:PATH, an Azure connection string, or the
// URL of a table endpoint with a SAS query or with Microsoft Entra ID. NewConnector takes the same as a
// Config for sql.OpenDB, and what a text cannot hold: a credential, a transport, a logger.
//
// # SQL
//
// The dialect is MySQL's, in strict mode; docs/differences.md lists what differs. VERSION() says 8.0.23-nearlyfree. What is
// not supported is refused by name. LOCK TABLES and FLUSH are read and do nothing. SET knows the variables of
// docs/variables.md, which says what each does, and refuses all others.
//
// A store has any number of databases: CREATE DATABASE, DROP DATABASE, USE, SHOW DATABASES, and database.table in every statement. The data
// source name names the first one (option database; nearlyfree without it). That one needs no CREATE DATABASE, and exists until it is
// dropped. USE lasts as long as a sql.Conn is held: a connection that comes back from the pool is in the data source name's database
// again. A prepared statement stays in the database in which it was prepared. A transaction may write to tables of several databases,
// and is atomic. A foreign key may refer to a table of another database. RENAME cannot move a table to another database. Whoever can use
// the store can use all of its databases: the option protects nothing.
//
// A view that picks rows and computes columns is merged into the statement that names it, so that the keys of its tables serve.
// Its text goes by the names that tables had when it was made.
//
// EXPLAIN prints how a statement is run, and the least number of requests that it takes, with what further ones are for: "requests ≥ 1
// as 1 + 1 for each a.id". FORMAT=TREE draws that, FORMAT=JSON is for programs. After ANALYZE TABLE it also says about how many
// rows each operator gives, how many requests the statement takes and what a million of them cost, and warns where one reads much
// for few rows. Of a write it says how many entities it changes; its
// requests are those that an account bills. EXPLAIN ANALYZE runs the statement, one that writes too, and says what each operator
// did: rows, requests, entities and bytes that it read, and the time in it and below it.
//
// ANALYZE TABLE finds out about how many rows a table has, and which values its keys and indexes have, and keeps that with the
// definition. In memory and in a file it reads all of the table; on Azure a sample, of 100 requests a table unless SET
// analyze_requests says otherwise. Plans go by it until the next ANALYZE TABLE; without one they assume the same of every table, on
// every store. With it a join in memory or in a file is planned for the fewest rows, where on Azure it is for the fewest requests: say
// max_requests, max_entities or scan=deny to have Azure's plan at home.
//
// What statements cost is counted: Connector.Stats, or StatsConn through sql.Conn.Raw where the database was opened by sql.Open.
// Config.Observer is told of each statement when it is over, with its plan and what it has cost; a *StatementLog writes that to a
// slog.Logger. SHOW STATUS and SHOW GLOBAL STATUS have MySQL's counters of statements, and Nearlyfree_requests, …_entities_read,
// …_dollars; SHOW PROCESSLIST and information_schema.PROCESSLIST what the sessions of this sql.DB do, and what that has cost so far.
// KILL QUERY id ends the statement of another one of them, as if its context had ended, with error 1317; KILL id ends the session, too, and
// the pool of the sql.DB takes another one in its place. CONNECTION_ID() is a session's id. No other sql.DB, and no other process, is reached.
//
// Placeholders are ?, or $1, or the names :id or @id for sql.Named; a statement uses one of these kinds. Where no argument has its name,
// or beside ?, @id is the variable of the session (a sql.Conn). It is NULL until it is set by SET @id = …, @id := … or
// SELECT … INTO @id. PREPARE, EXECUTE … USING @id and DO are MySQL's. Exec takes several statements with
// semicolons between them, if none has an argument: they run in turn, each a statement of its own, up to the
// first error.
//
// CREATE TEMPORARY TABLE makes a table of the session, in the memory of this process: it costs no requests, other sessions
// do not see it, and it hides a table of the same name. Use it in a sql.Conn or a sql.Tx, because a sql.DB gives each call whichever
// connection is free. It is gone when the connection goes back to the pool, as are the variables of the session. CREATE and DROP TEMPORARY
// TABLE do not end a transaction. Its ROLLBACK takes rows back, but leaves the table, and the rows that AS SELECT has put there. The rows count for
// the option total_memory. The table has no foreign keys and no partitions, and views do not see it.
//
// A row lies under its primary key, and a whole copy of it under each index, so that a query by key is one point
// read, and one by an indexed column or its prefix (LIKE 'x%') is one range read. Anything else is a filtered
// scan; the option scan=deny refuses those. USE, FORCE and IGNORE INDEX behind a table say which of its keys, PRIMARY among
// them, may serve; FORCE INDEX goes before what costs less.
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
// Expressions give the Go type of their SQL type, the same in all rows. ScanType of sql.ColumnType is one that takes every value
// of the column, as in MySQL's Go driver: int32, string, sql.NullInt64 where it may be NULL.
//
// A column keeps what it declares, as in MySQL's strict mode. It rounds a number to its digits behind the point and a time
// to its digits of a second; a DATE drops the time of day, a TIME the date, a text that is too long the blanks at its end.
// What would lose more is refused: a longer text, a number out of range, '1x' as a number. The option exact=true refuses
// all of this rounding and dropping.
//
// With IGNORE, or where the option sql_mode or SET sql_mode leaves out STRICT_TRANS_TABLES, the nearest value is stored instead, and
// SHOW WARNINGS says so. What is no date becomes NULL then: MySQL's zero date cannot be stored. In strict mode an INSERT,
// UPDATE or DELETE fails where a SELECT only warns: of 1/0, '5x' + 1, DATE('x').
//
// An ENUM or SET is kept as its text, and counts as its number beside numbers, in ORDER BY and in keys. A BIT is a number,
// and BIT(1) is no exception: Go programs written for MySQL scan it as []byte{1}. Hexadecimal and bit literals are numbers
// beside numbers, and octets beside texts.
//
// TINYINT(1) is an integer from -128 to 127, and BOOL is true or false; information_schema says tinyint(1) of both, as MySQL
// does. A DATETIME, TIMESTAMP or TIME without a number of digits keeps whole seconds. DATETIME(6) keeps the microseconds of
// time.Now(); DATETIME(7), which MySQL lacks, keeps all that the store's and .NET's own times hold. A TIMESTAMP goes from
// 1970-01-01 00:00:01 to 2038-01-19 03:14:07. A VARCHAR needs a length.
//
// A time.Time argument is cut to 100 ns, the finest that a DATETIME holds. Compared with a column it is rounded to
// microseconds, as in MySQL, except with a DATETIME(7). So it finds what a DATETIME(6) has stored of it; in a column of fewer
// digits it finds only a time that equals it. A FLOAT has single precision: as in MySQL, f = 0.1 does not find the 0.1 that
// was stored in it, and f = CAST(0.1 AS FLOAT) does.
//
// A session has a time zone, UTC unless the option time_zone or SET time_zone says otherwise: an offset such as +02:00, or a
// name such as Europe/Berlin, for which Go needs its time zone data (import time/tzdata where the machine has none). NOW(),
// CURDATE(), UNIX_TIMESTAMP() and the like go by it, UTC_TIMESTAMP() does not. A TIMESTAMP column is kept in UTC; it is shown,
// compared and set in the session's time zone, and keys and indexes serve it. A DATETIME is as written. A time.Time is a
// moment: as an argument it becomes what the session's clock shows then, and a result is the moment at which that clock shows
// the value, and so is a text with an offset behind its clock, '2024-01-01 10:00:00+02:00'. Where the clock shows a time twice,
// the first one is meant. A TIMESTAMP is UTC in a CHECK, a generated column and
// PARTITION BY, as a constant DEFAULT, and in ALTER TABLE.
//
// A text that is an integer compares with integers exactly, so that an id of 64 bits may be given as text. Numbers with a
// fraction compare with texts as floats of 15 digits, as in MySQL: compare a longer DECIMAL with CAST(? AS DECIMAL(p,s)).
// A TIME compares with a DATE or DATETIME as a time of the day on which the statement began, as in MySQL.
//
// A JSON column keeps the document, not its text: what is read is what MySQL prints, with the keys sorted and each once.
// What is compared with JSON becomes JSON, and the types have MySQL's order: neither the string "1" nor true equals 1.
// Where a number or a condition is wanted, a document counts as its scalar: true, 1 and "1" are true; false, null, arrays and
// objects are not. From 8.0.21 on MySQL compares with JSON's 0 there, so that false is true, and warns of it. A time in a
// document is stored as a string; where it is compared with a time it is read as one.
//
// # Collations
//
// A text column has a collation, its own or its table's. Its keys and all comparisons with it go by that.
//
//	utf8mb4_0900_bin         by code point, the default; MySQL's own is utf8mb4_0900_ai_ci
//	utf8mb4_bin              by code point, padded: blanks at the end of a text do not count
//	utf8mb4_0900_ai_ci       neither case nor accents count
//	utf8mb4_0900_as_ci       accents count, case does not
//	utf8mb4_0900_as_cs       both count, in the order of letters
//	utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_general_ci    neither counts, padded
//	nocase                   accents count, case does not, by simple folding; in the order of code points
//
// Where texts of two collations meet, COLLATE decides, else a column or CAST rather than a literal; of two columns the binary one
// (utf8mb4_bin and utf8mb4_0900_bin; of these two the first), as in MySQL, else the statement is refused (1267). A nocase column
// decides over all others but COLLATE: MySQL has none. COERCIBILITY(x) tells how readily a text yields.
//
// The names that begin with utf8_ and utf8mb3_, ascii_bin, ascii_general_ci and latin1_bin mean those of utf8mb4; others are
// refused (1273). All text is UTF-8, whatever CHARACTER SET says, and a character set alone means the default collation. The
// option collation, or Config.Collation, is the default of new tables and the collation of literals; SET NAMES … COLLATE
// changes that of literals in its connection. Letters are equal exactly where they are in MySQL, except in contractions. Up to
// z they sort as there, and behind it by code point. In a padded collation a text with a control character at its end sorts
// behind the text without it.
//
// # Transactions
//
// A transaction's writes are held back, seen by its own statements, and sent by Commit: all or nothing. It may have any
// size, in any number of tables and partitions; max_memory bounds what it holds. In memory and in a file that costs nothing.
// On Azure what fits an entity group transaction is one request: 100 entities (a row and each of its index entries count as
// one each) of one physical table and partition, that is of one table with those interleaved in it, or, where they were made
// with the option layout=single, of several tables. More is divided into groups of up to 99 entities. Each takes a request that
// prepares it and one that finishes it, and one request decides for all; where all are of one table, that one writes a group of its
// own, too. So two partitions take 3 requests, two tables 5. Meanwhile no reader
// waits, except for the commit of a serializable transaction that only reads. A process that dies leaves nothing
// half done: whoever meets what it has left finds out whether the transaction was decided, decides after 10 s that it was not, and finishes it.
// On Azure a transaction cannot insert, delete or re-key rows that other tables are interleaved in, in more than one partition, or more than 99 of
// them with their index entries; nor write to a table that other programs made together with anything else; nor a row that is 99
// entities with its index entries, or 2 MiB. That is refused with ErrTooLarge, at the statement that goes too far, which leaves
// nothing; the transaction goes on. The option transactions=group refuses all that is more than one entity group transaction
// so, on every store. Two cases show only at Commit: where an entity of more than 512 KiB, or 234 properties, has no room for the new
// content beside the old one, and where a serializable transaction reads more once it has written to a table of other programs.
//
// Rows that were read to be written are written only if nobody changed them since: ErrConflict says that the transaction may
// be run again, and RunTx does so. A program that computes something from rows asks for an isolation level, or reads them
// FOR UPDATE: the commit then fails where somebody else has changed them meanwhile. Such rows count as entities of the
// transaction.
//
// The default is read committed, where each statement reads one moment of the store, on Azure each page of a partition.
// LevelWriteCommitted and all above it, and MySQL's REPEATABLE READ, are serializable. Commit repeats all reads, also those
// that found nothing, and gives ErrConflict where one would have another result by then. In memory and in a file all reads
// are of the moment when the transaction begins. On Azure each is of its own moment, so what was read may not fit together
// before Commit has succeeded, and Commit takes the requests of the reads once more, but for points of a single partition
// that the transaction writes to. A transaction with ReadOnly reads one moment in memory and in a file, unless it asks for
// read committed, and never meets a conflict; on Azure it needs a level for that, and its Commit says whether it was one
// moment. So does a single query where the session's level is serializable: its rows are held back until they were read
// twice, and read anew where that differs. SET TRANSACTION, SET transaction_isolation, autocommit = 0, SAVEPOINT and START
// TRANSACTION with READ ONLY or WITH CONSISTENT SNAPSHOT are MySQL's. A transaction that reads one moment cannot read a
// table whose definition has changed since then (ErrSchemaChanged), unless it has read nothing before: then it gets a later
// moment.
//
// BEGIN, COMMIT and ROLLBACK may be written as SQL in one sql.Conn, or in one text of several statements: a sql.DB gives
// each statement whichever connection is free, and what BEGIN opened ends when its connection goes back to the pool. A
// statement that changes definitions commits first, as in MySQL, and what follows it is in no transaction. A statement that
// other writers overtake is run again by itself: for a minute where they have changed its rows, up to 12 times, 25 with what
// nests in it, where they have changed its tables' definitions. Then ErrConflict says that it may be tried again. In memory and in
// a file a statement that was overtaken waits its turn instead: writers of one table that meet stand in line, until their contexts
// end. A request that the store does not answer is sent up to 6 times (Config.Retry).
//
// Outside of a transaction a statement writes all of its rows or none, also an UPDATE or DELETE of several tables. With the option
// bulk=chunked one whose rows need more than an entity group transaction goes out in several, whole rows each, which halves
// the requests on Azure; if one fails, the error says exactly what was written. On Azure that is so without the option,
// too, of rows that other tables are interleaved in, and of tables that other programs made.
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
// The last column is that of the default level; "serializable" holds on Azure for what a transaction has read when its
// Commit has succeeded. Read committed: a transaction that writes nothing is not checked at its commit, whatever it has
// read. FOR UPDATE protects rows that exist; others can still be inserted. It waits for rows that another transaction of this sql.DB,
// or one of this process on the same memory or file, has read FOR UPDATE or written to. It waits as long as innodb_lock_wait_timeout
// says (1205); with SKIP LOCKED it passes over them, with NOWAIT they are an error (3572). Who would wait for somebody that waits for him is rolled back at once, and gets ErrConflict. Other
// statements wait for nobody, and rows that other processes hold show at Commit. Write skew: two transactions each read what the other
// one writes; each takes one of the last two off duty, and nobody is
// left. A phantom is a row that another transaction inserts where this one has looked.
//
// GET_LOCK holds among all processes that use the store. On Azure a lock is an entity, which its holder writes anew every 10 s: 2
// requests each, and about 2 to take it and 2 to give it back. Where that process ended, or
// cannot reach the store, somebody who waits for the lock gets it after 30 s. RELEASE_LOCK by the former holder then gives 0.
//
// # Unique keys
//
// Where PARTITION BY KEY or HASH spreads the rows, a unique key has the columns of that, or says UNIQUE KEY (mail) GLOBAL. Then it
// holds over all rows, and finds one in 2 requests. On Azure an INSERT takes 3 requests with it where it takes 1 without.
//
// # Foreign keys
//
// A foreign key ties any two tables, as in MySQL: RESTRICT, CASCADE and SET NULL, ON DELETE and ON UPDATE, to a primary or
// unique key. The transaction that writes requires of the store what the foreign key says, so that it holds at every isolation
// level and nobody waits. A statement is judged when it is over and its cascades are done, MySQL judges row by row. A COMMIT
// that others have overtaken gives ErrConflict. SET foreign_key_checks = 0 looks at nothing in its session. On Azure each row that
// is looked for takes a request. Where both tables lie in one store partition (layout=single) no more is needed, else
// the write takes 3 requests where one without a foreign key takes 1. The foreign key of an
// interleaved table costs nothing. One that says NOT ENFORCED is shown and not kept. With transactions=group there is only
// that of an interleaved table.
//
// # Files
//
// A file is one bbolt file. All that is stored carries a checksum: reading a damaged row gives ErrCorrupt, never another
// row. CHECK TABLE reads all of a table and says what is not as it was written. REPAIR TABLE gives that up and keeps the
// rest. OPTIMIZE TABLE writes the file anew, without the space of what was deleted; closing a file of up to 256 MB does so where
// a third of it is free. While it is open, its commits are in a log beside it, PATH.log, which goes when it is closed. Where the process was
// killed, the next one to open the file needs the log: copy a closed file, or both, or one in use by BackupFile. Rows and transactions that are kept open
// hold up nobody, but what is deleted meanwhile keeps its space until they are closed. A file gets 64 GB of addresses to
// grow into, or four times its size. Where there are none, as on Windows and in a process of 32 bits, and behind them, rows
// that are open while the file grows may end with ErrConflict. A file that may have lost its last commit is opened with the
// option readonly only.
//
// With readonly a program looks into a file that another process has open and writes to. The first connection copies it into the
// folder for temporary files (TMPDIR), where no more than a reflink is made if the file system of both can, and all connections see the
// moment of that copy, with all that was committed before. The writer is not asked and does not wait, and nothing is left of the copy when
// the process ends. To look again, close the sql.DB and open another one.
//
// # Versions
//
// A later version reads what an earlier release wrote. What uses something that this version does not know, it refuses by name
// with ErrNewer: to read it, or only to write it where reading is safe. docs/format.md has the rules.
//
// # Memory
//
// max_memory bounds what a statement holds (256 MiB unless it says otherwise), total_memory what all statements of a sql.DB
// hold together, and SetMemoryLimit what those of the whole process do. A statement that needs more fails with ErrMemory.
//
// # Limits
//
// Those of Azure Table Storage, checked by every engine before anything is sent: an entity has at most 252
// properties and 1 MiB, where text takes 2 bytes a character (UTF-16): a row holds about 500,000 characters. A key has at most 512
// UTF-16 units (longer texts are cut there and told apart by a hash).
//
// # Errors
//
// errors.As finds an *Error in every error, but the context's where nothing was written: MySQL's number and state where
// there is one, the place in the statement, whether a failed write was applied, whether a retry is safe. Where the context
// ended a write and some rows were written, or may have been, the *Error says so, and errors.Is finds the context's in it, too.
//
// Where the answer to a write was lost, the store is asked what became of it, and it is sent again if it was not applied: an id
// in one of the rows tells. It stays AppliedUnknown where the context has ended; in tables of other programs; where others
// have written or deleted the rows in that moment, so that nothing tells any more; and of an INSERT that is refused when it is
// sent again, for a row that was written a moment ago, or whose row is not there when its loss shows after ten seconds.
//
// errors.Is knows ErrDuplicateKey, ErrConflict, ErrTooLarge and the other targets.
// A mock may return &nearlyfree.Error{Number: nearlyfree.CodeDuplicateEntry}, which is ErrDuplicateKey.
package nearlyfree
