package mariadb

import "testing"

// primaryKeyScript runs on both sides.
const primaryKeyScript = `
CREATE TABLE t (a INT, b INT, c VARCHAR(5) DEFAULT 'x')
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c')
ALTER TABLE t ADD PRIMARY KEY (b)
ALTER TABLE t ADD PRIMARY KEY (d)
ALTER TABLE t ADD PRIMARY KEY (b, a), ADD KEY c (c)
INSERT INTO t VALUES (1, 1, 'z')
INSERT INTO t VALUES (NULL, 1, 'z')
INSERT INTO t (c) VALUES ('z')
INSERT INTO t VALUES (1, 1, 'z') ON DUPLICATE KEY UPDATE c = 'y'
REPLACE INTO t VALUES (1, 1, 'r')
INSERT IGNORE INTO t VALUES (1, 1, 'i'), (7, 7, 'i')
?SELECT * FROM t WHERE b = 1 AND a = 1
UPDATE t SET c = 'z' WHERE b = 1 AND a = 1
UPDATE t SET a = 3 WHERE b = 2
UPDATE t SET a = 9 WHERE b = 1 AND a = 1
DELETE FROM t WHERE b = 7 AND a = 7
?SELECT * FROM t ORDER BY b, a
?SELECT column_name, column_key, is_nullable FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 't' ORDER BY ordinal_position
?SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_schema = DATABASE() AND table_name = 't'
?SELECT index_name, non_unique, seq_in_index, column_name FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 't' ORDER BY non_unique, 3
?SELECT constraint_name, column_name, ordinal_position FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND table_name = 't' ORDER BY 3
ALTER TABLE t ADD PRIMARY KEY (a)
ALTER TABLE t MODIFY a INT PRIMARY KEY
ALTER TABLE t MODIFY a BIGINT
?SELECT is_nullable FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 't' AND column_name = 'a'
ALTER TABLE t ADD INDEX ` + "`PRIMARY`" + ` (c)
ALTER TABLE t DROP PRIMARY KEY
ALTER TABLE t DROP PRIMARY KEY
INSERT INTO t VALUES (NULL, 1, 'z')
ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)
UPDATE t SET b = a
ALTER TABLE t MODIFY b INT PRIMARY KEY
ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b, c)
ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b)
?SELECT * FROM t ORDER BY b, a
ALTER TABLE t MODIFY b INT AUTO_INCREMENT
INSERT INTO t (a) VALUES (5)
?SELECT * FROM t ORDER BY b, a
ALTER TABLE t DROP PRIMARY KEY
CREATE TABLE child (id INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES t (b) ON DELETE CASCADE)
INSERT INTO child VALUES (1, 77)
INSERT INTO child VALUES (1, 9)
INSERT INTO child SELECT 2, MAX(b) FROM t
DELETE FROM t WHERE b = 9
?SELECT id FROM child
CREATE TABLE empty (id INT NOT NULL, n INT)
ALTER TABLE empty ADD PRIMARY KEY (id), ADD UNIQUE KEY n (n)
ALTER TABLE empty MODIFY id INT NOT NULL AUTO_INCREMENT
INSERT INTO empty (n) VALUES (4), (5)
INSERT INTO empty (n) VALUES (4)
?SELECT * FROM empty ORDER BY id
CREATE TEMPORARY TABLE own (a INT, b INT)
INSERT INTO own VALUES (1, 1)
ALTER TABLE own ADD PRIMARY KEY (a)
INSERT INTO own VALUES (1, 2)
`

// TestPrimaryKey: a primary key that ALTER TABLE gives to a table is here what it is in MariaDB.
func TestPrimaryKey(t *testing.T) {
	needServer(t)
	for n := range uint64(5) {
		ours, theirs := openNth(t, "ours", n), openTheirs(t)
		for line := range bothAnswer(primaryKeyScript, ours, theirs) {
			if !line.query {
				line.got.affected, line.want.affected = 0, 0 // MariaDB says of an ALTER TABLE how many rows it has copied
			}
			line.compare(t)
		}
	}
}
