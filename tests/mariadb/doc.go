// Package mariadb holds the driver against MariaDB 10.11, the server next to MySQL that a test can start: random
// expressions, comparisons, casts, literals into columns of every type, writes with the state after them. The text that is
// sent is the same; what both answer is compared value by value, errors by their numbers. It is a module of its own, so that
// the driver's own go.mod does not name a MySQL client.
//
// The tests start a mariadbd of their own and end it; NEARLYFREE_MARIADB, a data source name of
// github.com/go-sql-driver/mysql, names a server that runs. Without either they are skipped, and say so.
//
//	go test ./tests/mariadb -statements 1000000 -seed 100
//
// What both sides disagree about is made as small as it can be, and printed once for each shape. MySQL 8.0's manual decides
// who is right. Differences that stay are listed with their reasons in known_test.go, and in docs/differences.md made from it.
package mariadb
