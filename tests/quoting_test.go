package tests

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestErrorsAreShort: an error repeats no more than the beginning of what it is about, however long that is.
func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(400), n INT, d DATETIME, j JSON, b VARBINARY(400), x TEXT, e ENUM('a', 'b'), UNIQUE KEY (s), UNIQUE KEY (b))")
	key := strings.Repeat("é", 400)
	run(t, db, "INSERT INTO t (id, s, b) VALUES (1, ?, ?)", key, []byte(strings.Repeat("\xff", 400)))
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range []string{
		"@", "SELECT @", "SELECT `@`", "SELECT `@`.`@` FROM t", "SELECT `@`.* FROM t", "SELECT * FROM `@`", "SELECT * FROM `@`.`@`", "SELECT @()", "SELECT `@`()",
		"SELECT 1 AS `@` FROM t WHERE `@` = 1", "SELECT s AS `@` FROM t GROUP BY n", "SELECT MAX(id), s AS `@` FROM t", "SELECT 1 FROM t `@`, t `@`", "SELECT 1 FROM t `@` JOIN t b USING (`@`)",
		"SELECT id FROM t ORDER BY `@`", "SELECT id FROM t GROUP BY `@`", "SELECT id FROM t HAVING `@` = 1", "SELECT id AS a, n AS a FROM (SELECT 1 AS `@`, 2 AS `@`) d",
		"WITH `@` AS (SELECT 1), `@` AS (SELECT 2) SELECT 1", "SELECT * FROM t USE INDEX (`@`)", "SELECT * FROM t PARTITION (`@`)",
		"INSERT INTO `@` VALUES (1)", "INSERT INTO t (`@`) VALUES (1)", "INSERT INTO t (id, `@`, `@`) VALUES (1, 2, 3)", "UPDATE t SET `@` = 1", "UPDATE `@` SET n = 1", "DELETE FROM `@`", "DELETE `@` FROM t",
		"INSERT INTO t (id, s) VALUES (2, '@')", "INSERT INTO t (id, n) VALUES (2, '@')", "INSERT INTO t (id, d) VALUES (2, '@')", "INSERT INTO t (id, j) VALUES (2, '@')", "INSERT INTO t (id, e) VALUES (2, '@')", "INSERT INTO t (id, b) VALUES (2, '@')",
		"INSERT INTO t (id, j) VALUES (2, '{\"@\": }')", "UPDATE t SET n = '@'", "UPDATE t SET n = n + '@'", "DELETE FROM t WHERE n = '@'", "UPDATE t SET d = DATE_ADD('@', INTERVAL 1 DAY)", "UPDATE t SET n = CAST('@' AS SIGNED)", "UPDATE t SET n = CAST('@' AS DECIMAL(5,2))",
		"SELECT d < '@' FROM t", "SELECT * FROM t WHERE d = '@'", "SELECT 9223372036854775807 + (9223372036854775807 + LENGTH('@'))", "SELECT JSON_EXTRACT('@', '$')", "SELECT JSON_EXTRACT('{}', '@')", "SELECT JSON_EXTRACT('{}', '$.\"@')", "SELECT JSON_SEARCH('[]', '@', 'a')",
		"SELECT 'a' REGEXP '(@'", "SELECT REGEXP_LIKE('a', 'a', '@')", "SELECT 'a' REGEXP '[[:@:]]'", "SELECT 'a' REGEXP '(?P<@>a)(?P<@>b)'", "SELECT 'a' REGEXP 'a{1,99999}@'", "SELECT 'a' REGEXP '\\\\p{@}'",
		"SELECT 1 + ~ 'a' COLLATE `@`", "SELECT 'a' COLLATE @", "SELECT _@ 'a'", "SELECT CAST(1 AS @)", "SELECT CONVERT('a' USING `@`)", "SELECT @@@", "SELECT @@`@`", "SET @@`@` = 1", "SET `@` = 1", "SET sql_mode = '@'", "SET time_zone = '@'", "SET NAMES '@'", "SET autocommit = '@'", "SET @@session.`@` = 1",
		"SELECT CONVERT_TZ('2020-01-01', '@', 'x')", "SELECT INTERVAL 1 @", "SELECT EXTRACT(@ FROM d) FROM t", "SELECT 1 FROM t WHERE MATCH (s) AGAINST ('@')", "SELECT DATE_FORMAT('@', '%Y') + 0", "SELECT TIMESTAMP '@'", "SELECT DATE '@'", "SELECT x'@'", "SELECT 0x@", "SELECT b'@'", "SELECT 1@", "SELECT '@", "SELECT `@", "SELECT \"@", "SELECT /* @",
		"CREATE TABLE `@` (id INT PRIMARY KEY)", "CREATE TABLE u (`@` INT, `@` INT)", "CREATE TABLE u (id INT, KEY `@` (`@`))", "CREATE TABLE u (id INT, KEY `@` (id), KEY `@` (id))", "CREATE TABLE u (id INT PRIMARY KEY, CONSTRAINT `@` CHECK (id > 0), CONSTRAINT `@` CHECK (id > 1))",
		"CREATE TABLE u (id INT PRIMARY KEY DEFAULT '@')", "CREATE TABLE u (id INT PRIMARY KEY, d DATE DEFAULT '@')", "CREATE TABLE u (id INT PRIMARY KEY, e ENUM('@', '@'))", "CREATE TABLE u (id INT PRIMARY KEY, e ENUM('@'), KEY (e), n INT DEFAULT (`@`))", "CREATE TABLE u (id @)", "CREATE TABLE u (id INT PRIMARY KEY, s TEXT COLLATE `@`)", "CREATE TABLE u (id INT PRIMARY KEY) `@` = 1", "CREATE TABLE u (id INT PRIMARY KEY) ENGINE = `@` FOO", "CREATE TABLE u (id INT PRIMARY KEY) COLLATE `@`", "CREATE TABLE u (id INT PRIMARY KEY, CHECK (`@` > 0))", "CREATE TABLE u (id INT PRIMARY KEY, CHECK (id > '@' + `@`))", "CREATE TABLE u (id INT PRIMARY KEY) PARTITION BY RANGE (`@`) (PARTITION `@` VALUES LESS THAN (1))", "CREATE TABLE u (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION `@` VALUES LESS THAN (1), PARTITION `@` VALUES LESS THAN (2))",
		"CREATE TABLE u (id INT PRIMARY KEY) INTERLEAVE IN PARENT `@`", "CREATE TABLE u (id INT PRIMARY KEY, n INT REFERENCES `@` (`@`))", "CREATE TABLE u (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES `@` (`@`))", "CREATE DATABASE `@`", "DROP DATABASE `@`", "USE `@`", "CREATE VIEW `@` AS SELECT 1", "CREATE EXTERNAL TABLE u (`@` INT) LOCATION '@'",
		"ALTER TABLE `@` ADD COLUMN a INT", "ALTER TABLE t ADD COLUMN `@` INT AFTER `@`", "ALTER TABLE t DROP COLUMN `@`", "ALTER TABLE t DROP KEY `@`", "ALTER TABLE t ADD KEY `@` (`@`)", "ALTER TABLE t RENAME COLUMN `@` TO a", "ALTER TABLE t MODIFY `@` INT", "ALTER TABLE t DROP CHECK `@`", "ALTER TABLE t ALTER COLUMN `@` DROP DEFAULT", "ALTER TABLE t ADD COLUMN e ENUM('a') DEFAULT '@'", "ALTER TABLE t DROP PARTITION `@`", "ALTER TABLE t RENAME TO `@`.`@`",
		"DROP TABLE `@`", "DROP TABLE `@`, `@1`, `@2`", "TRUNCATE `@`", "DROP INDEX `@` ON t", "CREATE INDEX `@` ON `@` (a)", "CREATE INDEX `@` ON t (`@`)", "RENAME TABLE `@` TO `@`", "CHECK TABLE `@`", "REPAIR TABLE `@`", "SHOW CREATE TABLE `@`", "SHOW INDEX FROM `@`", "SHOW COLUMNS FROM `@`", "DESCRIBE `@`", "SHOW @", "EXPLAIN FORMAT=`@` SELECT 1", "EXPLAIN FORMAT='@' SELECT 1",
		"PREPARE `@` FROM '@'", "PREPARE p FROM @`@`", "EXECUTE `@`", "EXECUTE `@` USING @a", "DEALLOCATE PREPARE `@`", "SAVEPOINT `@`", "ROLLBACK TO `@`", "KILL '@'", "CALL `@`()", "LOAD DATA INFILE '@'", "GRANT ALL ON `@` TO `@`", "SELECT 1 INTO OUTFILE '@'", "SELECT id FROM t LIMIT @", "SELECT id FROM t LIMIT '@'", "SELECT * FROM JSON_TABLE('@')", "SELECT GET_LOCK('@', 1)", "SELECT BIN_TO_UUID('@')", "SELECT UUID_TO_BIN('@')", "SELECT INET_ATON('@') + 1", "INSERT INTO t (id) SELECT '@'", "SELECT DATE_ADD('2020-01-01', INTERVAL '@' DAY)", "SELECT (SELECT '@' UNION SELECT 1)", "SELECT CHAR(1 USING `@`)", "SELECT WEIGHT_STRING('@' AS CHAR(3) @)", "INSERT INTO t (id, d) VALUES (3, TIMESTAMP('@'))",
	} {
		for _, word := range []string{"é", "a b."} {
			if word == "'" && strings.Contains(q, "'@") {
				word = "''"
			}
			short(t, q, strings.ReplaceAll(q, "@", strings.Repeat(word, 20_000/len(word))), conn)
		}
	}
	long := strings.Repeat("é", 10_000)
	for _, q := range []string{"INSERT INTO t (id, s) VALUES (2, ?)", "INSERT INTO t (id, n) VALUES (2, ?)", "INSERT INTO t (id, d) VALUES (2, ?)", "INSERT INTO t (id, j) VALUES (2, ?)", "INSERT INTO t (id, e) VALUES (2, ?)", "UPDATE t SET n = ?", "UPDATE t SET n = n + ?", "SELECT 'a' REGEXP ?", "SELECT JSON_EXTRACT('{}', ?)", "SELECT * FROM t LIMIT ?", "SELECT * FROM t WHERE n = :a"} {
		short(t, q, q, conn, long)
		short(t, q, q, conn, []byte(long+"\xff"))
		short(t, q, q, conn, sql.Named(strings.Repeat("a", 20_000), 1))
	}
	short(t, "a duplicate", "INSERT INTO t (id, s) VALUES (2, ?)", conn, key)
	short(t, "a duplicate", "INSERT INTO t (id, b) VALUES (2, ?)", conn, []byte(strings.Repeat("\xff", 400)))
}

// short runs a statement: its error, if it has one, and the conditions that it leaves are short.
func short(t *testing.T, name, q string, conn *sql.Conn, args ...any) {
	t.Helper()
	_, err := conn.ExecContext(t.Context(), q, args...)
	if err != nil && (len(err.Error()) > 700 || strings.Contains(err.Error(), "\uFFFD")) {
		t.Errorf("%.100s: an error of %d octets: %.150s", name, len(err.Error()), err)
	}
	var e *nearlyfree.Error
	if err != nil && !errors.As(err, &e) {
		return
	}
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		t.Error(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil || len(message) > 600 {
			t.Errorf("%.100s: a condition of %d octets: %.150s, %v", name, len(message), message, err)
		}
	}
}
