package mariadb

import "testing"

// bitsScript runs on both sides. MariaDB sends a computed BIT as digits that its own type
// says are octets, so computed ones are asked for as numbers.
const bitsScript = `
CREATE TABLE x (id INT PRIMARY KEY, bt BIT(8), b3 BIT(3), b9 BIT(9), b64 BIT(64), n INT, s VARCHAR(10), d DECIMAL(5,2), f DOUBLE, bi VARBINARY(5), big BIGINT UNSIGNED)
INSERT INTO x VALUES (1, b'01000001', b'101', b'101000001', b'1111111111111111111111111111111111111111111111111111111111111111', 5, 'abc', 1.5, 2.25, 'o', 7)
INSERT INTO x (id) VALUES (2)
INSERT INTO x VALUES (3, 0, 0, 0, 0, 0, '', 0, 0, '', 0)
?SELECT bt FROM x UNION ALL SELECT bt FROM x
?SELECT bt FROM x UNION SELECT bt FROM x ORDER BY 1
?SELECT bt FROM x UNION SELECT NULL ORDER BY 1
?SELECT b3 FROM x UNION ALL SELECT b9 FROM x
?SELECT b9 FROM x UNION ALL SELECT b3 FROM x
?SELECT HEX(c) FROM (SELECT b3 AS c FROM x UNION ALL SELECT b9 FROM x) y
?SELECT bt FROM x UNION ALL SELECT n FROM x
?SELECT n FROM x UNION ALL SELECT bt FROM x
?SELECT b64 FROM x UNION ALL SELECT n FROM x
?SELECT bt FROM x UNION ALL SELECT big FROM x
?SELECT CAST(c * 4 AS SIGNED) FROM (SELECT bt AS c FROM x UNION ALL SELECT d FROM x) y
?SELECT c FROM (SELECT bt AS c FROM x UNION ALL SELECT s FROM x) y WHERE c = '65'
?SELECT c FROM (SELECT s AS c FROM x UNION SELECT b9 FROM x) y WHERE c > '3' ORDER BY 1
?SELECT bt FROM x UNION ALL SELECT DATE'2024-01-31'
?SELECT bt FROM x UNION ALL SELECT f FROM x
?SELECT bt FROM x UNION ALL SELECT s FROM x
?SELECT s FROM x UNION ALL SELECT bt FROM x
?SELECT b9 FROM x UNION ALL SELECT s FROM x
?SELECT bt FROM x UNION ALL SELECT bi FROM x
?SELECT b9 FROM x UNION ALL SELECT bi FROM x
?SELECT bt FROM x UNION ALL SELECT 1
?SELECT bt FROM x UNION ALL SELECT b'1'
?SELECT bt + 0 FROM x UNION ALL SELECT bt FROM x
?SELECT c + 0 FROM (SELECT bt AS c FROM x UNION ALL SELECT b9 FROM x) y
?SELECT MAX(c) + 0, SUM(c), COUNT(DISTINCT c) FROM (SELECT bt AS c FROM x UNION ALL SELECT b9 FROM x) y
?SELECT bt FROM x EXCEPT SELECT b3 FROM x
?SELECT bt FROM x INTERSECT SELECT bt FROM x ORDER BY 1
?SELECT CASE WHEN id = 1 THEN bt ELSE b9 END + 0 FROM x
?SELECT HEX(CASE WHEN id = 1 THEN bt ELSE b9 END) FROM x
?SELECT IF(id = 1, bt, n) FROM x
?SELECT IF(id = 1, bt, NULL) + 0 FROM x
?SELECT HEX(IF(id = 1, bt, NULL)) FROM x
?SELECT IF(id = 1, b3, b9) + 0 FROM x
?SELECT HEX(IF(id = 1, b3, b9)) FROM x
?SELECT IF(id = 1, bt, s) FROM x
?SELECT IF(id = 1, bt, d) FROM x
?SELECT COALESCE(bt, b9) + 0 FROM x
?SELECT HEX(COALESCE(bt, b9)) FROM x
?SELECT COALESCE(bt, 0) FROM x
?SELECT COALESCE(bt, 'none') FROM x
?SELECT IFNULL(bt, b'1') FROM x
?SELECT IFNULL(bt, 1) FROM x
?SELECT NULLIF(bt, 65) + 0 FROM x
?SELECT HEX(NULLIF(bt, 65)) FROM x
?SELECT GREATEST(bt, b3) + 0 FROM x
?SELECT HEX(GREATEST(bt, b3)) FROM x
?SELECT LEAST(bt, n) FROM x
?SELECT MAX(bt) + 0, MIN(b9) + 0 FROM x
?SELECT * FROM (SELECT bt, b3, b9, b64 FROM x) y
?SELECT * FROM (SELECT DISTINCT bt FROM x) y ORDER BY 1
CREATE TABLE made AS SELECT id, bt, b3, b9 FROM x
?SELECT * FROM made ORDER BY id
CREATE TABLE united AS SELECT id, bt AS c FROM x UNION ALL SELECT id + 10, b9 FROM x
?SELECT * FROM united ORDER BY id
?SELECT COLUMN_TYPE FROM information_schema.columns WHERE table_name = 'united' AND column_name = 'c' AND table_schema = DATABASE() ORDER BY ordinal_position
CREATE TABLE cased AS SELECT id, IF(id = 1, b3, b9) AS a, COALESCE(bt, 1) AS b, IF(id = 1, bt, s) AS c, NULLIF(bt, 1) AS e FROM x
?SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.columns WHERE table_name = 'cased' AND column_name IN ('a', 'e') AND table_schema = DATABASE() ORDER BY ordinal_position
?SELECT * FROM cased ORDER BY id
CREATE TABLE y (id INT PRIMARY KEY, bt BIT(8), n INT, s VARCHAR(10))
INSERT INTO y (id, bt) SELECT id, bt FROM x UNION SELECT id + 10, b3 FROM x
INSERT INTO y (id, n) SELECT id + 20, bt FROM x UNION SELECT id + 30, b3 FROM x
INSERT INTO y (id, bt) SELECT id + 40, b9 FROM x UNION SELECT id + 50, b3 FROM x
?SELECT * FROM y ORDER BY id
?WITH RECURSIVE r AS (SELECT id, bt FROM x WHERE id = 1 UNION ALL SELECT r.id + 1, x.bt FROM r JOIN x ON x.id = r.id + 1) SELECT * FROM r
?SELECT bt, n FROM (SELECT bt, n FROM x UNION ALL SELECT bt, n FROM x) z WHERE bt = 65
?SELECT bt FROM (SELECT bt FROM x UNION SELECT bt FROM x) z WHERE bt > b'1'
?SELECT z.bt FROM (SELECT bt FROM x UNION SELECT b3 FROM x) z JOIN x ON x.bt = z.bt
?SELECT COUNT(*) FROM x WHERE bt IN (SELECT bt FROM x UNION SELECT b3 FROM x)
CREATE VIEW v AS SELECT bt FROM x UNION ALL SELECT b3 FROM x
?SELECT * FROM v ORDER BY 1
`

// TestBits: a BIT is in what holds several queries' or arms' values what it is in MariaDB.
func TestBits(t *testing.T) {
	needServer(t)
	ours, theirs := openOurs(t, "ours", "mem://"), openTheirs(t)
	for line := range bothAnswer(bitsScript, ours, theirs) {
		line.compare(t)
	}
}
